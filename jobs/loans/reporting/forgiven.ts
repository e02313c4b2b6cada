import { Big } from 'big.js';
import { money, sum } from '../../money.ts';
import { eventsInForce } from '../engine/event-order.ts';
import type { OpenLoan } from '../history/happen.ts';

type Forgiven = { amount: string; first_on: string | null };

/**
 * The principal that the lender gave up by agreement, all of it or that of one calendar year. A
 * charge-off is no cancellation of debt, so it does not count; what is forgiven of the claim after
 * one does.
 */
export function principalForgiven(
  { events, state }: Pick<OpenLoan, 'events' | 'state'>,
  year?: number,
): Forgiven {
  const forgiving = eventsInForce(events, state.as_of).filter(
    (event) =>
      (event.kind === 'forgiveness' ||
        (event.kind === 'service_credit' && event.credit_type === 'settlement')) &&
      (year === undefined || event.effective_date.startsWith(String(year))),
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
