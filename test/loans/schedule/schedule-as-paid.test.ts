import { Big } from 'big.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays } from '../../../jobs/dates.ts';
import { completeTerms } from '../../../jobs/loans/arithmetic/terms.ts';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { fold } from '../../../jobs/loans/engine/fold.ts';
import { projectSchedule } from '../../../jobs/loans/engine/projection/project.ts';
import { boardedSchedule } from '../../../jobs/loans/schedule/boarded-schedule.ts';
import { newPortalBorrower } from '../../setup/portal.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage } from '../../setup/world.ts';
import { START } from '../agreed/any-agreement.ts';
import { anyContract, fundedLoan, type Contract } from '../any-contract.ts';

const stage = await newStage();

type Amounts = Record<
  | ('beginning_balance' | 'ending_balance' | 'principal_amount' | 'interest_amount')
  | ('fees_amount' | 'payment_amount'),
  string
>;

/** Each row ends at the balance at which the next begins. */
function expectChained(rows: readonly Amounts[]) {
  expect(rows.slice(1).map((row) => row.beginning_balance)).toEqual(
    rows.slice(0, -1).map((row) => row.ending_balance),
  );
}

/** A row's principal is the difference of its balances, and its parts add up to its payment. */
function expectAddedUp(rows: readonly Amounts[]) {
  for (const row of rows) {
    const parts = new Big(row.principal_amount).plus(row.interest_amount).plus(row.fees_amount);
    expect(parts.toFixed(2), JSON.stringify(row)).toBe(row.payment_amount);
    expect(
      new Big(row.beginning_balance).minus(row.principal_amount).toFixed(2),
      JSON.stringify(row),
    ).toBe(row.ending_balance);
  }
}

const aYear: Contract = { principal: '10000.00', interest_rate: '0.12', term_months: 12 };

const paymentOf = (day: number, amount: string, more = {}): LoanEvent => ({
  id: `p${String(day).padStart(4, '0')}`,
  kind: 'payment',
  effective_date: addDays(START, day),
  amount,
  ...more,
});

/** The installment of `aYear`. */
const LEVEL = '888.49';

test.each<[string, LoanEvent[]]>([
  ['on time', [paymentOf(30, LEVEL), paymentOf(61, LEVEL)]],
  ['early', [paymentOf(12, LEVEL), paymentOf(50, LEVEL)]],
  ['late, two at once', [paymentOf(70, '1776.98')]],
  [
    'with extra principal',
    [
      paymentOf(30, LEVEL),
      paymentOf(40, '500.00', { payment_type: 'extra_principal' }),
      paymentOf(61, LEVEL),
    ],
  ],
  ['more than was asked', [paymentOf(30, '1500.00'), paymentOf(61, LEVEL)]],
  ['ahead', [paymentOf(30, '2000.00', { extra_payment_to: 'next_installment' })]],
  ['in parts', [paymentOf(20, '300.00'), paymentOf(30, '588.49'), paymentOf(50, '100.00')]],
])('rows of a loan that was paid %s chain, and end at the principal owed', (_, payments) => {
  const loan = fundedLoan(aYear);
  const life = { ...loan, events: [...loan.events, ...payments], as_of: addDays(START, 75) };

  const rows = projectSchedule(life);
  const { principal_balance, installments } = fold(life);

  expectChained(rows);
  expectAddedUp(rows);
  expect(rows[0]?.beginning_balance).toBe('10000.00');
  expect(rows.at(-1)?.ending_balance).toBe('0.00');
  const lastPaid = installments.findLast(({ paid_amount }) => paid_amount !== '0.00');
  const shown = rows.find(({ period_number }) => period_number === lastPaid?.period_number);
  if (shown?.status === 'paid') expect(shown.ending_balance).toBe(principal_balance);
});

test('rows of a loan that was repaid early end at zero, and later rows have no amounts', () => {
  const loan = fundedLoan(aYear);
  const payoff = paymentOf(40, '9300.00', { payment_type: 'payoff' });
  const events = [...loan.events, paymentOf(30, LEVEL), payoff];

  const rows = projectSchedule({ ...loan, events, as_of: addDays(START, 50) });

  expectChained(rows);
  expect(rows[1]).toMatchObject({ status: 'paid', ending_balance: '0.00' });
  expect(rows.slice(2).map((row) => [row.status, row.payment_amount, row.ending_balance])).toEqual(
    rows.slice(2).map(() => ['canceled', '0.00', '0.00']),
  );
});

test('the rows of any loan connect after any payments', () => {
  const payments = fc.array(
    fc.record({
      day: fc.integer({ min: 1, max: 400 }),
      cents: fc.integer({ min: 100, max: 2_000_000 }),
      more: fc.constantFrom<object>({}, {}, { payment_type: 'extra_principal' }),
    }),
    { maxLength: 8 },
  );
  const day = fc.integer({ min: 0, max: 500 });

  fc.assert(
    fc.property(anyContract(24), payments, day, (contract, paid, at) => {
      const loan = fundedLoan(contract);
      const events = paid.map(({ day: on, cents, more }, index) => ({
        ...paymentOf(on, (cents / 100).toFixed(2), more),
        id: `p${index}`,
      }));
      const life = { ...loan, events: [...loan.events, ...events], as_of: addDays(START, at) };

      const rows = projectSchedule(life);

      expectChained(rows);
      const repaid = rows.filter(({ status }) => status === 'paid');
      expectAddedUp(repaid);
    }),
  );
});

test('a boarded row that repays 336.64 of 9,370.09 connects to the next row', () => {
  const terms = completeTerms({ interest_rate: '0.12', term_months: 36 });
  const boarded = {
    principal_amount: '12000.00',
    origination_date: '2025-09-15',
    payment_amount: '430.00',
    first_payment_date: '2025-10-15',
    paid_through_date: '2025-10-15',
  };
  const original = [
    {
      period_number: 1,
      due_date: '2025-10-15',
      days_in_period: 30,
      fees_amount: '0.00',
      payment_amount: '430.00',
      principal_amount: '336.64',
      interest_amount: '93.36',
      beginning_balance: '9370.09',
      ending_balance: '9033.45',
    },
  ];
  const place = { balance: '9037.51', today: '2025-10-20' };

  const rows = boardedSchedule(terms, boarded, original, place);

  expectChained(rows);
  expectAddedUp(rows.slice(0, 1));
  expect(rows.slice(0, 2)).toMatchObject([
    { beginning_balance: '9370.09', principal_amount: '332.58', ending_balance: '9037.51' },
    { beginning_balance: '9037.51' },
  ]);
});

test('API and portal show the same rows of a loan that was paid early and with extra principal', async () => {
  const { tenant, borrower, loan, id, staffs } = await newPortalBorrower(stage);
  await travelTo(stage, tenant, '2026-02-03');
  const pay = (payment: object) => tenant.officer.post(`/loans/${id}/payments`, payment);
  await pay({ amount: '315.68' });
  await pay({ amount: '250.00', payment_type: 'extra_principal' });
  await travelTo(stage, tenant, '2026-02-20');

  const rows = (await tenant.officer.get(`/loans/${id}/amortization`)).body as Amounts[];
  const shown = await borrower.get(`${loan}/amortization`);

  expectChained(rows);
  expectAddedUp(rows);
  expect(rows[0]?.ending_balance).toBe((await staffs())['principal_balance']);
  expect(shown.body).toEqual(rows);
});
