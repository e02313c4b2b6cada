import type { Big } from 'big.js';
import { min, money, parseMoney, sum } from '../../money.ts';
import type { EventOf, LoanEvent } from '../engine/events.ts';
import { findReversals } from '../engine/reversals.ts';

/** Borrower money that was not returned, by effective date. */
export type Receipt = { effective_date: string; amount: string };

/**
 * The effective payments minus refunds. A refund reduces the payment it names first, then the latest
 * payments up to its date. If a refund bounces, the money counts again.
 */
export function listReceipts(
  recorded: readonly LoanEvent[],
  counting: readonly LoanEvent[],
): Receipt[] {
  const counts = new Set(counting.map(({ id }) => id));
  const remaining = new Map<string, RemainingReceipt>();
  for (const [index, event] of recorded.entries()) {
    if (event.kind === 'payment') {
      const { id, effective_date } = event;
      remaining.set(id, { effective_date, left: parseMoney(event.amount), is_back: false });
    }
    if (event.kind === 'reimbursement' && counts.has(event.id))
      deductReimbursement(remaining, event);
    if (event.kind === 'reversal') {
      const reversals = findReversals(recorded.slice(0, index + 1));
      for (const [id, payment] of remaining) payment.is_back = reversals.has(id);
    }
  }
  return [...remaining]
    .filter(([id]) => counts.has(id))
    .map(([, { effective_date, left }]) => ({ effective_date, amount: money(left) }));
}

type RemainingReceipt = { effective_date: string; left: Big; is_back: boolean };

function deductReimbursement(
  remaining: ReadonlyMap<string, RemainingReceipt>,
  event: EventOf<'reimbursement'>,
) {
  const named = event.payment_id === undefined ? undefined : remaining.get(event.payment_id);
  const latestFirst = [...remaining.values()]
    .filter(
      (payment) =>
        payment !== named && !payment.is_back && payment.effective_date <= event.effective_date,
    )
    .toReversed()
    .toSorted((first, second) => second.effective_date.localeCompare(first.effective_date));
  let amount = parseMoney(event.amount);
  for (const payment of [...(named ? [named] : []), ...latestFirst]) {
    const taken = min(payment.left, amount);
    payment.left = payment.left.minus(taken);
    amount = amount.minus(taken);
  }
}

/** The amount paid from `from` through `to`. */
export const amountPaidBetween = (receipts: readonly Receipt[], from: string, to: string): Big =>
  sum(
    receipts
      .filter(({ effective_date: on }) => on >= from && on <= to)
      .map(({ amount }) => parseMoney(amount)),
  );

/** The first day on which the amount was paid, or null. */
export function firstDayPaid(
  receipts: readonly Receipt[],
  from: string,
  amount: Big,
): string | null {
  const days = receipts.map(({ effective_date }) => effective_date).toSorted();
  return days.find((day) => amountPaidBetween(receipts, from, day).gte(amount)) ?? null;
}

/**
 * `paid_through`: money up to this day counts. `judged_through`: deadlines up to this day have passed. They
 * differ during an open day, because its money counts already and more may arrive.
 */
export type EvaluationCutoff = { paid_through: string; judged_through: string };

export const endOfDayCutoff = (day: string): EvaluationCutoff => ({
  paid_through: day,
  judged_through: day,
});
