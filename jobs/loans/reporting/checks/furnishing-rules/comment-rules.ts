import { hasIndicator, hasStatus, isOneOf, STATUS, type RecordRule } from './rule.ts';
import type { FurnishedAccount } from '../../metro2/read-metro2.ts';

const comments = ({ special_comment }: FurnishedAccount, codes: string) =>
  isOneOf(special_comment, codes);

/** Comments of accounts that are over: settled, paid by someone else, transferred, refinanced, ended. */
const OVER = 'AU AX BP C AH AT O BC BF BJ AS';
/** Comments of accounts that ended with a balance owing, or that are in recovery or foreclosure. */
const OWING = 'BD BG BI BK BA BO';

/** The special comment (field 19) and the compliance condition code (field 20). */
export const COMMENT_RULES: readonly RecordRule[] = [
  {
    id: 'SCC-AccountChange-1',
    problem: 'The account was transferred to another servicer (O) without its new numbers (L1).',
    fields: ['special_comment', 'change'],
    may_be_right:
      'Only the former servicer reports the transfer, and does not know the new numbers.',
    isBroken: (account) =>
      comments(account, 'O') && !isOneOf(account.change?.indicator ?? '', '1 2 3'),
  },
  {
    id: 'SCC-APD-1',
    problem: 'The special comment says that the account is over, but it has an amount past due.',
    fields: ['special_comment', 'amount_past_due'],
    isBroken: (account) => comments(account, OVER) && account.amount_past_due > 0n,
  },
  {
    id: 'SCC-APD-2',
    problem: 'The special comment says that a balance is owing, but nothing is past due.',
    fields: ['special_comment', 'amount_past_due'],
    isBroken: (account) => comments(account, OWING) && account.amount_past_due === 0n,
  },
  {
    id: 'SCC-Balance-1',
    problem: 'The special comment says that the account is over, but it has a balance.',
    fields: ['special_comment', 'current_balance'],
    isBroken: (account) => comments(account, OVER) && account.current_balance > 0n,
  },
  {
    id: 'SCC-Balance-2',
    problem: 'The special comment belongs to an account with a balance, but there is none.',
    fields: ['special_comment', 'current_balance'],
    may_be_right: 'The loan was in forbearance (CP) and less than one dollar is owed.',
    isBroken: (account) => comments(account, `${OWING} CP`) && account.current_balance === 0n,
  },
  {
    id: 'SCC-DateClosed-1',
    problem: 'An account in forbearance or foreclosure proceedings has a date closed.',
    fields: ['special_comment', 'date_closed'],
    isBroken: (account) => comments(account, 'BO CP') && account.date_closed !== null,
  },
  {
    id: 'SCC-DateClosed-2',
    problem: 'An account that the lender closed (M) has no date closed.',
    fields: ['special_comment', 'date_closed'],
    isBroken: (account) => comments(account, 'M') && account.date_closed === null,
  },
  {
    id: 'SCC-PurchasedSold-1',
    problem: 'An account that was sold (AH) does not name its buyer with indicator 2 (K2).',
    fields: ['special_comment', 'purchased_or_sold'],
    isBroken: (account) => comments(account, 'AH') && account.purchased_or_sold?.indicator !== '2',
  },
  {
    id: 'SCC-PurchasedSold-2',
    problem: 'An account that was sold (AH) has a K2 segment without a name.',
    fields: ['special_comment', 'purchased_or_sold'],
    isBroken: (account) => comments(account, 'AH') && account.purchased_or_sold?.name === '',
  },
  {
    id: 'SCC-Status-1',
    problem: 'The special comment says that the account was paid or settled, the status does not.',
    fields: ['special_comment', 'account_status'],
    isBroken: (account) =>
      (comments(account, 'BC BF') && !hasStatus(account, '13')) ||
      (comments(account, 'AU AX BP C') && !hasStatus(account, STATUS.paid)),
  },
  {
    id: 'SCC-Status-2',
    problem:
      'A paid account has the comment of a suspended line, a balance owing or a forbearance.',
    fields: ['special_comment', 'account_status'],
    isBroken: (account) => comments(account, 'AP BD CP') && hasStatus(account, STATUS.paid),
  },
  {
    id: 'SCC-Status-3',
    problem: 'An account that was transferred to recovery (BA) is not late.',
    fields: ['special_comment', 'account_status'],
    isBroken: (account) =>
      comments(account, 'BA') && !hasStatus(account, `${STATUS.past_due} 88 89 93 94 95 96 97`),
  },
  {
    id: 'SCC-Status-4',
    problem: 'A paid or foreclosed account is in foreclosure proceedings (BO).',
    fields: ['special_comment', 'account_status'],
    isBroken: (account) => comments(account, 'BO') && hasStatus(account, `${STATUS.paid} 88 89 94`),
  },
  {
    id: 'SCC-Status-5',
    problem: 'A transferred or sold account does not have the status that it had before.',
    fields: ['special_comment', 'account_status', 'current_balance', 'portfolio_type'],
    isBroken: (account) =>
      comments(account, 'AH AT O') &&
      account.current_balance === 0n &&
      account.change === null &&
      !hasStatus(account, `11 ${STATUS.past_due} 93 97 DA DF`) &&
      !(account.portfolio_type === 'I' && hasStatus(account, '96')) &&
      !(isOneOf(account.portfolio_type, 'C M') && hasStatus(account, '89 94')),
  },
  {
    id: 'CCC-DateClosed-1',
    problem: 'An account that the consumer closed (XA) has no date closed.',
    fields: ['compliance_condition_code', 'date_closed'],
    isBroken: (account) =>
      account.compliance_condition_code === 'XA' && account.date_closed === null,
  },
];

/** Petitions (A to D), discharges (E to H), and other indicators of a bankruptcy (field 38). */
const BANKRUPT = 'A B C D E F G H Z V 1A';
const DISCHARGED = 'E F G H';
const isOpenAndDischarged = (account: FurnishedAccount) =>
  hasIndicator(account, DISCHARGED) && !hasStatus(account, `05 ${STATUS.paid} ${STATUS.deleted}`);
const MAY_BE_DISCHARGED =
  'All who owe the account are discharged: the guides then require zero amounts.';

/** The consumer information indicator (field 38) and the ECOA code (field 37). */
export const CONSUMER_RULES: readonly RecordRule[] = [
  {
    id: 'Bankruptcy-APD-1',
    problem: 'A discharged account with an open status has no amount past due.',
    fields: ['consumer_information_indicator', 'account_status', 'amount_past_due'],
    may_be_right: MAY_BE_DISCHARGED,
    isBroken: (account) => isOpenAndDischarged(account) && account.amount_past_due === 0n,
  },
  {
    id: 'Bankruptcy-Balance-1',
    problem: 'A discharged account with an open status has no balance.',
    fields: ['consumer_information_indicator', 'account_status', 'current_balance'],
    may_be_right: MAY_BE_DISCHARGED,
    isBroken: (account) => isOpenAndDischarged(account) && account.current_balance === 0n,
  },
  {
    id: 'Bankruptcy-SMPA-1',
    problem: 'A discharged account with an open status has no scheduled payment.',
    fields: ['consumer_information_indicator', 'account_status', 'scheduled_monthly_payment'],
    may_be_right: MAY_BE_DISCHARGED,
    isBroken: (account) => isOpenAndDischarged(account) && account.scheduled_monthly_payment === 0n,
  },
  {
    id: 'Bankruptcy-DOFD-1',
    problem: 'An account in bankruptcy has no date of first delinquency.',
    fields: ['consumer_information_indicator', 'date_first_delinquency'],
    may_be_right: 'The debt was reaffirmed (R) and is current: the guide then has no date.',
    isBroken: (account) =>
      account.date_first_delinquency === null && hasIndicator(account, `${BANKRUPT} R`),
  },
  {
    id: 'Bankruptcy-ECOA-1',
    problem: 'An authorized user is reported on the account of a bankrupt consumer.',
    fields: ['consumer_information_indicator', 'ecoa_code'],
    isBroken: (account) =>
      isOneOf(account.consumer_information_indicator, BANKRUPT) &&
      account.associated.some(({ ecoa_code }) => ecoa_code === '3'),
  },
  {
    id: 'ECOA-J1J2-1',
    problem: 'The borrower is deceased (X), but no other person on the account is.',
    fields: ['ecoa_code'],
    may_be_right: 'The other borrower is alive.',
    isBroken: ({ ecoa_code, associated }) =>
      ecoa_code === 'X' &&
      associated.length > 0 &&
      associated.every((who) => who.ecoa_code !== 'X'),
  },
];

const changes = ({ change }: FurnishedAccount, codes: string) =>
  isOneOf(change?.indicator ?? '', codes);

/**
 * The segment that changes the account number (indicator 1), the identification number (2) or both (3). The
 * public conditions of ID-4 and Number-4 also match blank fields, which ID-2 and Number-2 ask for: we require
 * a value.
 */
export const NUMBER_RULES: readonly RecordRule[] = [
  {
    id: 'AccountChange-ID-1',
    problem: 'The identification number changes, but the new one is missing.',
    fields: ['change'],
    isBroken: (account) => changes(account, '2 3') && account.change?.identification_number === '',
  },
  {
    id: 'AccountChange-ID-2',
    problem: 'Only the account number changes, but there is a new identification number.',
    fields: ['change'],
    isBroken: (account) => changes(account, '1') && account.change?.identification_number !== '',
  },
  {
    id: 'AccountChange-ID-3',
    problem: 'The new identification number is the old one.',
    fields: ['change', 'identification_number'],
    isBroken: (account) =>
      changes(account, '2 3') &&
      account.change?.identification_number === account.identification_number,
  },
  {
    id: 'AccountChange-ID-4',
    problem: 'Only the account number changes, but the identification number differs.',
    fields: ['change', 'identification_number'],
    isBroken: (account) =>
      changes(account, '1') &&
      account.change?.identification_number !== '' &&
      account.change?.identification_number !== account.identification_number,
  },
  {
    id: 'AccountChange-Number-1',
    problem: 'The account number changes, but the new one is missing.',
    fields: ['change'],
    isBroken: (account) => changes(account, '1 3') && account.change?.account_number === '',
  },
  {
    id: 'AccountChange-Number-2',
    problem: 'Only the identification number changes, but there is a new account number.',
    fields: ['change'],
    isBroken: (account) => changes(account, '2') && account.change?.account_number !== '',
  },
  {
    id: 'AccountChange-Number-3',
    problem: 'The new account number is the old one.',
    fields: ['change', 'consumer_account_number'],
    isBroken: (account) =>
      changes(account, '1 3') && account.change?.account_number === account.consumer_account_number,
  },
  {
    id: 'AccountChange-Number-4',
    problem: 'Only the identification number changes, but the account number differs.',
    fields: ['change', 'consumer_account_number'],
    isBroken: (account) =>
      changes(account, '2') &&
      account.change?.account_number !== '' &&
      account.change?.account_number !== account.consumer_account_number,
  },
];
