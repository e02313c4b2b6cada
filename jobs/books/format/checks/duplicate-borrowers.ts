import { createHash } from 'node:crypto';
import type { BookRow } from '../book-files.ts';
import type { Issue } from './issue.ts';
import { hashOf } from './key-set.ts';
import { createKeyTable } from './key-table.ts';

type Person = {
  borrower_external_id: string;
  first_name: string;
  last_name: string;
  ssn: string | undefined;
  date_of_birth: string | undefined;
};

const plain = (name: string) => name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();

/** Personal numbers are compared by a digest, so that a dump of the memory does not list them. */
const digestOf = (text: string) => createHash('sha256').update(text).digest('base64').slice(0, 16);

/**
 * Finds people who have two ids: the same social security number, or the same name and birthday. Nobody is matched by
 * that: the lender decides.
 */
export function createDuplicateFinder() {
  const seen = createKeyTable('line', 'id');
  const findOther = (mark: string, { borrower_external_id: id }: Person, line: number) => {
    const known = seen.find(mark);
    if (known === undefined) seen.add(mark, { line, id: hashOf(id) });
    return known !== undefined && known.id !== hashOf(id) ? known.line : null;
  };
  return (person: Person, line: number, columns: { ssn: string; name: string }): Issue[] => {
    const { ssn, date_of_birth, first_name, last_name } = person;
    const bySsn = ssn === undefined ? null : findOther(digestOf(ssn), person, line);
    const name = `${plain(first_name)} ${plain(last_name)} ${date_of_birth ?? ''}`;
    const byName = date_of_birth === undefined ? null : findOther(name, person, line);
    if (bySsn !== null)
      return [duplicate(columns.ssn, `Has the same number as the borrower on line ${bySsn}.`)];
    return byName === null
      ? []
      : [duplicate(columns.name, `Has the name and birthday of the borrower on line ${byName}.`)];
  };
}

const duplicate = (column: string, reason: string): Issue => ({
  column,
  code: 'duplicate_borrower',
  reason: `${reason} If it is the same person, give both the same id.`,
});

/**
 * Compares the borrowers of a book in the short form, in which each line of loans.csv describes its borrower: all lines
 * with one id must describe the same person.
 */
export function createShortBorrowers() {
  const seen = createKeyTable('line', 'mark');
  return (row: BookRow<'loans'>, line: number): { person: Person | null; issues: Issue[] } => {
    const { borrower_first_name: first_name, borrower_last_name: last_name } = row;
    if (first_name === undefined || last_name === undefined) return { person: null, issues: [] };
    const { borrower_external_id, borrower_ssn: ssn, borrower_date_of_birth: date_of_birth } = row;
    const mark = hashOf(digestOf(JSON.stringify([first_name, last_name, ssn, date_of_birth])));
    const known = seen.find(borrower_external_id);
    if (known === undefined) {
      seen.add(borrower_external_id, { line, mark });
      return {
        person: { borrower_external_id, first_name, last_name, ssn, date_of_birth },
        issues: [],
      };
    }
    if (known.mark === mark) return { person: null, issues: [] };
    const reason = `Has another name, number or birthday than on line ${known.line}. Give different people different ids, or correct the line.`;
    return {
      person: null,
      issues: [{ column: 'borrower_external_id', code: 'borrower_differs', reason }],
    };
  };
}
