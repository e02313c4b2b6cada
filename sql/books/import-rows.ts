import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

export type NewRow = {
  file: string;
  position: number;
  source: string;
  line: number;
  key: string;
  borrower_key: string | null;
  values_sealed: string;
};

export const stageRows = (tx: Transaction, importId: string, rows: readonly NewRow[]) =>
  tx.query(sql.typeAlias('void')`
    insert into import_rows (import_id, file, position, source, line, key, borrower_key, values_sealed)
    select ${importId}, row.file, row.position, row.source, row.line, row.key, row.borrower_key, row.sealed
    from ${sql.unnest(
      rows.map((row) => [
        row.file,
        row.position,
        row.source,
        row.line,
        row.key,
        row.borrower_key,
        row.values_sealed,
      ]),
      ['text', 'int4', 'text', 'int4', 'text', 'text', 'text'],
    )} as row (file, position, source, line, key, borrower_key, sealed)
  `);

const Row = z.object({
  file: z.string(),
  position: z.int(),
  source: z.string(),
  line: z.int(),
  key: z.string(),
  values_sealed: z.string(),
});
export type StagedRow = z.output<typeof Row>;

const columns = sql.fragment`
  row.file, row.position, row.source, row.line, row.key, row.values_sealed
`;

/** The next loans that are not boarded yet, in the order of the file. */
export const nextLoanRows = (tx: Transaction, importId: string, limit: number) =>
  tx.any(sql.type(Row)`
    select ${columns} from import_rows as row
    where row.import_id = ${importId} and row.file = 'loans' and row.position > (
      select coalesce(max(boarded.position), 0) from import_loans as boarded
      where boarded.import_id = ${importId}
    )
    order by row.position limit ${limit}
  `);

/** The rows of these files that belong to these loans or borrowers, in the order of their files. */
export const listRowsOf = (
  tx: Transaction,
  importId: string,
  files: readonly string[],
  keys: readonly string[],
) =>
  tx.any(sql.type(Row)`
    select ${columns} from import_rows as row
    where row.import_id = ${importId} and row.file = any(${sql.array([...files], 'text')})
      and row.key = any(${sql.array([...keys], 'text')})
    order by row.file, row.position
  `);

/** All rows of a file, for files with few rows. */
export const listFileRows = (tx: Transaction, importId: string, file: string) =>
  tx.any(sql.type(Row)`
    select ${columns} from import_rows as row
    where row.import_id = ${importId} and row.file = ${file} order by row.position
  `);

/** Staged rows of a file for whose key there is no record yet, in the order of the file. */
export const nextRowsWithoutRecord = (
  tx: Transaction,
  importId: string,
  file: string,
  limit: number,
) =>
  tx.any(sql.type(Row)`
    select ${columns} from import_rows as row
    where row.import_id = ${importId} and row.file = ${file} and not exists (
      select from import_records as record
      where record.import_id = row.import_id and record.file = row.file and record.key = row.key
    )
    order by row.position limit ${limit}
  `);

/** The cases of these borrowers that are not opened yet, in the order of the file. */
export const listWaitingCaseRows = (
  tx: Transaction,
  importId: string,
  borrowerKeys: readonly string[],
) =>
  tx.any(sql.type(Row)`
    select ${columns} from import_rows as row
    where row.import_id = ${importId}
      and row.borrower_key = any(${sql.array([...borrowerKeys], 'text')}) and row.file = 'cases'
      and not exists (
        select from import_records as record
        where record.import_id = row.import_id and record.file = row.file and record.key = row.key
      )
    order by row.position
  `);

/** For each of these borrowers, the first loan whose row describes the person. */
export const listLoanRowsOfBorrowers = (
  tx: Transaction,
  importId: string,
  borrowerKeys: readonly string[],
) =>
  tx.any(sql.type(Row)`
    select distinct on (row.borrower_key) ${columns} from import_rows as row
    where row.import_id = ${importId}
      and row.borrower_key = any(${sql.array([...borrowerKeys], 'text')}) and row.file = 'loans'
    order by row.borrower_key, row.position
  `);

/** Removes what is only needed while an import is boarded. */
export async function removeRows(tx: Transaction, importId: string) {
  await tx.query(sql.typeAlias('void')`delete from import_rows where import_id = ${importId}`);
  await tx.query(sql.typeAlias('void')`delete from import_records where import_id = ${importId}`);
}

export type NewBoardedLoan = { loan_number: string; position: number; loan_id: string };

export const recordBoardedLoans = (
  tx: Transaction,
  importId: string,
  loans: readonly NewBoardedLoan[],
) =>
  tx.query(sql.typeAlias('void')`
    insert into import_loans (import_id, loan_number, position, loan_id)
    select ${importId}, loan.loan_number, loan.position, loan.loan_id
    from ${sql.unnest(
      loans.map(({ loan_number, position, loan_id }) => [loan_number, position, loan_id]),
      ['text', 'int4', 'uuid'],
    )} as loan (loan_number, position, loan_id)
  `);

/** The boarded loans after a position, for work in parts. */
export const listBoardedLoans = (tx: Transaction, importId: string, after: number, limit: number) =>
  tx.any(sql.type(z.object({ position: z.int(), loan_number: z.string(), loan_id: z.string() }))`
    select position, loan_number, loan_id from import_loans
    where import_id = ${importId} and position > ${after} order by position limit ${limit}
  `);

const BoardedLoan = z.object({ loan_number: z.string(), loan_id: z.string() });

export const findBoardedLoans = (tx: Transaction, importId: string, numbers: readonly string[]) =>
  tx.any(sql.type(BoardedLoan)`
    select loan_number, loan_id from import_loans
    where import_id = ${importId} and loan_number = any(${sql.array([...numbers], 'text')})
  `);
