import { expect, test } from 'vitest';
import { fold } from '../../../jobs/loans/engine/fold.ts';
import { readLoan } from '../../../jobs/loans/history/open-loan.ts';
import { readTerms } from '../../../jobs/loans/products/loan-terms.ts';
import { loans } from '../../../sql/loans/loans.ts';
import { find } from '../../../sql/table.ts';
import { setBusinessDate } from '../../setup/ledger.ts';
import {
  fetchMinimumPayments,
  LINE_OF_CREDIT,
  openLineOfCredit,
  fetchLoan,
  payLoan,
} from '../../setup/lines-of-credit.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('a frozen line is billed, an accelerated one owes everything, and a charged-off one is not billed', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const [frozen, accelerated, lost] = [
    await openLineOfCredit(tenant),
    await openLineOfCredit(tenant),
    await openLineOfCredit(tenant),
  ];
  await travelTo(stage, tenant, '2026-02-01');
  await admin.post(`/loans/${frozen}/freeze`);
  await admin.post(`/loans/${accelerated}/accelerate`);
  await admin.post(`/loans/${lost}/charge-off`, { force: true, reason: 'other' });

  await travelTo(stage, tenant, '2026-02-16');

  // Accrual stops on February 1, after 17 days of 2.00.
  expect(await fetchLoan(tenant, frozen)).toMatchObject({ next_payment_amount: '70.84' });
  expect(await fetchLoan(tenant, accelerated)).toMatchObject({
    maturity_date: '2026-02-01',
    next_payment_amount: '3714.00',
  });
  expect(await fetchMinimumPayments(tenant, accelerated)).toEqual([]);
  expect(await fetchMinimumPayments(tenant, lost)).toEqual([]);
  await admin.post(`/loans/${accelerated}/reverse-acceleration`);
  expect(await fetchLoan(tenant, accelerated)).toMatchObject({ next_payment_amount: '101.14' });
});

test('the API’s values of a line on any day equal the fold of its history', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const id = await openLineOfCredit(tenant, { cycle_day: 20 });
  for (const [day, amount] of [
    ['2026-02-05', '10.00'],
    ['2026-03-01', '90.00'],
    ['2026-04-30', '400.00'],
  ] as const) {
    await travelTo(stage, tenant, day);
    await payLoan(tenant, id, amount);
  }
  for (const day of ['2026-04-30', '2026-05-14', '2026-05-17', '2026-09-01']) {
    await setBusinessDate(tenant, day);
    const [row, loan] = await tenant.within(
      async (work) => [await find(work.tx, loans, id), await readLoan(work, id)] as const,
    );
    const { schedule, events } = loan;
    const state = fold({ terms: readTerms(loan.row), schedule, events, as_of: day });
    const { next_payment_date, next_payment_amount, past_due_amount, days_past_due } = state;
    const { total_balance, maturity_date } = state;
    const bill = { next_payment_date, next_payment_amount, past_due_amount, days_past_due };
    expect(row, day).toMatchObject({ ...bill, total_balance, maturity_date });
  }
});

test('a line from another servicer is billed from its first cycle here', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const product_id = await newProduct(tenant, LINE_OF_CREDIT);
  const { body: borrower } = await tenant.officer.post('/borrowers', {
    first_name: 'Grace',
    last_name: 'Hopper',
  });

  const boarded = await admin.post('/loans/board', {
    borrower_id: borrower.id,
    product_id,
    program_id: await tenant.first('/programs'),
    principal_amount: '10000.00',
    current_principal_balance: '3650.00',
    interest_rate: '0.2',
    term_months: 36,
    origination_date: '2025-06-15',
  });
  await travelTo(stage, tenant, '2026-02-16');

  expect(boarded).toMatchObject({ status: 201, body: { next_payment_date: null } });
  expect(await fetchLoan(tenant, boarded.body.id)).toMatchObject({
    next_payment_date: '2026-03-13',
    next_payment_amount: '101.14',
    available_credit: '6350.00',
  });
});

test('a line with billing cycles cannot be rescheduled: each way to do so is refused', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const id = await openLineOfCredit(tenant);
  await travelTo(stage, tenant, '2026-02-20');
  const { officer } = tenant;
  const admin = await tenant.signedIn('admin');
  const to = { start_date: '2026-02-20', end_date: '2026-06-15', reason: 'hardship' };

  const asked = [
    await officer.post(`/loans/${id}/reschedule`, { shift_days: 5 }),
    await officer.post(`/loans/${id}/change-due-date`, { payment_day: 3 }),
    await officer.post(`/loans/${id}/deferments`, { periods: 1, reason: 'Holiday' }),
    await officer.post(`/loans/${id}/forbearances`, { ...to, forbearance_type: 'interest_only' }),
    await admin.post(`/loans/${id}/modifications`, {
      modification_type: 'payment_change',
      new_payment_amount: '50.00',
    }),
  ];
  const rate = await admin.post(`/loans/${id}/modifications`, {
    modification_type: 'rate_change',
    new_interest_rate: '0.1',
  });
  const { allowed_actions, current_rate } = await fetchLoan(tenant, id);

  expect(asked.map(({ status, body }) => [status, body.code])).toEqual(
    asked.map(() => [409, 'billed_by_cycle']),
  );
  expect(rate.status).toBe(201);
  expect(current_rate).toBe('0.1');
  expect(allowed_actions).not.toContain('reschedule');
  expect(await fetchMinimumPayments(tenant, id)).toEqual([['2026-03-13', '101.14', 'due']]);
});

test('a product defines all of its billing cycle settings or none', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const program = await admin.post('/programs', {
    name: 'Shops',
    code: 'SHOPS',
    program_type: 'small_business',
  });
  const attempt = async (wish: object) => {
    const code = `P-${Math.random()}`;
    const { status, body } = await admin.post('/products', {
      name: code,
      code,
      ...LINE_OF_CREDIT,
      ...wish,
    });
    return status === 201 ? status : Object.keys(body.errors);
  };

  expect(await attempt({ loan_type: 'installment' })).toEqual(['minimum_payment']);
  expect(await attempt({ minimum_payment: null })).toEqual(['payment_due_days']);
  expect(await attempt({ payment_due_days: null })).toEqual(['payment_due_days']);
  const none = { minimum_payment: null, payment_due_days: null };
  expect(await attempt({ ...none, grace_on_purchases: true })).toEqual(['grace_on_purchases']);
  expect(await attempt({ ...none, grace_on_purchases: false })).toBe(201);
  expect(await attempt({ payment_due_days: 20 })).toEqual(['payment_due_days']);
  expect(await attempt({ payment_due_days: 20, program_id: program.body.id })).toBe(201);
  expect(await attempt({ payment_due_days: 28 })).toEqual(['payment_due_days']);
  expect(await attempt({ cycle_day: 29 })).toEqual(['cycle_day']);
  expect(await attempt({ interest_method: 'scheduled' })).toEqual(['interest_method']);
  expect(await attempt({ payment_frequency: 'weekly' })).toEqual(['payment_frequency']);
  const nothing = { percentage: '0', floor_amount: '0', plus_interest_and_fees: false };
  expect(await attempt({ minimum_payment: nothing })).toEqual(['minimum_payment']);
});
