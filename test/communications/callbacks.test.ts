import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { statusAfter } from '../../jobs/communications/delivery-status.ts';
import { newOutside } from '../setup/outside.ts';
import { drain } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const SECRET = 'the secret of the provider';

const signed = (raw: string, timestamp = '', secret = SECRET) => {
  const text = timestamp === '' ? raw : `${timestamp}.${raw}`;
  const signature = `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
  return {
    'X-Provider-Signature': signature,
    ...(timestamp !== '' && { 'X-Provider-Timestamp': timestamp }),
  };
};

/** A borrower who has written, and a provider who passes it on. */
async function conversation() {
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

test('only the provider’s own signature over these bytes is believed', async () => {
  const { call } = await conversation();
  const report = { provider_message_id: 'unknown', status: 'delivered' };
  const raw = JSON.stringify(report);
  const now = Math.floor(Date.now() / 1000);

  const replies = [
    await call('delivery-status', report, {}),
    await call('delivery-status', report, signed(raw, '', 'another secret of somebody')),
    await call('delivery-status', report, signed(`${raw} `)),
    await call('delivery-status', report, signed(raw, String(now - 360))),
    await call('delivery-status', report, signed(raw, String(now))),
    await call('delivery-status', report, { Authorization: `Bearer ${SECRET}` }),
    await call('inbound/email', { from: 'a@example.com', message_id: 'm' }),
  ];

  expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, 401, 200, 200, 401]);
  expect(replies[0]?.body.code).toBe('invalid_provider_signature');
});

test('STOP ends the text messages with one confirmation, and START begins them again', async () => {
  const { officer, borrower_id, says, texts } = await conversation();
  const ask = async () =>
    (await officer.post('/communications/can-interact', { borrower_id, channel: 'sms' })).body
      .reasons;

  await says('Stop.');
  const stopped = await ask();
  await says('START');
  const started = await ask();
  const confirmations = await texts();

  expect(stopped).toEqual(['channel_opted_out']);
  expect(confirmations).toEqual([
    expect.stringContaining('no more text messages'),
    expect.stringContaining('again'),
  ]);
  expect(started).toEqual([]);
});

test('what is received twice is kept once, also from somebody whom nobody knows', async () => {
  const { officer, call } = await conversation();
  const message = {
    from: '+13035550199',
    to: '+12025550100',
    body: 'Who is this?',
    message_id: 'm',
  };

  await call('inbound/sms', message);
  const again = await call('inbound/sms', message);

  const logs = await officer.get('/communication-logs?direction=inbound');
  expect(again.status).toBe(200);
  expect(logs.body).toMatchObject([
    { status: 'received', borrower_id: null, sender: '+13035550199' },
  ]);
});

test('a rule answers what it fits, and not twice within its pause', async () => {
  const { tenant, says, texts } = await conversation();
  const admin = await tenant.signedIn('admin');
  const rule = await admin.post('/auto-responses', {
    name: 'Balance',
    channel: 'sms',
    match_type: 'keyword',
    keywords: ['balance'],
    response_body: '{{ borrower.first_name }}, please sign in.',
  });

  await says('What is my balance?');
  await says('My balance, please');
  await says('Hello');

  expect(rule.status).toBe(201);
  expect(await texts()).toEqual(['Ada, please sign in.']);
});

test.each([
  ['sent', 'delivered', 'delivered'],
  ['delivered', 'sent', null],
  ['delivered', 'bounce', 'bounced'],
  ['opened', 'delivered', null],
  ['failed', 'delivered', 'delivered'],
  ['sent', 'something new', null],
])('a message that is %s and is reported %s becomes %s', (current, reported, status) => {
  expect(statusAfter(current, reported)).toBe(status);
});

test('reports move a message on, and a bounce spoils the address', async () => {
  const { officer, borrower_id, call, outside } = await conversation();
  await officer.post(`/borrowers/${borrower_id}/emails`, { email: 'ada@example.com' });
  const sent = await officer.post('/communications/send', {
    template_type: 'welcome',
    borrower_id,
    channel: 'email',
  });
  await drain(stage, outside, ['send-communication']);
  const provider_message_id = `${sent.body.id}@fake`;

  await call('delivery-status', { provider_message_id, status: 'delivered' });
  await call('delivery-status', [{ provider_message_id, status: 'sent' }]);
  const delivered = await officer.get(`/communication-logs/${sent.body.id}`);
  await call('delivery-status', { provider_message_id, status: 'bounce', error_code: '550' });
  const bounced = await officer.get(`/communication-logs/${sent.body.id}`);
  const may = await officer.post('/communications/can-interact', { borrower_id, channel: 'email' });

  expect(delivered.body.status).toBe('delivered');
  expect(bounced.body).toMatchObject({ status: 'bounced', error_code: '550' });
  expect(may.body.reasons).toContain('contact_invalid');
});

test('a rule’s name leaves room for the titles of the tasks that it makes', async () => {
  const { tenant, says, borrower_id } = await conversation();
  const admin = await tenant.signedIn('admin');
  const rule = { channel: 'sms', match_type: 'any', action: 'create_task' };

  const tooLong = await admin.post('/auto-responses', { ...rule, name: 'n'.repeat(151) });
  await admin.post('/auto-responses', { ...rule, name: 'n'.repeat(150) });
  await says('Please call me.');
  const tasks = await admin.get(`/borrowers/${borrower_id}/tasks`);

  expect(Object.keys(tooLong.body.errors)).toEqual(['name']);
  expect(tasks).toMatchObject({ status: 200, body: [{ source: 'system' }] });
});
