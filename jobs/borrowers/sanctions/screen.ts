import { createHash } from 'node:crypto';
import { readEntries } from '../../../sql/borrowers/sanctions-list.ts';
import * as sanctions from '../../../sql/borrowers/sanctions.ts';
import type { ScreenedFacts } from '../../../sql/borrowers/sanctions.ts';
import type { Work } from '../../work.ts';
import { openReviewTasks } from './review-task.ts';
import { organizationForms, personForms } from './names.ts';
import type { ScreeningList, ScreeningProvider } from './provider.ts';
import type { Subject } from './subject.ts';

/**
 * Screens borrowers whose names or list have changed since their last screening, and opens a task for each
 * borrower with a new possible match. Returns the list; null if there is none.
 */
export async function screenBorrowers(
  work: Work,
  provider: ScreeningProvider,
  borrowerIds: readonly string[],
): Promise<ScreeningList | null> {
  const { tx } = work;
  const list = await provider.findList(tx);
  if (list === null) return null;
  const standings = await sanctions.readStandings(tx, borrowerIds, list.id);
  const due = standings.filter(({ is_screened }) => !is_screened);
  if (due.length > 0)
    await screenAgain(
      work,
      provider,
      list,
      due.map(({ borrower_id }) => borrower_id),
    );
  return list;
}

async function screenAgain(
  work: Work,
  provider: ScreeningProvider,
  list: ScreeningList,
  ids: readonly string[],
) {
  const { tx } = work;
  const facts = await sanctions.readScreenedFacts(tx, ids);
  const previous = new Map(
    (await sanctions.readPreviousScreenings(tx, ids)).map((one) => [keyOf(one), one.list_id]),
  );
  const subjects = facts.flatMap((one) =>
    subjectsOf(one).map((subject) => ({
      ...subject,
      subject_key: hashSubject(subject),
      facts_hash: one.facts_hash,
    })),
  );
  const written = await sanctions.writeScreenings(
    tx,
    subjects.map(({ forms: _, ...screening }) => screening),
    list,
  );
  const screeningIds = new Map(written.map((one) => [keyOf(one), one.id]));
  const hits: Omit<sanctions.NewHit, 'entry'>[] = [];
  const bySince = Map.groupBy(subjects, (subject) => previous.get(keyOf(subject)) ?? null);
  for (const [since, group] of bySince) {
    for (const match of await provider.findMatches(tx, group, since)) {
      const { subject: at, score, ...found } = match;
      const subject = group[at];
      const screening_id = subject && screeningIds.get(keyOf(subject));
      if (subject === undefined || screening_id === undefined) continue;
      hits.push({
        ...found,
        borrower_id: subject.borrower_id,
        screening_id,
        score: score.toFixed(3),
        list_published_on: list.published_on,
      });
    }
  }
  if (hits.length === 0) return;
  const entries = await readEntries(tx, [...new Set(hits.map(({ entry_number }) => entry_number))]);
  const published = new Map(entries.map(({ entry_number, entry }) => [entry_number, entry]));
  const added = await sanctions.insertHits(
    tx,
    hits.map((hit) => ({ ...hit, entry: published.get(hit.entry_number) ?? {} })),
  );
  await openReviewTasks(
    work,
    added.map(({ borrower_id }) => borrower_id),
  );
}

/**
 * The names of a borrower that are screened: a person's name, or a business's legal and trade name with its
 * beneficial owners.
 */
function subjectsOf(facts: ScreenedFacts): Subject[] {
  const { borrower_id, borrower_type, first_name, middle_name, last_name, date_of_birth } = facts;
  const asPerson = (given: string, family: string, born: string | null): Subject => ({
    borrower_id,
    subject_type: 'person',
    screened_name: `${given} ${family}`,
    forms: personForms(given, family),
    date_of_birth: born,
  });
  const given = [first_name, middle_name].filter(Boolean).join(' ');
  if (borrower_type !== 'business') return [asPerson(given, last_name, date_of_birth)];
  const names = [facts.legal_name, facts.dba_name].filter((name) => name !== null);
  const businessNames = names.length > 0 ? names : [`${given} ${last_name}`];
  const organizations = businessNames.map((name): Subject => {
    const forms = organizationForms(name);
    return {
      borrower_id,
      subject_type: 'organization',
      screened_name: name,
      forms,
      date_of_birth: null,
    };
  });
  const owners = facts.beneficial_owners.map((owner) =>
    asPerson(owner.first_name, owner.last_name, null),
  );
  return uniqueSubjects([...organizations, ...owners]);
}

const uniqueSubjects = (subjects: readonly Subject[]): Subject[] => [
  ...new Map(subjects.map((subject) => [hashSubject(subject), subject])).values(),
];

const hashSubject = ({ subject_type, screened_name, date_of_birth }: Subject) =>
  createHash('sha256')
    .update(JSON.stringify([subject_type, screened_name, date_of_birth]))
    .digest('hex');

const keyOf = ({ borrower_id, subject_key }: { borrower_id: string; subject_key: string }) =>
  `${borrower_id} ${subject_key}`;
