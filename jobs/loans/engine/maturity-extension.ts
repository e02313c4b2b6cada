import { addMonths, wholeMonthsBetween } from '../../dates.ts';
import type { EventOf } from './events.ts';
import type { Position } from './position.ts';

/**
 * Counts the whole months by which workouts have moved the maturity. A disbursement brings a schedule of
 * the same term and does not count.
 */
export function trackMaturityExtension(
  position: Position,
  event: EventOf<'schedule_agreed'>,
): void {
  const maturity = position.installments.at(-1)?.row.due_date ?? null;
  if (maturity === null) return;
  if (event.disbursement_id === undefined && position.funded_maturity !== null)
    position.extension_months = wholeMonthsBetween(position.funded_maturity, maturity);
  else position.funded_maturity = addMonths(maturity, -position.extension_months);
}
