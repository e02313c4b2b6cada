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
import { recordEvents, openLoan, type OpenLoan } from '../history/record-events.ts';
import { fundingDate } from '../history/accrual-stops.ts';
import {
  feeAmount,
  loanFeeRules,
  lateFeeGraceDays,
  type FeeRule,
} from '../products/fee-amounts.ts';
import { assessFee } from './origination-fees.ts';

/**
 * Decides of each instalment whether it bears its late fee: once, on the first night after its grace on which
 * it is not covered. Lateness is tested by coverage, so an instalment that was paid in full on time is not late
 * because an old fee took a part of it (16 CFR 444.4, Regulation Z 1026.36(c)(2)). What is spared on that night
 * is spared for good, however much more is past due later.
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
  // What was late before the loan came here, its previous servicer has charged.
  const since = fundingDate(loan) ?? work.today;
  const events: LoanEvent[] = [];
  const spared: (ExemptInstallment & { reason: LateFeeExemption })[] = [];
  for (const rule of rules) {
    for (const bill of state.installments) {
      const graceEnd = addDays(bill.due_date, lateFeeGraceDays(rule, row));
      const isLate =
        ['past_due', 'partially_paid'].includes(bill.status) &&
        graceEnd < work.today &&
        graceEnd >= since;
      const judged = judgedBy(rule, bill);
      if (!isLate || charged.has(bill.period_number) || decided.has(keyOf(judged))) continue;
      const rest = parseMoney(bill.payment_amount).minus(bill.paid_amount);
      const base = rule.calculation === 'percent_of_past_due' ? money(rest) : bill.payment_amount;
      const amount = feeAmount(rule, base);
      if (amount.lte(ZERO) || rest.lte(ZERO)) continue;
      const isAgreed = [graceEnd, work.today].some((day) => isWithin(agreed, day));
      const reason = isAgreed ? 'agreement' : exemptionOf(rule, loan, bill, amount);
      if (reason !== null) {
        spared.push({ ...judged, reason });
        continue;
      }
      charged.add(bill.period_number);
      events.push(await lateFee(work, row, { rule, bill, amount }));
    }
  }
  if (spared.length > 0) await recordLateFeeExemptions(work.tx, row.id, spared);
  if (events.length > 0) await recordEvents(work, loan, events);
}

const judgedBy = (
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

/**
 * Why this instalment is spared tonight, if it is: the loan is frozen, or its rule is a milder one than the
 * standard. `standard_fee` spares whoever owes no more than the fee, `current` whoever has paid anything since
 * the instalment before was due.
 */
function exemptionOf(
  { late_fee_rule }: FeeRule,
  { row, events, state }: OpenLoan,
  { period_number }: InstallmentState,
  fee: Big,
): LateFeeExemption | null {
  if (row.is_frozen) return 'frozen';
  if (late_fee_rule === 'standard_fee')
    return fee.gte(state.past_due_amount) ? 'small_remainder' : null;
  if (late_fee_rule !== 'current') return null;
  const before = state.installments.findLast((bill) => bill.period_number < period_number);
  const [from, to] = [before?.due_date ?? '', state.as_of];
  const hasPaid = eventsInForce(events, to).some(
    (event) =>
      event.kind === 'payment' && event.effective_date > from && event.effective_date <= to,
  );
  return hasPaid ? 'partly_paid' : null;
}
