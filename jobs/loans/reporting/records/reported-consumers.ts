import type { CoConsumer, LegalFacts } from '../../../../sql/loans/consumers.ts';
import type { CreditFacts } from '../../../../sql/loans/credit-facts.ts';
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
  const base = named.find(({ release_reason }) => release_reason === null);
  if (base === undefined) return { ...baseFields(obligors[0], []), co_consumers: [], isOver: true };
  const others = named.filter((who) => who !== base);
  return { ...baseFields(base, others), co_consumers: others.map(coConsumer), isOver: false };
}

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
  petition_date: base.petition_date,
});

/** A person's ECOA code (field 37): X is deceased, W is a business. */
const association = (who: Obligor, code: string) =>
  who.is_deceased ? 'X' : who.borrower_type === 'business' ? 'W' : code;

const isGuarantor = ({ role }: Obligor) => role === 'co_signer' || role === 'guarantor';

/** 2 joint borrower; 7 borrower with a cosigner or guarantor; 5 cosigner or guarantor; 1 individual. */
function baseCode(base: Obligor, others: readonly Obligor[]): string {
  if (isGuarantor(base)) return '5';
  const owing = others.filter(({ release_reason }) => release_reason === null);
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
