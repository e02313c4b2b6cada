import { daysBetween } from '../../../../dates.ts';
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

const REVOLVING_TYPES = '18 37 43 2A 8A';

const isTransferred = ({ special_comment }: FurnishedAccount) =>
  isOneOf(special_comment, 'AH AT O');

/** A line of credit, or an open or revolving account, by portfolio type and account type. */
const isOpenEnd = ({ portfolio_type, account_type }: FurnishedAccount) =>
  (portfolio_type === 'C' && isOneOf(account_type, LINE_TYPES)) ||
  (isOneOf(portfolio_type, 'O R') && isOneOf(account_type, REVOLVING_TYPES));

/** Amount past due, current balance, date closed and charge-off, by account status. */
export const STATUS_RULES: readonly RecordRule[] = [
  {
    id: 'Status-APD-1',
    problem: 'A current or paid account has an amount past due.',
    fields: ['account_status', 'amount_past_due'],
    isBroken: (account) => status(account, `05 11 ${STATUS.paid}`) && account.amount_past_due > 0n,
  },
  {
    id: 'Status-APD-2',
    problem: 'A late or charged-off account has no amount past due.',
    fields: ['account_status', 'amount_past_due'],
    may_be_right: 'The account was transferred, and reports zero amounts with its last status.',
    isBroken: (account) =>
      status(account, `${STATUS.past_due} 93 97`) && account.amount_past_due === 0n,
  },
  {
    id: 'Status-APD-3',
    problem: 'A surrendered or repossessed vehicle has no amount past due.',
    fields: ['account_status', 'account_type', 'portfolio_type', 'amount_past_due'],
    isBroken: (account) =>
      status(account, '95 96') &&
      isOneOf(account.account_type, '00 13 3A') &&
      account.portfolio_type === 'I' &&
      account.amount_past_due === 0n,
  },
  {
    id: 'Status-Balance-1',
    problem: 'A paid or transferred account has a balance.',
    fields: ['account_status', 'current_balance'],
    isBroken: (account) => status(account, `05 ${STATUS.paid}`) && account.current_balance > 0n,
  },
  {
    id: 'Status-Balance-2',
    problem: 'A late or charged-off account has no balance.',
    fields: ['account_status', 'current_balance'],
    may_be_right: 'The account was transferred, and reports zero amounts with its last status.',
    isBroken: (account) =>
      status(account, `${STATUS.past_due} 93 97`) && account.current_balance === 0n,
  },
  {
    id: 'Status-Balance-3',
    problem: 'A surrendered or repossessed account has no balance.',
    fields: ['account_status', 'current_balance'],
    isBroken: (account) => status(account, '95 96') && account.current_balance === 0n,
  },
  {
    id: 'Status-Balance-4',
    problem: 'A current loan has no balance and is not reported as paid.',
    fields: ['account_status', 'current_balance', 'special_comment', 'compliance_condition_code'],
    may_be_right: 'The account was transferred, or less than one dollar is owed.',
    isBroken: (account) =>
      isInstallmentOrMortgage(account) &&
      status(account, '11') &&
      account.special_comment !== 'BS' &&
      account.compliance_condition_code !== 'XA' &&
      account.current_balance === 0n,
  },
  {
    id: 'Status-Balance-5',
    problem: 'A current line of credit or revolving account has no balance.',
    fields: ['account_status', 'current_balance', 'portfolio_type', 'account_type'],
    may_be_right: 'The line is open and nothing is drawn.',
    isBroken: (account) =>
      status(account, '11') && account.current_balance === 0n && isOpenEnd(account),
  },
  {
    id: 'Status-Balance-6',
    problem: 'An account with an insurance claim or a deed in lieu of foreclosure has no balance.',
    fields: ['account_status', 'current_balance'],
    isBroken: (account) => status(account, '88 89') && account.current_balance === 0n,
  },
  {
    id: 'Status-Balance-7',
    problem: 'A foreclosed account with a late payment rating has no balance.',
    fields: ['account_status', 'payment_rating', 'current_balance', 'compliance_condition_code'],
    isBroken: (account) =>
      status(account, '94') &&
      rated(account, LATE_RATINGS) &&
      account.current_balance === 0n &&
      account.compliance_condition_code !== 'XA',
  },
  {
    id: 'Status-Balance-8',
    problem: 'A loan without a balance has a status of an open account.',
    fields: ['account_status', 'current_balance', 'portfolio_type', 'special_comment'],
    may_be_right: 'Less than one dollar is owed.',
    isBroken: (account) =>
      isInstallmentOrMortgage(account) &&
      account.current_balance === 0n &&
      !isRenumbered(account) &&
      !isOneOf(account.special_comment, 'AH AT O BB BE') &&
      !status(account, '13 62 64 DA DF') &&
      !(account.portfolio_type === 'I' && status(account, '61 63 88 95 96')) &&
      !(account.portfolio_type === 'M' && status(account, '65 94')),
  },
  {
    id: 'Status-Balance-9',
    problem: 'A line or revolving account without a balance has a late or charged-off status.',
    fields: ['account_status', 'current_balance', 'portfolio_type', 'special_comment'],
    isBroken: (account) =>
      isOneOf(account.portfolio_type, 'C O R') &&
      account.current_balance === 0n &&
      !isRenumbered(account) &&
      !isTransferred(account) &&
      !status(account, '11 13 62 64 DA DF') &&
      !(account.portfolio_type === 'C' && status(account, '65 88 89 94')) &&
      !(account.portfolio_type === 'O' && status(account, '88')),
  },
  {
    id: 'Status-Balance-10',
    problem: 'An account with a balance has the status of a paid or transferred account.',
    fields: ['account_status', 'current_balance', 'portfolio_type', 'special_comment'],
    isBroken: (account) =>
      account.current_balance > 0n &&
      !isRenumbered(account) &&
      !isTransferred(account) &&
      !status(account, `11 ${STATUS.past_due} 93 97 DA DF`) &&
      !(account.portfolio_type === 'I' && status(account, '95 96')) &&
      !(account.portfolio_type === 'O' && status(account, '88')) &&
      !(isOneOf(account.portfolio_type, 'C M') && status(account, '88 89 94')),
  },
  {
    id: 'Status-ChargeOff-1',
    problem: 'An account that was not charged off has an original charge-off amount.',
    fields: ['account_status', 'original_charge_off_amount'],
    isBroken: (account) =>
      status(account, `05 11 13 62 65 ${STATUS.past_due} 89 93`) &&
      account.original_charge_off_amount > 0n,
  },
  {
    id: 'Status-ChargeOff-2',
    problem: 'A charged-off account has no original charge-off amount.',
    fields: ['account_status', 'original_charge_off_amount'],
    isBroken: (account) => status(account, '64 97') && account.original_charge_off_amount === 0n,
  },
  {
    id: 'Status-DateClosed-1',
    problem: 'A paid or transferred account has no date closed.',
    fields: ['account_status', 'date_closed'],
    isBroken: (account) => status(account, '05 13 62 64 65') && account.date_closed === null,
  },
  {
    id: 'Status-DateClosed-2',
    problem: 'An open account has a date closed.',
    fields: ['account_status', 'date_closed', 'compliance_condition_code'],
    may_be_right: 'The account was transferred or sold on that day with its last status.',
    isBroken: (account) =>
      status(account, `11 ${STATUS.past_due} 93 97`) &&
      account.compliance_condition_code !== 'XA' &&
      account.date_closed !== null,
  },
  {
    id: 'Status-DateClosed-3',
    problem: 'A foreclosed account has no date closed.',
    fields: ['account_status', 'date_closed'],
    isBroken: (account) => status(account, '89 94') && account.date_closed === null,
  },
  {
    id: 'Status-DOFD-1',
    problem: 'A late, charged-off or late-paid account has no date of first delinquency.',
    fields: ['account_status', 'payment_rating', 'date_first_delinquency'],
    isBroken: (account) =>
      account.date_first_delinquency === null &&
      (status(account, STATUS.derogatory) ||
        (status(account, '05 13') && rated(account, LATE_RATINGS))),
  },
  {
    id: 'Status-DOFD-2',
    problem:
      'An account that is current, or was when it was paid, has a date of first delinquency.',
    fields: ['account_status', 'payment_rating', 'date_first_delinquency'],
    may_be_right: 'The account is in bankruptcy, and the date is that of the petition.',
    isBroken: (account) =>
      account.date_first_delinquency !== null &&
      (status(account, '11') || (status(account, '05 13') && rated(account, '0'))),
  },
  {
    id: 'Status-PaymentAmount-1',
    problem: 'A current loan older than 60 days had no payment this month.',
    fields: ['account_status', 'actual_payment_amount', 'date_opened'],
    may_be_right:
      'No payment was due, it was paid in advance, or it was paid less than 30 days late.',
    isBroken: (account) =>
      isInstallmentOrMortgage(account) &&
      status(account, '11') &&
      !isDeferred(account) &&
      account.date_opened !== null &&
      daysBetween(account.date_opened, account.activity_date) > 60 &&
      account.actual_payment_amount === 0n,
  },
  {
    id: 'Status-SMPA-1',
    problem: 'A paid, transferred or charged-off account has a scheduled payment.',
    fields: ['account_status', 'scheduled_monthly_payment'],
    isBroken: (account) =>
      status(account, '05 13 62 64 65 97') && account.scheduled_monthly_payment > 0n,
  },
  {
    id: 'Status-SMPA-2',
    problem: 'A late line of credit or revolving account has no scheduled payment.',
    fields: ['account_status', 'scheduled_monthly_payment', 'portfolio_type', 'account_type'],
    isBroken: (account) =>
      status(account, `${STATUS.past_due} 93`) && isOpenEnd(account) && lacksPayment(account),
  },
  {
    id: 'Status-SMPA-3',
    problem: 'An open installment loan has no scheduled payment.',
    fields: ['account_status', 'scheduled_monthly_payment', 'portfolio_type', 'special_comment'],
    may_be_right:
      'The account was transferred, a single payment is not due yet, or the final due date has passed.',
    isBroken: (account) =>
      account.portfolio_type === 'I' &&
      status(account, `11 ${STATUS.past_due} 93`) &&
      account.special_comment !== 'BS' &&
      lacksPayment(account),
  },
  {
    id: 'Status-SMPA-4',
    problem: 'A current line of credit or revolving account has no scheduled payment.',
    fields: ['account_status', 'scheduled_monthly_payment', 'portfolio_type', 'account_type'],
    may_be_right: 'Nothing is drawn.',
    isBroken: (account) => status(account, '11') && isOpenEnd(account) && lacksPayment(account),
  },
];

const lacksPayment = (account: FurnishedAccount) =>
  account.compliance_condition_code !== 'XA' &&
  !isDeferred(account) &&
  account.scheduled_monthly_payment === 0n;
