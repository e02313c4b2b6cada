import type { z } from 'zod';
import { dictionary } from '../../../sql/dictionary.ts';
import { addMonths } from '../../dates.ts';
import { Invalid } from '../../errors.ts';
import { FACTS, type Facts, type FactsOf, type FactType } from './facts.ts';

/** Dates that may be in the future: deadlines, and what is arranged in advance. */
const MAY_BE_FUTURE: readonly string[] =
  'proof_of_claim_deadline response_deadline service_from service_to from to'.split(' ');

/** Pairs of dates, the earlier one first. */
const ORDER = dictionary<readonly (readonly [earlier: string, later: string])[]>({
  bankruptcy: [
    ['petition_date', 'plan_confirmation_date'],
    ['petition_date', 'discharge_date'],
    ['petition_date', 'dismissal_date'],
    ['petition_date', 'closing_date'],
    ['petition_date', 'codebtor_stay_lifted_date'],
    ['petition_date', 'proof_of_claim_deadline'],
    ['petition_date', 'proof_of_claim_filed_date'],
  ],
  servicemember: [
    ['service_from', 'service_to'],
    ['orders_received_date', 'service_from'],
  ],
  identity_theft: [
    ['report_received_date', 'bureaus_notified_date'],
    ['report_received_date', 'released_date'],
  ],
  cease_and_desist: [['received_date', 'withdrawn_date']],
  disaster: [['from', 'to']],
  protection: [['from', 'to']],
  dispute: disputeOrder(),
  credit_report_dispute: disputeOrder(),
  complaint: [
    ['received_date', 'response_deadline'],
    ['received_date', 'responded_date'],
    ['responded_date', 'final_response_date'],
  ],
});

function disputeOrder() {
  return [
    ['received_date', 'more_information_date'],
    ['received_date', 'acknowledged_date'],
    ['received_date', 'answered_date'],
  ] as const;
}

/** What a tenant decides about facts. */
export type FactRules = { today: string; protections: readonly string[] };

/**
 * Returns the facts of a case in their stored form: without nulls, and with the day on which they became known.
 * Throws Invalid, with fields such as `facts.petition_date`.
 */
export function checkFacts(type: FactType, given: unknown, rules: FactRules): Facts {
  const parsed = (FACTS[type] as z.ZodType<Facts>).safeParse(withoutNulls(given));
  if (!parsed.success) throw invalidFacts(parsed.error.issues);
  const facts = { ...parsed.data, known_date: parsed.data.known_date ?? rules.today };
  const problems = {
    ...findFutureDates(facts, rules.today),
    ...findFarDates(facts, rules.today),
    ...findWrongOrder(type, facts),
    ...findWrongEstimates(facts),
    ...(type === 'bankruptcy' ? findBankruptcyProblems(facts as FactsOf<'bankruptcy'>) : {}),
    ...findUnknownProtection(type, facts, rules.protections),
  };
  if (Object.keys(problems).length > 0) throw invalidFacts(toIssues(problems));
  return facts;
}

/** Null means the same as a missing fact, so that forms can send every field back. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutNulls(inner)]));
}

type Problems = Record<string, string>;
type Issue = { path: PropertyKey[]; message: string };

const toIssues = (problems: Problems): Issue[] =>
  Object.entries(problems).map(([name, message]) => ({ path: name.split('.'), message }));

const invalidFacts = (issues: readonly Issue[]) =>
  new Invalid(
    Object.fromEntries(
      issues.map(({ path, message }) => [['facts', ...path.map(String)].join('.'), message]),
    ),
  );

/** Every date of the facts with its path, also those in lists. */
function datesIn(value: object, path = ''): [path: string, date: string][] {
  return Object.entries(value).flatMap(([name, inner]): [string, string][] => {
    if (typeof inner === 'object' && inner !== null) return datesIn(inner, `${path}${name}.`);
    const isDay = typeof inner === 'string' && /^\d{4}-\d\d-\d\d$/.test(inner);
    return isDay ? [[path + name, inner]] : [];
  });
}

const findFutureDates = (facts: Facts, today: string): Problems =>
  Object.fromEntries(
    datesIn(facts)
      .filter(([path, day]) => day > today && !MAY_BE_FUTURE.includes(path))
      .map(([path]) => [path, `Must not be after the business date, ${today}.`]),
  );

/** Postgres and the calendar end after the year 9999, and some systems write 9999-12-31 for an open end. */
const findFarDates = (facts: Facts, today: string): Problems =>
  Object.fromEntries(
    datesIn(facts)
      .filter(([, day]) => day > addMonths(today, MONTHS_AHEAD_MAX))
      .map(([path]) => [path, 'Must be within 100 years. Omit it if no date is known.']),
  );
const MONTHS_AHEAD_MAX = 1_200;

function findWrongOrder(type: FactType, facts: Facts): Problems {
  const dates = new Map(datesIn(facts));
  const problems: Problems = {};
  for (const [earlier, later] of ORDER[type] ?? []) {
    const [first, second] = [dates.get(earlier), dates.get(later)];
    if (first && second && second < first) problems[later] = `Must not be before ${earlier}.`;
  }
  return problems;
}

function findWrongEstimates(facts: Facts): Problems {
  const dates = new Map(datesIn(facts));
  const unknown = (facts.estimated_dates ?? []).find((name) => !dates.has(name));
  return unknown === undefined ? {} : { estimated_dates: 'Names a date that is not given.' };
}

function findBankruptcyProblems(facts: FactsOf<'bankruptcy'>): Problems {
  const { petition_date, discharge_date, dismissal_date } = facts;
  const conversions = facts.conversions ?? [];
  const relief = facts.relief_from_stay ?? [];
  const reaffirmations = facts.reaffirmations ?? [];
  const isEarly = (day: string) => petition_date !== undefined && day < petition_date;
  const problems: Problems = {};
  if (!petition_date && !discharge_date && !dismissal_date)
    problems['petition_date'] =
      'Is required. If it is not confirmed, give the day on which you learned of it and name it in estimated_dates.';
  if (discharge_date && dismissal_date)
    problems['dismissal_date'] = 'Must be omitted if there is a discharge_date.';
  if (!petition_date && conversions.length > 0)
    problems['petition_date'] = 'Is required with conversions.';
  const listed = [
    ...conversions.map(({ date }, at) => [`conversions.${at}.date`, date] as const),
    ...relief.map(({ date }, at) => [`relief_from_stay.${at}.date`, date] as const),
    ...reaffirmations.map(
      (one, at) => [`reaffirmations.${at}.filed_date`, one.filed_date] as const,
    ),
  ];
  for (const [path, day] of listed) if (isEarly(day)) problems[path] = EARLY;
  for (const [at, { filed_date, rescinded_date }] of reaffirmations.entries()) {
    if (rescinded_date && rescinded_date < filed_date)
      problems[`reaffirmations.${at}.rescinded_date`] = 'Must not be before filed_date.';
  }
  for (const [at, { date }] of conversions.entries()) {
    const before = conversions[at - 1]?.date;
    if (before && date <= before)
      problems[`conversions.${at}.date`] = 'Must be after the conversion before it.';
  }
  const loans = [
    ['relief_from_stay', relief.map(({ loan_id }) => loan_id)],
    ['reaffirmations', reaffirmations.map(({ loan_id }) => loan_id ?? '')],
  ] as const;
  for (const [name, ids] of loans)
    if (new Set(ids).size < ids.length || (ids.length > 1 && ids.includes('')))
      problems[name] = 'Names a loan twice.';
  return problems;
}

const EARLY = 'Must not be before petition_date.';

function findUnknownProtection(
  type: FactType,
  facts: Facts,
  protections: readonly string[],
): Problems {
  if (type !== 'protection') return {};
  const { name } = facts as FactsOf<'protection'>;
  if (protections.includes(name)) return {};
  const known =
    protections.length > 0 ? `Must be one of ${protections.join(', ')}.` : 'Does not exist.';
  return { name: `${known} The setting cases.protections defines the names.` };
}
