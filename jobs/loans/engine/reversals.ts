import type { LoanEvent } from './events.ts';

/**
 * The reversals in force: the id of each reversed event with the id of the reversal that undoes it. A
 * reversal that is itself reversed undoes nothing. The order of the events does not matter.
 *
 * This is the only definition. `recordEvents` stores its result in `loan_events.reversed_by`, which all
 * queries read.
 */
export function findReversals(events: readonly LoanEvent[]): ReadonlyMap<string, string> {
  const reversals = events.filter((event) => event.kind === 'reversal');
  const found = new Map<string, string>();
  if (reversals.length === 0) return found;
  const byTarget = Map.groupBy(reversals, ({ reverses }) => reverses);
  const judged = new Set<string>();
  const isReversed = (id: string): boolean => {
    // Mark the event first. Otherwise two events that reverse each other would never end.
    if (judged.has(id)) return found.has(id);
    judged.add(id);
    const reversal = byTarget.get(id)?.find((one) => !isReversed(one.id));
    if (reversal !== undefined) found.set(id, reversal.id);
    return reversal !== undefined;
  };
  for (const id of byTarget.keys()) isReversed(id);
  return found;
}
