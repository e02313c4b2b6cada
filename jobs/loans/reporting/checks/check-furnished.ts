import { AMOUNT_RULES, TYPE_RULES } from './furnishing-rules/amount-rules.ts';
import { COMMENT_RULES, CONSUMER_RULES, NUMBER_RULES } from './furnishing-rules/comment-rules.ts';
import { HISTORY_RULES } from './furnishing-rules/history-rules.ts';
import { OWN_HISTORY_RULES, OWN_RECORD_RULES } from './furnishing-rules/own-rules.ts';
import type { FurnishingRule } from './furnishing-rules/rule.ts';
import { STATUS_RULES } from './furnishing-rules/status-rules.ts';
import type { FurnishedAccount } from '../metro2/read-metro2.ts';

const OF_RECORDS = [
  ...STATUS_RULES,
  ...TYPE_RULES,
  ...AMOUNT_RULES,
  ...COMMENT_RULES,
  ...CONSUMER_RULES,
  ...NUMBER_RULES,
  ...OWN_RECORD_RULES,
];
const OF_HISTORIES = [...HISTORY_RULES, ...OWN_HISTORY_RULES];

/**
 * Every rule that a furnished record is checked by.
 *
 * @internal
 */
export const FURNISHING_RULES: readonly FurnishingRule[] = [...OF_RECORDS, ...OF_HISTORIES];

/** The rules that an account breaks, alone or compared with its previous record. */
export function brokenRules(
  account: FurnishedAccount,
  previous: FurnishedAccount | null,
): FurnishingRule[] {
  return [
    ...OF_RECORDS.filter((rule) => rule.isBroken(account)),
    ...(previous ? OF_HISTORIES.filter((rule) => rule.isBroken(account, previous)) : []),
  ];
}

export type Finding = { account: FurnishedAccount; rule: FurnishingRule };

/** The findings of files, each compared with the accounts of the files before it. */
export function checkFiles(files: readonly (readonly FurnishedAccount[])[]): Finding[] {
  const previous = new Map<string, FurnishedAccount>();
  const inOrder = files.flat().toSorted((one, other) => compare(one, other));
  return inOrder.flatMap((account) => {
    const number = account.consumer_account_number;
    const rules = brokenRules(account, previous.get(number) ?? null);
    previous.set(number, account);
    return rules.map((rule) => ({ account, rule }));
  });
}

const compare = (one: FurnishedAccount, other: FurnishedAccount) =>
  one.activity_date < other.activity_date ? -1 : Number(one.activity_date > other.activity_date);

/** How many records break each rule, with one of them as an example. The most frequent rule comes first. */
export function summarizeFindings(findings: readonly Finding[]) {
  const byRule = Map.groupBy(findings, ({ rule }) => rule);
  return [...byRule]
    .map(([rule, found]) => ({ rule, count: found.length, example: found[0]?.account }))
    .toSorted((one, other) => other.count - one.count || (one.rule.id < other.rule.id ? -1 : 1));
}
