import { expect, test } from 'vitest';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { fold } from '../../../jobs/loans/engine/fold.ts';
import { projectSchedule } from '../../../jobs/loans/engine/projection/project.ts';
import { fundedLoan, type Contract } from '../any-contract.ts';
import { START } from '../agreed/any-agreement.ts';

/** Loans of 10,000.00 at 8.5 percent over a year, monthly, except for the named terms. */
const KINDS: Record<string, Partial<Contract>> = {
  'level payments': {},
  'level payments, 30/360': { day_count: '30_360' },
  'level payments, actual/360': { day_count: 'actual_360' },
  'level payments, actual/364': { day_count: 'actual_364' },
  'level payments, actual/actual': { day_count: 'actual_actual', term_months: 36 },
  'level payments, half cents to even': { rounding_mode: 'half_even' },
  'level payments of the real days': { installment_calculation: 'actual_days' },
  'level payments, first after ten days': { first: 10 },
  'level payments of the real days, first after 75 days': {
    installment_calculation: 'actual_days',
    first: 75,
  },
  'level payments with fees spread over them': { spread_fees: '120.35' },
  'level payments on the 31st': { payment_day: 31, term_months: 24 },
  'level payments without interest': { interest_rate: '0' },
  'level payments without interest, with fees': { interest_rate: '0', spread_fees: '0.20' },
  'level principal': { amortization: 'level_principal' },
  'level principal every quarter': {
    amortization: 'level_principal',
    payment_frequency: 'quarterly',
  },
  'interest alone': { amortization: 'interest_only' },
  'interest alone, as its method': { interest_method: 'interest_only', day_count: '30_360' },
  balloon: { amortization: 'balloon', balloon_amount: '5000.00' },
  'all of it as a balloon': { amortization: 'balloon' },
  'scheduled interest': { interest_method: 'scheduled', day_count: '30_360' },
  'scheduled interest, balloon, first after 80 days': {
    interest_method: 'scheduled',
    amortization: 'balloon',
    balloon_amount: '2500.00',
    first: 80,
  },
  'flat interest': { interest_method: 'flat' },
  'flat interest every week, with fees': {
    interest_method: 'flat',
    payment_frequency: 'weekly',
    spread_fees: '120.35',
  },
  'every two weeks': { payment_frequency: 'biweekly', day_count: 'actual_360' },
  'twice a month': { payment_frequency: 'semi_monthly', first: 15 },
  'one payment': { payment_frequency: 'single' },
  'one payment of scheduled interest': {
    payment_frequency: 'single',
    interest_method: 'scheduled',
    day_count: 'actual_actual',
  },
};

test.each(Object.entries(KINDS))(
  '%s: a borrower who pays as scheduled owes nothing at the end',
  (_, kind) => {
    const usual = { principal: '10000.00', interest_rate: '0.085', term_months: 12 };
    const loan = fundedLoan({ ...usual, ...kind });

    const rows = projectSchedule({ ...loan, as_of: START });
    const payments = rows.map(({ period_number, due_date, payment_amount }): LoanEvent => ({
      id: `p${String(period_number).padStart(3, '0')}`,
      kind: 'payment',
      effective_date: due_date,
      amount: payment_amount,
    }));
    const end = rows.at(-1)?.due_date ?? START;
    const state = fold({ ...loan, events: [...loan.events, ...payments], as_of: end });

    expect(state).toMatchObject({ total_balance: '0.00', suspense_balance: '0.00' });
    expect(state.installments.map(({ status }) => status)).toEqual(rows.map(() => 'paid'));
    expect(state.maturity_date).toBe(end);
  },
);
