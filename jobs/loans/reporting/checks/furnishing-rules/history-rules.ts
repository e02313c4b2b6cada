import { dictionary } from '../../../../../sql/dictionary.ts';
import {
  hasStatus,
  indicatorsOf,
  isInstallmentOrMortgage,
  isOneOf,
  LATE_RATINGS,
  STATUS,
  type HistoryRule,
} from './rule.ts';
import type { FurnishedAccount } from '../../metro2/read-metro2.ts';

/** The mark of each past due status in the next month's payment history profile (field 18). */
const PAST_DUE_MARKS = dictionary<string>({ 71: '1', 78: '2', 80: '3', 82: '4', 83: '5', 84: '6' });
/** The marks of collections, foreclosures, surrenders, repossessions and charge-offs. */
const OTHER_MARKS = dictionary<string>({
  61: 'J',
  62: 'G',
  63: 'K',
  64: 'L',
  65: 'H',
  93: 'G',
  94: 'H',
  95: 'J',
  96: 'K',
  97: 'L',
});

/** Whether the profile does not begin with the mark of the previous record's status. */
function contradictsMark(
  { payment_history_profile }: FurnishedAccount,
  previous: FurnishedAccount,
  marks: Readonly<Record<string, string>>,
): boolean {
  const mark = marks[previous.account_status];
  return (
    mark !== undefined && hasNoIndicator(previous) && payment_history_profile.slice(0, 1) !== mark
  );
}

const hasNoIndicator = (account: FurnishedAccount) =>
  indicatorsOf(account).every((indicator) => indicator === '');

/** The statuses that cannot follow each past due status within one month. */
const LEAPS = dictionary<string>({
  71: '80 82 83 84',
  78: '82 83 84',
  80: '83 84',
  82: '84',
});

/** The account's record compared with its previous one. */
export const HISTORY_RULES: readonly HistoryRule[] = [
  {
    id: 'PHP-Status-1',
    problem: 'The payment history does not begin with the days past due reported last month.',
    fields: ['payment_history_profile'],
    may_be_right: 'No record was sent for a month in between, or last month was corrected.',
    isBroken: (account, previous) => contradictsMark(account, previous, PAST_DUE_MARKS),
  },
  {
    id: 'PHP-Status-2',
    problem: 'The payment history of a line does not begin with 0 after a current month.',
    fields: ['payment_history_profile', 'portfolio_type'],
    may_be_right: 'No record was sent for a month in between, or last month was corrected.',
    isBroken: (account, previous) =>
      hasStatus(previous, '11') &&
      previous.current_balance > 0n &&
      isOneOf(account.portfolio_type, 'C O R') &&
      hasNoIndicator(previous) &&
      account.payment_history_profile.slice(0, 1) !== '0',
  },
  {
    id: 'PHP-Status-3',
    problem:
      'The payment history does not begin with the charge-off or collection reported last month.',
    fields: ['payment_history_profile'],
    may_be_right: 'No record was sent for a month in between, or last month was corrected.',
    isBroken: (account, previous) => contradictsMark(account, previous, OTHER_MARKS),
  },
  {
    id: 'PROG-AccountChange-1',
    problem: 'The new account number is reported a second time.',
    fields: ['change'],
    isBroken: (account, previous) =>
      isOneOf(previous.change?.indicator ?? '', '1 3') &&
      account.change?.account_number === previous.change?.account_number,
  },
  {
    id: 'PROG-AccountChange-2',
    problem: 'The new identification number is reported a second time.',
    fields: ['change'],
    isBroken: (account, previous) =>
      isOneOf(previous.change?.indicator ?? '', '2 3') &&
      account.change?.identification_number === previous.change?.identification_number,
  },
  {
    id: 'PROG-AccountChange-3',
    problem: 'Last month’s record already had its new account number.',
    fields: ['change', 'consumer_account_number'],
    isBroken: (account, previous) =>
      isOneOf(previous.change?.indicator ?? '', '1 3') &&
      previous.change?.account_number === account.consumer_account_number,
  },
  {
    id: 'PROG-Bankruptcy-1',
    problem: 'A debt is reaffirmed (R) after the reaffirmation was rescinded (V).',
    fields: ['consumer_information_indicator'],
    isBroken: (account, previous) =>
      previous.consumer_information_indicator === 'V' &&
      account.consumer_information_indicator === 'R',
  },
  {
    id: 'PROG-ChargeOff-1',
    problem: 'The original charge-off amount changed after the charge-off.',
    fields: ['original_charge_off_amount'],
    may_be_right: 'The charge-off was reversed, or its amount was corrected.',
    isBroken: (account, previous) =>
      hasStatus(previous, '64 97') &&
      previous.original_charge_off_amount !== account.original_charge_off_amount,
  },
  {
    id: 'PROG-DateClosed-1',
    problem: 'The date closed of a loan changed.',
    fields: ['date_closed', 'portfolio_type'],
    may_be_right: 'The payment that closed the loan was reversed.',
    isBroken: (account, previous) =>
      isInstallmentOrMortgage(account) &&
      previous.date_closed !== null &&
      previous.date_closed !== account.date_closed,
  },
  {
    id: 'PROG-DateOpen-1',
    problem: 'The date opened changed.',
    fields: ['date_opened'],
    isBroken: (account, previous) => previous.date_opened !== account.date_opened,
  },
  {
    id: 'PROG-DOFD-1',
    problem: 'The date of first delinquency changed while the account stayed late.',
    fields: ['date_first_delinquency', 'account_status'],
    may_be_right: 'The account was current in between, or a payment was reversed.',
    isBroken: (account, previous) =>
      hasStatus(previous, STATUS.derogatory) &&
      hasStatus(account, STATUS.derogatory) &&
      previous.date_first_delinquency !== account.date_first_delinquency,
  },
  {
    id: 'PROG-DOFD-2',
    problem: 'The date of first delinquency of a late-paid account changed.',
    fields: ['date_first_delinquency', 'payment_rating'],
    isBroken: (account, previous) =>
      hasStatus(previous, '13') &&
      isOneOf(previous.payment_rating, LATE_RATINGS) &&
      hasStatus(account, '13') &&
      previous.date_first_delinquency !== account.date_first_delinquency,
  },
  {
    id: 'PROG-DOFD-3',
    problem: 'The account is current again, but keeps its date of first delinquency.',
    fields: ['date_first_delinquency', 'account_status'],
    may_be_right: 'The account is in bankruptcy.',
    isBroken: (account, previous) =>
      hasStatus(previous, `${STATUS.past_due} 61 62 63 64 65 93 94 95 96 97`) &&
      hasStatus(account, '11') &&
      previous.date_first_delinquency !== null &&
      previous.date_first_delinquency === account.date_first_delinquency,
  },
  {
    id: 'PROG-ECOA-1',
    problem: 'A consumer who was deleted from the account (Z) is reported again.',
    fields: ['ecoa_code', 'surname', 'first_name'],
    isBroken: (account, previous) =>
      previous.ecoa_code === 'Z' &&
      previous.first_name === account.first_name &&
      previous.surname === account.surname &&
      account.ecoa_code !== 'Z',
  },
  {
    id: 'PROG-Portfolio-1',
    problem: 'The portfolio type changed.',
    fields: ['portfolio_type'],
    isBroken: (account, previous) => previous.portfolio_type !== account.portfolio_type,
  },
  {
    id: 'PROG-Rating-1',
    problem: 'The payment rating of a closed loan changed.',
    fields: ['payment_rating', 'account_status', 'portfolio_type'],
    isBroken: (account, previous) =>
      isInstallmentOrMortgage(account) &&
      hasStatus(previous, '05 13 62 65 88 89 94 95') &&
      account.account_status === previous.account_status &&
      account.payment_rating !== previous.payment_rating,
  },
  {
    id: 'PROG-Status-1',
    problem: 'The account became more than one bucket later within a month.',
    fields: ['account_status'],
    may_be_right:
      'A month of 31 days spans two buckets, a payment was reversed, or a month was not sent.',
    isBroken: (account, previous) =>
      isOneOf(account.account_status, LEAPS[previous.account_status] ?? ''),
  },
  {
    id: 'PROG-Status-2',
    problem: 'A foreclosed account is reported as a charge-off.',
    fields: ['account_status'],
    isBroken: (account, previous) => hasStatus(previous, '89 94') && hasStatus(account, '97'),
  },
  {
    id: 'PROG-Status-3',
    problem: 'A paid account has a different status.',
    fields: ['account_status'],
    may_be_right: 'The payment that closed the loan was reversed, or the account is deleted.',
    isBroken: (account, previous) =>
      hasStatus(previous, STATUS.paid) && account.account_status !== previous.account_status,
  },
  {
    id: 'PROG-Type-1',
    problem: 'The account type changed.',
    fields: ['account_type'],
    isBroken: (account, previous) => previous.account_type !== account.account_type,
  },
];
