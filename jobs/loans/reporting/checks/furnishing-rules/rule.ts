import type { FurnishedAccount } from '../../metro2/read-metro2.ts';

/**
 * A rule about one record in a credit file. Ids such as `Status-DOFD-1` are those of the public Metro 2
 * Evaluator Tool of the CFPB (github.com/cfpb/Metro2, django/evaluate_m2/tests up to June 2025; public
 * domain, CC0). Ids that start with `Own-` are ours.
 */
export type FurnishingRule = {
  id: string;
  /** The problem, for a person who reads the finding. */
  problem: string;
  /** The fields that contradict each other. */
  fields: readonly string[];
  /** When the record may be right all the same. */
  may_be_right?: string;
};

export type RecordRule = FurnishingRule & { isBroken: (account: FurnishedAccount) => boolean };

/** A rule about a record and the account's previous record. */
export type HistoryRule = FurnishingRule & {
  isBroken: (account: FurnishedAccount, previous: FurnishedAccount) => boolean;
};

export const isOneOf = (value: string, codes: string) => codes.split(' ').includes(value);

/** Account statuses (field 17A) that the rules refer to. */
export const STATUS = {
  past_due: '71 78 80 82 83 84',
  /** Paid, or paid after a surrender, collection, repossession, charge-off or foreclosure. */
  paid: '13 61 62 63 64 65',
  deleted: 'DA DF',
  /** 30 days late or worse, or paid after that. These need a date of first delinquency. */
  derogatory: '61 62 63 64 65 71 78 80 82 83 84 88 89 93 94 95 96 97',
} as const;

/** Payment ratings (field 17B) that are not current. */
export const LATE_RATINGS = '1 2 3 4 5 6 G L';

/** The account types of a line of credit (field 9). */
export const LINE_TYPES = '15 43 47 89 7A 9B';

export const hasStatus = ({ account_status }: FurnishedAccount, codes: string) =>
  isOneOf(account_status, codes);

export const isRated = ({ payment_rating }: FurnishedAccount, codes: string) =>
  isOneOf(payment_rating, codes);

export const isDeferred = ({ terms_frequency }: FurnishedAccount) => terms_frequency === 'D';

export const isInstallmentOrMortgage = ({ portfolio_type }: FurnishedAccount) =>
  isOneOf(portfolio_type, 'I M');

/** The account or identification number changes with this record, so its other fields may be incomplete. */
export const isRenumbered = ({ change }: FurnishedAccount) => change !== null;

/** The consumer information indicators of everyone who owes the account. */
export const indicatorsOf = (account: FurnishedAccount): string[] =>
  [account, ...account.associated].map((person) => person.consumer_information_indicator);

export const hasIndicator = (account: FurnishedAccount, codes: string) =>
  indicatorsOf(account).some((indicator) => isOneOf(indicator, codes));
