import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

export type StagedRow = { file: string; line: number; key: string; values_sealed: string };

/** Stages rows. A row that is staged already, by a run that was interrupted, is left as it is. */
export const stageRows = (tx: Transaction, importId: string, rows: readonly StagedRow[]) =>
  tx.query(sql.typeAlias('void')`
    insert into import_rows (import_id, file, line, key, values_sealed)
    select ${importId}, row.file, row.line, row.key, row.sealed
    from ${sql.unnest(
      rows.map(({ file, line, key, values_sealed }) => [file, line, key, values_sealed]),
      ['text', 'int4', 'text', 'text'],
    )} as row (file, line, key, sealed)
    on conflict (tenant_id, import_id, file, line) do nothing
  `);

const Row = z.object({ line: z.int(), key: z.string(), values_sealed: z.string() });

/** The next loans that are not boarded yet, in the order of the file. */
export const nextLoanRows = (tx: Transaction, importId: string, limit: number) =>
  tx.any(sql.type(Row)`
    select row.line, row.key, row.values_sealed from import_rows as row
    where row.import_id = ${importId} and row.file = 'loans' and row.line > (
      select coalesce(max(boarded.line), 0) from import_loans as boarded
      where boarded.import_id = ${importId}
    )
    order by row.line limit ${limit}
  `);

const RowOfFile = z.object({
  file: z.string(),
  line: z.int(),
  key: z.string(),
  values_sealed: z.string(),
});

/** The rows of other files that belong to these loans or borrowers, in the order of their files. */
export const listRowsOf = (
  tx: Transaction,
  importId: string,
  files: readonly string[],
  keys: readonly string[],
) =>
  tx.any(sql.type(RowOfFile)`
    select file, line, key, values_sealed from import_rows
    where import_id = ${importId} and file = any(${sql.array([...files], 'text')})
      and key = any(${sql.array([...keys], 'text')})
    order by file, line
  `);

/** The files that have staged rows. */
export const listStagedFiles = (tx: Transaction, importId: string) =>
  tx.anyFirst(sql.type(z.object({ file: z.string() }))`
    select distinct file from import_rows where import_id = ${importId}
  `);

/** Removes what is only needed while an import is boarded. */
export async function removeRows(tx: Transaction, importId: string) {
  await tx.query(sql.typeAlias('void')`delete from import_rows where import_id = ${importId}`);
  await tx.query(sql.typeAlias('void')`delete from import_records where import_id = ${importId}`);
}

export type NewBoardedLoan = { loan_number: string; line: number; loan_id: string };

export const recordBoardedLoans = (
  tx: Transaction,
  importId: string,
  loans: readonly NewBoardedLoan[],
) =>
  tx.query(sql.typeAlias('void')`
    insert into import_loans (import_id, loan_number, line, loan_id)
    select ${importId}, loan.loan_number, loan.line, loan.loan_id
    from ${sql.unnest(
      loans.map(({ loan_number, line, loan_id }) => [loan_number, line, loan_id]),
      ['text', 'int4', 'uuid'],
    )} as loan (loan_number, line, loan_id)
  `);

/** The ids of the boarded loans after a line, for work in parts. */
export const listBoardedLoans = (tx: Transaction, importId: string, after: number, limit: number) =>
  tx.any(sql.type(z.object({ line: z.int(), loan_id: z.string() }))`
    select line, loan_id from import_loans
    where import_id = ${importId} and line > ${after} order by line limit ${limit}
  `);

const BoardedLoan = z.object({ loan_number: z.string(), loan_id: z.string() });

export const findBoardedLoans = (tx: Transaction, importId: string, numbers: readonly string[]) =>
  tx.any(sql.type(BoardedLoan)`
    select loan_number, loan_id from import_loans
    where import_id = ${importId} and loan_number = any(${sql.array([...numbers], 'text')})
  `);
