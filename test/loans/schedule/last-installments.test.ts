import { expect, test } from 'vitest';
import { WATERFALLS } from '../../../jobs/loans/arithmetic/waterfalls.ts';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { fold } from '../../../jobs/loans/engine/fold.ts';
import { projectSchedule } from '../../../jobs/loans/engine/projection/project.ts';
import type { Agreement } from '../../../jobs/loans/schedule/agreement.ts';
import { fundedLoan, type Contract } from '../any-contract.ts';

/** 300.00 without interest in three installments of 100.00, due on the last days of the months. */
function stateOn(as_of: string, events: readonly LoanEvent[], contract: Partial<Contract> = {}) {
  const loan = fundedLoan({ principal: '300.00', term_months: 3, ...contract });
  const life = { ...loan, events: [...loan.events, ...events], as_of };
  return { state: fold(life), ahead: projectSchedule(life) };
}

const payment = (id: string, effective_date: string, amount: string): LoanEvent => ({
  id,
  kind: 'payment',
  effective_date,
  amount,
});
const agreed = (effective_date: string, agreement: Agreement): LoanEvent => ({
  id: 'plan',
  kind: 'schedule_agreed',
  effective_date,
  agreement,
});

const openOf = (rows: readonly { open_amount: string }[]) =>
  rows.map(({ open_amount }) => open_amount);

test('the last installment bills what is owed even if all installments are covered', () => {
  const fee: LoanEvent = { id: 'f', kind: 'fee', effective_date: '2026-02-10', amount: '25.00' };
  const paid = { ...payment('p', '2026-02-20', '300.00'), extra_payment_to: 'next_installment' };

  const { state, ahead } = stateOn('2026-03-01', [fee, paid as LoanEvent]);

  const bill = { next_payment_date: '2026-04-30', next_payment_amount: '25.00' };
  expect(state).toMatchObject({ ...bill, past_due_amount: '0.00', days_past_due: 0 });
  expect(openOf(state.installments)).toEqual(['0.00', '0.00', '25.00']);
  expect(openOf(ahead)).toEqual(['0.00', '0.00', '25.00']);
  expect(ahead[2]).toMatchObject({ payment_amount: '125.00', status: 'partially_paid' });
});

test('an amount below the minimum is billed only with the last installment', () => {
  const short = payment('p', '2026-02-28', '99.50');

  const { state, ahead } = stateOn('2026-03-05', [short], { installment_tolerance: '1.00' });
  const next = payment('q', '2026-03-31', '100.00');
  const later = stateOn('2026-04-01', [short, next], { installment_tolerance: '1.00' });

  expect(state.past_due_amount).toBe('0.00');
  expect(openOf(ahead)).toEqual(['0.00', '100.00', '100.50']);
  expect(openOf(later.ahead)).toEqual(['0.00', '0.00', '100.50']);
  expect(later.state.installments[1]).toMatchObject({ paid_amount: '100.00', status: 'paid' });
});

test('an installment below the minimum is billed until it is paid', () => {
  // Interest only: 0.79, and 0.01 of the fee after 16 days.
  const contract: Contract = {
    principal: '500.00',
    term_months: 17,
    first: 16,
    interest_rate: '0.03625',
    installment_tolerance: '1.00',
    spread_fees: '0.20',
    interest_method: 'interest_only',
    allocation_order: WATERFALLS.delinquency_first.steps,
  };
  const { schedule } = fundedLoan(contract);
  const asked = schedule.map(({ due_date, payment_amount }) =>
    payment(`p${due_date}`, due_date, payment_amount),
  );

  const unpaid = stateOn('2026-02-20', [], contract);
  const paid = stateOn(schedule.at(-1)?.due_date ?? '', asked, contract);

  expect(unpaid.state).toMatchObject({ past_due_amount: '0.80', days_past_due: 4 });
  expect(paid.state).toMatchObject({ total_balance: '0.00', suspense_balance: '0.00' });
});

test('prepaid interest pays a remaining fee once no principal earns it', () => {
  // Flat: each of two installments has 3.54 of interest and half of the fee.
  const terms = { principal: '500.00', interest_rate: '0.085', term_months: 2, first: 1 };
  const contract: Contract = { ...terms, interest_method: 'flat', spread_fees: '120.35' };
  const first = payment('p', '2026-01-31', '563.71');

  const { state } = stateOn('2026-02-01', [first], contract);
  const last = payment('q', '2026-03-01', '56.64');
  const after = stateOn('2026-03-01', [first, last], contract);

  expect(state).toMatchObject({ principal_balance: '0.00', total_balance: '56.64' });
  expect(after.state).toMatchObject({ total_balance: '0.00', suspense_balance: '0.00' });
});

test('a payment that lowers its own period’s balance pays no interest on the part it repays', () => {
  // 500.00 earns 1.51. The balance after 1.81 earns 1.50.
  const terms = { principal: '500.00', interest_rate: '0.03625', term_months: 1, payment_day: 1 };
  const contract: Contract = { ...terms, interest_method: 'scheduled', first: 29 };
  const early = payment('p', '2026-01-31', '3.31');

  const { state } = stateOn('2026-03-01', [early], contract);
  const last = payment('q', '2026-03-01', state.next_payment_amount);
  const after = stateOn('2026-03-01', [early, last], contract);

  const most = payment('p', '2026-01-31', '448.85');
  const left = stateOn('2026-03-01', [most], contract).state;

  expect(state).toMatchObject({ principal_balance: '498.19', next_payment_amount: '498.19' });
  // 51.31 and then 51.30 earn 0.15 of the 1.51.
  expect(left).toMatchObject({ principal_balance: '51.30', next_payment_amount: '51.30' });
  expect(after.state).toMatchObject({ total_balance: '0.00', suspense_balance: '0.00' });
});

test('prepaid interest that is not earned is never billed again, before or after maturity', () => {
  // 0.06 of the 1.51 that 29 days earn. The freeze leaves one day, which earns 0.05.
  const terms = { principal: '500.00', interest_rate: '0.03625', term_months: 1, payment_day: 1 };
  const contract: Contract = { ...terms, interest_method: 'scheduled', first: 29 };
  const ahead = payment('p', '2026-01-31', '0.06');
  const frozen: LoanEvent = {
    id: 'f',
    kind: 'accrual_stop',
    effective_date: '2026-02-01',
    reason: 'freeze',
  };
  const on = (day: string, ...more: LoanEvent[]) =>
    stateOn(day, [ahead, frozen, ...more], contract);

  const { state, ahead: schedule } = on('2026-02-10');
  const late = on('2026-03-05').state;
  const paid = on('2026-03-01', payment('q', '2026-03-01', '499.99')).state;
  const paidLate = on('2026-03-05', payment('q', '2026-03-05', '499.99')).state;

  expect(state).toMatchObject({ next_payment_amount: '499.99', total_balance: '500.00' });
  expect(openOf(state.installments)).toEqual(['499.99']);
  expect(openOf(schedule)).toEqual(['499.99']);
  expect(late).toMatchObject({ past_due_amount: '499.99', next_payment_amount: '499.99' });
  for (const after of [paid, paidLate])
    expect(after).toMatchObject({ total_balance: '0.00', suspense_balance: '0.00' });
});

test('returned interest repays principal before the remaining row, and no row is negative', () => {
  const terms = { principal: '500.00', interest_rate: '0.03625', term_months: 2, payment_day: 1 };
  const contract: Contract = { ...terms, interest_method: 'scheduled', first: 29 };
  const early = payment('p', '2026-01-31', '0.06');
  const frozen: LoanEvent = {
    id: 'f',
    kind: 'accrual_stop',
    effective_date: '2026-02-01',
    reason: 'freeze',
  };

  const { ahead } = stateOn('2026-03-01', [early, frozen], contract);

  const [first, last] = ahead;
  expect(first).toMatchObject({ interest_amount: '0.06', ending_balance: '248.93' });
  expect(last).toMatchObject({
    interest_amount: '0.00',
    principal_amount: '248.92',
    payment_amount: '248.92',
    beginning_balance: '248.92',
    ending_balance: '0.00',
  });
});

test('a refund on the day of the last payment reduces only what was charged off', () => {
  const on = { effective_date: '2026-04-30' } as const;
  const part: LoanEvent = {
    id: 'c',
    kind: 'charge_off',
    effective_date: '2026-01-31',
    principal_amount: '0.01',
  };
  const back: LoanEvent = { ...on, id: 'r', kind: 'reimbursement', amount: '0.01' };

  const before = stateOn('2026-04-30', [part, back]);
  const after = stateOn('2026-04-30', [part, back, payment('p', '2026-04-30', '300.00')]);

  expect(before.state).toMatchObject({ total_balance: '300.00', charge_off_balance: '0.01' });
  expect(after.state).toMatchObject({ total_balance: '0.00', charge_off_balance: '0.01' });
});

test('an overpaid installment that was lowered counts towards the next one', () => {
  const part = payment('p', '2026-02-20', '60.00');
  const lowered = { rule: 'lowered', numbers: [1], to: '20.00', shortfall: 'next' } as const;

  const { state } = stateOn('2026-02-25', [part, agreed('2026-02-25', lowered)]);

  expect(openOf(state.installments)).toEqual(['0.00', '140.00', '100.00']);
  expect(state).toMatchObject({ next_payment_date: '2026-03-31', next_payment_amount: '140.00' });
});

test('an installment moved behind later ones leaves their dates unchanged', () => {
  const named = { rule: 'named', installments: [{ number: 1, due_date: '2026-04-10' }] } as const;
  const scheduled = { interest_method: 'scheduled', day_count: '30_360' } as const;
  const plan = agreed('2026-02-05', named);

  const { state, ahead } = stateOn('2026-02-05', [plan], { ...scheduled, interest_rate: '0.12' });

  expect(
    state.installments.map(({ due_date, days_in_period }) => [due_date, days_in_period]),
  ).toEqual([
    ['2026-03-31', 59],
    ['2026-04-10', 10],
    ['2026-04-30', 20],
  ]);
  // A month's interest per period. The first consists of 5 days of the old period (0.54) and 54 of 59
  // (2.75).
  expect(ahead.map(({ interest_amount }) => interest_amount)).toEqual(['3.28', '2.01', '1.01']);
});

test('the last payment after a long first period is the remaining balance, as disclosed from the first day', () => {
  // 50,000.00 at 10 percent over 180 months, the first due after 34 days. With regular months it would be
  // 538.35.
  const terms = { principal: '50000.00', interest_rate: '0.1', term_months: 180, first: 34 };
  const { schedule, ...loan } = fundedLoan(terms);
  const last = schedule.at(-1);
  const paid = schedule
    .slice(0, -1)
    .map((row) => payment(`p${row.due_date}`, row.due_date, row.payment_amount));

  const life = {
    ...loan,
    schedule,
    events: [...loan.events, ...paid],
    as_of: last?.due_date ?? '',
  };

  expect(schedule[0]?.payment_amount).toBe('537.30');
  expect(last?.payment_amount).toBe(fold(life).total_balance);
  expect(Number(last?.payment_amount)).toBeGreaterThan(734);
});

test('an installment that turns out to be paid is left out of a new schedule', () => {
  const plan = agreed('2026-02-25', { rule: 'spread', from: 1 });
  const found = payment('p', '2026-02-20', '100.00');

  const { state, ahead } = stateOn('2026-03-05', [plan, found]);

  expect(state.installments.map(({ payment_amount }) => payment_amount)).toEqual([
    '100.00',
    '100.00',
    '100.00',
  ]);
  expect(openOf(ahead)).toEqual(['0.00', '100.00', '100.00']);
});

test('a payment on the day of a new schedule comes before it, in the schedule and in the books', () => {
  const plan = agreed('2026-03-31', { rule: 'spread', from: 2 });

  const { state, ahead } = stateOn('2026-03-31', [plan]);
  const events = [plan, payment('p', '2026-03-31', '200.00')];
  const paid = stateOn('2026-03-31', events);

  expect(state).toMatchObject({ past_due_amount: '100.00', next_payment_amount: '100.00' });
  expect(openOf(ahead)).toEqual(['100.00', '100.00', '100.00']);
  expect(openOf(paid.ahead)).toEqual(['0.00', '0.00', '100.00']);
});
