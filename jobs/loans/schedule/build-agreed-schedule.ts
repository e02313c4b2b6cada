import type { ScheduleRow } from '../arithmetic/amortize.ts';
import type { Terms } from '../arithmetic/terms.ts';
import type { Agreement } from './agreement.ts';
import { lowerInstallments } from './lower-installments.ts';
import { buildMinimumPayment } from './minimum-payment.ts';
import { moveInstallments, setNamedInstallments } from './move-installments.ts';
import { spreadInstallments } from './spread-installments.ts';
import type { RateOn, ScheduleBasis } from './schedule-basis.ts';

/**
 * The instalments that an agreement comes to for a loan as it stands on the agreement's day. They take
 * the place of the old ones from the first row's number on. None: there is nothing to plan.
 */
export function buildAgreedSchedule(
  agreement: Agreement,
  standing: ScheduleBasis,
  terms: Terms,
  rateOn: RateOn,
): readonly ScheduleRow[] {
  switch (agreement.rule) {
    case 'spread':
      return spreadInstallments(agreement, standing, terms, rateOn);
    case 'moved':
      return moveInstallments(agreement, standing, terms, rateOn);
    case 'named':
      return setNamedInstallments(agreement, standing);
    case 'lowered':
      return lowerInstallments(agreement, standing);
    case 'written':
      return agreement.rows;
    case 'minimum':
      return buildMinimumPayment(agreement, standing, terms);
  }
}
