import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import * as providers from '../../sql/communications/providers.ts';
import { uuid } from '../../sql/types.ts';
import { job } from '../job.ts';
import { isCertificateUrl } from './providers/ses.ts';

/**
 * Reads a certificate that a provider signs with, once, from where the provider keeps its certificates;
 * TLS says whose it is. Until then its callbacks are asked to come again.
 */
export const readCertificate = job({
  name: 'read-certificate',
  pool: 'outbound',
  door: { to: 'the certificate of a provider', controls: 'nothing leaves' },
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
