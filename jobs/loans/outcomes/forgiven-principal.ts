import { Big } from 'big.js';
import { money, sum } from '../../money.ts';
import type { LoanEvent } from '../engine/events.ts';
import type { LoanState } from '../engine/state.ts';

/** The effective events, in order, and the resulting state. */
export type CountedHistory = {
  events: readonly LoanEvent[];
  state: Pick<LoanState, 'allocations'>;
};

export type ForgivenPrincipal = { amount: string; first_on: string | null };

/** What a previous servicer forgave is reported by that servicer. */
export const isForgiveness = (event: LoanEvent): boolean =>
  !event.is_replayed &&
  (event.kind === 'forgiveness' ||
    (event.kind === 'service_credit' && event.credit_type === 'settlement'));

/**
 * The principal forgiven by agreement, in total or in one calendar year. A charge-off does not cancel debt
 * and does not count. Principal forgiven after a charge-off does.
 */
export function principalForgiven(
  { events, state }: CountedHistory,
  year?: number,
): ForgivenPrincipal {
  const forgiving = events.filter(
    (event) =>
      isForgiveness(event) &&
      (year === undefined || event.effective_date.startsWith(String(year).padStart(4, '0'))),
  );
  const ids = new Set(forgiving.map(({ id }) => id));
  const lines = state.allocations.filter(
    ({ event_id, component }) =>
      ids.has(event_id) && (component === 'principal' || component === 'charge_off'),
  );
  const first = forgiving.find(({ id }) => lines.some(({ event_id }) => event_id === id));
  return {
    amount: money(sum(lines.map(({ amount }) => new Big(amount)))),
    first_on: first?.effective_date ?? null,
  };
}
