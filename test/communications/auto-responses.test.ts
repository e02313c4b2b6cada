import { expect, test } from 'vitest';
import { conversation as converse } from '../setup/conversation.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const conversation = () => converse(stage);

const rule = { name: 'Rule', channel: 'sms', match_type: 'any', response_body: 'Hello' };

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

test('a rule that cannot answer costs nobody’s message', async () => {
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

test('an answer too long for a text message is not sent, and the message is kept', async () => {
  const { tenant, officer, says } = await conversation();
  const admin = await tenant.signedIn('admin');
  await admin.post('/auto-responses', { ...rule, response_body: 'x'.repeat(2_000) });

  const reply = await says('Hello');
  const logs = await officer.get('/communication-logs?direction=inbound');

  expect(reply.status).toBe(200);
  expect(logs.body).toMatchObject([{ error_code: 'not_answered' }]);
});

test('a rule of another language or of a program without a loan says nothing', async () => {
  const { tenant, says, texts } = await conversation();
  const admin = await tenant.signedIn('admin');
  const program_id = await tenant.first('/programs');
  await admin.post('/auto-responses', { ...rule, language: 'es', response_body: 'Hola' });
  await admin.post('/auto-responses', { ...rule, program_id, response_body: 'Member' });
  await admin.post('/auto-responses', { ...rule, language: 'en', response_body: 'Welcome' });

  await says('Hello');

  expect(await texts()).toEqual(['Welcome']);
});

test('a keyword of several words is found as a whole', async () => {
  const { tenant, says, texts } = await conversation();
  const admin = await tenant.signedIn('admin');
  const keywords = ['pay off'];
  await admin.post('/auto-responses', { ...rule, match_type: 'keyword', keywords });

  await says('I pay, so stay off my lawn');
  await says('How do I PAY OFF, please?');

  expect(await texts()).toEqual(['Hello']);
});

test('what a rule answers is checked in both of its parts', async () => {
  const { tenant } = await conversation();
  const admin = await tenant.signedIn('admin');

  const reply = await admin.post('/auto-responses', { ...rule, response_subject: '{{#each x}}' });

  expect(reply.status).toBe(422);
  expect(Object.keys(reply.body.errors)).toEqual(['response_subject']);
});
