import { findCandidates } from '../../../sql/borrowers/sanctions-list.ts';
import type { Transaction } from '../../../sql/database/db.ts';
import { listedForms } from './names.ts';
import { REVIEW_SCORE, scoreMatch } from './score.ts';
import type { Match, Subject } from './subject.ts';

/**
 * Matches with the imported list: Postgres finds similar names by their groups of three letters, and
 * `scoreMatch` decides. Returns the best matching name of each entry.
 */
export async function findListedMatches(
  tx: Transaction,
  subjects: readonly Subject[],
  since: string | null,
): Promise<Match[]> {
  const searched = subjects.flatMap(({ subject_type, forms }, subject) =>
    forms.map((words) => ({ subject, subject_type, words })),
  );
  const best = new Map<string, Match>();
  for (const candidate of await findCandidates(tx, searched, since)) {
    const subject = subjects[candidate.subject];
    if (subject === undefined) continue;
    const { score, date_of_birth_match } = scoreMatch(subject, {
      forms: listedForms(subject.subject_type, candidate.name),
      birth_dates: candidate.birth_dates,
    });
    if (score < REVIEW_SCORE) continue;
    const { entry_number, name: listed_name } = candidate;
    const key = `${candidate.subject} ${entry_number}`;
    const known = best.get(key);
    const isBetter =
      known === undefined ||
      score > known.score ||
      // Equal scores must not depend on the order of rows, or a cleared match would come back.
      (score === known.score && listed_name < known.listed_name);
    const match = { subject: candidate.subject, entry_number, listed_name };
    if (isBetter) best.set(key, { ...match, score, date_of_birth_match });
  }
  return [...best.values()];
}
