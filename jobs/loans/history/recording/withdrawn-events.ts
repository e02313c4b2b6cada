import { fees } from '../../../../sql/loans/fees/fees.ts';
import { setRecordStatus } from '../../../../sql/loans/records.ts';
import * as plans from '../../../../sql/loans/workouts/payment-plans.ts';
import { serviceCredits } from '../../../../sql/loans/fees/service-credits.ts';
import { findLocked, type Table } from '../../../../sql/table.ts';
import { auditChange } from '../../../audit.ts';
import { addDays } from '../../../dates.ts';
import type { Work } from '../../../work.ts';
import { settlementFulfilledDate, isSettlement } from '../../outcomes/payment-plans.ts';
import { listReceipts, type EvaluationCutoff } from '../../outcomes/receipts.ts';
import { eventsInForce } from '../../engine/event-order.ts';
import type { EventOf, LoanEvent } from '../../engine/events.ts';
import type { OpenLoan } from '../open-loan.ts';
import { newEvent } from '../new-event.ts';

/** The forgiveness that ends a loan when its settlement is fulfilled. */
export const settlementForgiveness = (effective_date: string): EventOf<'forgiveness'> =>
  newEvent({
    kind: 'forgiveness',
    effective_date,
    principal: 'all',
    interest: 'all',
    fees: 'all',
    settles: true,
  });

/** True if new events can change the amount paid by a past day. */
export const affectsPastDays = (newEvents: readonly LoanEvent[], today: string): boolean =>
  newEvents.some(
    ({ kind, effective_date }) =>
      kind === 'reversal' ||
      kind === 'reimbursement' ||
      (kind === 'payment' && effective_date < today),
  );

/** Today's money counts. A deadline has passed once the close of its day has processed the loan. */
export const evaluationCutoff = (
  { today }: Work,
  { row }: Pick<OpenLoan, 'row'>,
): EvaluationCutoff => ({
  paid_through: today,
  judged_through: addDays(row.posted_until, -1),
});

/**
 * Finds conclusions that no longer follow from the loan's payments and returns events that reverse them. A
 * residue write-off, a payoff credit and a prepayment penalty are reversed with their payment. The
 * forgiveness of a settlement is reversed, or moves to the new date of fulfillment.
 */
export async function findWithdrawnEvents(
  work: Work,
  loan: OpenLoan,
  newEvents: readonly LoanEvent[],
): Promise<LoanEvent[]> {
  if (!affectsPastDays(newEvents, work.today)) return [];
  const recorded = [...loan.events, ...newEvents];
  const inForce = eventsInForce(recorded, work.today);
  return [
    ...(await eventsWithoutPayment(work, inForce)),
    ...(await correctSettlementDate(work, loan, recorded, inForce)),
  ];
}

const reversalEvent = ({ today }: Work, { id }: LoanEvent) =>
  newEvent({ kind: 'reversal', effective_date: today, reverses: id });

/** The kinds that follow from a payment and name it in `payment_id`. */
const WITH_PAYMENT = ['write_off', 'service_credit', 'fee'] as const;
type WithPayment = EventOf<(typeof WITH_PAYMENT)[number]>;
const isWithPayment = (event: LoanEvent): event is WithPayment =>
  WITH_PAYMENT.some((kind) => kind === event.kind);

async function eventsWithoutPayment(work: Work, standing: readonly LoanEvent[]) {
  const counts = new Set(standing.map(({ id }) => id));
  const orphaned = standing
    .filter(isWithPayment)
    .filter(({ payment_id }) => payment_id !== undefined && !counts.has(payment_id));
  for (const event of orphaned) {
    if (event.kind === 'service_credit') await markReversed(work, serviceCredits, event.id);
    if (event.kind === 'fee') await markReversed(work, fees, event.fee_id ?? event.id);
  }
  return orphaned.map((event) => reversalEvent(work, event));
}

async function markReversed(work: Work, table: Table, id: string) {
  const name = table.name === 'fees' ? 'fees' : 'service_credits';
  const before = await findLocked(work.tx, table, id);
  await auditChange(work, table, 'reverse', before, async () => {
    await setRecordStatus(work.tx, name, id, 'reversed');
    return id;
  });
}

async function correctSettlementDate(
  work: Work,
  loan: OpenLoan,
  recorded: readonly LoanEvent[],
  inForce: readonly LoanEvent[],
) {
  const settled = inForce.find((event) => event.kind === 'forgiveness' && event.settles === true);
  if (settled === undefined) return [];
  const plan = (await plans.lockEndedPlans(work.tx, loan.row.id)).find(
    (ended) => ended.status === 'completed' && isSettlement(ended),
  );
  if (plan === undefined) return [];
  const on = settlementFulfilledDate(
    plan,
    listReceipts(recorded, inForce),
    evaluationCutoff(work, loan),
  );
  if (on === settled.effective_date) return [];
  return [reversalEvent(work, settled), ...(on === null ? [] : [settlementForgiveness(on)])];
}
