import { currentTenant } from '../../../sql/tenants.ts';
import { explanationText } from '../../../templates/explanations.ts';
import { Conflict, Invalid } from '../../errors.ts';
import { money } from '../../money.ts';
import type { Work } from '../../work.ts';
import { fundingDate } from '../agreed/resume-accrual.ts';
import { sumParts, type AmountPart } from '../engine/amount-parts.ts';
import { payoffParts } from '../engine/projection/payoff-amounts.ts';
import { readBilledLoan } from '../history/billed-loan.ts';
import type { Knowledge, OpenLoan } from '../history/open-loan.ts';
import { prepaymentPenalty } from '../products/prepayment-penalty.ts';
import { explainBill, partSteps } from './bill-steps.ts';
import type { Calculation, Figure, Step } from './explanation.ts';
import { explainInterest } from './interest-steps.ts';
import { explainLateFees } from './late-fee-steps.ts';

export type Question = {
  figure: Figure;
  as_of_date?: string | undefined;
  known?: Knowledge;
  language: string;
};

/** How a figure of a loan is calculated. The amounts or days of the steps add up to the figure. */
export type Explanation = {
  loan_id: string;
  loan_number: string;
  figure: Figure;
  as_of_date: string;
  /** The figure itself: an amount, or for `days_past_due` a number of days. */
  amount: string | null;
  days: number | null;
  summary: string;
  steps: (Step & { text: string })[];
};

/** The parts of the amount that ends the debt. */
type DebtParts = (loan: OpenLoan) => readonly AmountPart[];

const payoffPartsOf: DebtParts = ({ row, state }) =>
  payoffParts(state, prepaymentPenalty(row, state));

/**
 * Explains a figure as of today or a past day from one fold of the loan. Throws if the loan was not funded
 * by that day. `debtPartsOf` replaces the parts of the payoff amount.
 */
export async function explainFigure(
  work: Work,
  loanId: string,
  { figure, as_of_date = work.today, known = 'now', language }: Question,
  debtPartsOf: DebtParts = payoffPartsOf,
): Promise<Explanation> {
  const loan = await readBilledLoan(work, loanId, as_of_date, known);
  assertFunded(loan, known);
  const { amount, days, steps, summary } = await calculationOf(work, loan, figure, debtPartsOf);
  const { locale, currency } = await currentTenant(work.tx);
  const reader = { language, locale, currency };
  return {
    loan_id: loanId,
    loan_number: loan.row.loan_number,
    figure,
    as_of_date,
    amount,
    days,
    summary: explanationText(summary.key, summary.values, reader),
    steps: steps.map(({ sentence, ...step }) => ({
      ...step,
      text: explanationText(sentence.key, sentence.values, reader),
    })),
  };
}

async function calculationOf(
  work: Work,
  loan: OpenLoan,
  figure: Figure,
  debtPartsOf: DebtParts,
): Promise<Calculation> {
  if (figure === 'accrued_interest') return explainInterest(loan);
  if (figure === 'late_fee') return explainLateFees(work, loan);
  if (figure === 'payoff_amount') return explainDebt(loan.state.as_of, debtPartsOf(loan));
  return explainBill(loan, figure);
}

function explainDebt(date: string, parts: readonly AmountPart[]): Calculation {
  const total = sumParts(parts);
  const amount = money(total);
  const key = total.gt(0) ? 'payoff_amount.some' : 'payoff_amount.none';
  return {
    amount,
    days: null,
    steps: partSteps(parts, { date }),
    summary: { key, values: { date, amount } },
  };
}

/** Throws if the loan was not funded by the day of its state, or if the funding was recorded later. */
function assertFunded(loan: OpenLoan, known: Knowledge): void {
  if (fundingDate(loan) !== null) return;
  const since = loan.row.disbursement_date;
  if (since === null) throw notFunded();
  throw new Invalid({
    as_of_date:
      known === 'then' && since <= loan.state.as_of
        ? `The funding of ${since} was recorded later. Use known=now or a later date.`
        : `Must not be before the loan was funded, ${since}.`,
  });
}

export const notFunded = () =>
  new Conflict(
    'The loan has not been funded, so it has no figures to explain. Ask again after its first disbursement.',
    'loan_not_funded',
  );
