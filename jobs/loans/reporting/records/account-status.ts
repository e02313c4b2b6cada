import { dictionary } from '../../../../sql/dictionary.ts';
import type { CreditFacts } from '../../../../sql/loans/reporting/credit-facts.ts';
import { cents } from './whole-dollars.ts';

/**
 * The status of an account, its rating and its marks: fields 17A, 17B and 18. Source of the field rules: the
 * field definitions of the Credit Reporting Resource Guide, as quoted in the public repository moov-io/metro2
 * (pkg/lib/base_segment.go).
 */

/** Days past due → account status and its mark in the payment history. */
const BY_DAYS = [
  { from: 180, account_status: '84', mark: '6' },
  { from: 150, account_status: '83', mark: '5' },
  { from: 120, account_status: '82', mark: '4' },
  { from: 90, account_status: '80', mark: '3' },
  { from: 60, account_status: '78', mark: '2' },
  { from: 30, account_status: '71', mark: '1' },
  { from: 0, account_status: '11', mark: '0' },
] as const;

const CURRENT = BY_DAYS[6];
/** The mark in the payment history of a month at whose end the account was so many days past due. */
export const markOfDays = (days: number): string => byDays(days).mark;
const byDays = (days: number) => BY_DAYS.find(({ from }) => days >= from) ?? CURRENT;

/**
 * Marks that do not depend on days past due: G collection, H foreclosure, J surrender, K repossession, L
 * charge-off.
 */
const MARKS = dictionary<string>({
  ...Object.fromEntries(BY_DAYS.map(({ account_status, mark }) => [account_status, mark])),
  '61': 'J',
  '63': 'K',
  '64': 'L',
  '65': 'H',
  '93': 'G',
  '94': 'H',
  '95': 'J',
  '96': 'K',
  '97': 'L',
});

export const markOf = (status: string): string => MARKS[status] ?? CURRENT.mark;

/** Statuses with a payment rating (field 17B). Status 05 is withdrawn since April 2022. */
const RATED = new Set(['13', '65', '88', '89', '94', '95']);
export const isRated = (status: string) => RATED.has(status);

/** Statuses of charge-offs, which report the original charge-off amount (field 23). */
export const isChargeOff = (status: string) => status === '64' || status === '97';

/**
 * How the lender took the collateral → the status while the account is open, and after it is paid, in the
 * portfolio types that allow it. Any other account keeps its status (public conditions of the CFPB's Metro 2
 * evaluator: Status-Balance-8 and Status-Balance-10).
 */
const POSSESSION = dictionary<{ open: string; paid: string; portfolios: string }>({
  repossession: { open: '96', paid: '63', portfolios: 'I' },
  voluntary_surrender: { open: '95', paid: '61', portfolios: 'I' },
  foreclosure: { open: '94', paid: '65', portfolios: 'CM' },
  deed_in_lieu: { open: '89', paid: '65', portfolios: 'CM' },
});

/** Whether the account was closed by a foreclosure, although a balance may be due. */
export const isForeclosed = (status: string) => status === '94' || status === '89';

function possessionOf({ possession }: CreditFacts, portfolio: string) {
  const taken = possession === null ? undefined : POSSESSION[possession.kind];
  return taken?.portfolios.includes(portfolio) ? taken : undefined;
}

const CLOSED = ['paid_off', 'settled', 'transferred'];

/** Whether the account was paid, settled or transferred by the end of the month. */
export const isClosed = ({ status, charge_off_balance }: CreditFacts): boolean =>
  CLOSED.includes(status) || (status === 'charged_off' && cents(charge_off_balance) === 0n);

/**
 * The account status at the end of a month. A charge-off takes precedence over a repossession, and a
 * repossession over days past due. Acceleration and freezes have no effect. A transferred account keeps the
 * status that it had on the day of the transfer.
 */
export function accountStatus(facts: CreditFacts, portfolio: string): string {
  const { status, charge_off_balance, charge_off_amount, days_past_due } = facts;
  if (status === 'charged_off') return cents(charge_off_balance) > 0n ? '97' : '64';
  // A reversed or partial charge-off has no amount.
  const wasChargedOff = charge_off_amount !== null;
  const taken = possessionOf(facts, portfolio);
  if (status === 'transferred') {
    if (wasChargedOff) return '97';
    return taken?.open ?? byDays(daysAtClose(facts) ?? 0).account_status;
  }
  if (status === 'paid_off' || status === 'settled')
    return wasChargedOff ? '64' : (taken?.paid ?? '13');
  return taken?.open ?? byDays(days_past_due).account_status;
}

/** Days past due on the day on which the loan was closed, before it was closed. Null if unknown. */
function daysAtClose({ before_close }: CreditFacts): number | null {
  if (before_close === null) return null;
  const { days_past_due: days, is_paused } = before_close;
  return days > 0 && !is_paused ? days + 1 : days;
}

/**
 * The payment rating (field 17B): how late the account was when it was closed, or is now. If the close of the
 * night before recorded nothing, the last record's mark.
 */
export function paymentRating(facts: CreditFacts, status: string): string | null {
  if (!isRated(status)) return null;
  if (!isClosed(facts)) return byDays(facts.days_past_due).mark;
  if (facts.before_close?.status === 'charged_off') return 'L';
  const days = daysAtClose(facts);
  if (days !== null) return byDays(days).mark;
  const mark = markOf(facts.previous_status ?? CURRENT.account_status);
  return /[0-6GL]/.test(mark) ? mark : CURRENT.mark;
}
