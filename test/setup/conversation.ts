import { createHmac } from 'node:crypto';
import { newOutside } from './outside.ts';
import { drain } from './queue.ts';
import type { Stage } from './world.ts';

export const SECRET = 'the secret of the provider';

export const signed = (raw: string, timestamp = '', secret = SECRET) => {
  const text = timestamp === '' ? raw : `${timestamp}.${raw}`;
  const signature = `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
  return {
    'X-Provider-Signature': signature,
    ...(timestamp !== '' && { 'X-Provider-Timestamp': timestamp }),
  };
};

/** A borrower who has written, and a provider who passes it on. */
export async function conversation(stage: Stage) {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  await superadmin.put('/communications/providers/sms', { name: 'generic', secret: SECRET });
  const { officer } = tenant;
  const borrower = await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron' });
  const borrower_id = borrower.body.id as string;
  await officer.post(`/borrowers/${borrower_id}/phones`, { phone_number: '+12025550123' });
  const provider = tenant.anonymous();
  const call = (path: string, body: unknown, headers?: Record<string, string>) => {
    const raw = JSON.stringify(body);
    return provider.send('POST', `/communications/webhooks/${path}`, undefined, {
      raw,
      headers: headers ?? signed(raw),
    });
  };
  let count = 0;
  const says = (body: string, from = '+12025550123') =>
    call('inbound/sms', { from, to: '+12025550100', body, message_id: `m-${(count += 1)}` });
  const outside = newOutside(stage.pool);
  const texts = async () => {
    await drain(stage, outside, ['send-communication']);
    return outside.texts.map(({ body }) => body);
  };
  return { tenant, superadmin, officer, borrower_id, call, says, outside, texts };
}
