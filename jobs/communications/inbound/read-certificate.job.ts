import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import * as providers from '../../../sql/communications/providers.ts';
import { uuid } from '../../../sql/types.ts';
import { job } from '../../job.ts';
import { isCertificateUrl } from '../providers/ses.ts';

/**
 * Downloads a provider's signing certificate once, over TLS from the provider's own host. Until then its
 * callbacks get 503 and are retried.
 */
export const readCertificate = job({
  name: 'read-certificate',
  pool: 'outbound',
  egress: { to: 'the certificate of a provider', controls: 'nothing leaves' },
  payload: z.object({ tenant_id: uuid, url: z.string().refine(isCertificateUrl) }),
  attempts: 5,
  key: ({ tenant_id, url }) => `read-certificate:${tenant_id}:${url}`,

  async run({ tenant_id, url }, outside) {
    const answer = await outside.read(url);
    if ('error' in answer) throw new Error(`A certificate could not be read. ${answer.error}`);
    if (answer.status !== 200) throw new Error(`A certificate was answered with ${answer.status}.`);
    const pem = new X509Certificate(answer.body).toString();
    await outside.within(tenant_id, ({ tx }) => providers.saveCertificate(tx, url, pem));
  },
});
