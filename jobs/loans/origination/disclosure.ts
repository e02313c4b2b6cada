import { dictionary } from '../../../sql/dictionary.ts';
import type { ToldCost } from '../../../sql/loans/disclosures.ts';
import { loans, type RawLoan } from '../../../sql/loans/loans.ts';
import { find } from '../../../sql/table.ts';
import { update } from '../../../sql/write.ts';
import { orderDocument } from '../../documents/order.ts';
import { money, parseMoney } from '../../money.ts';
import type { Work } from '../../work.ts';
import { feeRulesOf, graceDaysOf } from '../products/fee-amounts.ts';
import { termsOf } from '../products/terms-of.ts';
import type { Cost } from './cost.ts';

type Manner = {
  /** The day on which the money goes out, or how much, may still be another. */
  isEstimate: boolean;
  /** Of the amount financed, what only pays the balance that the loan had before. */
  owedBefore?: string;
};

/**
 * Tells the borrower what the loan costs: orders the disclosure that Regulation Z asks for, whose rate
 * is the loan's from now on.
 */
export async function disclose(
  work: Work,
  loan: RawLoan,
  cost: Cost,
  { isEstimate, owedBefore = '0.00' }: Manner,
) {
  const { schedule: _, prepaid_finance_charge, ...figures } = cost;
  const { interest_rate, prepayment_penalty } = termsOf(loan);
  const isSecured = (await find(work.tx, loans, loan.id))?.['is_secured'] === true;
  const financed = parseMoney(figures.amount_financed);
  await update(work.tx, 'loans', loan.id, { apr: figures.apr });
  await orderDocument(work, {
    template: 'tila_disclosure',
    document_type: 'tila_disclosure',
    filename: 'tila-disclosure.pdf',
    borrower_id: loan.borrower_id,
    loan_id: loan.id,
    data: {
      ...figures,
      payment_schedule: scheduleLines(loan, cost),
      itemization: {
        paid_to_borrower: money(financed.minus(owedBefore)),
        credited_to_account: owedBefore === '0.00' ? null : owedBefore,
        paid_to_others: [],
        prepaid_finance_charge,
      },
      late_charge: lateCharge(loan),
      prepayment: prepayment_penalty
        ? 'If you pay off early, you may have to pay a penalty.'
        : 'If you pay off early, you will not have to pay a penalty.',
      security_interest: isSecured
        ? 'You are giving a security interest in the property described in your agreement.'
        : 'This loan is not secured.',
      is_estimate: isEstimate,
      interest_rate,
      principal_amount: money(financed.plus(prepaid_finance_charge)),
    },
  });
}

/** Whether this is what the borrower was told, to the cent and to the day. */
export const isAsTold = (told: ToldCost, loan: RawLoan, cost: Cost): boolean =>
  wordsOf(told) === wordsOf({ ...cost, payment_schedule: scheduleLines(loan, cost) });

const wordsOf = (told: Omit<ToldCost, 'letter_date'>) =>
  JSON.stringify([
    told.apr,
    told.finance_charge,
    told.amount_financed,
    told.total_of_payments,
    told.payment_schedule.map(({ number, amount, first_due }) => [number, amount, first_due]),
  ]);

const EVERY = dictionary<string>({
  monthly: 'Monthly',
  quarterly: 'Quarterly',
  semi_monthly: 'Twice a month',
  biweekly: 'Every two weeks',
  weekly: 'Weekly',
  single: 'Once',
});

/** Equal payments in a row make one line. */
function scheduleLines({ payment_frequency }: RawLoan, { schedule }: Cost) {
  const lines: { number: number; amount: string; first_due: string; every: string }[] = [];
  for (const { payment_amount: amount, due_date } of schedule) {
    const last = lines.at(-1);
    if (last?.amount === amount) last.number += 1;
    else
      lines.push({ number: 1, amount, first_due: due_date, every: EVERY[payment_frequency] ?? '' });
  }
  return lines;
}

function lateCharge(loan: RawLoan): string {
  const rule = feeRulesOf(loan).find(({ trigger }) => trigger === 'past_due');
  if (!rule) return 'You will not be charged for a late payment.';
  const days = graceDaysOf(rule, loan);
  return `If a payment is more than ${days} days late, you will be charged a late fee.`;
}
