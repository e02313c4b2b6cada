import { Big } from 'big.js';
import { CONDITIONS, type Condition, type KnownCondition } from './conditions.ts';

/** How much the condition leaves of contacting the person, from the least strict to the strictest. */
export const CONTACTS = ['allowed', 'required_notices_only', 'none'] as const;
/**
 * Consumer information indicators of bankruptcies (Metro 2, field 38): petition (A to D) and discharge (E to H) by
 * chapter, end without a discharge (Q), reaffirmation (R) and its rescission (V), unknown chapter (Z). Public source: the
 * code list of github.com/cfpb/Metro2 (CC0). That list has no Z; field 25 of the guide, as quoted in moov-io/metro2,
 * does. I to P (dismissed or withdrawn, by chapter) are obsolete since April 2021 and must be reported as Q (GOLDPoint
 * Systems, "Consumer Information Indicator codes").
 */
export const INDICATORS = [
  ...(['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'Q', 'R', 'V', 'Z'] as const),
] as const;
export type Indicator = (typeof INDICATORS)[number];

/**
 * The form of a loan's statements, from the regular one to the strictest: without a demand to pay, or with the notices and
 * amounts for a debtor in bankruptcy.
 */
export const STATEMENTS = ['regular', 'no_demand', 'bankruptcy'] as const;

/** What a condition changes. True means that the lender may do it. */
export type Effects = {
  contact: (typeof CONTACTS)[number];
  /** Collection letters, reminders and calls. */
  collection_messages: boolean;
  late_fees: boolean;
  autopay: boolean;
  /** The highest rate of a year, fees included. Null: the contract rate. */
  rate_cap: string | null;
  acceleration: boolean;
  /** The charge-off that close of business makes. Staff can still charge off. */
  charge_off: boolean;
  /** The sale of the loan. The lender may still buy it back. */
  sale: boolean;
  /** The indicator that is reported, `suppress` if the loan is not reported, null if nothing changes. */
  credit_reporting: Indicator | 'suppress' | null;
  /** The form of the loan's statements, also in messages and in the portal. */
  statement: (typeof STATEMENTS)[number];
};
export type EffectName = keyof Effects;

/** The legal basis of a row. */
type Row = Effects & { source: string };

const NONE: Effects = {
  contact: 'allowed',
  collection_messages: true,
  late_fees: true,
  autopay: true,
  rate_cap: null,
  acceleration: true,
  charge_off: true,
  sale: true,
  credit_reporting: null,
  statement: 'regular',
};

/**
 * 11 USC 362(a): no act to collect, assess or recover a claim from before the petition. 12 CFR 1026.41(f) prescribes the
 * form of statements for mortgages only. We use it for every loan, because a demand to pay violates the stay.
 */
const stay = (credit_reporting: Indicator): Row => ({
  ...NONE,
  source: '11 USC 362(a); 12 CFR 1026.41(f); Metro 2 consumer information indicator',
  collection_messages: false,
  late_fees: false,
  autopay: false,
  acceleration: false,
  charge_off: false,
  credit_reporting,
  statement: 'bankruptcy',
});

/** 11 USC 524(a)(2): no act to collect the debt from the debtor. The loan may be charged off. */
const discharged = (credit_reporting: Indicator): Row => ({
  ...stay(credit_reporting),
  source: '11 USC 524(a)(2); 12 CFR 1026.41(f); Metro 2 consumer information indicator',
  charge_off: true,
});

/** A dismissal ends the stay, and the creditor has the rights from before the petition (11 USC 362(c)(2)(B), 349(b)). */
const dismissed = (credit_reporting: Indicator | null): Row => ({
  ...NONE,
  source: '11 USC 362(c)(2)(B) and 349(b); Metro 2 consumer information indicator',
  credit_reporting,
});

/**
 * What each condition changes unless the tenant sets it otherwise (setting `cases.effects`). `npm run effects` prints the
 * table.
 */
export const EFFECTS: Readonly<Record<KnownCondition, Row>> = {
  stay_7: stay('A'),
  stay_11: stay('B'),
  stay_12: stay('C'),
  stay_13: stay('D'),
  stay_unknown: stay('Z'),
  reaffirmation_rescinded: { ...discharged('V'), source: '11 USC 524(c)(4) and 524(a)(2)' },
  discharged_7: discharged('E'),
  discharged_11: discharged('F'),
  discharged_12: discharged('G'),
  discharged_13: discharged('H'),
  discharged_unknown: discharged('Z'),
  reaffirmed: {
    ...NONE,
    source: '11 USC 524(c)',
    credit_reporting: 'R',
  },
  dismissed_7: dismissed('Q'),
  dismissed_11: dismissed('Q'),
  dismissed_12: dismissed('Q'),
  dismissed_13: dismissed('Q'),
  dismissed_unknown: dismissed('Q'),
  // The other people who owe a consumer debt of the debtor.
  codebtor_stay: {
    ...NONE,
    source: '11 USC 1201(a) and 1301(a)',
    collection_messages: false,
    acceleration: false,
    statement: 'no_demand',
  },
  identity_theft_block: {
    ...NONE,
    source: '15 USC 1681c-2, 1681m(f) and 1681s-2(a)(6)',
    collection_messages: false,
    late_fees: false,
    autopay: false,
    acceleration: false,
    charge_off: false,
    // 15 USC 1681m(f)(1). Its exceptions (securitization, merger) need the tenant's setting.
    sale: false,
    credit_reporting: 'suppress',
    statement: 'no_demand',
  },
  // The credit record of a deceased person has its own code (ECOA code X).
  deceased: {
    ...NONE,
    source: '12 CFR 1006.6(a)(4); authorization of the account holder ends with death',
    contact: 'none',
    collection_messages: false,
    autopay: false,
    acceleration: false,
  },
  cease_and_desist: {
    ...NONE,
    source: '15 USC 1692c(c); 12 CFR 1006.6(c)',
    contact: 'required_notices_only',
    collection_messages: false,
    statement: 'no_demand',
  },
  // No termination, repossession or foreclosure without a court order.
  active_duty: { ...NONE, source: '50 USC 3952 and 3953', acceleration: false },
  // Service charges and fees count as interest, so late fees would exceed the cap.
  rate_cap: {
    ...NONE,
    source: '50 USC 3937(a) and (d)(1)',
    rate_cap: '0.06',
    late_fees: false,
  },
  disaster: {
    ...NONE,
    source: 'Policy of the lender; interagency statements on borrowers affected by disasters',
    collection_messages: false,
    late_fees: false,
    acceleration: false,
    charge_off: false,
    statement: 'no_demand',
  },
};

/** A protection that the tenant defines changes nothing by itself: the setting `cases.effects` lists its effects. */
const PROTECTION: Row = { ...NONE, source: 'Defined by the lender in cases.protections' };

/** The setting `cases.effects`: values that replace those of the table. */
export type EffectOverrides = Readonly<Record<string, Overrides | null | undefined>>;
type Overrides = { [Name in EffectName]?: Effects[Name] | undefined };
/** The part of the tenant's settings that decides about effects. */
export type CaseSettings = { cases: { effects: EffectOverrides } };

/** What one condition changes for the tenant. */
export const effectsOf = (condition: Condition, { cases }: CaseSettings): Row => ({
  ...(isKnown(condition) ? EFFECTS[condition] : PROTECTION),
  ...definedOf(cases.effects[condition]),
});

const isKnown = (condition: string): condition is KnownCondition =>
  Object.hasOwn(EFFECTS, condition);

const definedOf = (overrides: Overrides | null | undefined): Partial<Effects> =>
  Object.fromEntries(Object.entries(overrides ?? {}).filter(([, value]) => value !== undefined));

/**
 * What several conditions change together: the strictest value of each effect. If several conditions are reported, the
 * first one of `CONDITIONS` is.
 */
export function effectsInForce(conditions: readonly Condition[], settings: CaseSettings): Effects {
  const given = new Set<string>(conditions);
  const known = CONDITIONS.filter((condition) => given.has(condition));
  const own = conditions.filter((condition) => !isKnown(condition));
  return [...known, ...own]
    .map((condition) => effectsOf(condition, settings))
    .reduce<Effects>(mergeStrictly, NONE);
}

function mergeStrictly(one: Effects, other: Effects): Effects {
  return {
    contact: stricter(CONTACTS, one.contact, other.contact),
    collection_messages: one.collection_messages && other.collection_messages,
    late_fees: one.late_fees && other.late_fees,
    autopay: one.autopay && other.autopay,
    rate_cap: lowestRate(one.rate_cap, other.rate_cap),
    acceleration: one.acceleration && other.acceleration,
    charge_off: one.charge_off && other.charge_off,
    sale: one.sale && other.sale,
    credit_reporting: mergeReporting(one.credit_reporting, other.credit_reporting),
    statement: stricter(STATEMENTS, one.statement, other.statement),
  };
}

const stricter = <Value>(scale: readonly Value[], one: Value, other: Value): Value =>
  scale.indexOf(one) >= scale.indexOf(other) ? one : other;

function lowestRate(one: string | null, other: string | null) {
  if (one === null || other === null) return one ?? other;
  return new Big(other).lt(one) ? other : one;
}

function mergeReporting(one: Effects['credit_reporting'], other: Effects['credit_reporting']) {
  if (one === 'suppress' || other === 'suppress') return 'suppress';
  return one ?? other;
}
