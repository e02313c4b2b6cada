import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { sliceColumns, addBankAccount, parseNachaFile, readSentFile } from '../setup/nacha.ts';
import { newPortalBorrower, assertOk, refusal } from '../setup/portal.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
/** The first installment is due today. */
const DUE = { disbursement_date: '2025-12-15' };
const NOT_ENROLLED = { is_enrolled: false, is_enabled: false, plan: null, authorization: null };

test('a borrower enrolls in autopay, the close draws what is due, and the borrower ends it', async () => {
  const { tenant, borrower, officer, admin, loan, id, account } = await newPortalBorrower(
    stage,
    DUE,
  );
  const none = await borrower.get(`${loan}/autopay`);

  const enrolled = await borrower.post(`${loan}/autopay/enroll`, {
    payment_instrument_id: account,
    amount_type: 'minimum_due',
  });
  const twice = await borrower.post(`${loan}/autopay/enroll`, { payment_instrument_id: account });
  await travelTo(stage, tenant, '2026-01-16');
  const drawn = (await borrower.get(`${loan}/payments`)).body;
  const file = assertOk(await admin.post('/nacha-files', {}));
  const { batches } = parseNachaFile(await readSentFile(stage, tenant, String(file['filename'])));
  const canceled = await borrower.post(`${loan}/autopay/cancel`);
  const again = await borrower.post(`${loan}/autopay/cancel`);

  expect(none.body).toEqual(NOT_ENROLLED);
  expect(enrolled).toMatchObject({
    status: 200,
    body: {
      is_enrolled: true,
      is_enabled: true,
      plan: {
        amount_type: 'minimum_due',
        next_due_date: '2026-01-15',
        loan_id: id,
      },
    },
  });
  expect(twice).toMatchObject(refusal(409, 'already_exists'));
  expect(drawn).toMatchObject([{ amount: '315.68', source: 'autopay', status: 'completed' }]);
  // A recurring debit authorized over the internet is a WEB entry.
  expect(
    batches.map(({ header, entries }) => [
      sliceColumns(header, 51, 53),
      sliceColumns(entries[0] ?? '', 77, 78),
    ]),
  ).toEqual([['WEB', 'R ']]);
  expect(canceled.body).toEqual(NOT_ENROLLED);
  expect(again).toMatchObject(refusal(409, 'not_enrolled'));
  const { body: plan } = await officer.get(`/autopay-plans/${enrolled.body.plan.id}`);
  expect(plan).toMatchObject({ status: 'canceled', cancel_reason: 'borrower' });
  const { body: consent } = await officer.get(`/borrower-consents/${plan.consent_id}`);
  expect(consent).toMatchObject({
    consent_type: 'autopay',
    source: 'portal',
    ip_address: expect.any(String),
    status: 'revoked',
    revocation_method: 'portal',
    consent_text: expect.stringContaining(
      `you authorize Tenant ${tenant.slug} to make recurring electronic debits`,
    ),
  });
  const { body: history } = await officer.get(`/loans/${id}/history?entity_type=autopay_plans`);
  const told = history.map((row: Record<string, unknown>) => [row['action'], row['actor_type']]);
  expect(told).toEqual([
    ['cancel', 'borrower'],
    ['enroll', 'borrower'],
  ]);
});

test('the borrower pauses and resumes autopay; a request without a value toggles it', async () => {
  const { tenant, borrower, loan, account } = await newPortalBorrower(stage, DUE);
  const word = async (body: object = {}) => {
    const reply = await borrower.post(`${loan}/autopay/enable`, body);
    return reply.body.is_enabled ?? reply.body.code;
  };

  const before = await word();
  await borrower.post(`${loan}/autopay/enroll`, { payment_instrument_id: account });
  const words = [await word(), await word(), await word({ enabled: false })];
  await travelTo(stage, tenant, '2026-01-16');
  const rested = (await borrower.get(`${loan}/payments`)).body;

  expect(before).toBe('not_enrolled');
  expect(words).toEqual([false, true, false]);
  expect(rested).toEqual([]);
  expect(await word({ enabled: true })).toBe(true);
});

test('a plan paused by returns can be resumed by the borrower, and one paused by staff cannot', async () => {
  const { tenant, borrower, officer, admin, loan, account } = await newPortalBorrower(stage, DUE);
  const { plan } = (
    await borrower.post(`${loan}/autopay/enroll`, { payment_instrument_id: account })
  ).body;
  const path = `/autopay-plans/${plan.id}`;
  const enable = () => borrower.post(`${loan}/autopay/enable`, { enabled: true });
  await travelTo(stage, tenant, '2026-01-16');
  const [drawn] = (await borrower.get(`${loan}/payments`)).body;
  assertOk(await officer.post(`/payments/${drawn.id}/return`, { return_code: 'R02' }));

  const paused = (await borrower.get(`${loan}/autopay`)).body;
  const { alerts } = (await borrower.get('/portal/dashboard')).body;
  const blocked = await enable();
  assertOk(await admin.put(`/payment-instruments/${account}`, { status: 'active' }));
  const resumed = await enable();
  assertOk(await officer.put(path, { status: 'paused' }));
  assertOk(await officer.get(path));
  const byStaff = await enable();

  expect(paused).toMatchObject({
    is_enrolled: true,
    is_enabled: false,
    plan: { status: 'paused' },
  });
  expect(alerts.map(({ type }: { type: string }) => type)).toEqual([
    'past_due',
    'autopay_paused',
    'payment_returned',
  ]);
  expect(blocked).toMatchObject(refusal(409, 'instrument_not_usable'));
  expect(resumed.body).toMatchObject({ is_enabled: true, plan: { consecutive_failures: 0 } });
  expect(byStaff).toMatchObject(refusal(409, 'autopay_paused'));
});

test('only the loan’s own borrower can enroll it, with a verified account', async () => {
  const { tenant, borrower, officer, admin, loan, borrower_id } = await newPortalBorrower(
    stage,
    DUE,
  );
  const other = await newLoan(tenant);
  const foreign = await addBankAccount(admin, other.borrower_id, { is_verified: true });
  const fresh = await addBankAccount(officer, borrower_id);
  const enroll = (path: string, payment_instrument_id: string, more: object = {}) =>
    borrower.post(`${path}/autopay/enroll`, { payment_instrument_id, ...more });

  const replies = [
    await enroll(`/portal/loans/${other.id}`, foreign),
    await enroll(loan, foreign),
    await enroll(loan, fresh),
    await enroll(loan, fresh, { amount_type: 'whatever' }),
  ];

  expect(replies).toMatchObject([
    { status: 404 },
    { status: 422, body: { errors: { payment_instrument_id: 'Does not exist.' } } },
    refusal(409, 'instrument_not_usable'),
    { status: 422, body: { errors: { amount_type: expect.any(String) } } },
  ]);
  expect((await borrower.get(`${loan}/autopay`)).body.is_enrolled).toBe(false);
});
