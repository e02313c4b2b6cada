import { newId } from '../../../sql/new-id.ts';
import { checkFacts } from '../../cases/rules/check-facts.ts';
import { hasFacts, isLegal, isPersonal } from '../../cases/rules/facts.ts';
import { Invalid } from '../../errors.ts';
import type { Settings } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';
import type { CheckedRow } from '../format/checks/check-book.ts';
import type { BookFileName, BookRow } from '../format/book-files.ts';
import { namesIn, translateFacts } from '../format/case-facts.ts';
import { readFacts } from './exported/own-records.ts';
import type { BookFinding } from './finding.ts';
import * as columns from './records/record-columns.ts';

type Check<Name extends BookFileName> = (
  work: Work,
  row: BookRow<Name>,
  settings: Pick<Settings, 'cases'>,
) => unknown;

/** The rules of the records that rows become, where they exceed the form of the file. */
const CHECKS: { [Name in BookFileName]?: Check<Name> } = {
  borrowers: (work, row) => {
    columns.borrowerColumns(work, row);
    if (row.ssn) columns.ssnColumns(work, '', row.ssn);
  },
  addresses: (work, row) => columns.addressColumns(work, '', row),
  emails: (work, row) => columns.emailColumns(work, '', row),
  phones: (work, row) => columns.phoneColumns(work, '', row),
  consents: (work, row) => columns.broughtConsentColumns(work, '', row),
  identities: (work, row) => columns.identityColumns(work, '', row),
  collateral: (work, row) => columns.collateralColumns(work, '', row),
  liens: (_work, row) => columns.broughtLienColumns('', row),
  valuations: (work, row) => columns.valuationColumns(work, '', row),
  autopay: (work, row) => columns.autopayColumns(work, row),
  cases: checkCase,
  records: (_work, row) => readFacts(row),
};

/** Whether rows of this file have rules of their own. */
export const hasRules = (file: BookFileName): boolean => CHECKS[file] !== undefined;

/** What the rules of its area refuse about a row. Reads and writes nothing. */
export function checkRecord(
  work: Work,
  { file, source, line, values, labelOf }: CheckedRow,
  settings: Pick<Settings, 'cases'>,
): BookFinding[] {
  const check = CHECKS[file] as Check<BookFileName> | undefined;
  try {
    check?.(work, values, settings);
    return [];
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    return Object.entries(error.errors).map(([column, reason]) => ({
      file: source,
      line,
      column: labelOf(column),
      code: 'refused',
      severity: 'error',
      reason,
    }));
  }
}

/** The facts of a case, with ids in place of the names of loans and people. */
function checkCase(
  { today }: Work,
  { case_type, facts, loan_number, status, resolution }: BookRow<'cases'>,
  { cases: { protections } }: Pick<Settings, 'cases'>,
) {
  if (isLegal(case_type) && !facts) throw new Invalid({ facts: 'Is required for this case_type.' });
  if (facts && !hasFacts(case_type))
    throw new Invalid({ facts: 'Must be omitted for this case_type.' });
  if (isPersonal(case_type) && loan_number)
    throw new Invalid({
      loan_number: 'Must be omitted for this case_type, which concerns all loans of the person.',
    });
  if ((status === 'resolved' || status === 'closed') && !resolution?.trim())
    throw new Invalid({ resolution: 'Is required for a case that is resolved or closed.' });
  if (!facts || !hasFacts(case_type)) return;
  const { loans, borrowers } = namesIn(facts);
  const ids = (names: readonly string[]) => new Map(names.map((name) => [name, newId()]));
  const translated = translateFacts(facts, { loans: ids(loans), people: ids(borrowers) });
  checkFacts(case_type, translated, { today, protections });
}
