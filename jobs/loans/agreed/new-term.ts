import type { AgreedModification } from '../../../sql/loans/workouts/modifications.ts';
import { addMonths } from '../../dates.ts';
import { Invalid } from '../../errors.ts';
import { dueDates, numberOfPayments, onePeriodAfter } from '../arithmetic/due-dates.ts';
import { readTerms } from '../products/loan-terms.ts';
import type { Standing } from './standing.ts';

/** The fields that set a new term. A modification may use only one of them. */
export const TERM_FIELDS = ['new_term_months', 'extend_months', 'new_maturity_date'] as const;

/** More rows than any loan has. A payment amount that needs this many does not repay the loan. */
export const ROWS_MAX = 1200;

export type ModificationTerms = Omit<AgreedModification, 'id' | 'status' | 'loan_id'>;

/** The installments that the new schedule replaces. */
export type ReplacedInstallments = { remaining: number; first_number: number; first_due: string };

export const termFieldOf = (change: ModificationTerms) =>
  TERM_FIELDS.find((field) => change[field] !== null) ?? null;

export const isOnePayment = ({ row }: Standing) => readTerms(row).payment_frequency === 'single';

/** The new due date of a loan with a single payment. */
export function singleDueDate(
  { row }: Standing,
  change: ModificationTerms,
  { first_due }: ReplacedInstallments,
): string {
  const { new_term_months, extend_months, new_maturity_date, new_payment_day } = change;
  const { payment_frequency, payment_day } = readTerms(row);
  const start = row.disbursement_date ?? row.origination_date ?? change.effective_date;
  const day = new_payment_day ?? payment_day;
  const date =
    new_maturity_date ??
    (extend_months === null
      ? onePeriodAfter(payment_frequency, start, Number(new_term_months), day)
      : addMonths(first_due, extend_months, day ?? undefined));
  const field = termFieldOf(change) ?? 'new_maturity_date';
  if (date < change.effective_date)
    throw new Invalid({
      [field]: `Moves the payment to ${date}, which is in the past. Give a later date.`,
    });
  return date;
}

/**
 * The number of installments that repay the rest. If only a payment amount is given, the amount decides the
 * number, up to `ROWS_MAX`.
 */
export function countInstallments(
  loan: Standing,
  change: ModificationTerms,
  open: ReplacedInstallments,
  first: string,
): number {
  const field = termFieldOf(change);
  if (field === null) return change.new_payment_amount === null ? open.remaining : ROWS_MAX;
  if (isOnePayment(loan)) {
    if (first <= open.first_due) assertNotExtension(change, field, open.first_due);
    return 1;
  }
  const count = countForTerm(loan, change, open, first);
  if (count <= open.remaining) assertNotExtension(change, field, loan.state.maturity_date);
  return count;
}

/**
 * A `term_extension` must lengthen the term. The error message says which type to use for a shorter one.
 */
function assertNotExtension(
  { modification_type }: ModificationTerms,
  field: (typeof TERM_FIELDS)[number],
  maturity: string | null,
) {
  if (modification_type !== 'term_extension') return;
  const message = `Does not extend the loan, whose last payment is due on ${maturity}.`;
  throw new Invalid({ [field]: `${message} To shorten the term, use the type "combined".` });
}

function countForTerm(
  loan: Standing,
  change: ModificationTerms,
  open: ReplacedInstallments,
  first: string,
): number {
  const { payment_frequency } = readTerms(loan.row);
  const { new_term_months, extend_months } = change;
  assertWholePeriods(payment_frequency, { new_term_months, extend_months });
  if (new_term_months !== null) {
    const count = numberOfPayments(payment_frequency, new_term_months) - open.first_number + 1;
    if (count < 1) throw new Invalid({ new_term_months: 'Is already over.' });
    return count;
  }
  if (extend_months !== null)
    return open.remaining + numberOfPayments(payment_frequency, extend_months);
  return countUntil(loan, change, first);
}

/** Months that do not fill whole quarters would produce a different term than the one named. */
function assertWholePeriods(frequency: string, months: Record<string, number | null>) {
  if (frequency !== 'quarterly') return;
  for (const [field, count] of Object.entries(months))
    if (count !== null && count % 3 !== 0)
      throw new Invalid({ [field]: 'Must be a multiple of 3, because payments are quarterly.' });
}

/** The last installment is due on the maturity date, so that date must be one of the due dates. */
function countUntil({ row }: Standing, change: ModificationTerms, first: string): number {
  const { payment_frequency, payment_day } = readTerms(row);
  const wanted = change.new_maturity_date ?? first;
  const day = change.new_payment_day ?? payment_day;
  const dates = dueDates(payment_frequency, first, ROWS_MAX - 1, day);
  const count = dates.filter((date) => date <= wanted).length;
  const [before, after] = [dates[count - 1], dates[count]];
  if (before === wanted) return count;
  if (before === undefined)
    throw new Invalid({ new_maturity_date: `Must not be before the next due date, ${first}.` });
  const nearest = [before, after].filter((date) => date !== undefined).join(' or ');
  throw new Invalid({ new_maturity_date: `Must be a due date of the loan: ${nearest}.` });
}
