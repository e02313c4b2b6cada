import { dictionary } from '../../../../sql/dictionary.ts';
import type { CreditFacts } from '../../../../sql/loans/reporting/credit-facts.ts';
import { cents } from './whole-dollars.ts';

/**
 * The terms of an account: fields 13 to 15. Source: the field definitions and Exhibit 3 of the Credit Reporting
 * Resource Guide, as quoted in the public repository moov-io/metro2 (pkg/lib/base_segment.go).
 */

const FREQUENCIES = dictionary<string>({
  monthly: 'M',
  biweekly: 'B',
  semi_monthly: 'E',
  weekly: 'W',
  quarterly: 'Q',
  single: 'P',
});

export const termsFrequency = ({ payment_frequency }: CreditFacts) =>
  FREQUENCIES[payment_frequency] ?? 'M';

/** Converts an installment to a monthly amount, as a fraction. */
const PER_MONTH = dictionary<readonly [bigint, bigint]>({
  monthly: [1n, 1n],
  biweekly: [26n, 12n],
  semi_monthly: [2n, 1n],
  weekly: [52n, 12n],
  quarterly: [1n, 3n],
  single: [1n, 1n],
});

/** Codes that replace a term in months: lines of credit, revolving accounts and open accounts. */
const TERMS = dictionary<string>({ C: 'LOC', R: 'REV', O: '001' });

/**
 * The term of the schedule in force at the end of the month, including extensions (field 13). In months;
 * for a mortgage, in years.
 */
export function termsDuration(portfolio: string, facts: CreditFacts): string {
  const { payment_frequency, periods, term_months } = facts;
  const constant = TERMS[portfolio];
  if (constant !== undefined) return constant;
  if (payment_frequency === 'single') return '001';
  const [times, by] = PER_MONTH[payment_frequency] ?? [1n, 1n];
  const planned = periods && Math.round((periods * Number(by)) / Number(times));
  const months = planned || term_months;
  const duration = portfolio === 'M' ? Math.ceil(months / 12) : months;
  return String(Math.min(duration, 999)).padStart(3, '0');
}

/**
 * The regular payment as a monthly amount in whole dollars (field 15). It stays the same after acceleration and
 * after the last due date, while the account is not charged off and owes that much. Nothing is scheduled for an open
 * account. A single payment is scheduled only for the month in which it is due.
 */
export function monthlyPayment(portfolio: string, facts: CreditFacts): string {
  const { payment_frequency, payment_amount, maturity_date, reporting_period } = facts;
  const isDue = maturity_date?.slice(0, 7) === reporting_period.slice(0, 7);
  if (portfolio === 'O' || (payment_frequency === 'single' && !isDue)) return '0';
  const [times, by] = PER_MONTH[payment_frequency] ?? [1n, 1n];
  const regular = (cents(payment_amount ?? '0.00') * times) / by;
  const isMatured = maturity_date !== null && maturity_date <= reporting_period;
  const most = isMatured ? owedInMonth(facts) : regular;
  return String((regular < most ? regular : most) / 100n);
}

const owedInMonth = ({ total_balance, charge_off_balance, paid_in_month }: CreditFacts) =>
  cents(total_balance) + cents(charge_off_balance) + cents(paid_in_month);
