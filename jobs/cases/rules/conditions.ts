import { addDays, addMonths, earliest, latest } from '../../dates.ts';
import { CHAPTERS, type Chapter, type Facts, type FactsOf, type FactType } from './facts.ts';

/**
 * The conditions that the platform knows, in the order of their weight for credit reporting. A condition is what is
 * legally in force for a person from one day until another.
 */
export const CONDITIONS = [
  ...CHAPTERS.map((chapter) => `stay_${chapter}` as const),
  'reaffirmation_rescinded',
  ...CHAPTERS.map((chapter) => `discharged_${chapter}` as const),
  'reaffirmed',
  ...CHAPTERS.map((chapter) => `dismissed_${chapter}` as const),
  ...(['codebtor_stay', 'identity_theft_block', 'deceased', 'cease_and_desist'] as const),
  ...(['active_duty', 'rate_cap', 'disaster'] as const),
] as const;
export type KnownCondition = (typeof CONDITIONS)[number];
/** A protection that the tenant defines. */
export type Protection = `protection:${string}`;
export type Condition = KnownCondition | Protection;

/** What a condition is about, in one word for staff and for lists. In the order of their weight. */
export const CONDITION_KINDS = [
  ...(['deceased', 'bankruptcy', 'identity_theft', 'cease_and_desist'] as const),
  ...(['active_duty', 'disaster', 'protection'] as const),
] as const;
export type ConditionKind = (typeof CONDITION_KINDS)[number];

/** What a condition is about. */
export function kindOf(condition: Condition): ConditionKind {
  if (condition.startsWith('protection:')) return 'protection';
  switch (condition) {
    case 'deceased':
    case 'cease_and_desist':
    case 'active_duty':
    case 'disaster':
      return condition;
    case 'identity_theft_block':
      return 'identity_theft';
    case 'rate_cap':
      return 'active_duty';
    default:
      return 'bankruptcy';
  }
}

/** After a dismissal or a reaffirmation, the loan is serviced as before the petition. */
export const restoresRights = (condition: Condition) => /^(dismissed_|reaffirmed$)/.test(condition);

/** Conditions that end by facts only, so that a case is not closed while one of them has no end. */
const TEMPORARY = /^(stay_|codebtor_stay$|active_duty$|rate_cap$|disaster$|protection:)/;
/** Whether the condition may continue after the case was closed, such as a discharge. */
export const lastsBeyondCase = (condition: string) => !TEMPORARY.test(condition);

/** A condition of the people of a case. Dates are days; `until` is the first day on which it no longer applies. */
export type DatedCondition = {
  condition: Condition;
  from: string;
  until: string | null;
  /** Null: all loans that the person owes, except the following. */
  loan_id: string | null;
  except_loan_ids: string[];
  /** The condition is only about loans made on or before this day. Null: no limit. */
  incurred_through: string | null;
};

/** The conditions that follow from the facts of a case. Pure. Types without an effect of their own have none. */
export function deriveConditions(type: FactType, facts: Facts): DatedCondition[] {
  switch (type) {
    case 'bankruptcy':
      return bankruptcy(facts as FactsOf<'bankruptcy'>);
    case 'servicemember':
      return servicemember(facts as FactsOf<'servicemember'>);
    case 'deceased':
      return during('deceased', (facts as FactsOf<'deceased'>).date_of_death);
    case 'identity_theft': {
      const { report_received_date, released_date } = facts as FactsOf<'identity_theft'>;
      return during('identity_theft_block', report_received_date, released_date);
    }
    case 'cease_and_desist': {
      const { received_date, withdrawn_date } = facts as FactsOf<'cease_and_desist'>;
      return during('cease_and_desist', received_date, withdrawn_date);
    }
    case 'disaster': {
      const { from, to } = facts as FactsOf<'disaster'>;
      return during('disaster', from, dayAfter(to));
    }
    case 'protection': {
      const { name, from, to } = facts as FactsOf<'protection'>;
      return during(`protection:${name}`, from, dayAfter(to));
    }
    // Deadlines only. The legal representative decides about contacts with a represented borrower.
    case 'attorney_representation':
    case 'dispute':
    case 'credit_report_dispute':
    case 'complaint':
      return [];
  }
}

/** The borrowers whom the conditions of a case concern. */
export function peopleOf(borrowerId: string, type: FactType, facts: Facts): string[] {
  if (type !== 'bankruptcy') return [borrowerId];
  const { joint_debtor_id } = facts as FactsOf<'bankruptcy'>;
  return [...new Set([borrowerId, joint_debtor_id ?? borrowerId])];
}

const dayAfter = (date: string | undefined) => (date === undefined ? undefined : addDays(date, 1));

type Scope = Partial<Pick<DatedCondition, 'loan_id' | 'except_loan_ids' | 'incurred_through'>>;

/** One condition, or none if it has not begun or ends on the day on which it would begin. */
function during(
  condition: Condition,
  from: string | null | undefined,
  until?: string | null,
  scope: Scope = {},
): DatedCondition[] {
  if (!from || (until && until <= from)) return [];
  const all = { loan_id: null, except_loan_ids: [], incurred_through: null };
  return [{ condition, from, until: until ?? null, ...all, ...scope }];
}

/** 11 USC 362(c)(2): the stay of acts against the debtor ends with the discharge, dismissal or closing. */
function bankruptcy(facts: FactsOf<'bankruptcy'>): DatedCondition[] {
  const { discharge_date, dismissal_date, closing_date } = facts;
  const end = earliestOf(discharge_date, dismissal_date, closing_date);
  const periods = chapterPeriods(facts);
  const last = periods.at(-1)?.chapter ?? facts.chapter;
  // Debts from before the order for relief (11 USC 727(b), 1141(d)(1)(A)). An estimated date limits nothing.
  const incurred_through = confirmed(facts, 'petition_date') ?? confirmed(facts, 'discharge_date');
  const limit = { incurred_through };
  const relief = facts.relief_from_stay ?? [];
  const stays = periods.flatMap(({ chapter, from, until }) =>
    stayOf(relief, `stay_${chapter}`, from, earliestOf(until, end), limit),
  );
  // 11 USC 1201(a) and 1301(a): the discharge of the debtor leaves it in force until the case is closed, and relief from
  // the stay for the debtor leaves it in force unless the order says otherwise.
  const ofOthers = relief.filter(({ includes_codebtors }) => includes_codebtors);
  const others = periods
    .filter(({ chapter }) => chapter === '12' || chapter === '13')
    .flatMap(({ from, until }) => {
      const lifted = facts.codebtor_stay_lifted_date;
      const ends = earliestOf(until, dismissal_date, closing_date, lifted);
      return stayOf(ofOthers, 'codebtor_stay', from, ends, limit);
    });
  return [
    ...stays,
    ...others,
    ...discharge(facts, last, limit),
    ...during(`dismissed_${last}`, dismissal_date, null, limit),
  ];
}

/** The chapters of a petition, one after the other. */
function chapterPeriods({ chapter, petition_date, conversions = [] }: FactsOf<'bankruptcy'>) {
  if (!petition_date) return [];
  const begins = [{ chapter, date: petition_date }, ...conversions];
  return begins.map((one, at) => ({
    chapter: one.chapter,
    from: one.date,
    until: begins[at + 1]?.date ?? null,
  }));
}

/** The stay for all loans, and its shorter part for loans from which the court lifted it (11 USC 362(d)). */
function stayOf(
  relief: NonNullable<FactsOf<'bankruptcy'>['relief_from_stay']>,
  condition: Condition,
  from: string,
  until: string | null,
  limit: Scope,
): DatedCondition[] {
  const except_loan_ids = relief.map(({ loan_id }) => loan_id);
  return [
    ...during(condition, from, until, { ...limit, except_loan_ids }),
    ...relief.flatMap(({ loan_id, date }) =>
      during(condition, from, earliestOf(until, date), { ...limit, loan_id }),
    ),
  ];
}

/** A reaffirmed debt survives the discharge, until the debtor rescinds the agreement (11 USC 524(c)). */
function discharge(
  { discharge_date, reaffirmations = [], excepted_loan_ids = [] }: FactsOf<'bankruptcy'>,
  chapter: Chapter,
  limit: Scope,
): DatedCondition[] {
  if (!discharge_date) return [];
  const discharged = `discharged_${chapter}` as const;
  const reaffirmed = reaffirmations.map(({ loan_id }) => loan_id ?? null);
  const except_loan_ids = [...excepted_loan_ids, ...reaffirmed.filter((id) => id !== null)];
  const rest = reaffirmed.includes(null)
    ? []
    : during(discharged, discharge_date, null, { ...limit, except_loan_ids });
  const own = reaffirmations.flatMap(({ loan_id = null, filed_date, rescinded_date }) => {
    const scope = {
      ...limit,
      loan_id,
      ...(loan_id === null && { except_loan_ids: excepted_loan_ids }),
    };
    const from = latest(discharge_date, filed_date);
    if (!rescinded_date) return during('reaffirmed', from, null, scope);
    const ends = latest(discharge_date, rescinded_date);
    return [
      ...during('reaffirmed', from, ends, scope),
      ...during(discharged, ends, null, scope),
      ...during('reaffirmation_rescinded', ends, null, scope),
    ];
  });
  return [...rest, ...own];
}

/**
 * 50 USC 3937(a)(1): debts from before the service, from the day on which the servicemember is called to it, until it
 * ends; for mortgages until one year later.
 */
function servicemember(facts: FactsOf<'servicemember'>): DatedCondition[] {
  const { service_from, service_to, orders_received_date, mortgage_loan_ids = [] } = facts;
  const from = earliest(service_from, orders_received_date ?? service_from);
  const until = dayAfter(service_to);
  const untilOfMortgage = service_to && dayAfter(addMonths(service_to, 12));
  const incurred_through = confirmed(facts, 'service_from') && from;
  const protect = (condition: Condition) => [
    ...during(condition, from, until, { incurred_through, except_loan_ids: mortgage_loan_ids }),
    ...mortgage_loan_ids.flatMap((loan_id) =>
      during(condition, from, untilOfMortgage, { incurred_through, loan_id }),
    ),
  ];
  const isCapped = facts.is_rate_capped ?? true;
  return [...protect('active_duty'), ...(isCapped ? protect('rate_cap') : [])];
}

const earliestOf = (...dates: (string | null | undefined)[]): string | null =>
  dates.reduce<string | null>((first, date) => {
    if (!date) return first;
    return first === null ? date : earliest(first, date);
  }, null);

/** The date, unless it is missing or only estimated. */
function confirmed<Name extends string>(
  facts: { estimated_dates?: string[] | undefined } & { [Key in Name]?: string | undefined },
  name: Name,
): string | null {
  return facts.estimated_dates?.includes(name) ? null : (facts[name] ?? null);
}
