import type { CreditFacts } from '../../../../sql/loans/reporting/credit-facts.ts';
import { addDays, earliest } from '../../../dates.ts';
import { isChargeOff } from './account-status.ts';

type FirstDelinquency = {
  date: string | null;
  /** The status requires a date that only the previous servicer knows. */
  isUnknown: boolean;
};

/**
 * The date of first delinquency (field 25): the due date of the first installment that became 30 days past
 * due and led to the reported status.
 *
 * - The month is that of the missed payment, not that of a later report (15 USC 1681s-2(a)(5); FTC staff
 *   opinion to Johnson, 31 August 1998).
 * - An account that is less than 30 days past due is current, so a later delinquency has a new date (field
 *   definition of the Credit Reporting Resource Guide, quoted in moov-io/metro2, pkg/lib/base_segment.go).
 * - It is never after the charge-off, and never moves later while the delinquency lasts. A date is never
 *   assumed: without the previous servicer's date, it is unknown.
 * - A current account has the date of the petition of a person who owes it (rule 3). A reaffirmation has none.
 */
export function firstDelinquency(
  facts: CreditFacts,
  { account_status: status, payment_rating, petition_date }: Reported,
): FirstDelinquency {
  if (!isDerogatory(status, payment_rating)) return known(petition_date);
  const { charge_off_date, previous_first_delinquency, was_current_since } = facts;
  const began = delinquentSince(facts, status);
  const dates = [
    ...(began === null ? [] : [began]),
    ...(previous_first_delinquency === null || was_current_since
      ? []
      : [previous_first_delinquency]),
    ...(isChargeOff(status) && charge_off_date !== null ? [charge_off_date] : []),
  ];
  const { boarded_on, history_from, boarded_delinquency_date } = facts;
  const isBoardedLate = facts.is_boarded_charged_off || beganBefore(boarded_on, began);
  if (isBoardedLate && boarded_delinquency_date !== null) dates.push(boarded_delinquency_date);
  // A delinquency that began within the history of a boarded loan follows from that history.
  else if (facts.is_boarded_charged_off || beganBefore(history_from, began))
    return { date: null, isUnknown: true };
  return dates.length === 0
    ? { date: null, isUnknown: true }
    : known(dates.reduce((one, other) => earliest(one, other)));
}

type Reported = {
  account_status: string;
  payment_rating: string | null;
  /** The petition of a person in bankruptcy; null if nobody is. */
  petition_date: string | null;
};

const known = (date: string | null): FirstDelinquency => ({ date, isUnknown: false });

/** Whether the status or the payment rating is derogatory (field 25, rules 1 and 2). */
const isDerogatory = (status: string, rating: string | null) =>
  status === '13' ? rating !== '0' : status !== '11';

/**
 * The due date with which the delinquency began. An account that was not 30 days late when it was charged off
 * or its collateral was taken has the oldest unpaid due date, or the day of that action.
 */
function delinquentSince(facts: CreditFacts, status: string): string | null {
  const { before_close, charge_off_date, possession } = facts;
  const late30 = facts.first_delinquency_30_date ?? before_close?.first_delinquency_30_date;
  const late = facts.first_delinquency_date ?? before_close?.first_delinquency_date;
  const action = isChargeOff(status) ? charge_off_date : (possession?.date ?? null);
  return late30 ?? late ?? action;
}

/** Whether a delinquency of 30 days that still continues was there on that day. */
const beganBefore = (day: string | null, began: string | null): boolean =>
  day !== null && began !== null && addDays(began, 30) <= day;
