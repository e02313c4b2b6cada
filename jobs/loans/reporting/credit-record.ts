import {
  BANKRUPTCY_STATUS,
  type BankruptcyCondition,
} from '../../../sql/cases/bankruptcy-statuses.ts';
import { dictionary } from '../../../sql/dictionary.ts';
import type { CoConsumer } from '../../../sql/loans/consumers.ts';
import type { CreditFacts } from '../../../sql/loans/credit-facts.ts';
import { EFFECTS } from '../../cases/rules/effects.ts';
import { addMonths, earliest, monthEnd } from '../../dates.ts';
import { money, parseMoney } from '../../money.ts';
import { monthlyPayment, termsDuration, termsFrequency } from './credit-terms.ts';
import { cents, dollars } from './whole-dollars.ts';

/** Days past due → account status and its mark in the payment history (Metro 2, fields 17A and 18). */
const BY_DAYS = [
  { from: 180, account_status: '84', mark: '6' },
  { from: 150, account_status: '83', mark: '5' },
  { from: 120, account_status: '82', mark: '4' },
  { from: 90, account_status: '80', mark: '3' },
  { from: 60, account_status: '78', mark: '2' },
  { from: 30, account_status: '71', mark: '1' },
  { from: 0, account_status: '11', mark: '0' },
] as const;

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

/** Statuses that require the previous payment rating (field 17B). */
const RATED = new Set(['05', '13', '65', '88', '89', '94', '95']);
const CLOSED = new Set(['05', '13', '64']);
/** Charge-off statuses, which report the original charge-off amount (field 23). */
const LOST = new Set(['64', '97']);
/** Whether the status or payment rating requires the date of first delinquency (field 25). */
const isDerogatory = (status: string, rated: string | null) =>
  RATED.has(status) ? rated !== '0' : status !== '11';

/**
 * The account status at the end of a month. Charged off takes precedence over paid, and paid over days past
 * due. Acceleration and freezes have no effect.
 */
export function accountStatus(facts: CreditFacts): string {
  const { status, charge_off_balance, days_past_due } = facts;
  if (status === 'charged_off') return cents(charge_off_balance) > 0n ? '97' : '64';
  if (status === 'paid_off' || status === 'settled') return wasChargedOff(facts) ? '64' : '13';
  if (status === 'transferred') return '05';
  return BY_DAYS.find(({ from }) => days_past_due >= from)?.account_status ?? '11';
}

/** Without an amount, the charge-off was reversed because the debt had already been paid. */
const wasChargedOff = ({ charge_off_amount, before_close, previous_status }: CreditFacts) =>
  charge_off_amount !== null &&
  (before_close ? before_close.status === 'charged_off' : previous_status === '97');

/**
 * The marks of the previous 24 months, newest first: the mark of the last record, followed by that record's
 * profile. D means a month without a record, B a month before the first record.
 */
export function paymentHistoryProfile(facts: CreditFacts): string {
  const { previous_period, previous_profile, previous_status, previous_balance } = facts;
  if (previous_period === null || previous_profile === null || previous_status === null)
    return boardedProfile(facts);
  const isZero = previous_status === '11' && previous_balance === '0';
  const mark = isZero ? 'E' : (MARKS[previous_status] ?? '0');
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

/** Derives a loan's record for a month, with the fields of the Metro 2 base segment. */
export function deriveCreditRecord(facts: CreditFacts) {
  const account_status = accountStatus(facts);
  const isClosed = CLOSED.has(account_status);
  const isLine = facts.loan_type === 'line_of_credit';
  // A partial charge-off is still owed and does not make the account charged off.
  const owed = money(parseMoney(facts.total_balance).plus(facts.charge_off_balance));
  const isAsked = !isClosed && account_status !== '97' && !(isLine && owed === '0.00');
  const balance = account_status === '97' ? facts.charge_off_balance : owed;
  const payment_rating = RATED.has(account_status) ? rating(facts) : null;
  const portfolio_type = isLine && facts.portfolio_type === 'I' ? 'C' : facts.portfolio_type;
  return {
    loan_id: facts.loan_id,
    reporting_period: facts.reporting_period,
    consumer_account_number: facts.loan_number.slice(0, 30),
    portfolio_type,
    account_type: isLine && !LINE_TYPES.has(facts.account_type) ? '15' : facts.account_type,
    date_opened: facts.date_opened,
    date_closed: isClosed ? closedOn(facts) : null,
    date_last_payment: facts.last_payment_date,
    date_first_delinquency: isDerogatory(account_status, payment_rating)
      ? firstDelinquency(facts)
      : null,
    credit_limit: isLine ? dollars(facts.credit_limit ?? facts.principal_amount) : null,
    highest_credit: dollars(facts.disbursed_amount),
    original_charge_off_amount:
      LOST.has(account_status) && facts.charge_off_amount ? dollars(facts.charge_off_amount) : null,
    terms_duration: termsDuration(portfolio_type, facts),
    terms_frequency: termsFrequency(facts),
    scheduled_monthly_payment: isAsked ? monthlyPayment(facts) : '0',
    actual_payment_amount: dollars(facts.paid_in_month),
    current_balance: isClosed ? '0' : dollars(balance),
    amount_past_due: pastDue(facts, account_status),
    account_status,
    payment_rating,
    payment_history_profile: paymentHistoryProfile(facts),
    ...remarks(facts),
    interest_type_indicator: 'F',
    consumer: facts.consumer,
    co_consumers: facts.co_consumers.map(coConsumer),
  };
}

const closedOn = ({ closed_on, last_payment_date, reporting_period }: CreditFacts) =>
  closed_on ?? last_payment_date ?? reporting_period;

/** The amount at least 30 days late (field 22). For a charge-off, everything still owed. */
function pastDue({ charge_off_balance, past_due_30_amount }: CreditFacts, status: string): string {
  if (status === '11' || CLOSED.has(status)) return '0';
  return dollars(status === '97' ? charge_off_balance : past_due_30_amount);
}

const LINE_TYPES = new Set(['15', '43', '47', '89', '7A', '9B']);

/**
 * A reported date of first delinquency never moves later while the delinquency lasts (FCRA 623(a)(5)). It
 * moves earlier if a past payment is reversed.
 */
function firstDelinquency(facts: CreditFacts): string {
  const reported = facts.was_current_since ? null : facts.previous_first_delinquency;
  const known = facts.first_delinquency_date ?? facts.before_close?.first_delinquency_date ?? null;
  if (reported !== null && known !== null) return earliest(reported, known);
  return reported ?? known ?? facts.reporting_period;
}

/** The rating on the night before the loan was closed (field 17B). If unknown, the last record's status. */
const rating = ({ before_close, previous_status }: CreditFacts) => {
  if (before_close?.status === 'charged_off') return 'L';
  if (before_close)
    return BY_DAYS.find(({ from }) => before_close.days_past_due >= from)?.mark ?? '0';
  const mark = MARKS[previous_status ?? '11'] ?? '0';
  return /[0-6GL]/.test(mark) ? mark : '0';
};

function remarks(facts: CreditFacts) {
  return {
    special_comment: specialComment(facts),
    compliance_condition_code: facts.compliance_condition_code,
    consumer_information_indicator: bankruptcyCode(facts.bankruptcy_status),
    ecoa_code: association(facts, ofBorrower(facts)),
  };
}

/** A person's ECOA code (field 37): X is deceased, W is a business. */
const association = (who: Pick<CoConsumer, 'is_deceased' | 'borrower_type'>, code: string) =>
  who.is_deceased ? 'X' : who.borrower_type === 'business' ? 'W' : code;

/** 2 joint borrower; 7 borrower with a cosigner; 1 individual. */
function ofBorrower({ co_consumers }: CreditFacts): string {
  const owing = co_consumers.filter(({ release_reason }) => release_reason === null);
  if (owing.some(({ role }) => role === 'co_borrower')) return '2';
  return owing.length > 0 ? '7' : '1';
}

/**
 * A co-borrower (2) or cosigner (5). A released person is reported one last time as T, or as Z if entered
 * in error.
 */
function coConsumer({ consumer, borrower_id, role, release_reason, ...who }: CoConsumer) {
  const owed = role === 'co_borrower' ? '2' : '5';
  const over = release_reason === 'entered_in_error' ? 'Z' : 'T';
  return {
    ...consumer,
    borrower_id,
    ecoa_code: release_reason === null ? association(who, owed) : over,
    consumer_information_indicator: bankruptcyCode(who.bankruptcy_status),
  };
}

/** AU settled for less than the full balance, AW affected by a disaster, CP in forbearance (field 19). */
function specialComment({ status, is_in_disaster, is_in_forbearance }: CreditFacts): string | null {
  if (status === 'settled') return 'AU';
  if (is_in_disaster) return 'AW';
  return is_in_forbearance ? 'CP' : null;
}

/** The indicator of a borrower's bankruptcy status, from the table of effects. */
function bankruptcyCode(status: string | null): string | null {
  const condition = BANKRUPTCY_CONDITIONS.find((known) => BANKRUPTCY_STATUS[known] === status);
  return condition === undefined ? null : EFFECTS[condition].credit_reporting;
}
const BANKRUPTCY_CONDITIONS = Object.keys(BANKRUPTCY_STATUS) as BankruptcyCondition[];

/** Why a record is stored but not sent, or null. */
export function suppressionReason(facts: CreditFacts): string | null {
  const { is_information_blocked, suspends_reporting } = facts;
  if (is_information_blocked) return 'identity_theft_block';
  return suspends_reporting ? 'forbearance' : null;
}
