import { createHmac } from 'node:crypto';
import { newOutside } from './outside.ts';
import { runJobs } from './queue.ts';
import type { Stage } from './world.ts';

export const PROVIDER_SECRET = 'the secret of the provider';

export const signedHeaders = (raw: string, timestamp = '', secret = PROVIDER_SECRET) => {
  const text = timestamp === '' ? raw : `${timestamp}.${raw}`;
  const signature = `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
  return {
    'X-Provider-Signature': signature,
    ...(timestamp !== '' && { 'X-Provider-Timestamp': timestamp }),
  };
};

/** A borrower who has written a message, and the provider that forwards it. */
export async function newConversation(stage: Stage) {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  await superadmin.put('/communications/providers/sms', {
    name: 'generic',
    secret: PROVIDER_SECRET,
  });
  const { officer } = tenant;
  const borrower = await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron' });
  const borrower_id = borrower.body.id as string;
  await officer.post(`/borrowers/${borrower_id}/phones`, { phone_number: '+12025550123' });
  const provider = tenant.anonymous();
  const call = (path: string, body: unknown, headers?: Record<string, string>) => {
    const raw = JSON.stringify(body);
    return provider.send('POST', `/communications/webhooks/${path}`, undefined, {
      raw,
      headers: headers ?? signedHeaders(raw),
    });
  };
  let count = 0;
  const says = (body: string, from = '+12025550123') =>
    call('inbound/sms', { from, to: '+12025550100', body, message_id: `m-${(count += 1)}` });
  const outside = newOutside(stage.pool);
  const texts = async () => {
    await runJobs(stage, outside, ['send-communication']);
    return outside.texts.map(({ body }) => body);
  };
  return { tenant, superadmin, officer, borrower_id, call, says, outside, texts };
}

/** A sent email, and the provider that reports its delivery. */
export async function newMailedBorrower(
  stage: Stage,
  agreed: { name: string; secret: string; account_id?: string | undefined },
) {
  const { tenant, superadmin, officer, borrower_id, outside } = await newConversation(stage);
  const named = await superadmin.put('/communications/providers/email', agreed);
  if (named.status !== 200) throw new Error(JSON.stringify(named.body));
  await officer.post(`/borrowers/${borrower_id}/emails`, { email: 'ada@example.com' });
  const what = { template_type: 'welcome', borrower_id, channel: 'email' };
  const { id } = (await officer.post('/communications/send', what)).body;
  await runJobs(stage, outside, ['send-communication']);
  const post = (
    payload: unknown,
    headers: Record<string, string> = {},
    path = 'delivery-status',
  ) => {
    const raw = typeof payload === 'string' ? payload : JSON.stringify(payload);
    return tenant.anonymous().send('POST', `/communications/webhooks/${path}`, undefined, {
      raw,
      headers,
    });
  };
  const status = async () => (await officer.get(`/communication-logs/${id}`)).body.status;
  const address = async () =>
    (await officer.get(`/borrowers/${borrower_id}/emails`)).body[0].status as string;
  const marks = async () =>
    (await officer.get(`/borrowers/${borrower_id}/history?entity_type=emails&action=update`)).body
      .length as number;
  return {
    officer,
    superadmin,
    borrower_id,
    id: id as string,
    outside,
    post,
    status,
    address,
    marks,
  };
}

/** The Basic authentication header with the password that is part of the provider's address. */
export const basicAuth = (password: string) => ({
  Authorization: `Basic ${Buffer.from(`anybody:${password}`).toString('base64')}`,
});
