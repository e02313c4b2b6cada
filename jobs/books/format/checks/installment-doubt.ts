import { agreedDueDates, paidThroughDate } from '../../../loans/boarding/paid-through.ts';
import { numberOfPayments, paymentsPerYear } from '../../../loans/arithmetic/due-dates.ts';
import { isBilledByCycle, type Terms } from '../../../loans/arithmetic/terms.ts';
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
  const given = Number(payment_amount);
  const fits = (level: number) => Math.abs(given - level) <= level * TOLERANCE;
  const rate = Number(terms.interest_rate) / paymentsPerYear(frequency);
  const count = numberOfPayments(frequency, terms.term_months);
  const agreed = levelPayment(Number(row.principal_amount), rate, count);
  if (fits(agreed)) return null;
  const { balance, paid_through_date, day } = debtOf(row, terms, today);
  const paid = paid_through_date ?? day;
  const left = agreedDueDates(row, terms).filter((due) => due > paid).length;
  // A loan that is past its last due date has no installment of its own any more.
  if (left === 0 || fits(levelPayment(Number(balance), rate, left))) return null;
  return `By amount, rate and term, the installment is about ${agreed.toFixed(2)}. Check the rate (a fraction or a percentage), the payment frequency of the product, and whether escrow or insurance is included.`;
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

/** An estimate, because it only decides about a doubt. Boarding computes the exact schedule. */
const levelPayment = (principal: number, rate: number, count: number): number => {
  if (count <= 0) return 0;
  return rate === 0 ? principal / count : (principal * rate) / (1 - (1 + rate) ** -count);
};
