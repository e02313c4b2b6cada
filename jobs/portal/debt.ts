import type { Big } from 'big.js';
import { borrowers } from '../../sql/borrowers/borrowers.ts';
import { portalLoans } from '../../sql/portal/loans.ts';
import { find } from '../../sql/table.ts';
import { NotFound } from '../errors.ts';
import { projectLoan } from '../loans/agreed/read-agreed-steps.ts';
import { sumParts, type AmountPart } from '../loans/engine/amount-parts.ts';
import { fold } from '../loans/engine/fold.ts';
import { payoffParts, repaymentAmountParts } from '../loans/engine/projection/payoff-amounts.ts';
import { explainFigure, type Question } from '../loans/explanations/explain-figure.ts';
import { readLoan, type OpenLoan } from '../loans/history/open-loan.ts';
import { prepaymentPenalty } from '../loans/products/prepayment-penalty.ts';
import { readTerms } from '../loans/products/loan-terms.ts';
import { money, parseMoney } from '../money.ts';
import type { Work } from '../work.ts';
import { assertOwnLoan, liabilityFields } from './own-loans.ts';
import { statementFormsOf } from './statement-forms.ts';

/**
 * A loan that this person owes, with their role and today's payoff amount. Throws NotFound for any other
 * loan.
 */
export async function findOwnLoan(work: Work, borrowerId: string, id: string) {
  const role = await assertOwnLoan(work, borrowerId, id);
  const loan = await find(work.tx, portalLoans, id);
  if (loan === null) throw new NotFound();
  const payoff_amount = money(sumParts(debtParts(await readLoan(work, id))));
  const formOf = await statementFormsOf(work, borrowerId, [id]);
  return { ...loan, ...liabilityFields(role), payoff_amount, statement_form: formOf(id) };
}

/** The total debt on a day if nothing is paid until then. What was agreed until then has happened. */
export const totalDebtOn = async (work: Work, loan: OpenLoan, on: string): Promise<Big> =>
  totalDebt(await projectLoan(work, loan, on, ({ pays }) => pays === undefined), on);

/**
 * The parts of the most that a payment on this day can be used for: the payoff amount; for a line of credit,
 * which stays open, the drawn amount; after a charge-off, the amount not yet recovered.
 */
function debtParts({ row, state }: Pick<OpenLoan, 'row' | 'state'>): readonly AmountPart[] {
  const charged_off: AmountPart = {
    rule: 'charge_off_balance',
    amount: parseMoney(state.charge_off_balance),
  };
  if (state.is_charged_off) return [charged_off];
  if (row.loan_type === 'line_of_credit') return [...repaymentAmountParts(state), charged_off];
  return payoffParts(state, prepaymentPenalty(row, state));
}

function totalDebt({ row, schedule, events }: OpenLoan, on: string): Big {
  const state = fold({ terms: readTerms(row), schedule, events, as_of: on });
  return sumParts(debtParts({ row, state }));
}

/** Default language: the borrower's. */
export type OwnQuestion = Omit<Question, 'language'> & { language?: string };

/** Explains a figure of a loan that this person owes. The reasons of pauses and exemptions stay internal. */
export async function explainOwnLoan(
  work: Work,
  borrowerId: string,
  loanId: string,
  question: OwnQuestion,
) {
  await assertOwnLoan(work, borrowerId, loanId);
  const language = question.language ?? (await languageOf(work, borrowerId));
  const explanation = await explainFigure(work, loanId, { ...question, language }, debtParts);
  const steps = explanation.steps.map((step) => ({
    ...step,
    interest: step.interest && { ...step.interest, stops: null },
    late_fee: step.late_fee && { ...step.late_fee, exemption: null },
  }));
  return { ...explanation, steps };
}

async function languageOf({ tx }: Work, borrowerId: string): Promise<string> {
  const borrower = await find(tx, borrowers, borrowerId);
  return String(borrower?.['language_preference'] ?? '');
}
