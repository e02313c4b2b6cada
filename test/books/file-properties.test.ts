import { expect, test } from 'vitest';
import type { BookLoan } from '../../jobs/books/conventions/book-loan.ts';
import type { Figures } from '../../jobs/books/conventions/figures.ts';
import {
  compareLoans,
  type CompareOptions,
  type LoanPair,
  type LoanResult,
} from '../../jobs/books/reconciliations/compare-loans.ts';
import { ZeroFigures } from '../../jobs/books/reconciliations/file-properties.ts';
import { completeTerms } from '../../jobs/loans/arithmetic/terms.ts';
import type { EventOf } from '../../jobs/loans/engine/events.ts';

const TODAY = '2030-01-15';

/** A loan that was boarded without its history on 15 January 2030, as paid through 20 December. */
function boarded(number: number, start: Partial<EventOf<'boarding'>> = {}): BookLoan {
  const cents = 500_000 + number * 12_345;
  const principal_balance = (cents / 100).toFixed(2);
  return {
    loan_number: `OLD-${number}`,
    terms: completeTerms({ interest_rate: '0.0899', term_months: 36, payment_day: 20 }),
    contract: {
      principal_amount: '12000.00',
      origination_date: '2029-02-20',
      first_payment_date: '2029-03-20',
      payment_amount: '381.54',
    },
    start: {
      id: 'boarding',
      kind: 'boarding',
      effective_date: TODAY,
      principal_balance,
      accrued_interest: interestOf(principal_balance, 26, 365),
      paid_through_date: '2029-12-20',
      ...start,
    },
    events: [],
    schedule: null,
    paid_before: { principal: '2000.00', interest: '700.00', fees: '0.00', recovered: '0.00' },
  };
}

const interestOf = (principal: string, days: number, basis: number) =>
  (Math.round((Number(principal) * 8.99 * days) / basis + 1e-7) / 100).toFixed(2);

const principalOf = ({ start }: BookLoan) =>
  start.kind === 'boarding' ? start.principal_balance : '0.00';

type Stated = (loan: BookLoan, at: number) => Omit<Figures, 'as_of_date'>;

async function compare(
  loans: readonly BookLoan[],
  stated: Stated,
  options: Partial<CompareOptions> = {},
  as_of_date = TODAY,
): Promise<LoanResult[]> {
  const zeros = new ZeroFigures();
  const pairs = loans.map((loan, at): LoanPair => {
    const figures = { as_of_date, ...stated(loan, at) };
    zeros.add(loan.loan_number, figures);
    const { loan_number } = loan;
    return {
      loan_id: null,
      loan_number,
      theirs: [figures],
      events_read: 1,
      days_not_compared: 0,
      loan,
    };
  });
  async function* given() {
    yield* await Promise.resolve(pairs);
  }
  return Array.fromAsync(
    compareLoans(given(), { tolerance: '0.00', not_kept: zeros.found(), ...options }),
  );
}

const LOANS = Array.from({ length: 20 }, (_, at) => boarded(at + 1));
const kindsOf = (results: readonly LoanResult[]) =>
  results.map(({ parts }) => parts.map(({ kind }) => kind).join(' '));
const onlyKind = (results: readonly LoanResult[]) => [...new Set(kindsOf(results))];

test('a file that states no accrued interest is told from loans that differ', async () => {
  const results = await compare(LOANS, (loan, at) => ({
    principal: at === 4 ? '1.23' : principalOf(loan),
    interest: '0.00',
  }));

  const [first] = results;
  expect(first?.parts).toMatchObject([
    {
      kind: 'not_kept',
      reason: expect.stringContaining('keeps no accrued interest'),
      differences: [{ figure: 'interest', ours: interestOf('5123.45', 26, 365), theirs: '0.00' }],
    },
  ]);
  expect(kindsOf(results)[4]).toBe('unknown not_kept');
  expect(onlyKind(results.filter((_, at) => at !== 4))).toEqual(['not_kept']);
});

test('an interest of zero for one loan of many is not a property of the file', async () => {
  const results = await compare(LOANS, ({ start }, at) => ({
    interest: at === 0 || start.kind !== 'boarding' ? '0.00' : (start.accrued_interest ?? null),
  }));

  // No payment is invented for it either: any amount explains a single figure.
  expect(kindsOf(results)).toEqual(['unknown', ...LOANS.slice(1).map(() => '')]);
});

test.each([
  ['30_360', 25, 360],
  ['actual_360', 26, 360],
  ['actual_364', 26, 364],
] as const)(
  'the day count %s is named from the interest since the last due date, without a history',
  async (day_count, days, basis) => {
    const results = await compare(LOANS, (loan) => ({
      principal: principalOf(loan),
      interest: interestOf(principalOf(loan), days, basis),
      days_past_due: 0,
    }));

    expect(onlyKind(results)).toEqual(['day_count']);
    const [part] = results[0]?.parts ?? [];
    expect(part?.reason).toContain(`actual/365 here, ${day_count.replace('_', '/')} there`);
    expect(part?.reason).toContain('since 2029-12-20');
    expect(part?.parting?.theirs).toMatchObject({
      interest: interestOf('5123.45', days, basis),
      steps: [{ text: expect.stringContaining(`${days} of ${basis} days of 5123.45`) }],
    });
    expect(part?.parting?.ours.interest).toBe(interestOf('5123.45', 26, 365));
  },
);

test('interest of another day and a wrong interest at the boarding have names of their own', async () => {
  const later = await compare(LOANS, (loan) => ({
    interest: interestOf(principalOf(loan), 27, 365),
  }));
  const wrong = LOANS.map((_, at) => boarded(at + 1, { accrued_interest: '0.00' }));
  const unpaid = await compare(wrong, (loan) => ({
    interest: interestOf(principalOf(loan), 26, 365),
  }));

  expect(onlyKind(later)).toEqual(['as_of_day']);
  expect(onlyKind(unpaid)).toEqual(['boarded_interest']);
  expect(unpaid[0]?.parts[0]?.reason).toContain('interest at the boarding: 0.00 here');
});

test('interest that differs by the cent to which it was boarded is rounding, and not a wrong boarding', async () => {
  const day = '2030-02-10';
  const results = await compare(
    LOANS,
    (loan) => ({ interest: interestOf(principalOf(loan), 52, 365) }),
    {},
    day,
  );

  const differing = results.filter(({ parts }) => parts.length > 0);
  expect(differing.length).toBeGreaterThan(0);
  expect(onlyKind(differing)).toEqual(['rounding']);
  expect(differing[0]?.parts[0]?.reason).toContain('here, rounded to the cent');
});

test('a balance with interest, a payoff amount without it and due dates of late loans are meanings of the file', async () => {
  const late = LOANS.map((_, at) =>
    boarded(at + 1, at < 6 ? { paid_through_date: '2029-11-20', accrued_interest: '30.00' } : {}),
  );
  const interestHere = ({ start }: BookLoan) =>
    Number(start.kind === 'boarding' ? start.accrued_interest : 0);
  const results = await compare(late, (loan) => ({
    principal: (Number(principalOf(loan)) + interestHere(loan)).toFixed(2),
    payoff_amount: principalOf(loan),
    next_due_date: '2030-01-20',
  }));

  expect(kindsOf(results.slice(0, 6))).toEqual(
    Array.from({ length: 6 }, () => 'other_meaning other_meaning other_meaning'),
  );
  expect(onlyKind(results.slice(6))).toEqual(['other_meaning other_meaning']);
  const reasons = results[0]?.parts.map(({ reason }) => reason).join(' ');
  expect(reasons).toContain('the principal with the unpaid interest');
  expect(reasons).toContain('the principal without interest and fees');
  expect(reasons).toContain('the next due date, although earlier installments are unpaid');
});

test('a loan that was boarded as paid through another date is named, also by a range of days', async () => {
  const results = await compare(LOANS.slice(0, 3), (loan, at) => ({
    principal: principalOf(loan),
    days_past_due: [0, 26, 56][at] ?? 0,
    days_past_due_range: ['0', '16-30', '31-120'][at] ?? '0',
  }));

  expect(kindsOf(results)).toEqual(['', 'paid_through', 'paid_through']);
  expect(results[1]?.parts[0]?.reason).toBe('paid through: 2029-12-20 here, 2029-11-20 there');
});

test('a range of days that no due date gives is a matter of the day, if the file states months only', async () => {
  const stated: Stated = () => ({ days_past_due_range: '1-15' });

  const [unknown] = await compare(LOANS.slice(0, 1), stated);
  const [madeUp] = await compare(LOANS.slice(0, 1), stated, { states_months_only: true });

  expect([unknown?.parts[0]?.kind, madeUp?.parts[0]?.kind]).toEqual(['unknown', 'due_day']);
});

test('payments so far, the installment and the status differ by their own names if the balances agree', async () => {
  const paid = {
    paid_principal: '2000.00',
    paid_interest: '700.00',
    paid_fees: '0.00',
    paid_total: '2700.00',
  };
  const stated: Omit<Figures, 'as_of_date'>[] = [
    { ...paid, installment: '381.54', status: 'active' },
    { ...paid, installment: '381.55' },
    { ...paid, status: 'charged_off' },
    { ...paid, paid_interest: '699.99', paid_total: '2699.99' },
    { ...paid, paid_total: '2699.99' },
  ];
  const results = await compare(LOANS.slice(0, stated.length), (loan, at) => ({
    principal: principalOf(loan),
    ...stated[at],
  }));
  const [unknown] = await compare(
    [
      {
        ...boarded(1),
        paid_before: { principal: null, interest: null, fees: null, recovered: '0.00' },
      },
    ],
    () => paid,
  );

  expect(kindsOf(results)).toEqual(['', 'installment', 'status', 'paid_to_date', 'inconsistent']);
  expect(results[3]?.parts[0]?.reason).toBe(
    'paid_interest: 700.00 here, 699.99 there; paid_total: 2700.00 here, 2699.99 there',
  );
  expect(unknown?.parts).toMatchObject([
    { kind: 'partly_compared', reason: expect.stringContaining('paid_interest') },
  ]);
});

test('a last payment and an installment that are not known here are not compared, and never agree', async () => {
  const paidHere = { paid_through_date: '2029-12-20', last_payment_date: '2029-12-18' };
  const repaid = { principal_balance: '0.00', accrued_interest: '0.00' };
  const loans = [
    boarded(1),
    boarded(2, paidHere),
    boarded(3, repaid),
    boarded(4, repaid),
    boarded(5),
  ];
  const stated: Omit<Figures, 'as_of_date'>[] = [
    { last_payment_date: '2029-12-18' },
    { last_payment_date: '2029-12-18' },
    { installment: '381.54' },
    { installment: '0.00' },
    { last_payment_date: '2029-12-18', status: 'charged_off' },
  ];

  const results = await compare(loans, (loan, at) => ({
    principal: principalOf(loan),
    ...stated[at],
  }));

  expect(kindsOf(results)).toEqual([
    'partly_compared',
    '',
    'partly_compared',
    '',
    'status partly_compared',
  ]);
  const [first, , third] = results.map(({ parts }) => parts[0]?.reason);
  expect(first).toBe('last_payment_date: not known here for the time before the boarding.');
  expect(third).toContain('installment: not compared');
});
