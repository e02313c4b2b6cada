import { expect, test } from 'vitest';
import { assertOk, newPortalBorrower, refusal } from '../setup/portal.ts';
import { travelTo } from '../setup/queue.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const PREFERENCES = '/portal/profile/communication-preferences';

test('a portal payment keeps the authorization that the preview showed', async () => {
  const home = await newPortalBorrower(stage);
  const { tenant, borrower, officer, admin, loan, account, pay, borrower_id } = home;
  const amount = '500.00';
  const order = { amount, payment_instrument_id: account, payment_date: '2026-02-10' };

  const preview = assertOk(await borrower.post(`${loan}/payments/preview`, order));
  const bare = assertOk(await borrower.post(`${loan}/payments/preview`, { amount }));
  const paid = assertOk(await pay(amount, { payment_date: '2026-02-10' }));
  const spanish = assertOk(await pay('20.00', { language: 'es' }));

  const text = String(preview['authorization_text']);
  for (const part of [
    'Bo Rower',
    `Tenant ${tenant.slug}`,
    'one electronic debit of $500.00',
    '…6789 (Checking)',
    'on February 10, 2026',
    'dated January 15, 2026',
    'this payment only',
    'revoke it before February 10, 2026 by canceling the payment on this site',
    '(202) 555-0100',
  ])
    expect(text).toContain(part);
  expect(bare['authorization_text']).toBeNull();
  const copy = await borrower.get(`/portal/payments/${String(paid['id'])}/authorization`);
  expect(copy.body).toMatchObject({ consent_text: text, status: 'granted' });
  const { body: consent } = await officer.get(`/borrower-consents/${String(paid['consent_id'])}`);
  expect(consent).toMatchObject({
    borrower_id,
    consent_type: 'payment',
    source: 'portal',
    consent_text: text,
    ip_address: expect.any(String),
  });
  const { body: other } = await borrower.get(
    `/portal/payments/${String(spanish['id'])}/authorization`,
  );
  expect(other.consent_text).toContain('autorizo a');
  const { body: staffs } = await admin.get(`/payments/${String(paid['id'])}`);
  expect(staffs.consent_id).toBe(paid['consent_id']);
});

test('a scheduled payment keeps its authorization when it is drawn, and revokes it when it is canceled', async () => {
  const { tenant, borrower, pay } = await newPortalBorrower(stage);
  const drawn = assertOk(await pay('50.00', { payment_date: '2026-01-20' }));
  const canceled = assertOk(await pay('60.00', { payment_date: '2026-01-25' }));
  const authorization = async ({ id }: Record<string, unknown>) =>
    (await borrower.get(`/portal/payments/${String(id)}/authorization`)).body;

  assertOk(await borrower.post(`/portal/payments/${String(canceled['id'])}/cancel`));
  await travelTo(stage, tenant, '2026-01-21');

  expect(await authorization(drawn)).toMatchObject({ status: 'granted' });
  expect(await authorization(canceled)).toMatchObject({ status: 'revoked' });
});

test('only the payer sees the authorization of a payment', async () => {
  const { tenant, borrower, officer, id, loan, pay } = await newPortalBorrower(stage);
  const paid = assertOk(await pay('50.00'));
  const second = await newPortalBorrower(stage);
  const path = `/portal/payments/${String(paid['id'])}/authorization`;
  const cash = await officer.post(`/loans/${id}/payments`, { amount: '10.00' });

  const refused = [
    await second.borrower.get(path),
    await borrower.get(`/portal/payments/${cash.body.id}/authorization`),
  ];

  expect(refused.map(({ status }) => status)).toEqual([404, 404]);
  expect(tenant.id).not.toBe(second.tenant.id);
  const { body: listed } = await borrower.get(`${loan}/payments`);
  expect(listed.map((row: Record<string, unknown>) => row['consent_id'])).toEqual([
    null,
    paid['consent_id'],
  ]);
});

test('agreeing to texts records the words shown, although texts were already on', async () => {
  const { tenant, borrower, officer, borrower_id } = await newPortalBorrower(stage);
  const before = assertOk(await borrower.get('/portal/profile'));

  assertOk(await borrower.put(PREFERENCES, { sms_enabled: true }));
  const unasked = (await officer.get(`/borrowers/${borrower_id}/consents`)).body;
  const sms = 'I agree to texts from Example Lending.';
  assertOk(await borrower.put(PREFERENCES, { sms_enabled: true, consents: { sms } }));
  const agreed = assertOk(await borrower.get('/portal/profile'));
  assertOk(await borrower.put(PREFERENCES, { sms_enabled: false }));
  assertOk(await borrower.put(PREFERENCES, { sms_enabled: true, marketing_enabled: true }));

  expect(before).toMatchObject({
    text_message_consent: null,
    communication_preferences: { marketing_enabled: false },
  });
  expect(unasked).toEqual([]);
  expect(agreed['text_message_consent']).toMatchObject({ consent_text: sms });
  const { body: known } = await officer.get(`/borrowers/${borrower_id}/consents?ordering=id`);
  expect(known).toMatchObject([
    { consent_type: 'tcpa_sms', status: 'revoked', consent_text: sms },
    { consent_type: 'tcpa_sms', status: 'granted' },
    { consent_type: 'marketing', status: 'granted' },
  ]);
  const [, texts, marketing] = known as { consent_text: string }[];
  for (const part of [
    `Tenant ${tenant.slug}`,
    'Message frequency varies',
    'Message and data rates may apply',
    'Reply HELP for help or STOP to opt out',
    'not required to get a loan',
  ])
    expect(texts?.consent_text).toContain(part);
  expect(marketing?.consent_text).toContain('turn them off here at any time');
});

test('the pause after a hardship application is a setting of the tenant', async () => {
  const { tenant, borrower, id } = await newPortalBorrower(stage);
  const wish = {
    loan_id: id,
    hardship_type: 'medical',
    description: 'I was ill.',
    requested_action: 'deferment',
  };
  const blocked = async (borrower_id: unknown) =>
    (
      await tenant.officer.post('/communications/can-interact', {
        borrower_id,
        channel: 'letter',
        template_type: 'past_due_notice',
      })
    ).body.reasons as string[];
  await saveSettings(tenant, { portal: { hardship_pause_days: 0 } });

  assertOk(await borrower.post('/portal/hardship', wish));
  const [none] = (await tenant.officer.get('/hardship-applications')).body;
  const config = assertOk(await borrower.get('/portal/config'));

  expect(none.contacts_paused_until).toBeNull();
  expect(config['hardship_pause_days']).toBe(0);
  const { body: me } = await borrower.get('/portal/me');
  expect(await blocked(me.id)).not.toContain('hardship_review');
  const again = await borrower.post('/portal/hardship', wish);
  expect(again).toMatchObject(refusal(409, 'already_exists'));

  const other = await newPortalBorrower(stage);
  await saveSettings(other.tenant, { portal: { hardship_pause_days: 30 } });
  assertOk(await other.borrower.post('/portal/hardship', { ...wish, loan_id: other.id }));
  const [paused] = (await other.officer.get('/hardship-applications')).body;
  expect(paused.contacts_paused_until).toBe('2026-02-14');
});
