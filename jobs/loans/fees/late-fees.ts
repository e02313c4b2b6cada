import type { Big } from 'big.js';
import { lateFeeExemptPeriods } from '../../../sql/loans/reliefs.ts';
import {
  recordLateFeeExemptions,
  listLateFeeExemptions,
  type ExemptInstallment,
  type LateFeeExemption,
} from '../../../sql/loans/late-fee-exemptions.ts';
import { addDays } from '../../dates.ts';
import { money, parseMoney, ZERO } from '../../money.ts';
import type { Work } from '../../work.ts';
import { eventsInForce } from '../engine/event-order.ts';
import { type LoanEvent } from '../engine/events.ts';
import type { InstallmentState } from '../engine/bills.ts';
import { fundingDate } from '../agreed/resume-accrual.ts';
import { openLoan, type OpenLoan } from '../history/open-loan.ts';
import { recordEvents } from '../history/record-events.ts';
import {
  feeAmount,
  loanFeeRules,
  lateFeeGraceDays,
  type FeeRule,
} from '../products/fee-amounts.ts';
import { assessFee } from './origination-fees.ts';

/**
 * Decides once per installment whether it bears a late fee: at the first close after its grace days on
 * which it is not covered. Coverage decides, so an installment paid in full on time is not late because an
 * older fee took part of the payment (16 CFR 444.4, 12 CFR 1026.36(c)(2)). An exemption is final, however
 * much becomes past due later.
 */
export async function assessLateFees(work: Work, loanId: string) {
  const loan = await openLoan(work, loanId);
  const { row, state } = loan;
  const rules = loanFeeRules(row).filter(({ trigger }) => trigger === 'past_due');
  const charged = new Set(
    state.fees
      .filter(({ fee_type }) => fee_type === 'late')
      .map(({ installment_number }) => installment_number),
  );
  const decided = new Set((await listLateFeeExemptions(work.tx, row.id)).map(keyOf));
  const agreed = await lateFeeExemptPeriods(work.tx, row.id);
  // The previous servicer charged late fees from before boarding.
  const since = fundingDate(loan) ?? work.today;
  const events: LoanEvent[] = [];
  const exemptions: (ExemptInstallment & { reason: LateFeeExemption })[] = [];
  for (const rule of rules) {
    for (const bill of state.installments) {
      const graceEnd = addDays(bill.due_date, lateFeeGraceDays(rule, row));
      const isLate =
        ['past_due', 'partially_paid'].includes(bill.status) &&
        graceEnd < work.today &&
        graceEnd >= since;
      const assessment = assessmentDate(rule, bill);
      if (!isLate || charged.has(bill.period_number) || decided.has(keyOf(assessment))) continue;
      const { amount, rest } = lateFeeFor(rule, bill);
      if (amount.lte(ZERO) || rest.lte(ZERO)) continue;
      const reason = lateFeeExemption(loan, rule, { bill, amount, graceEnd, agreed });
      if (reason !== null) {
        exemptions.push({ ...assessment, reason });
        continue;
      }
      charged.add(bill.period_number);
      events.push(await lateFee(work, row, { rule, bill, amount }));
    }
  }
  if (exemptions.length > 0) await recordLateFeeExemptions(work.tx, row.id, exemptions);
  if (events.length > 0) await recordEvents(work, loan, events);
}

/** A rule's late fee for an installment as it stands, and the amount to which its percentage applies. */
export function lateFeeFor(rule: FeeRule, bill: InstallmentState) {
  const rest = parseMoney(bill.payment_amount).minus(bill.paid_amount);
  const base = rule.calculation === 'percent_of_past_due' ? money(rest) : bill.payment_amount;
  return { rest, base, amount: feeAmount(rule, base) };
}

const assessmentDate = (
  rule: FeeRule,
  { period_number, due_date }: InstallmentState,
): ExemptInstallment => ({
  installment_number: period_number,
  due_date,
  fee_rule_id: rule.id ?? null,
});

const keyOf = ({ installment_number, due_date, fee_rule_id }: ExemptInstallment) =>
  `${installment_number} ${due_date} ${fee_rule_id}`;

type Days = Awaited<ReturnType<typeof lateFeeExemptPeriods>>;

const isWithin = (days: Days, day: string) =>
  days.some(({ from, to }) => from <= day && (to === null || day <= to));

type Charged = { rule: FeeRule; bill: InstallmentState; amount: Big };

const lateFee = (work: Work, row: OpenLoan['row'], { rule, bill, amount }: Charged) =>
  assessFee(work, row, {
    fee_type: 'late',
    amount: money(amount),
    on: work.today,
    installment_number: bill.period_number,
    fee_rule_id: rule.id ?? null,
    due_date: work.today,
    description: `Late fee for the payment due ${bill.due_date}`,
  });

type Candidate = { bill: InstallmentState; amount: Big; graceEnd: string; agreed: Days };

/**
 * The reason for exempting this installment on the day of the loan's state, or null. Frozen loans and
 * agreed reliefs are exempt. `standard_fee` exempts borrowers whose past-due amount is at most the fee.
 * `current` exempts borrowers who have paid anything since the previous due date.
 */
export function lateFeeExemption(
  { row, events, state }: OpenLoan,
  rule: FeeRule,
  { bill: { period_number }, amount, graceEnd, agreed }: Candidate,
): LateFeeExemption | null {
  if ([graceEnd, state.as_of].some((day) => isWithin(agreed, day))) return 'agreement';
  if (row.is_frozen) return 'frozen';
  if (rule.late_fee_rule === 'standard_fee')
    return amount.gte(state.past_due_amount) ? 'small_remainder' : null;
  if (rule.late_fee_rule !== 'current') return null;
  const before = state.installments.findLast((bill) => bill.period_number < period_number);
  const [from, to] = [before?.due_date ?? '', state.as_of];
  const hasPaid = eventsInForce(events, to).some(
    (event) =>
      event.kind === 'payment' && event.effective_date > from && event.effective_date <= to,
  );
  return hasPaid ? 'partly_paid' : null;
}
