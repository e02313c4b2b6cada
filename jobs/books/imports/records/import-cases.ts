import * as staged from '../../../../sql/books/import-rows.ts';
import * as records from '../../../../sql/books/import-records.ts';
import type { ImportRow } from '../../../../sql/books/imports.ts';
import { cases as caseTable } from '../../../../sql/cases/cases.ts';
import { find } from '../../../../sql/table.ts';
import { addCase, changeCase } from '../../../cases/cases.ts';
import { Conflict, Invalid } from '../../../errors.ts';
import type { Work } from '../../../work.ts';
import type { BookRow } from '../../format/book-files.ts';
import { ChunkRefused } from '../chunk-refused.ts';
import { findImportedBorrowers } from './import-borrowers.ts';
import { namesIn, translateFacts } from '../../format/case-facts.ts';
import { borrowerKey, openRow, type Placed } from '../staged-rows.ts';

/**
 * Opens the cases of people whose loans were just boarded, so that no loan is served without its protection. A case that
 * names a loan or a person who follows later is left for then.
 */
export async function importCasesOf(work: Work, row: ImportRow, externalIds: readonly string[]) {
  const keys = [...new Set(externalIds)].map(borrowerKey);
  const waiting = await staged.listWaitingCaseRows(work.tx, row.id, keys);
  if (waiting.length > 0) await importCases(work, row, waiting, { leaves_incomplete: true });
}

/** Opens cases with their facts, so that their legal conditions reach every loan of the person. */
export async function importCases(
  work: Work,
  row: ImportRow,
  rows: readonly staged.StagedRow[],
  { leaves_incomplete = false } = {},
) {
  const placed = rows.map((one): Placed<'cases'> => ({
    source: one.source,
    line: one.line,
    values: openRow<'cases'>(work, one),
  }));
  const named = placed.map(({ values }) => namesIn(values.facts ?? {}));
  const loans = new Map(
    (
      await staged.findBoardedLoans(work.tx, row.id, [
        ...placed.flatMap(({ values }) => values.loan_number ?? []),
        ...named.flatMap((one) => one.loans),
      ])
    ).map(({ loan_number, loan_id }) => [loan_number, loan_id]),
  );
  const people = await findImportedBorrowers(work, row.id, [
    ...placed.map(({ values }) => values.borrower_external_id),
    ...named.flatMap((one) => one.borrowers),
  ]);
  const isComplete = ({ loan_number }: BookRow<'cases'>, names: ReturnType<typeof namesIn>) =>
    (loan_number === undefined || loans.has(loan_number)) &&
    names.loans.every((name) => loans.has(name)) &&
    names.borrowers.every((name) => people.has(name));
  for (const [at, { source, line, values }] of placed.entries()) {
    const names = named[at] ?? { loans: [], borrowers: [] };
    if (leaves_incomplete && !isComplete(values, names)) continue;
    const record_id = await importCase(work, values, { loans, people }).catch((error: unknown) => {
      if (!(error instanceof Invalid) && !(error instanceof Conflict)) throw error;
      const [[column, reason] = [null, error.message]] =
        error instanceof Invalid ? Object.entries(error.errors) : [];
      throw new ChunkRefused([
        { file: source, line, column, code: 'refused', severity: 'error', reason },
      ]);
    });
    const added = [{ file: 'cases', key: values.case_id, record_id }];
    await records.addImportedRecords(work.tx, row.id, added);
  }
}

type Ids = { loans: ReadonlyMap<string, string>; people: ReadonlyMap<string, string> };

async function importCase(work: Work, row: BookRow<'cases'>, { loans, people }: Ids) {
  const { case_type, subject, status = 'open', resolution } = row;
  const borrower_id = people.get(row.borrower_external_id);
  if (borrower_id === undefined) throw new Invalid({ borrower_external_id: 'Does not exist.' });
  const loan_id = row.loan_number ? loans.get(row.loan_number) : null;
  if (loan_id === undefined) throw new Invalid({ loan_number: 'Is not a loan of this import.' });
  const isOpen = status === 'open' || status === 'in_progress';
  const id = await addCase(work, {
    borrower_id,
    loan_id,
    case_type,
    subject,
    description: row.description ?? subject,
    status: isOpen ? status : 'open',
    priority: row.priority,
    opened_at: row.opened_at,
    facts: row.facts && translateFacts(row.facts, { loans, people }),
    is_visible_to_borrower: row.is_visible_to_borrower,
  });
  if (isOpen) return id;
  const opened = await find(work.tx, caseTable, id);
  if (opened === null) throw new Error(`The case ${id} vanished in its own transaction.`);
  await changeCase(work, id, { status, resolution }, opened);
  return id;
}
