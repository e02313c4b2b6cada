import type { ScheduleRow } from '../arithmetic/amortize.ts';
import type { Terms } from '../arithmetic/terms.ts';
import type { Agreement } from './agreement.ts';
import { lowerInstallments } from './lower-installments.ts';
import { buildMinimumPayment } from './minimum-payment.ts';
import { moveInstallments, setNamedInstallments } from './move-installments.ts';
import { spreadInstallments } from './spread-installments.ts';
import type { RateOn, ScheduleBasis } from './schedule-basis.ts';

/**
 * Builds the installments of an agreement from the loan's state on the agreement's day. They replace the
 * old ones from the first row's number on. Empty if there is nothing to schedule.
 */
export function buildAgreedSchedule(
  agreement: Agreement,
  basis: ScheduleBasis,
  terms: Terms,
  rateOn: RateOn,
): readonly ScheduleRow[] {
  switch (agreement.rule) {
    case 'spread':
      return spreadInstallments(agreement, basis, terms, rateOn);
    case 'moved':
      return moveInstallments(agreement, basis, terms, rateOn);
    case 'named':
      return setNamedInstallments(agreement, basis);
    case 'lowered':
      return lowerInstallments(agreement, basis);
    case 'written':
      return agreement.rows;
    case 'minimum':
      return buildMinimumPayment(agreement, basis, terms);
  }
}
