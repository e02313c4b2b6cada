import type { Big } from 'big.js';
import { readLateFeeFacts } from '../../../../sql/loans/fees/late-fee-facts.ts';
import { parseMoney } from '../../../money.ts';
import type { Work } from '../../../work.ts';
import { readAgreedSteps } from '../../agreed/read-agreed-steps.ts';
import { outlookOf, type OutlookRow } from '../../engine/outlook/outlook.ts';
import { startFuture, type AgreedStep } from '../../engine/projection/agreed-steps.ts';
import { finalPayment, finalPaymentAsAgreed } from '../../engine/projection/final-payment.ts';
import { prepaymentPenalty, type PenaltyBasis } from '../../products/prepayment-penalty.ts';
import { lateFeePolicy, lateFeesAhead } from '../late-fee-rules.ts';
import type { OpenLoan } from '../open-loan.ts';
import type { LoanChange } from './fold-change.ts';

type Row = OpenLoan['row'];

/** What the loan will owe if no other event happens. */
export type Ahead = {
  agreed: readonly AgreedStep[];
  final: Big | null;
  outlook: readonly OutlookRow[];
};

export type AheadOptions = {
  /** Set if no event happens and the outlook is only extended. The final payment stays as of the last event. */
  extendsOutlook?: true;
  /** Set if something was agreed for a later day after the loan was opened. */
  hasNewAgreement?: true;
};

/**
 * The agreed steps, the final payment and the outlook of a loan after new events. `areOutcomesChanged`: a payment plan
 * may have ended or broken, so late fees are suspended for other periods than before.
 */
export async function lookAhead(
  work: Work,
  row: Row,
  { input, run, after: { state } }: LoanChange,
  options: AheadOptions & { areOutcomesChanged: boolean },
): Promise<Ahead> {
  const { terms, schedule, events } = input;
  const has_agreed_records = row.has_agreed_records || options.hasNewAgreement === true;
  const known = { row: { ...row, has_agreed_records }, schedule, events, state };
  const agreed = await readAgreedSteps(work, known);
  const late_fee_facts = options.areOutcomesChanged
    ? await readLateFeeFacts(work.tx, row.id)
    : row.late_fee_facts;
  const final = options.extendsOutlook
    ? storedFinalPayment(row)
    : agreed.length > 0
      ? finalPaymentAsAgreed({ ...input, agreed })
      : finalPayment(run);
  const { funded_on } = run.position;
  if (funded_on === null) return { agreed, final, outlook: [] };
  const lateFees = state.is_charged_off ? null : lateFeePolicy({ ...row, late_fee_facts }, run);
  const steps = agreed.filter((step) => isAhead(work, step));
  const outlook = outlookOf(run, {
    final,
    penaltyOn: terms.prepayment_penalty ? penaltyRule(row, funded_on) : null,
    lateFeesOn: lateFees && lateFeesAhead(lateFees),
    agreed: steps.length > 0 ? startFuture({ terms, schedule, events }, steps) : null,
  });
  return { agreed, final, outlook };
}

const storedFinalPayment = ({ final_payment_amount: amount }: Row): Big | null =>
  amount === null ? null : parseMoney(amount);

/**
 * Whether the outlook counts on the step. An overdue step has failed, and a step of the day that is being closed can
 * still fail. The outlook is written again when they happen.
 */
const isAhead = ({ today, isClosingDay }: Work, { date, is_overdue }: AgreedStep): boolean =>
  !is_overdue && !(isClosingDay && date === today);

/**
 * The prepayment penalty by the balances of a day. The balances decide whether the loan is open, because its row can
 * still have the status from before funding or reopening.
 */
function penaltyRule(row: Row, funded_on: string) {
  const loan = { ...row, status: 'active', disbursement_date: row.disbursement_date ?? funded_on };
  return (basis: PenaltyBasis) => prepaymentPenalty(loan, basis);
}
