import { addMonths } from '../../../../dates.ts';
import {
  hasStatus as status,
  isDeferred,
  isInstallmentOrMortgage,
  isOneOf,
  isRated as rated,
  isRenumbered,
  LATE_RATINGS,
  LINE_TYPES,
  STATUS,
  type RecordRule,
} from './rule.ts';
import type { FurnishedAccount } from '../../metro2/read-metro2.ts';

const LEASE_TYPES =
  '00 01 02 03 04 05 06 10 11 13 17 20 29 65 66 67 68 69 70 71 72 73 74 75 91 95 0A 0F 3A 6A 6D 7B 9A';
/** Account types without a credit limit (loans, mortgages, leases and collections). */
const CLOSED_END_TYPES =
  '0A 0C 0F 2C 5A 5B 6A 6B 6D 7B 9A 01 02 03 04 05 06 08 10 11 13 17 19 20 25 26 47 48 77 91';
/** Account types with a credit limit. */
const LIMIT_TYPES = '0G 2A 7A 8A 9B 07 15 18 37 43 47 89';
/** Account types that need an original amount. */
const AMOUNT_TYPES = `00 3A ${CLOSED_END_TYPES}`;

/** Fields that depend on the portfolio type and the account type. */
export const TYPE_RULES: readonly RecordRule[] = [
  {
    id: 'Portfolio-Type-1',
    problem: 'The account type is not one of a line of credit.',
    fields: ['portfolio_type', 'account_type'],
    isBroken: (account) =>
      account.portfolio_type === 'C' && !isOneOf(account.account_type, LINE_TYPES),
  },
  {
    id: 'Type-Balance-1',
    problem: 'A prepaid lease has a balance.',
    fields: ['special_comment', 'current_balance', 'account_type', 'portfolio_type'],
    isBroken: (account) =>
      isPrepaidLease(account) &&
      isOneOf(account.account_type, LEASE_TYPES) &&
      account.current_balance > 0n,
  },
  {
    id: 'Type-SMPA-1',
    problem: 'A prepaid lease has a scheduled payment.',
    fields: ['special_comment', 'scheduled_monthly_payment', 'portfolio_type'],
    isBroken: (account) => isPrepaidLease(account) && account.scheduled_monthly_payment > 0n,
  },
  {
    id: 'Type-CreditLimit-1',
    problem: 'A loan has a credit limit.',
    fields: ['account_type', 'credit_limit', 'terms_frequency'],
    may_be_right: 'It is a secured line of credit (account type 47).',
    isBroken: (account) =>
      isOneOf(account.account_type, CLOSED_END_TYPES) &&
      !isDeferred(account) &&
      account.credit_limit > 0n,
  },
  {
    id: 'Type-CreditLimit-2',
    problem: 'A line of credit or credit card has no credit limit.',
    fields: ['account_type', 'credit_limit', 'terms_frequency'],
    isBroken: (account) =>
      isOneOf(account.account_type, LIMIT_TYPES) &&
      !isDeferred(account) &&
      account.credit_limit === 0n,
  },
  {
    id: 'Type-HCOLA-1',
    problem: 'A loan has no original amount.',
    fields: ['account_type', 'highest_credit', 'terms_frequency'],
    isBroken: (account) =>
      isOneOf(account.account_type, AMOUNT_TYPES) &&
      !isDeferred(account) &&
      account.highest_credit === 0n,
  },
  {
    id: 'Type-HCOLA-2',
    problem: 'A line of credit or credit card has no highest balance.',
    fields: ['account_type', 'highest_credit', 'terms_frequency'],
    may_be_right: 'Nothing was ever drawn.',
    isBroken: (account) =>
      isOneOf(account.account_type, LIMIT_TYPES) &&
      !isDeferred(account) &&
      account.highest_credit === 0n,
  },
  {
    id: 'Type-TermsDuration-1',
    problem: 'The terms duration does not have the form of the portfolio type.',
    fields: ['portfolio_type', 'terms_duration', 'terms_frequency'],
    isBroken: (account) => !isDeferred(account) && !hasTermOfType(account),
  },
];

const isPrepaidLease = (account: FurnishedAccount) =>
  account.portfolio_type === 'I' && status(account, '11') && account.special_comment === 'BS';

function hasTermOfType({ portfolio_type, terms_duration }: FurnishedAccount): boolean {
  if (portfolio_type === 'C') return terms_duration === 'LOC';
  if (portfolio_type === 'O') return terms_duration === '001';
  if (portfolio_type === 'R') return terms_duration === 'REV';
  return portfolio_type !== 'I' || Number(terms_duration) > 0;
}

/** Dates and amounts that contradict each other in any status. */
export const AMOUNT_RULES: readonly RecordRule[] = [
  {
    id: 'Balance-APD-1',
    problem: 'An account without a balance has an amount past due.',
    fields: ['current_balance', 'amount_past_due'],
    isBroken: (account) =>
      account.current_balance === 0n && !isRenumbered(account) && account.amount_past_due > 0n,
  },
  {
    id: 'Balance-APD-2',
    problem: 'The amount past due is larger than the balance.',
    fields: ['current_balance', 'amount_past_due'],
    isBroken: (account) => account.current_balance < account.amount_past_due,
  },
  {
    id: 'Balloon-Balance-1',
    problem: 'The balloon payment is larger than the balance.',
    fields: ['current_balance', 'balloon_payment'],
    isBroken: (account) =>
      account.balloon_payment !== null && account.current_balance < account.balloon_payment,
  },
  {
    id: 'Deferred-SMPA-1',
    problem: 'A deferred account has a scheduled payment.',
    fields: ['account_status', 'terms_frequency', 'scheduled_monthly_payment'],
    isBroken: (account) =>
      status(account, `11 ${STATUS.past_due} 93`) &&
      isDeferred(account) &&
      account.scheduled_monthly_payment > 0n,
  },
  {
    id: 'DOAI-DOFD-1',
    problem: 'The delinquency began more than seven years ago, so the account is obsolete.',
    fields: ['date_of_account_information', 'date_first_delinquency'],
    isBroken: ({ date_of_account_information: reported, date_first_delinquency: first }) =>
      reported !== null && first !== null && reported > addMonths(first, 84),
  },
  {
    id: 'DOAI-PaymentAmount-1',
    problem: 'A record with a payment has no date of account information.',
    fields: ['date_of_account_information', 'actual_payment_amount'],
    isBroken: (account) =>
      account.date_of_account_information === null && account.actual_payment_amount > 0n,
  },
  {
    id: 'DTCL-DOLP-1',
    problem: 'The date closed of a paid loan is not the date of its last payment.',
    fields: ['account_status', 'date_closed', 'date_last_payment', 'portfolio_type'],
    may_be_right: 'The rest was forgiven or credited after the last payment.',
    isBroken: (account) =>
      isInstallmentOrMortgage(account) &&
      status(account, STATUS.paid) &&
      account.date_closed !== account.date_last_payment,
  },
  {
    id: 'Rating-APD-1',
    problem: 'A deed in lieu of foreclosure with a current payment rating has an amount past due.',
    fields: ['account_status', 'payment_rating', 'amount_past_due'],
    isBroken: (account) =>
      status(account, '89') && rated(account, '0') && account.amount_past_due > 0n,
  },
  {
    id: 'Rating-APD-2',
    problem: 'A foreclosed account with a late payment rating has no amount past due.',
    fields: ['account_status', 'payment_rating', 'amount_past_due'],
    isBroken: (account) =>
      status(account, '89 94') && rated(account, LATE_RATINGS) && account.amount_past_due === 0n,
  },
];
