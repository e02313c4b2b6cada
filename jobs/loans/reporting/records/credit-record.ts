import type { CreditFacts } from '../../../../sql/loans/reporting/credit-facts.ts';
import { money, parseMoney } from '../../../money.ts';
import {
  accountStatus,
  isChargeOff,
  isClosed,
  isForeclosed,
  paymentRating,
} from './account-status.ts';
import { monthlyPayment, termsDuration, termsFrequency } from './credit-terms.ts';
import { firstDelinquency } from './first-delinquency.ts';
import { paymentHistoryProfile } from './payment-history.ts';
import { reportedConsumers } from './reported-consumers.ts';
import { dollars } from './whole-dollars.ts';

/**
 * Derives a loan's record for a month, with the fields of the Metro 2 base segment. `suppression_reason` says
 * why the record is kept but not sent.
 */
export function deriveCreditRecord(facts: CreditFacts) {
  const isLine = facts.loan_type === 'line_of_credit';
  const portfolio_type = isLine && facts.portfolio_type === 'I' ? 'C' : facts.portfolio_type;
  const account_status = accountStatus(facts, portfolio_type);
  const isOver = isClosed(facts);
  const {
    isOver: isDeceased,
    isDischarged,
    petition_date,
    ...consumers
  } = reportedConsumers(facts);
  // Nobody owes it any more: zero amounts (CDIA, "Consumer Credit Reporting: Compliance Guidelines", bankruptcies).
  const isNil = isOver || isDischarged;
  const isOwed97 = account_status === '97' && !isOver;
  // A partial charge-off is still owed and does not make the account charged off.
  const owed = money(parseMoney(facts.total_balance).plus(facts.charge_off_balance));
  const isAsked = !isNil && !isOwed97 && !(isLine && owed === '0.00');
  const balance = isOwed97 ? facts.charge_off_balance : owed;
  const payment_rating = paymentRating(facts, account_status);
  const delinquency = firstDelinquency(facts, { account_status, payment_rating, petition_date });
  return {
    loan_id: facts.loan_id,
    reporting_period: facts.reporting_period,
    consumer_account_number: facts.loan_number.slice(0, 30),
    portfolio_type,
    account_type: isLine && !LINE_TYPES.has(facts.account_type) ? '15' : facts.account_type,
    date_opened: facts.date_opened,
    date_closed: dateClosed(facts, account_status),
    date_of_account_information: accountInformationDate(facts, isOver),
    date_last_payment: facts.last_payment_date,
    date_first_delinquency: delinquency.date,
    credit_limit: isLine ? dollars(facts.credit_limit ?? facts.principal_amount) : null,
    highest_credit: isLine ? highestBalance(facts) : dollars(facts.disbursed_amount),
    original_charge_off_amount:
      isChargeOff(account_status) && facts.charge_off_amount
        ? dollars(facts.charge_off_amount)
        : null,
    terms_duration: termsDuration(portfolio_type, facts),
    terms_frequency: termsFrequency(facts),
    scheduled_monthly_payment: isAsked ? monthlyPayment(portfolio_type, facts) : '0',
    actual_payment_amount: dollars(facts.paid_in_month),
    current_balance: isNil ? '0' : dollars(balance),
    amount_past_due: isNil ? '0' : pastDue(facts, account_status),
    account_status,
    payment_rating,
    payment_history_profile: paymentHistoryProfile(facts),
    special_comment: specialComment(facts, portfolio_type),
    compliance_condition_code: facts.compliance_condition_code,
    interest_type_indicator: 'F',
    ...consumers,
    suppression_reason: suppressionReason(facts, {
      isDeceased,
      isDischarged: isDischarged && facts.was_reported_discharged,
      isUnknown: delinquency.isUnknown,
    }),
  };
}

/** Field 26: when the account was paid, settled or transferred, or its foreclosure was completed. */
function dateClosed(facts: CreditFacts, status: string): string | null {
  if (isClosed(facts)) return facts.closed_on;
  return isForeclosed(status) ? (facts.possession?.date ?? null) : null;
}

/** Field 24: the day on which the account was paid or transferred; otherwise the end of the month. */
const accountInformationDate = ({ closed_on, reporting_period }: CreditFacts, isOver: boolean) =>
  (isOver ? closed_on : null) ?? reporting_period;

/** Field 12 for a line of credit: the highest balance that the borrower has used so far. */
function highestBalance({ highest_balance, previous_highest }: CreditFacts): string {
  const now = dollars(highest_balance);
  return previous_highest !== null && BigInt(previous_highest) > BigInt(now)
    ? previous_highest
    : now;
}

/** The amount at least 30 days late (field 22). For a charge-off, everything still owed. */
function pastDue({ charge_off_balance, past_due_30_amount }: CreditFacts, status: string): string {
  if (status === '11') return '0';
  return dollars(status === '97' ? charge_off_balance : past_due_30_amount);
}

const LINE_TYPES = new Set(['15', '43', '47', '89', '7A', '9B']);
/** Portfolio types of accounts with an agreed term. */
const WITH_TERM = new Set(['I', 'M']);

/**
 * Field 19: O transferred to another servicer, AT closed because of a transfer, AU settled for less than the
 * full balance, AW affected by a disaster, CP in forbearance.
 */
function specialComment(facts: CreditFacts, portfolio: string): string | null {
  if (facts.status === 'transferred') return WITH_TERM.has(portfolio) ? 'O' : 'AT';
  if (facts.status === 'settled') return 'AU';
  if (facts.is_in_disaster) return 'AW';
  return facts.is_in_forbearance ? 'CP' : null;
}

function suppressionReason(
  { is_information_blocked, suspends_reporting, is_payment_on_its_way }: CreditFacts,
  known: { isDeceased: boolean; isDischarged: boolean; isUnknown: boolean },
): string | null {
  if (is_information_blocked) return 'identity_theft_block';
  if (suspends_reporting) return 'forbearance';
  // 12 CFR 1024.33(c)(1): such a payment may not be treated as late for any purpose.
  if (is_payment_on_its_way) return 'servicing_transfer';
  if (known.isDeceased) return 'reported_deceased';
  if (known.isDischarged) return 'reported_discharged';
  return known.isUnknown ? 'first_delinquency_unknown' : null;
}
