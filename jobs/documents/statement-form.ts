import type { LegalConditions } from '../../sql/loans/legal-conditions.ts';
import type { MonthlyStatement, StatementInBankruptcy } from '../../templates/documents.ts';
import { statementForm } from '../cases/rules/loan-effects.ts';
import { daysBetween } from '../dates.ts';
import { atLeastZero, min, money, parseMoney } from '../money.ts';

/** What was billed about a bankruptcy (sql/documents/statement-bankruptcy.ts). */
export type LegalFigures = {
  legal: LegalConditions | null;
  is_addressee_debtor: boolean;
  plan: {
    petition_date: string;
    arrears_at_petition: string | null;
    arrears: string;
    arrears_fees: string;
    late_since: string | null;
    /** All payments since the petition. */
    paid: string;
    previous_arrears: string | null;
    /** The next installment. Missing in statements from before it was shown. */
    next?: { principal: string; interest: string } | null;
  } | null;
};

type Due = MonthlyStatement['due'];
type Billed = LegalFigures & {
  due: Due;
  letter: { letter_date: string };
  summary: Pick<MonthlyStatement['summary'], 'payments'>;
};
type FormOfStatement = { due: Due; demands: boolean; bankruptcy: StatementInBankruptcy | null };

/** Days after which a statement says that payments since the petition are missing (12 CFR 1026.41(f)(3)(vi)(E)). */
const LATE_DAYS = 45;

/**
 * The amounts due in the form that the loan's conditions require on the day of the statement. A statement for a debtor in
 * bankruptcy leaves out late fees and what follows from paying late (12 CFR 1026.41(f)(1)). Under chapter 12 or 13 it asks
 * for payments since the petition only, and shows the arrears from before (f)(3).
 */
export function formOfStatement(billed: Billed): FormOfStatement {
  const { due, letter, ...figures } = billed;
  const { letter_date: day } = letter;
  const { form, bankruptcies } = statementForm(figures.legal, day);
  if (form !== 'bankruptcy') return { due, demands: form === 'regular', bankruptcy: null };
  const { late_fee: _, cure: __, days_past_due: ___, ...rest } = due;
  const isPending = bankruptcies.some((condition) => condition.startsWith('stay_'));
  const isPlan = bankruptcies.some((condition) => /^stay_1[23]$/.test(condition));
  const about = { is_pending: isPending, is_addressee: figures.is_addressee_debtor };
  if (!isPlan || figures.plan === null)
    return { due: rest, demands: false, bankruptcy: { ...about, plan: null } };
  const { amounts, arrears } = sincePetition(rest, figures.plan, figures.summary.payments);
  const { late_since } = figures.plan;
  const isLate = late_since !== null && daysBetween(late_since, day) > LATE_DAYS;
  const plan = { ...arrears, is_late: isLate, parts: partsOf(rest, figures.plan.next ?? null) };
  return { due: { ...rest, ...amounts }, demands: false, bankruptcy: { ...about, plan } };
}

/** What the regular payment pays (12 CFR 1026.41(f)(3)(iii)(A)). Null if it is not one whole installment. */
function partsOf(
  { regular_payment }: Due,
  next: NonNullable<NonNullable<LegalFigures['plan']>['next']> | null,
) {
  if (next === null) return null;
  const whole = parseMoney(next.principal).plus(parseMoney(next.interest));
  return whole.eq(parseMoney(regular_payment)) ? next : null;
}

/** The amounts due since the petition, and the arrears from before. Together they are the amounts of the contract. */
function sincePetition(due: Due, plan: NonNullable<LegalFigures['plan']>, paidInPeriod: string) {
  const installments = min(parseMoney(plan.arrears), parseMoney(due.past_due));
  const fees = min(parseMoney(plan.arrears_fees), parseMoney(due.fees));
  const arrears = installments.plus(fees);
  // A waived fee also reduces the arrears, but is not a payment.
  const paidSince = (before: string | null, paid: string) =>
    before === null
      ? null
      : money(atLeastZero(min(parseMoney(before).minus(arrears), parseMoney(paid))));
  return {
    amounts: {
      past_due: money(parseMoney(due.past_due).minus(installments)),
      fees: money(parseMoney(due.fees).minus(fees)),
      amount_due: money(parseMoney(due.amount_due).minus(arrears)),
    },
    arrears: {
      arrears: money(arrears),
      paid: paidSince(plan.arrears_at_petition, plan.paid),
      paid_in_period: paidSince(plan.previous_arrears ?? plan.arrears_at_petition, paidInPeriod),
    },
  };
}
