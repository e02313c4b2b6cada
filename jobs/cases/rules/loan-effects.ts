import type { LegalConditions } from '../../../sql/loans/legal-conditions.ts';
import { addDays } from '../../dates.ts';
import type { Condition } from './conditions.ts';
import {
  effectsInForce,
  effectsOf,
  type CaseSettings,
  type EffectOverrides,
  type Effects,
} from './effects.ts';

/** Effects that allow or forbid something. */
type Permission = {
  [Name in keyof Effects]: Effects[Name] extends boolean ? Name : never;
}[keyof Effects];

/** What the tenant decided, as stored. Validated when the setting was saved. */
const settingsOf = ({ effects }: LegalConditions): CaseSettings => ({
  cases: { effects: (effects ?? {}) as EffectOverrides },
});

/** The conditions of a loan that are in force on a day. */
const conditionsOnDay = ({ periods }: LegalConditions, day: string): Condition[] =>
  periods
    .filter(({ from, until }) => from <= day && (until === null || day < until))
    .map(({ condition }) => condition as Condition);

/** What the conditions of a loan change on a day. */
export const effectsOnDay = (legal: LegalConditions, day: string): Effects =>
  effectsInForce(conditionsOnDay(legal, day), settingsOf(legal));

/** The conditions that forbid something on a day. */
export const conditionsWithout = (legal: LegalConditions, what: Permission, day: string) =>
  conditionsOnDay(legal, day).filter((condition) => !effectsOf(condition, settingsOf(legal))[what]);

/** The form of a loan's statements on a day, and for a bankruptcy the conditions that require it. */
export function statementForm(legal: LegalConditions | null, day: string) {
  if (legal === null) return { form: 'regular' as const, bankruptcies: [] };
  const bankruptcies = conditionsOnDay(legal, day).filter(
    (condition) => effectsOf(condition, settingsOf(legal)).statement === 'bankruptcy',
  );
  return { form: effectsOnDay(legal, day).statement, bankruptcies };
}

/** Whether the conditions of a loan allow something on a day. */
export const allows = (legal: LegalConditions | null, what: Permission, day: string): boolean =>
  legal === null || effectsOnDay(legal, day)[what];

/** The periods in which a condition forbids something. Both days are included; null: no end is known. */
export const periodsWithout = (legal: LegalConditions | null, what: Permission) =>
  (legal?.periods ?? [])
    .filter(({ condition }) => legal && !effectsOf(condition as Condition, settingsOf(legal))[what])
    .map(({ from, until }) => ({ from, to: until === null ? null : addDays(until, -1) }));
