import type { ScheduleRow } from '../arithmetic/amortize.ts';
import type { Terms } from '../arithmetic/terms.ts';
import type { Agreement } from './agreement.ts';
import { lower } from './lowered.ts';
import { minimumPayment } from './minimum.ts';
import { move, rename } from './moved.ts';
import { spread } from './spread.ts';
import type { RateOn, Standing } from './standing.ts';

/**
 * The instalments that an agreement comes to for a loan as it stands on the agreement's day. They take
 * the place of the old ones from the first row's number on. None: there is nothing to plan.
 */
export function scheduleOf(
  agreement: Agreement,
  standing: Standing,
  terms: Terms,
  rateOn: RateOn,
): readonly ScheduleRow[] {
  switch (agreement.rule) {
    case 'spread':
      return spread(agreement, standing, terms, rateOn);
    case 'moved':
      return move(agreement, standing, terms, rateOn);
    case 'named':
      return rename(agreement, standing);
    case 'lowered':
      return lower(agreement, standing);
    case 'written':
      return agreement.rows;
    case 'minimum':
      return minimumPayment(agreement, standing, terms);
  }
}
