import { addMonths, monthEnd } from '../../../../dates.ts';
import { hasStatus, type HistoryRule, type RecordRule } from './rule.ts';
import type { FurnishedAccount } from '../../metro2/read-metro2.ts';

/** Statuses that require a payment rating (field 17B). */
const RATED = '05 13 65 88 89 94 95';

/**
 * Rules of the format's public field definitions that the evaluator does not check (moov-io/metro2,
 * pkg/lib/base_segment.go and its field texts; Galileo, "Metro 2 Base Segment").
 */
export const OWN_RECORD_RULES: readonly RecordRule[] = [
  {
    id: 'Own-Format-1',
    problem: 'A field is not in the form that the format requires.',
    fields: [],
    isBroken: ({ malformed }) => malformed.length > 0,
  },
  {
    id: 'Own-Rating-1',
    problem: 'A payment rating is missing, or the account status does not allow one.',
    fields: ['account_status', 'payment_rating'],
    isBroken: (account) => hasStatus(account, RATED) !== (account.payment_rating !== ''),
  },
  {
    id: 'Own-Status-1',
    problem: 'Status 05 (transferred) was withdrawn in April 2022.',
    fields: ['account_status'],
    isBroken: (account) => hasStatus(account, '05'),
  },
  {
    id: 'Own-Dates-1',
    problem: 'A date is before the account was opened, or after the date of account information.',
    fields: [
      'date_opened',
      'date_of_account_information',
      'date_first_delinquency',
      'date_closed',
      'date_last_payment',
    ],
    isBroken: hasImpossibleDate,
  },
];

function hasImpossibleDate(account: FurnishedAccount): boolean {
  const { date_opened: opened, date_of_account_information: reported, activity_date } = account;
  if (opened === null || reported === null) return true;
  const between = [account.date_first_delinquency, account.date_closed, account.date_last_payment];
  return (
    opened > reported ||
    reported > activity_date ||
    between.some((date) => date !== null && (date < opened || date > reported))
  );
}

export const OWN_HISTORY_RULES: readonly HistoryRule[] = [
  {
    id: 'Own-Profile-1',
    problem: 'The payment history does not continue last month’s payment history.',
    fields: ['payment_history_profile'],
    may_be_right: 'Last month was corrected.',
    isBroken: (account, previous) =>
      account.activity_date === monthEnd(addMonths(previous.activity_date, 1, 31)) &&
      account.payment_history_profile.slice(1) !== previous.payment_history_profile.slice(0, 23),
  },
];
