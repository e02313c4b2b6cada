import { clearLegalWaiver, markWaived } from '../../../sql/loans/fees/fees.ts';
import { readLegalConditions } from '../../../sql/loans/legal-conditions.ts';
import { periodsWithout } from '../../cases/rules/loan-effects.ts';
import { money, parseMoney } from '../../money.ts';
import type { Work } from '../../work.ts';
import { eventsInForce } from '../engine/event-order.ts';
import type { LoanEvent } from '../engine/events.ts';
import { newEvent } from '../history/new-event.ts';
import { openLoan } from '../history/open-loan.ts';
import { recordEvents } from '../history/record-events.ts';

/** Everyone who reads fees sees it, so it does not say which law, or whose condition. */
const REASON = 'No late fees in this period.';

/**
 * Waives the late fees that were charged on days on which a legal condition forbids them, because it became known
 * later, and charges them again if the condition turns out to be wrong. Fees that were never charged are not charged
 * later. Also brings what the loan shows for later days in line with its conditions. Repeating the call changes nothing.
 */
export async function followForbiddenLateFees(work: Work, loanId: string) {
  const loan = await openLoan(work, loanId);
  if (loan.row.status === 'transferred') return;
  const periods = periodsWithout(await readLegalConditions(work.tx, loanId), 'late_fees');
  const isForbidden = (day: string) =>
    periods.some(({ from, to }) => from <= day && (to === null || day <= to));
  const inForce = eventsInForce(loan.events, work.today);
  const chargedOn = new Map<string, string>();
  for (const event of inForce)
    if (event.kind === 'fee' && event.fee_type === 'late')
      chargedOn.set(event.fee_id ?? event.id, event.effective_date);
  const waivers = inForce.filter((event) => event.kind === 'fee_waiver' && event.is_by_law);
  const events: LoanEvent[] = [];
  for (const waiver of waivers) {
    if (waiver.kind !== 'fee_waiver' || isForbidden(chargedOn.get(waiver.fee_id) ?? '')) continue;
    await clearLegalWaiver(work.tx, waiver.fee_id);
    events.push(newEvent({ kind: 'reversal', effective_date: work.today, reverses: waiver.id }));
  }
  for (const [fee_id, day] of chargedOn) {
    const fee = loan.state.fees.find((one) => one.fee_id === fee_id);
    const left = parseMoney(fee?.outstanding_amount ?? '0.00').plus(fee?.amount_paid ?? '0.00');
    if (!isForbidden(day) || left.lte(0)) continue;
    await markWaived(work.tx, fee_id, { by: null, reason: REASON });
    events.push(
      newEvent({
        kind: 'fee_waiver',
        effective_date: work.today,
        fee_id,
        amount: money(left),
        is_by_law: true,
      }),
    );
  }
  await recordEvents(work, loan, events);
}
