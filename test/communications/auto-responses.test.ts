import { expect, test } from 'vitest';
import { newConversation as converse } from '../setup/conversation.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const conversation = () => converse(stage);

let first: ReturnType<typeof stage.tenant> | undefined;
/** A shared tenant for tests that change nothing. */
const firstTenant = () => (first ??= stage.tenant());

const rule = { name: 'Rule', channel: 'sms', match_type: 'any', response_body: 'Hello' };

test('a rule answers a matching message, and only once within its pause', async () => {
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

test('the maximum length of a rule’s name leaves room for the titles of its tasks', async () => {
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

test('a rule that cannot answer loses no message', async () => {
  const { tenant, officer, says, texts } = await conversation();
  const admin = await tenant.signedIn('admin');
  const template = { name: 'T', template_type: 'custom', channel: 'sms', body: 'Hello' };
  const { id } = (await admin.post('/communication-templates', template)).body;
  await admin.post('/auto-responses', { ...rule, response_body: null, response_template_id: id });
  await admin.delete(`/communication-templates/${id}`);

  const reply = await says('Is anybody there?');
  const logs = await officer.get('/communication-logs?direction=inbound');

  expect(reply).toMatchObject({ status: 200, body: {} });
  expect(logs.body).toMatchObject([
    { body: 'Is anybody there?', status: 'received', error_code: 'not_answered' },
  ]);
  expect(await texts()).toEqual([]);
});

test('an answer from a template is not tried again within the rule’s pause', async () => {
  const { tenant, officer, says, texts } = await conversation();
  const admin = await tenant.signedIn('admin');
  const template = { name: 'T', template_type: 'custom', channel: 'sms', body: 'From a template' };
  const { id } = (await admin.post('/communication-templates', template)).body;
  await admin.post('/auto-responses', { ...rule, response_body: null, response_template_id: id });

  await says('Is anybody there?');
  await says('Hello?');
  const answers = await officer.get('/communication-logs?direction=outbound');

  expect(answers.body).toMatchObject([{ status: 'queued' }]);
  expect(await texts()).toEqual(['From a template']);
});

test('an answer too long for a text message is not sent, and the message is kept', async () => {
  const { tenant, officer, says } = await conversation();
  const admin = await tenant.signedIn('admin');
  await admin.post('/auto-responses', { ...rule, response_body: 'x'.repeat(2_000) });

  const reply = await says('Hello');
  const logs = await officer.get('/communication-logs?direction=inbound');

  expect(reply.status).toBe(200);
  expect(logs.body).toMatchObject([{ error_code: 'not_answered' }]);
});

test('a rule for another language, or for a program when there is no loan, sends nothing', async () => {
  const { tenant, says, texts } = await conversation();
  const admin = await tenant.signedIn('admin');
  const program_id = await tenant.first('/programs');
  await admin.post('/auto-responses', { ...rule, language: 'es', response_body: 'Hola' });
  await admin.post('/auto-responses', { ...rule, program_id, response_body: 'Member' });
  await admin.post('/auto-responses', { ...rule, language: 'en', response_body: 'Welcome' });

  await says('Hello');

  expect(await texts()).toEqual(['Welcome']);
});

test('a keyword of several words matches as a whole', async () => {
  const { tenant, says, texts } = await conversation();
  const admin = await tenant.signedIn('admin');
  const keywords = ['pay off'];
  await admin.post('/auto-responses', { ...rule, match_type: 'keyword', keywords });

  await says('I pay, so stay off my lawn');
  await says('How do I PAY OFF, please?');

  expect(await texts()).toEqual(['Hello']);
});

test('a rule matches its pattern, and the rules’ order decides', async () => {
  const { tenant, says, texts } = await conversation();
  const admin = await tenant.signedIn('admin');
  const regex = { ...rule, match_type: 'regex', cooldown_minutes: 0 };
  await admin.post('/auto-responses', { ...regex, pattern: '.', response_body: 'Else' });
  const pattern = String.raw`\bpay(ed|ing)? .*\btwice\b`;
  await admin.post('/auto-responses', {
    ...regex,
    pattern,
    response_body: 'Sorry',
    priority: 1,
  });

  await says('I PAYED it\n twice!');
  await says('Hello');

  expect(await texts()).toEqual(['Sorry', 'Else']);
});

test.each([
  ['(a', /parenthes|missing/i],
  [String.raw`(a)\1`, /escape/],
  ['(?<=a)b', /RE2/],
  ['(((.?){10}){10}){10}', /too large/],
  [String.raw`(\pL{1,300}){3}`, /too large/],
  ['x{1000}'.repeat(28), /too large/],
  ['a'.repeat(201), /200/],
  [null, /required/],
])('an invalid or too large pattern is refused: %s', async (pattern, why) => {
  const admin = await (await firstTenant()).signedIn('admin');

  const reply = await admin.post('/auto-responses', { ...rule, match_type: 'regex', pattern });

  expect(reply).toMatchObject({ status: 422, body: { errors: { pattern: expect.any(String) } } });
  expect(reply.body.errors.pattern).toMatch(why);
});

test('outside business hours another answer is sent, by the tenant’s clock', async () => {
  const { tenant, says, texts } = await conversation();
  const admin = await tenant.signedIn('admin');
  const late = { ...rule, match_type: 'out_of_hours', priority: 1, response_body: 'Tomorrow' };
  await admin.post('/auto-responses', { ...late, cooldown_minutes: 0 });
  await admin.post('/auto-responses', { ...rule, response_body: 'Here', cooldown_minutes: 0 });

  await saveSettings(tenant, { communications: { business_hours: { days: [] } } });
  await says('Hello');
  const always = { start: 0, end: 24, days: [1, 2, 3, 4, 5, 6, 7], is_closed_on_holidays: false };
  await saveSettings(tenant, { communications: { business_hours: always } });
  await says('Hello');

  expect(await texts()).toEqual(['Tomorrow', 'Here']);
});

test('a borrower’s messages are forwarded by email, as text, every time', async () => {
  const { tenant, officer, says, texts, outside, borrower_id } = await conversation();
  const admin = await tenant.signedIn('admin');
  const forward = { ...rule, action: 'forward', response_body: null };
  const nowhere = await admin.post('/auto-responses', forward);
  await admin.post('/auto-responses', { ...forward, forward_to: 'desk@lender.example' });
  await officer.put(`/borrowers/${borrower_id}`, { do_not_contact: true });

  await says('<b>Call</b> me');
  await says('Please');
  await texts();

  expect(nowhere.body.errors).toEqual({ forward_to: expect.any(String) });
  expect(outside.mailbox).toMatchObject([
    {
      to: { name: '', address: 'desk@lender.example' },
      subject: 'Ada Byron: text message',
      html: expect.stringContaining('&lt;b&gt;Call&lt;/b&gt; me'),
    },
    { to: { address: 'desk@lender.example' } },
  ]);
  expect(outside.mailbox[0]?.unsubscribe).toBeUndefined();
});

test('two auto-responders that answer each other stop, and a stop request is still obeyed', async () => {
  const { tenant, officer, borrower_id, says, texts } = await conversation();
  const admin = await tenant.signedIn('admin');
  await admin.post('/auto-responses', { ...rule, cooldown_minutes: 0 });

  for (let round = 0; round < 12; round += 1) await says('I am out of the office.');
  await says('HELP');
  await says('STOP');
  const answers = await texts();
  const logs = await officer.get('/communication-logs?direction=inbound');
  const question = { borrower_id, channel: 'sms' };
  const may = await officer.post('/communications/can-interact', question);

  expect(answers).toHaveLength(11);
  expect(answers.at(-1)).toContain('no more text messages');
  expect(
    logs.body.filter(({ error_code }: { error_code: string }) => error_code === 'not_answered'),
  ).toHaveLength(2);
  expect(may.body.reasons).toEqual(['channel_opted_out']);
});

test('both parts of a rule’s answer are validated', async () => {
  const { tenant } = await conversation();
  const admin = await tenant.signedIn('admin');

  const reply = await admin.post('/auto-responses', { ...rule, response_subject: '{{#each x}}' });

  expect(reply.status).toBe(422);
  expect(Object.keys(reply.body.errors)).toEqual(['response_subject']);
});
