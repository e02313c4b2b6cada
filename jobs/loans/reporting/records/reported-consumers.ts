import type { CoConsumer, LegalFacts } from '../../../../sql/loans/reporting/consumers.ts';
import type { CreditFacts } from '../../../../sql/loans/reporting/credit-facts.ts';
import type { Condition } from '../../../cases/rules/conditions.ts';
import { effectsInForce, effectsOf, type EffectOverrides } from '../../../cases/rules/effects.ts';
import { latest } from '../../../dates.ts';

/** A person who owes the loan, in the order in which one of them is named in the base segment. */
type Obligor = Pick<
  CoConsumer,
  'borrower_id' | 'borrower_type' | 'is_deceased' | 'was_reported_deceased' | 'consumer'
> & { role: string; release_reason: string | null } & Reported;

/**
 * The people named in the record. A deceased person is reported once, with ECOA code X. Afterwards the next
 * living obligor is in the base segment, and an account without one is no longer reported (Credit Reporting
 * Resource Guide, FAQ 19, as published at m2reporterhelp.weebly.com).
 */
export function reportedConsumers(facts: CreditFacts) {
  const obligors = obligorsOf(facts);
  const named = obligors.filter((who) => !wasReported(who));
  const base = named.find(isOwing);
  const isDischarged = obligors.filter(isOwing).every(hasDischarge);
  if (base === undefined)
    return {
      ...baseFields(obligors[0], []),
      co_consumers: [],
      petition_date: petitionOf([obligors[0]]),
      isOver: true,
      isDischarged,
    };
  const others = named.filter((who) => who !== base);
  return {
    ...baseFields(base, others),
    co_consumers: others.map(coConsumer),
    petition_date: petitionOf([base, ...others.filter(isOwing)]),
    isOver: false,
    isDischarged,
  };
}

/** Indicators for which a current account has the date of the petition (field 25, rule 3). */
const WITH_PETITION = /^([A-HVZ]|1A)$/;

/** The petition of the person in the base segment; if there is none, the earliest of the others. */
function petitionOf(people: readonly Obligor[]): string | null {
  const [of_base, ...of_others] = people.map(({ indicator, petition_date }) =>
    WITH_PETITION.test(indicator ?? '') ? petition_date : null,
  );
  return of_base ?? of_others.filter((date) => date !== null).toSorted()[0] ?? null;
}

const isOwing = ({ release_reason }: Obligor) => release_reason === null;
/** E to H: discharged, or the plan is completed (field 38). */
const hasDischarge = ({ indicator }: Obligor) => /^[E-H]$/.test(indicator ?? '');

const wasReported = ({ is_deceased, was_reported_deceased }: Obligor) =>
  is_deceased && was_reported_deceased;

const obligorsOf = (facts: CreditFacts): [Obligor, ...Obligor[]] => [
  {
    ...facts,
    role: 'borrower',
    release_reason: null,
    ...reportedOf(facts.legal),
  },
  ...facts.co_consumers.map((who) => ({ ...who, ...reportedOf(who.legal) })),
];

const baseFields = (base: Obligor, others: readonly Obligor[]) => ({
  consumer: { ...base.consumer, borrower_id: base.borrower_id },
  ecoa_code: association(base, baseCode(base, others)),
  consumer_information_indicator: base.indicator,
});

/** A person's ECOA code (field 37): X is deceased, W is a business. */
const association = (who: Obligor, code: string) =>
  who.is_deceased ? 'X' : who.borrower_type === 'business' ? 'W' : code;

const isGuarantor = ({ role }: Obligor) => role === 'co_signer' || role === 'guarantor';

/** 2 joint borrower; 7 borrower with a cosigner or guarantor; 5 cosigner or guarantor; 1 individual. */
function baseCode(base: Obligor, others: readonly Obligor[]): string {
  if (isGuarantor(base)) return '5';
  const owing = others.filter(isOwing);
  if (owing.some((who) => !isGuarantor(who))) return '2';
  return owing.length > 0 ? '7' : '1';
}

/**
 * A co-borrower (2) or guarantor (5). A released person is reported one last time as T, or as Z if entered in
 * error.
 */
function coConsumer(who: Obligor) {
  const { consumer, borrower_id, release_reason, indicator } = who;
  const over = release_reason === 'entered_in_error' ? 'Z' : 'T';
  return {
    ...consumer,
    borrower_id,
    ecoa_code: release_reason === null ? association(who, isGuarantor(who) ? '5' : '2') : over,
    consumer_information_indicator: indicator,
  };
}

/** The consumer information indicator of a person (field 38), and the petition to which it refers. */
type Reported = { indicator: string | null; petition_date: string | null };

/** What the conditions of a person report, by the table of effects. */
function reportedOf(legal: LegalFacts | null): Reported {
  if (legal === null) return { indicator: null, petition_date: null };
  const settings = { cases: { effects: (legal.effects ?? {}) as EffectOverrides } };
  const conditions = legal.conditions.map(({ condition }) => condition as Condition);
  const { credit_reporting } = effectsInForce(conditions, settings);
  if (credit_reporting === null || credit_reporting === 'suppress')
    return { indicator: null, petition_date: null };
  // A person may have an older petition, whose discharge is no longer what is reported.
  const petitions = legal.conditions
    .filter(
      ({ condition }) =>
        effectsOf(condition as Condition, settings).credit_reporting === credit_reporting,
    )
    .flatMap(({ petition_date }) => petition_date ?? []);
  return {
    indicator: credit_reporting,
    petition_date:
      petitions.length === 0 ? null : petitions.reduce((one, other) => latest(one, other)),
  };
}
