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

/** What the conditions of a loan change on a day. */
export function effectsOnDay(legal: LegalConditions, day: string): Effects {
  const inForce = legal.periods.filter(
    ({ from, until }) => from <= day && (until === null || day < until),
  );
  return effectsInForce(
    inForce.map(({ condition }) => condition as Condition),
    settingsOf(legal),
  );
}

/** Whether the conditions of a loan allow something on a day. */
export const allows = (legal: LegalConditions | null, what: Permission, day: string): boolean =>
  legal === null || effectsOnDay(legal, day)[what];

/** The periods in which a condition forbids something. Both days are included; null: no end is known. */
export const periodsWithout = (legal: LegalConditions | null, what: Permission) =>
  (legal?.periods ?? [])
    .filter(({ condition }) => legal && !effectsOf(condition as Condition, settingsOf(legal))[what])
    .map(({ from, until }) => ({ from, to: until === null ? null : addDays(until, -1) }));
