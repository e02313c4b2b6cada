import { expect, test } from 'vitest';
import { matchKeyword } from '../../jobs/communications/inbound/keywords.ts';
import { sql, type Transaction } from '../../sql/database/db.ts';
import { newConversation as converse, PROVIDER_SECRET } from '../setup/conversation.ts';
import { runJobs } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const stoppedNumbers = (tx: Transaction) => tx.any(sql.unsafe`select contact_value from opt_outs`);
const PHONE = '+12025550123';

test('staff read and change preferences, and sending a record back unchanged keeps them', async () => {
  const { tenant, officer, borrower_id } = await converse(stage);
  const path = `/borrowers/${borrower_id}`;
  const form = (await officer.get(path)).body;
  const preferences = `${path}/communication-preferences`;

  const set = await officer.put(preferences, { sms_enabled: false, marketing_enabled: false });
  await officer.put(path, { ...form, last_name: 'Murray' });
  const kept = await officer.get(preferences);
  const history = await officer.get(`${path}/history?entity_type=borrowers&action=update`);
  const asked = { borrower_id, channel: 'sms' };
  const may = await officer.post('/communications/can-interact', asked);
  const viewer = await tenant.signedIn('viewer');
  const refused = await viewer.put(preferences, { sms_enabled: true });

  const now = { email_enabled: true, sms_enabled: false, letter_enabled: true };
  expect(set).toMatchObject({ status: 200, body: { ...now, marketing_enabled: false } });
  expect(kept.body).toEqual({ ...now, marketing_enabled: false });
  expect(may.body.reasons).toEqual(['channel_opted_out']);
  expect(history.body[1]).toMatchObject({
    actor_type: 'user',
    changes: { sms_enabled: { old: true, new: false } },
  });
  expect(refused.status).toBe(403);
});

test('STOP revokes the consent to texts and START restores it, and the history records both', async () => {
  const { officer, borrower_id, says } = await converse(stage);
  const path = `/borrowers/${borrower_id}`;
  const agreed = { consent_type: 'tcpa_sms', contact_value: PHONE };
  const elsewhere = { consent_type: 'tcpa_sms', contact_value: '+12025550199' };
  await officer.post(`${path}/consents`, agreed);
  await officer.post(`${path}/consents`, elsewhere);
  const may = async () =>
    (await officer.post('/communications/can-interact', { borrower_id, channel: 'sms' })).body
      .reasons;

  await says('Stop');
  await says('stop');
  const stopped = await may();
  await officer.put(`${path}/communication-preferences`, { sms_enabled: true });
  const withoutConsent = await may();
  await says('Start');
  const started = await may();
  const consents = await officer.get(`${path}/consents?ordering=created_at`);
  const history = await officer.get(`${path}/history?ordering=created_at`);

  expect(stopped).toEqual(['channel_opted_out', 'consent_missing']);
  expect(withoutConsent).toEqual(['consent_missing']);
  expect(started).toEqual([]);
  expect(consents.body).toMatchObject([
    { ...agreed, status: 'revoked', revocation_method: 'sms_keyword', revocation_reason: 'Stop' },
    { ...elsewhere, status: 'granted' },
    { ...agreed, status: 'granted', source: 'sms_keyword', consent_text: 'Start' },
  ]);
  const bySender = history.body.filter(
    ({ actor_type }: { actor_type: string }) => actor_type === 'provider',
  );
  expect(
    bySender.map(({ entity_type, action, reason }: Record<string, string>) =>
      [entity_type, action, reason].join(' '),
    ),
  ).toEqual([
    'borrowers update Stop',
    'borrower_consents revoke Stop',
    'borrower_consents create Start',
  ]);
});

test('an unsubscribe is recorded in the history and revokes the consent to email', async () => {
  const { superadmin, officer, borrower_id, call } = await converse(stage);
  const path = `/borrowers/${borrower_id}`;
  await superadmin.put('/communications/providers/email', {
    name: 'generic',
    secret: PROVIDER_SECRET,
  });
  await officer.post(`${path}/emails`, { email: 'ada@example.com' });
  await officer.post(`${path}/consents`, { consent_type: 'email' });
  const what = { template_type: 'welcome', borrower_id, channel: 'email' };
  const { id } = (await officer.post('/communications/send', what)).body;

  await call('delivery-status', { provider_message_id: `${id}@fake`, status: 'unsubscribe' });
  const consents = await officer.get(`${path}/consents`);
  const history = await officer.get(`${path}/history?entity_type=emails&action=update`);

  expect(consents.body).toMatchObject([{ status: 'revoked', revocation_method: 'email' }]);
  expect(history.body).toMatchObject([
    { actor_type: 'provider', changes: { status: { old: 'active', new: 'unsubscribed' } } },
  ]);
});

test('a stop request gets one confirmation, regardless of repeats and wording', async () => {
  const { tenant, officer, borrower_id, says, texts: allTexts } = await converse(stage);
  const texts = async () => (await allTexts()).filter((text) => text.includes(`${tenant.slug}:`));

  await says('Please stop texting me!');
  await says('STOP');
  await says('Alto');
  const stopped = await texts();
  await says('reanudar');
  await says('START');
  const all = await texts();
  const history = await officer.get(`/borrowers/${borrower_id}/history?entity_type=borrowers`);

  expect(stopped).toEqual([expect.stringContaining('no more text messages')]);
  expect(all.slice(1)).toEqual([expect.stringContaining('recibirá mensajes de texto de nuevo')]);
  expect(history.body.filter(({ action }: { action: string }) => action === 'update')).toHaveLength(
    2,
  );
});

test('a number that sent STOP before it was known stays blocked when a borrower gets it', async () => {
  const { tenant, officer, says, texts: allTexts } = await converse(stage);
  const texts = async () => (await allTexts()).filter((text) => text.includes(`${tenant.slug}:`));
  const NUMBER = '+13035550177';
  await says('STOP', NUMBER);
  const { id } = (await officer.post('/borrowers', { first_name: 'Bo', last_name: 'Late' })).body;
  await officer.post(`/borrowers/${id}/phones`, { phone_number: NUMBER });
  const ask = async () =>
    (await officer.post('/communications/can-interact', { borrower_id: id, channel: 'sms' })).body
      .reasons;
  const preferences = `/borrowers/${id}/communication-preferences`;
  const wishes = async () => (await officer.get(preferences)).body.sms_enabled;

  const before = [await ask(), await wishes()];
  await officer.put(preferences, { sms_enabled: true });
  const wanted = [await ask(), await wishes()];
  await says('STOP', NUMBER);
  await says('START', NUMBER);
  const after = [await ask(), await wishes()];

  expect(before).toEqual([['channel_opted_out'], false]);
  expect(wanted).toEqual([[], true]);
  expect(after).toEqual([[], true]);
  expect(await texts()).toHaveLength(2);
  expect(await tenant.within(({ tx }) => stoppedNumbers(tx))).toEqual([]);
});

test('an email that says unsubscribe stops emails, and one that cancels something else does not', async () => {
  const { superadmin, officer, borrower_id, call } = await converse(stage);
  await superadmin.put('/communications/providers/email', {
    name: 'generic',
    secret: PROVIDER_SECRET,
  });
  await officer.post(`/borrowers/${borrower_id}/emails`, { email: 'ada@example.com' });
  const write = (subject: string) =>
    call('inbound/email', { from: 'Ada@Example.com', subject, message_id: subject });
  const wants = async () =>
    (await officer.get(`/borrowers/${borrower_id}/communication-preferences`)).body.email_enabled;

  await write('Cancel');
  const kept = await wants();
  await write('unsubscribe');

  expect([kept, await wants()]).toEqual([true, false]);
});

/** Emails sent to a borrower, and the borrower who reads them. */
async function mailed(...types: string[]) {
  const world = await converse(stage);
  const { tenant, officer, borrower_id } = world;
  await officer.post(`/borrowers/${borrower_id}/emails`, { email: 'ada@example.com' });
  const outside = Object.assign(world.outside, { keys: stage.installation.keys });
  for (const template_type of types) {
    const what = { template_type, borrower_id, channel: 'email' };
    expect((await officer.post('/communications/send', what)).status).toBe(201);
  }
  await runJobs(stage, outside, ['send-communication']);
  const mails = outside.mailbox.filter(({ from }) => from.name?.endsWith(tenant.slug));
  const wants = async () =>
    (await officer.get(`/borrowers/${borrower_id}/communication-preferences`)).body.email_enabled;
  return { ...world, mails, wants };
}

/** The request of a mail program, without any of our cookies or tokens. */
const ONE_CLICK = {
  raw: '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
  headers: { 'Content-Type': 'multipart/form-data; boundary=x', 'X-CSRFToken': '' },
};

test('one click in an email program unsubscribes, and opening the link does not', async () => {
  const { tenant, officer, borrower_id, mails, wants } = await mailed('welcome');
  const url = new URL(mails[0]?.unsubscribe?.url ?? '');
  const at = `/${url.pathname}${url.search}`;
  const post = (path: string) => tenant.anonymous().send('POST', path, undefined, ONE_CLICK);

  const page = await tenant.anonymous().get(at);
  const scanned = await wants();
  const forged = await post(`${at.slice(0, -2)}AA`);
  const done = [await post(at), await post(at)];
  const history = await officer.get(`/borrowers/${borrower_id}/history?entity_type=borrowers`);

  expect(mails[0]?.html).toContain(url.searchParams.get('token'));
  expect(url.href).not.toContain('ada');
  expect(page).toMatchObject({ status: 200, body: expect.stringContaining('<button>') });
  expect([scanned, forged.status, await wants()]).toEqual([true, 404, false]);
  expect(done.map(({ status }) => status)).toEqual([200, 200]);
  expect(done[0]?.body).toContain('You are unsubscribed.');
  expect(
    history.body.filter(({ action }: { action: string }) => action === 'update'),
  ).toMatchObject([
    {
      changes: { email_enabled: { old: true, new: false } },
      reason: expect.stringContaining('link in a mail'),
    },
  ]);
});

test('a notice that the law requires has no unsubscribe link', async () => {
  const { mails } = await mailed('loan_denied', 'welcome');

  expect(mails).toHaveLength(2);
  expect(mails.filter(({ unsubscribe }) => unsubscribe !== undefined)).toHaveLength(1);
  expect(mails.filter(({ html }) => html.includes('>Unsubscribe<'))).toHaveLength(1);
});

test.each([
  ['Stop', 'stop'],
  ['S.T.O.P.', 'stop'],
  ['STOP ALL, please', 'stop'],
  ['Opt-out', 'stop'],
  ['pls quit', 'stop'],
  ['¡Cancélar, por favor!', 'stop'],
  ['I said don’t text me about the loan', 'stop'],
  ['No me envíen más mensajes', 'stop'],
  ['Stop stop STOP!', 'stop'],
  ['Stop messages', 'stop'],
  ['I revoke my consent to texts.', 'stop'],
  ['Do not contact me again', 'stop'],
  ['Don’t stop texting me. No: stop texting me.', 'stop'],
  ['Ya basta', 'stop'],
  ['Deja de mandarme mensajes', 'stop'],
  ['Please do not stop texting me', undefined],
  ['Please stop by the office', undefined],
  ['Remove me from autopay', undefined],
  ['Take me off paper statements', undefined],
  ['When does my loan end?', undefined],
  ['cancel my autopay', undefined],
  ['unstop', 'start'],
  ['Ayuda', 'help'],
])('a text that says %j means %s', (body, wish) => {
  expect(matchKeyword('sms', { body })?.wish).toBe(wish);
});
