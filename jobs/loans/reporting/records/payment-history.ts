import type { CreditFacts } from '../../../../sql/loans/reporting/credit-facts.ts';
import { addMonths, monthEnd } from '../../../dates.ts';
import { markOf } from './account-status.ts';

/**
 * The marks of the previous 24 months, newest first: the mark of the last record, followed by that record's
 * profile. D means a month without a record, B a month before the first record.
 */
export function paymentHistoryProfile(facts: CreditFacts): string {
  const { previous_period, previous_profile, previous_status, previous_balance } = facts;
  if (previous_period === null || previous_profile === null || previous_status === null)
    return boardedProfile(facts);
  const isZero = previous_status === '11' && previous_balance === '0';
  const mark = isZero ? 'E' : markOf(previous_status);
  const missing = monthsFrom(monthEnd(addMonths(previous_period, 1, 31)), facts.reporting_period);
  return `${missing}${mark}${previous_profile}`.slice(0, 24);
}

/** Continues the profile of the previous servicer from the month of boarding. */
const boardedProfile = ({ boarded_on, boarded_profile, reporting_period }: CreditFacts) =>
  boarded_on === null || boarded_profile === null
    ? 'B'.repeat(24)
    : `${monthsFrom(monthEnd(boarded_on), reporting_period)}${boarded_profile}`.slice(0, 24);

/** One D for each month from `first` until before `end`. */
function monthsFrom(first: string, end: string): string {
  let missing = '';
  for (let month = first; month < end; month = monthEnd(addMonths(month, 1, 31))) missing += 'D';
  return missing;
}
