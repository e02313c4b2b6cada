import type { Big } from 'big.js';
import { agreedDueDates, paidThroughDate } from '../../../loans/boarding/paid-through.ts';
import { numberOfPayments, paymentsPerYear } from '../../../loans/arithmetic/due-dates.ts';
import { levelPayment } from '../../../loans/arithmetic/level-payment.ts';
import { isBilledByCycle, type Terms } from '../../../loans/arithmetic/terms.ts';
import { divide, money, parseMoney, parseRate } from '../../../money.ts';
import type { BookRow } from '../book-files.ts';

type LoanRow = BookRow<'loans'>;

/** Contracts differ from a level installment by a long first period or by rounding, but hardly by more. */
const TOLERANCE = 0.05;

/**
 * Why the stated installment fits neither the agreed terms nor what is left of them, or null. Loans whose installments are
 * not level by their product are not compared.
 */
export function installmentDoubt(
  row: LoanRow,
  { terms, today }: { terms: Terms; today: string },
): string | null {
  const { payment_amount, status, has_balloon } = row;
  const { amortization, interest_method, payment_frequency: frequency } = terms;
  const isLevel =
    amortization === 'level_payment' &&
    interest_method !== 'flat' &&
    interest_method !== 'interest_only' &&
    frequency !== 'single' &&
    terms.loan_type !== 'line_of_credit';
  if (status !== 'active' || payment_amount === undefined || has_balloon || !isLevel) return null;
  if (isBilledByCycle(terms)) return null;
  const given = parseMoney(payment_amount);
  const rate = divide(parseRate(terms.interest_rate), paymentsPerYear(frequency));
  const level = (amount: string, count: number) => levelPayment(parseMoney(amount), rate, count);
  const fits = (expected: Big) => given.minus(expected).abs().lte(expected.times(TOLERANCE));
  const agreed = level(row.principal_amount, numberOfPayments(frequency, terms.term_months));
  if (fits(agreed)) return null;
  const { balance, paid_through_date, day } = debtOf(row, terms, today);
  const paid = paid_through_date ?? day;
  const left = agreedDueDates(row, terms).filter((due) => due > paid).length;
  // A loan that is past its last due date has no installment of its own any more.
  if (left === 0 || fits(level(balance, left))) return null;
  return `By amount, rate and term, the installment is about ${money(agreed)}. Check the rate (a fraction or a percentage), the payment frequency of the product, and whether escrow or insurance is included.`;
}

export type Debt = { balance: string; paid_through_date: string | undefined; day: string };

/** What the installments repay from a day on: today, or the first day of a replayed history, whose terms the row states. */
export function debtOf(row: LoanRow, terms: Terms, today: string): Debt {
  const { history_from, history_opening_principal, current_principal_balance } = row;
  if (history_from === undefined)
    return {
      balance: current_principal_balance,
      paid_through_date: paidThroughDate(row, terms),
      day: today,
    };
  return {
    balance: history_opening_principal ?? row.principal_amount,
    paid_through_date: row.history_opening_paid_through_date,
    day: history_from,
  };
}
