import { expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../sql/database/db.ts';
import { newEnrolledLoan, type Body } from '../setup/autopay.ts';
import { newLoan } from '../setup/loans.ts';
import { pageClient } from '../setup/pages.ts';
import { newPortalBorrower } from '../setup/portal.ts';
import { travelTo } from '../setup/queue.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
type Enrolled = Awaited<ReturnType<typeof newEnrolledLoan>>;

const nextDraw = async ({ balances }: Enrolled) => (await balances())['next_draw'];
const drawnMoney = async ({ draws }: Enrolled) =>
  (await draws())
    .filter(({ status }) => status === 'drawn')
    .map(({ run_date, amount }) => ({ date: run_date, amount }));

test('the draw of a plan with its own frequency is announced everywhere, and the close makes it', async () => {
  const { tenant, officer, borrower, borrower_id, account, id, loan } =
    await newPortalBorrower(stage);
  const path = `/borrowers/${borrower_id}/autopay-plans`;
  const wish = { loan_id: id, payment_instrument_id: account, start_date: '2026-02-06' };
  const plan = await officer.post(path, { ...wish, frequency: 'biweekly' });
  expect(plan.status, JSON.stringify(plan.body)).toBe(201);
  await travelTo(stage, tenant, '2026-02-01');

  const { figures } = await tenant.within(({ tx }) =>
    tx.one(sql.type(z.object({ figures: z.looseObject({ due: z.looseObject({}) }) }))`
      select figures from statements where loan_id = ${id}
    `),
  );
  const notice = await officer.post('/communications/preview', {
    template_type: 'autopay_enrolled',
    channel: 'sms',
    loan_id: id,
    borrower_id,
  });
  const balances = await officer.get(`/loans/${id}/get-balances`);
  const seen = await borrower.get(`${loan}/autopay`);
  const page = (await pageClient(borrower).get(`/loans/${id}/autopay`)).body;
  await travelTo(stage, tenant, '2026-02-07');
  const [drawn] = (await officer.get(`/loans/${id}/payments`)).body;

  const draw = { date: '2026-02-06', amount: '315.68' };
  expect({ date: drawn.payment_date, amount: drawn.amount }).toEqual(draw);
  expect(figures.due['autopay']).toEqual(draw);
  expect(notice.body.body).toContain('$315.68 will be drawn on February 6, 2026');
  expect(balances.body.next_draw).toEqual(draw);
  expect(seen.body.plan).toMatchObject({
    next_draw_date: draw.date,
    next_draw_amount: draw.amount,
  });
  expect(page).toContain('$315.68 · February 6, 2026');
}, 60_000);

test('a payment that covers the next installment moves the announced draw to the one after', async () => {
  const enrolled = await newEnrolledLoan(stage);
  const { officer, loan, plan, tenant } = enrolled;
  const before = await nextDraw(enrolled);

  await officer.post(`/loans/${loan.id}/payments`, { amount: '315.68' });

  const draw = { date: '2026-03-16', amount: '315.68' };
  expect(before).toEqual({ date: '2026-02-17', amount: '315.68' });
  expect(await nextDraw(enrolled)).toEqual(draw);
  expect(await plan()).toMatchObject({
    next_run_date: '2026-02-17',
    next_draw_date: draw.date,
    next_draw_amount: draw.amount,
  });
  await travelTo(stage, tenant, '2026-03-17');
  expect(await drawnMoney(enrolled)).toEqual([draw]);
});

test('the announced amount includes the retry of a returned draw and a regular draw of the same day', async () => {
  const enrolled = await newEnrolledLoan(stage, { retry_interval_days: 26 });
  const { tenant, officer } = enrolled;
  await travelTo(stage, tenant, '2026-02-18');
  const [payment] = await enrolled.payments();
  await officer.post(`/payments/${payment?.id}/return`, { return_code: 'R01' });
  const retried = await nextDraw(enrolled);

  await travelTo(stage, tenant, '2026-03-18');

  expect(retried).toEqual({ date: '2026-03-16', amount: '631.36' });
  const drawn = (await enrolled.payments()).filter(({ source }) => source === 'autopay');
  expect(drawn.slice(1).map(({ payment_date, amount }) => [payment_date, amount])).toEqual([
    ['2026-03-16', '315.68'],
    ['2026-03-16', '315.68'],
  ]);
});

test('after an agreed forbearance or scheduled payment, the announced draw equals the draw that is made', async () => {
  const [forborne, scheduled] = [
    await newEnrolledLoan(stage),
    await newEnrolledLoan(stage, { amount_type: 'past_due_and_current' }),
  ];
  const relief = await forborne.officer.post(`/loans/${forborne.loan.id}/forbearances`, {
    forbearance_type: 'full',
    start_date: '2026-02-10',
    end_date: '2026-03-31',
    reason: 'Illness',
  });
  expect(relief.status, JSON.stringify(relief.body)).toBe(201);
  await scheduled.officer.post(`/loans/${scheduled.loan.id}/payments`, {
    amount: '115.68',
    payment_date: '2026-02-10',
  });
  const announced = [await nextDraw(forborne), await nextDraw(scheduled)];

  await travelTo(stage, forborne.tenant, '2026-04-16');
  await travelTo(stage, scheduled.tenant, '2026-02-18');

  expect(announced).toEqual([
    { date: '2026-04-15', amount: '315.68' },
    { date: '2026-02-17', amount: '200.00' },
  ]);
  expect(announced).toEqual([(await drawnMoney(forborne))[0], (await drawnMoney(scheduled))[0]]);
});

test('no draw is announced for a paused plan, or for an accelerated, charged-off or repaid loan', async () => {
  const kinds = {
    paused: await newEnrolledLoan(stage),
    accelerated: await newEnrolledLoan(stage),
    charged_off: await newEnrolledLoan(stage),
    repaid: await newEnrolledLoan(stage),
    'paid off by autopay': await newEnrolledLoan(stage, { amount_type: 'payoff' }),
  };
  const { paused, accelerated, charged_off, repaid } = kinds;
  const stored = async ({ plan }: Enrolled) => (await plan())['next_draw_amount'];
  const before: Body = {};
  for (const [name, enrolled] of Object.entries(kinds))
    before[name] = (await stored(enrolled)) !== null;

  await paused.officer.put(`/autopay-plans/${paused.id}`, { status: 'paused' });
  await (
    await accelerated.tenant.signedIn('admin')
  ).post(`/loans/${accelerated.loan.id}/accelerate`);
  const admin = await charged_off.tenant.signedIn('admin');
  const written = await admin.post(`/loans/${charged_off.loan.id}/charge-off`, { force: true });
  await repaid.officer.post(`/loans/${repaid.loan.id}/payments`, {
    amount: '10000.00',
    payment_type: 'payoff',
  });

  expect(written.status, JSON.stringify(written.body)).toBe(200);
  expect(Object.values(before)).toEqual(Object.keys(kinds).map(() => true));
  const after: Body = {};
  for (const [name, enrolled] of Object.entries(kinds))
    after[name] = [await stored(enrolled), await nextDraw(enrolled)];
  expect(after).toMatchObject({
    paused: [null, null],
    accelerated: [null, null],
    charged_off: [null, null],
    repaid: [null, null],
    'paid off by autopay': [expect.any(String), { amount: expect.any(String) }],
  });
  await paused.officer.put(`/autopay-plans/${paused.id}`, { status: 'active' });
  expect(await stored(paused)).toBe('315.68');
}, 60_000);

test.each([
  ['a draw on the due date', {}, '320.00', '2026-03-16'],
  [
    'a draw after the due date',
    { frequency: 'biweekly', start_date: '2026-02-20' },
    '320.00',
    '2026-03-06',
  ],
  [
    'a draw of installments and fees',
    { amount_type: 'past_due_and_current' },
    '320.00',
    '2026-03-16',
  ],
  ['too little money in suspense', {}, '315.67', '2026-02-17'],
])(
  'the announced draw leaves out a bill that the close pays from suspense: %s',
  async (_, terms, held, date) => {
    const enrolled = await newEnrolledLoan(stage, terms);
    const { tenant, officer, loan } = enrolled;
    await saveSettings(tenant, { suspense: { pays_bills: true } });
    const payment = { amount: held, payment_type: 'fee_only' };
    expect((await officer.post(`/loans/${loan.id}/payments`, payment)).status).toBe(201);
    const announced = await nextDraw(enrolled);
    const stored = await enrolled.plan();

    await travelTo(stage, tenant, '2026-03-17');

    const draw = { date, amount: '315.68' };
    expect(announced).toEqual(draw);
    expect(stored).toMatchObject({ next_draw_date: date, next_draw_amount: draw.amount });
    expect((await drawnMoney(enrolled))[0]).toEqual(draw);
  },
);

test('money that a scheduled payment will leave in suspense pays the bill before the announced draw', async () => {
  const enrolled = await newEnrolledLoan(stage);
  const { tenant, officer, loan } = enrolled;
  await saveSettings(tenant, { suspense: { pays_bills: true } });
  await officer.post(`/loans/${loan.id}/payments`, {
    amount: '320.00',
    payment_type: 'fee_only',
    payment_date: '2026-02-10',
  });
  const announced = await nextDraw(enrolled);

  await travelTo(stage, tenant, '2026-03-17');

  expect(announced).toEqual({ date: '2026-03-16', amount: '315.68' });
  expect(await drawnMoney(enrolled)).toEqual([announced]);
});

test('no draw is announced while its account is blocked', async () => {
  const enrolled = await newEnrolledLoan(stage);
  const { tenant, officer, instrument, plan } = enrolled;
  const setStatus = (status: string) =>
    officer.put(`/payment-instruments/${instrument.id}`, { status });
  const blocked = await setStatus('blocked');
  expect(blocked.status, JSON.stringify(blocked.body)).toBe(200);
  const whileBlocked = [await nextDraw(enrolled), (await plan())['next_draw_date']];
  await setStatus('active');
  const after = [await nextDraw(enrolled), (await plan())['next_draw_date']];
  await setStatus('blocked');
  await travelTo(stage, tenant, '2026-02-18');

  expect(whileBlocked).toEqual([null, null]);
  expect(after).toEqual([{ date: '2026-02-17', amount: '315.68' }, '2026-02-17']);
  expect(await drawnMoney(enrolled)).toEqual([]);
  const { figures } = await tenant.within(({ tx }) =>
    tx.one(sql.type(z.object({ figures: z.looseObject({ due: z.looseObject({}) }) }))`
      select figures from statements where loan_id = ${enrolled.loan.id}
    `),
  );
  expect(figures.due['autopay']).toBeNull();
});

test('a retry is announced as long as the backup account can be drawn on', async () => {
  const enrolled = await newEnrolledLoan(stage);
  const { tenant, officer, instrument, loan } = enrolled;
  const backup = await officer.post(`/borrowers/${loan.borrower_id}/payment-instruments`, {
    routing_number: '021000021',
    account_number: '000987654321',
    account_type: 'checking',
    account_holder_name: 'Grace Hopper',
  });
  await officer.put(`/autopay-plans/${enrolled.id}`, {
    backup_payment_instrument_id: backup.body.id,
  });
  const setStatus = (id: string, status: string) =>
    officer.put(`/payment-instruments/${id}`, { status });
  await travelTo(stage, tenant, '2026-02-18');
  const [payment] = await enrolled.payments();
  await officer.post(`/payments/${payment?.id}/return`, { return_code: 'R01' });

  await setStatus(backup.body.id, 'blocked');
  const withBlockedBackup = await nextDraw(enrolled);
  await setStatus(backup.body.id, 'active');
  await setStatus(instrument.id, 'blocked');
  const announced = await nextDraw(enrolled);
  await travelTo(stage, tenant, '2026-02-24');

  expect(withBlockedBackup).toBeNull();
  expect(announced).toMatchObject({ amount: '315.68' });
  expect((await enrolled.payments()).at(-1)).toMatchObject({
    payment_instrument_id: backup.body.id,
    payment_date: (announced as { date: string }).date,
    amount: '315.68',
  });
});

test('after maturity, the announced draw is the whole debt on the plan’s monthly day', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const loan = await newLoan(tenant, { term_months: 2, principal_amount: '1000.00' });
  await travelTo(stage, tenant, '2026-04-20');
  const path = `/borrowers/${loan.borrower_id}`;
  const instrument = await officer.post(`${path}/payment-instruments`, {
    routing_number: '021000021',
    account_number: '000123456789',
    account_type: 'checking',
    account_holder_name: 'Grace Hopper',
  });
  const plan = await officer.post(`${path}/autopay-plans`, {
    loan_id: loan.id,
    payment_instrument_id: instrument.body.id,
  });
  const { body: then } = await officer.get(`/loans/${loan.id}/get-balances`);

  await travelTo(stage, tenant, '2026-05-16');

  const [drawn] = (await officer.get(`/autopay-plans/${plan.body.id}/draws`)).body;
  expect(then.next_draw).toEqual({ date: drawn.run_date, amount: drawn.amount });
  expect(Number(drawn.amount)).toBeGreaterThan(1000);
  expect((await officer.get(`/loans/${loan.id}`)).body.status).toBe('paid_off');
});
