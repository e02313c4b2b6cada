import { Invalid } from '../../errors.ts';
import { parseMoney } from '../../money.ts';
import type { Work } from '../../work.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import { isFirstPaymentTooLate } from '../arithmetic/due-dates.ts';
import type { Terms } from '../arithmetic/terms.ts';
import { firstDelinquencyProblem } from '../reporting/records/boarded-delinquency.ts';
import { levelInstallment, type BoardedLoan } from '../schedule/boarded-schedule.ts';
import type { Boarding } from './boarding-input.ts';

/** Fields that only a loan with a servicing history may have. */
const HISTORY = [
  'last_payment_date',
  'times_delinquent',
  'payment_history_profile',
  'first_delinquency_date',
] as const;

/** Statuses in which an investor can own the loan. */
const OWNED: readonly string[] = ['approved', 'active', 'charged_off'];

/** Throws `Invalid` if the fields of a boarded loan contradict each other or the business date. */
export function checkBoarding({ today }: Pick<Work, 'today'>, input: Boarding) {
  const errors: Record<string, string> = {};
  const isReplayed = input.history?.depth === 'replayed';
  const { origination_date, first_payment_date, current_principal_balance: balance } = input;
  if (origination_date > today) errors['origination_date'] = 'Must not be in the future.';
  if (first_payment_date && first_payment_date < origination_date)
    errors['first_payment_date'] = 'Must not be before the origination date.';
  if (first_payment_date && isFirstPaymentTooLate(first_payment_date, origination_date))
    errors['first_payment_date'] = 'Must be within 40 years of the origination date.';
  if (
    balance &&
    !input.has_capitalization &&
    parseMoney(balance).gt(parseMoney(input.principal_amount))
  ) {
    errors['current_principal_balance'] =
      'Must not be more than the principal amount, unless has_capitalization is true.';
  }
  if (input.status === 'active' && balance && parseMoney(balance).eq(0) && !isReplayed) {
    errors['current_principal_balance'] = 'Must be more than zero for an active loan.';
  }
  const { last_payment_date: paid } = input;
  if (paid && (paid < origination_date || paid > today))
    errors['last_payment_date'] = 'Must be between the origination date and the business date.';
  const { first_delinquency_date } = input;
  const charge_off_date = input.status === 'charged_off' ? (input.charge_off_date ?? today) : null;
  const problem =
    first_delinquency_date &&
    firstDelinquencyProblem(
      { today },
      { first_delinquency_date, origination_date, charge_off_date },
    );
  if (problem) errors['first_delinquency_date'] = problem;
  if (input.investor_id && !OWNED.includes(input.status))
    errors['investor_id'] = `A loan that is ${input.status.replaceAll('_', ' ')} has no owner.`;
  const isNew = ['pending', 'approved'].includes(input.status);
  if (input.history && isNew) errors['history'] = `Not allowed for a loan that is ${input.status}.`;
  const { from, opening, transactions = [] } = input.history ?? {};
  if (from && (from < origination_date || from > today))
    errors['history.from'] = 'Must be between the origination date and the business date.';
  if (opening && !isReplayed) errors['history.opening'] = 'Only for a replayed history.';
  const ids = new Set<string>();
  for (const [index, { transaction_id, date }] of transactions.entries()) {
    const place = `history.transactions[${index}]`;
    if (ids.has(transaction_id))
      errors[`${place}.transaction_id`] = 'Another transaction of the loan has this number.';
    if (date > today) errors[`${place}.date`] = 'Must not be after the business date.';
    ids.add(transaction_id);
  }
  if (input.suspense_balance && !isReplayed)
    errors['suspense_balance'] =
      'Is only compared with a replayed history. Record the money as a payment.';
  for (const field of HISTORY.filter((name) => isNew && input[name]))
    errors[field] = `Not allowed for a loan that is ${input.status}.`;
  const { next_due_date: next } = input;
  if (next && (next <= origination_date || next <= (input.paid_through_date ?? '')))
    errors['next_due_date'] = 'Must be after the origination date and after `paid_through_date`.';
  if (next && isFirstPaymentTooLate(next, today))
    errors['next_due_date'] = 'Must be within 40 years.';
  if (input.paid_through_date && input.paid_through_date < origination_date)
    errors['paid_through_date'] = 'Must not be before the origination date.';
  if (input.paid_through_date && isFirstPaymentTooLate(input.paid_through_date, today))
    errors['paid_through_date'] = 'Must be within 40 years.';
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
}

/** A last payment above this many installments is a balloon, which the lender must declare. */
const INSTALLMENTS_IN_LAST_PAYMENT = 2;

export type RepaymentProblem = {
  code: 'payment_below_interest' | 'does_not_amortize';
  reason: string;
};

/**
 * Why the given installment does not repay the balance by the last due date, or null. A declared balloon, or a balloon
 * of the product, is allowed.
 */
export function repaymentProblem(
  terms: Terms,
  input: BoardedLoan & { has_balloon?: boolean | null | undefined },
  schedule: readonly ScheduleRow[],
  place: { balance: string; today: string },
): RepaymentProblem | null {
  const last = schedule.at(-1);
  const { payment_amount: given } = input;
  if (!given || !last || input.has_balloon || terms.amortization !== 'level_payment') return null;
  if (parseMoney(last.payment_amount).lte(parseMoney(given).times(INSTALLMENTS_IN_LAST_PAYMENT)))
    return null;
  const before = schedule.at(-2);
  const coversInterest = before !== undefined && parseMoney(before.principal_amount).gt(0);
  const fault = coversInterest
    ? `Leaves ${last.payment_amount} for the final payment on ${last.due_date}.`
    : `Does not cover the interest and leaves ${last.payment_amount} for the final payment.`;
  const level = levelInstallment(terms, input, place);
  const remedy = `Correct it (a level installment is ${level}), or declare the balloon with has_balloon.`;
  const code = coversInterest ? 'does_not_amortize' : 'payment_below_interest';
  return { code, reason: `${fault} ${remedy}` };
}

/** Throws `Invalid` if the given installment does not repay the balance. */
export function assertRepays(...loan: Parameters<typeof repaymentProblem>) {
  const problem = repaymentProblem(...loan);
  if (problem !== null) throw new Invalid({ payment_amount: problem.reason });
}
