import { createHash } from 'node:crypto';
import { z } from 'zod';
import * as logos from '../../../sql/users/logos.ts';
import { uuid } from '../../../sql/types.ts';
import { enqueue, job } from '../../job.ts';
import { validatePicture, LOGO_BYTES_MAX } from './logo-picture.ts';
import { verifyLogo } from './verify-logo.job.ts';

/**
 * Downloads a tenant's logo under the network rules of webhooks. A valid image goes on to `verify-logo`.
 * Otherwise the tenant sees the problem, and letters continue without the logo.
 */
export const fetchLogo = job({
  name: 'fetch-logo',
  pool: 'outbound',
  egress: { to: 'the host of the logo', controls: 'nothing leaves' },
  payload: z.object({ tenant_id: uuid, logo_id: uuid }),
  attempts: 3,
  key: ({ logo_id }) => `fetch-logo:${logo_id}`,

  async run({ tenant_id, logo_id }, outside) {
    const url = await outside.within(tenant_id, ({ tx }) => logos.findPendingUrl(tx, logo_id));
    if (url === null) return;
    const answer = await outside.download(url, LOGO_BYTES_MAX);
    const verdict =
      'error' in answer
        ? { problem: answer.error }
        : answer.status === 200
          ? validatePicture(answer.bytes)
          : {
              problem: `The server answered ${answer.status}. Use a URL that returns the image directly.`,
            };
    await outside.within(tenant_id, async ({ tx }) => {
      if ('problem' in verdict) return void (await logos.markRefused(tx, logo_id, verdict.problem));
      const { bytes, ...picture } = verdict;
      const sha256_hash = createHash('sha256').update(bytes).digest('hex');
      // Letters already use this image. A second row would be a duplicate.
      if (await logos.isReady(tx, url, sha256_hash))
        return void (await logos.deleteRefused(tx, url));
      const image = bytes.toString('base64');
      await logos.savePending(tx, logo_id, { ...picture, sha256_hash, image });
      await enqueue(tx, verifyLogo, { tenant_id, logo_id });
    });
  },

  failed: ({ tx }, { logo_id }, reason) => logos.markRefused(tx, logo_id, reason),
});
