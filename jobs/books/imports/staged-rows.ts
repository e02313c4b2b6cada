import * as staged from '../../../sql/books/import-rows.ts';
import type { Work } from '../../work.ts';
import type { BookFileName, BookRow } from '../format/book-files.ts';

/** A row of a book with its place, to name it in a finding. */
export type Placed<Name extends BookFileName> = {
  /** The file that was sent, and the line in it. */
  source: string;
  line: number;
  values: BookRow<Name>;
};

/** The staged rows of some loans, borrowers or collateral items, by file and key. */
export type StagedRows = <Name extends BookFileName>(
  file: Name,
  key: string,
) => readonly Placed<Name>[];

/** Loads the rows of these files for these keys with one statement. */
export async function loadRows(
  work: Work,
  importId: string,
  files: readonly BookFileName[],
  keys: readonly string[],
): Promise<StagedRows> {
  const found = new Map<string, { source: string; line: number; values: object }[]>();
  for (const row of await staged.listRowsOf(work.tx, importId, files, keys)) {
    const place = `${row.file} ${row.key}`;
    const rows = found.get(place) ?? [];
    rows.push(...openRows(work, row));
    found.set(place, rows);
  }
  return <Name extends BookFileName>(file: Name, key: string) =>
    (found.get(`${file} ${key}`) ?? []) as readonly Placed<Name>[];
}

/** The first of the loans that describe these borrowers themselves, by external id. */
export async function loadShortBorrowers(
  work: Work,
  importId: string,
  externalIds: readonly string[],
): Promise<Map<string, BookRow<'loans'>>> {
  const found = new Map<string, BookRow<'loans'>>();
  if (externalIds.length === 0) return found;
  const keys = externalIds.map(borrowerKey);
  for (const row of await staged.listLoanRowsOfBorrowers(work.tx, importId, keys)) {
    const loan = openRow<'loans'>(work, row);
    found.set(loan.borrower_external_id, loan);
  }
  return found;
}

export const loanKey = (loan_number: string) => `l:${loan_number}`;
export const borrowerKey = (external_id: string) => `b:${external_id}`;
export const collateralKey = (collateral_id: string) => `c:${collateral_id}`;

type Named = {
  loan_number?: string;
  borrower_external_id?: string;
  borrower_last_name?: string;
  collateral_id?: string;
  case_id?: string;
  code?: string;
  account_code?: string;
  file?: string;
};

const OF_COLLATERAL: readonly BookFileName[] = ['liens', 'insurance', 'valuations'];
const OF_BORROWERS: readonly BookFileName[] = [
  ...(['borrowers', 'addresses', 'emails', 'phones'] as const),
  ...(['consents', 'identities', 'bank_accounts'] as const),
];

/** The key under which a chunk of loans finds the row. */
export function keyOfRow(file: BookFileName, values: object): string {
  const row = values as Named;
  if (file === 'cases') return row.case_id ?? '';
  if (file === 'documents') return row.file ?? '';
  if (OF_COLLATERAL.includes(file)) return collateralKey(row.collateral_id ?? '');
  if (OF_BORROWERS.includes(file)) return borrowerKey(row.borrower_external_id ?? '');
  if (row.loan_number) return loanKey(row.loan_number);
  if (row.borrower_external_id) return borrowerKey(row.borrower_external_id);
  return row.code ?? row.account_code ?? '';
}

/** Files with many rows per loan. Rows of a loan that are near each other are stored and sealed together. */
const SHARED: readonly BookFileName[] = ['history', 'events', 'schedules'];
export const sharesRow = (file: BookFileName) => SHARED.includes(file);

/**
 * The key of the borrower of a case, and of a loan whose row describes its borrower, so that the person is found before the
 * chunk of that loan. Null for other rows.
 */
export const borrowerOfRow = (file: BookFileName, values: object): string | null => {
  const { borrower_external_id = '', borrower_last_name } = values as Named;
  const isNamed = file === 'cases' || (file === 'loans' && borrower_last_name !== undefined);
  return isNamed ? borrowerKey(borrower_external_id) : null;
};

/** The values of a staged row of a file whose rows are stored one by one. */
export const openRow = <Name extends BookFileName>(
  work: Work,
  row: { values_sealed: string },
): BookRow<Name> => unsealed(work, row) as BookRow<Name>;

type OpenedRow = { source: string; line: number; values: object };

const openRows = (work: Work, row: staged.StagedRow): readonly OpenedRow[] =>
  sharesRow(row.file as BookFileName)
    ? (unsealed(work, row) as OpenedRow[])
    : [{ source: row.source, line: row.line, values: unsealed(work, row) as object }];

const unsealed = (
  { tenant_id, installation: { keys } }: Work,
  { values_sealed }: { values_sealed: string },
): unknown => JSON.parse(keys.unseal(tenant_id, values_sealed));
