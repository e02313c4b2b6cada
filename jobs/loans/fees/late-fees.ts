import type { Big } from 'big.js';
import { sparedDays } from '../../../sql/loans/reliefs.ts';
import { addDays } from '../../dates.ts';
import { money, parseMoney, ZERO } from '../../money.ts';
import type { Work } from '../../work.ts';
import { eventsInForce } from '../engine/event-order.ts';
import { type LoanEvent } from '../engine/events.ts';
import type { InstallmentState } from '../engine/bills.ts';
import { happen, openLoan, type OpenLoan } from '../history/happen.ts';
import { fundedOn } from '../history/rests.ts';
import { feeAmount, feeRulesOf, graceDaysOf, type FeeRule } from '../products/fee-amounts.ts';
import { assessFee } from './origination-fees.ts';

/**
 * Assesses the late fees that are due today: one for each instalment that is still not covered when
 * its grace is over. Lateness is tested by coverage, so an instalment that was paid in full on time is
 * not late because an old fee took a part of it (16 CFR 444.4, Regulation Z 1026.36(c)(2)).
 */
export async function assessLateFees(work: Work, loanId: string) {
  const loan = await openLoan(work, loanId);
  const rules = feeRulesOf(loan.row).filter(({ trigger }) => trigger === 'past_due');
  const charged = new Set(
    loan.state.fees
      .filter(({ fee_type }) => fee_type === 'late')
      .map(({ installment_number }) => installment_number),
  );
  const spared = await sparedDays(work.tx, loan.row.id);
  const isSpared = (day: string) =>
    spared.some(({ from, to }) => from <= day && (to === null || day <= to));
  // Nor is anybody charged afterwards for a payment whose grace ended in that time.
  if (isSpared(work.today)) return;
  // What was late before the loan came here, its previous servicer has charged.
  const since = fundedOn(loan) ?? work.today;
  const events: LoanEvent[] = [];
  for (const rule of rules) {
    for (const row of loan.state.installments) {
      const grace = graceDaysOf(rule, loan.row);
      const isLate =
        ['past_due', 'partially_paid'].includes(row.status) &&
        addDays(row.due_date, grace) < work.today &&
        addDays(row.due_date, grace) >= since &&
        !isSpared(addDays(row.due_date, grace));
      if (!isLate || charged.has(row.period_number)) continue;
      const rest = parseMoney(row.payment_amount).minus(row.paid_amount);
      const base = rule.calculation === 'percent_of_past_due' ? money(rest) : row.payment_amount;
      const amount = feeAmount(rule, base);
      if (amount.lte(ZERO) || rest.lte(ZERO) || isExcused(rule, loan, row, amount)) continue;
      charged.add(row.period_number);
      events.push(
        await assessFee(work, loan.row, {
          fee_type: 'late',
          amount: money(amount),
          on: work.today,
          installment_number: row.period_number,
          fee_rule_id: rule.id ?? null,
          due_date: work.today,
          description: `Late fee for the payment due ${row.due_date}`,
        }),
      );
    }
  }
  if (events.length > 0) await happen(work, loan, events);
}

/**
 * A milder rule than the standard one: `standard_fee` spares whoever owes no more than the fee,
 * `current` whoever has paid anything since the instalment before was due.
 */
function isExcused(
  { late_fee_rule }: FeeRule,
  { events, state }: OpenLoan,
  { period_number }: InstallmentState,
  fee: Big,
): boolean {
  if (late_fee_rule === 'standard_fee') return fee.gte(state.past_due_amount);
  if (late_fee_rule !== 'current') return false;
  const before = state.installments.findLast((row) => row.period_number < period_number);
  const [from, to] = [before?.due_date ?? '', state.as_of];
  return eventsInForce(events, to).some(
    (event) =>
      event.kind === 'payment' && event.effective_date > from && event.effective_date <= to,
  );
}
