import type { Big } from 'big.js';
import { parseMoney, sum } from '../../money.ts';
import type { LoanEvent } from '../engine/events.ts';

/** Money that came from the borrower and was not taken back, on the day from which it counts. */
export type Receipt = { effective_date: string; amount: string };

/** The payments among the events that count. */
export const receiptsIn = (events: readonly LoanEvent[]): Receipt[] =>
  events.filter((event) => event.kind === 'payment');

/** What was paid from one day to another, both included. */
export const paidBetween = (receipts: readonly Receipt[], from: string, to: string): Big =>
  sum(
    receipts
      .filter(({ effective_date: on }) => on >= from && on <= to)
      .map(({ amount }) => parseMoney(amount)),
  );

/** The first day by which so much was paid since another day; null while it was not. */
export function reachedOn(receipts: readonly Receipt[], from: string, amount: Big): string | null {
  const days = receipts.map(({ effective_date }) => effective_date).toSorted();
  return days.find((day) => paidBetween(receipts, from, day).gte(amount)) ?? null;
}

/**
 * Up to which day money counts, and up to which day deadlines have passed. They differ while a day is
 * open: its money counts already, and more of it may come.
 */
export type Known = { paid_through: string; judged_through: string };

export const endOf = (day: string): Known => ({ paid_through: day, judged_through: day });
