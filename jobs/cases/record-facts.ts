import { isDeepStrictEqual } from 'node:util';
import { findOpenCaseOfType } from '../../sql/cases/cases.ts';
import { listConditionsOfCase, replaceConditions } from '../../sql/cases/conditions.ts';
import { findCurrentFacts } from '../../sql/cases/facts.ts';
import { listLoansOwedBy } from '../../sql/loans/co-borrowers.ts';
import { findKnownRecords } from '../../sql/loans/legal-conditions.ts';
import type { Row } from '../../sql/table.ts';
import { insert } from '../../sql/write.ts';
import { Invalid } from '../errors.ts';
import { settingsOf } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';
import { conditionsChanged } from './conditions-changed.ts';
import { checkFacts } from './rules/check-facts.ts';
import { deriveConditions, peopleOf } from './rules/conditions.ts';
import { deadlinesOf, type Deadline } from './rules/deadlines.ts';
import { hasFacts, type Facts, type FactsOf, type FactType } from './rules/facts.ts';
import { syncDeadlineTasks } from './tasks.ts';

/** A case whose facts have a form. Its borrower must be locked. */
export type FactualCase = {
  id: string;
  case_number: string;
  case_type: FactType;
  borrower_id: string;
  loan_id: string | null;
  assigned_to: string | null;
  is_closed: boolean;
};

/**
 * Records the facts of a case, or corrects them, with everything that follows: the legal conditions, the tasks before
 * deadlines, and the loans. Does nothing if the facts are the same. Throws Invalid.
 */
export async function recordFacts(
  work: Work,
  about: FactualCase,
  given: object,
  reason: string | null = null,
) {
  const { tx, today, actor } = work;
  const before = await findCurrentFacts(tx, about.id);
  const { cases } = await settingsOf(tx);
  const known_date = before?.facts['known_date'];
  const rules = { today, protections: cases.protections };
  const facts = checkFacts(about.case_type, { known_date, ...given }, rules);
  if (before !== null && isDeepStrictEqual(before.facts, facts)) return;
  await assertKnownRecords(work, about, facts);
  if (!about.is_closed) await assertOnlyCaseOfEach(work, about, facts);
  await insert(tx, 'case_facts', {
    case_id: about.id,
    borrower_id: about.borrower_id,
    version: (before?.version ?? 0) + 1,
    facts,
    reason,
    changed_by: actor.type === 'user' ? actor.id : null,
  });
  const old = (before?.facts ?? null) as Facts | null;
  await syncDeadlineTasks(work, about, old, about.is_closed ? null : facts);
  await applyConditions(work, about, facts);
}

/** Cancels the tasks that follow from the facts of a case that is closed. */
export async function cancelReminders(work: Work, about: FactualCase) {
  const before = await findCurrentFacts(work.tx, about.id);
  await syncDeadlineTasks(work, about, before?.facts ?? null, null);
}

/** Removes what follows from the facts of a case that was opened in error. The facts stay as evidence. */
export async function withdrawFacts(work: Work, about: FactualCase) {
  await cancelReminders(work, about);
  await applyConditions(work, about, null);
}

/** The deadlines of a case that are not met yet. */
export function deadlinesOfCase(row: Row): Deadline[] {
  const type = String(row['case_type']);
  const facts = row['facts'] as Facts | null;
  if (facts === null || !hasFacts(type)) return [];
  return row['status'] === 'closed' ? [] : deadlinesOf(type, facts);
}

async function applyConditions(work: Work, about: FactualCase, facts: Facts | null) {
  const { tx } = work;
  const { id, case_type, borrower_id } = about;
  const before = await listConditionsOfCase(tx, id);
  const people = facts === null ? [] : peopleOf(borrower_id, case_type, facts);
  const dated = facts === null ? [] : deriveConditions(case_type, facts);
  const after = people.flatMap((person) =>
    dated.map(({ from, until, loan_id, ...condition }) => ({
      ...condition,
      case_id: id,
      borrower_id: person,
      loan_id: loan_id ?? about.loan_id,
      from_date: from,
      until_date: until,
    })),
  );
  if (before.length === 0 && after.length === 0) return;
  await replaceConditions(tx, id, after);
  const concerned = new Set([...before, ...after].map((condition) => condition.borrower_id));
  const loanIds: string[] = [];
  for (const person of concerned) {
    const owed = await listLoansOwedBy(tx, person);
    loanIds.push(...owed.map(({ loan_id }) => loan_id));
  }
  const isConcerned = (loanId: string) => about.loan_id === null || about.loan_id === loanId;
  await conditionsChanged(work, loanIds.filter(isConcerned));
}

/** Throws Invalid if the joint debtor has an open case of the type, which would contradict this one. */
async function assertOnlyCaseOfEach({ tx }: Work, about: FactualCase, facts: Facts) {
  for (const person of peopleOf(about.borrower_id, about.case_type, facts)) {
    if (person === about.borrower_id) continue;
    const other = await findOpenCaseOfType(tx, person, about.case_type, about.id);
    if (other === null) continue;
    throw new Invalid({
      'facts.joint_debtor_id': `Has an open case of this type: ${other.case_number}. Close it first.`,
    });
  }
}

/** Throws Invalid if the facts name a loan, borrower or representative that the case cannot be about. */
async function assertKnownRecords(work: Work, about: FactualCase, facts: Facts) {
  const people = peopleOf(about.borrower_id, about.case_type, facts);
  const references = referencesIn(about.case_type, facts);
  const known = await findKnownRecords(work.tx, people, {
    loan_ids: references.loans.map(([, id]) => id),
    representative_ids: references.representatives.map(([, id]) => id),
  });
  const unknown = [
    ...references.loans.filter(([, id]) => !known.loan_ids.includes(id)),
    ...references.representatives.filter(([, id]) => !known.representative_ids.includes(id)),
    ...people
      .filter((id) => id !== about.borrower_id && !known.borrower_ids.includes(id))
      .map((id) => ['joint_debtor_id', id] as const),
  ];
  if (unknown.length === 0) return;
  throw new Invalid(
    Object.fromEntries(unknown.map(([path]) => [`facts.${path}`, 'Does not exist.'])),
  );
}

type Reference = readonly [path: string, id: string];

function referencesIn(type: FactType, facts: Facts) {
  const loans: Reference[] = [];
  const representatives: Reference[] = [];
  if (type === 'bankruptcy') {
    const { relief_from_stay, reaffirmations, excepted_loan_ids, attorney_id, trustee_id } =
      facts as FactsOf<'bankruptcy'>;
    for (const [at, { loan_id }] of (relief_from_stay ?? []).entries())
      loans.push([`relief_from_stay.${at}.loan_id`, loan_id]);
    for (const [at, { loan_id }] of (reaffirmations ?? []).entries())
      if (loan_id) loans.push([`reaffirmations.${at}.loan_id`, loan_id]);
    for (const loan_id of excepted_loan_ids ?? []) loans.push(['excepted_loan_ids', loan_id]);
    if (attorney_id) representatives.push(['attorney_id', attorney_id]);
    if (trustee_id) representatives.push(['trustee_id', trustee_id]);
  }
  if (type === 'servicemember')
    for (const loan_id of (facts as FactsOf<'servicemember'>).mortgage_loan_ids ?? [])
      loans.push(['mortgage_loan_ids', loan_id]);
  if (type === 'deceased' || type === 'attorney_representation') {
    const { representative_id } = facts as FactsOf<'deceased'>;
    if (representative_id) representatives.push(['representative_id', representative_id]);
  }
  return { loans, representatives };
}
