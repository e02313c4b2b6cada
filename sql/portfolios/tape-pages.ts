import type { FragmentSqlToken as SqlFragment, IdentifierSqlToken } from 'slonik';
import { z } from 'zod';
import { csvLine } from '../csv.ts';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { isInChunk, type LoanIdRange } from '../loans/chunk.ts';
import { withoutNestedLoops } from './without-nested-loops.ts';
import { snapshotsOfClosedDay, SNAPSHOT_STATUSES, snapshotsOfOpenDay } from './daily-snapshots.ts';
import type { LoanSource } from './snapshots.ts';
import { COLUMN_DEFINITIONS, type ColumnKind, type TapeColumn } from './tape-columns.ts';
import type { LoanTape } from './tapes.ts';

/** Sorts before all loan ids. */
export const LOWEST_LOAN_ID = '00000000-0000-0000-0000-000000000000';
const WHOLE: LoanIdRange = { first_loan_id: LOWEST_LOAN_ID, before_loan_id: null };

/** The first id of the next page; null on the last page. */
export const findNextPageStart = (tx: Transaction, after: string, size: number) =>
  tx.maybeOneFirst(
    prepared(sql.type(z.object({ id: z.string() }))`
    select id from loans where id >= ${after} order by id offset ${size} limit 1
  `),
  );

/** `isWhole` includes the slowly changing attributes, which no filter uses. */
type Rows = { source: LoanSource; range: LoanIdRange; isWhole: boolean };

/** The loans of the tape: those on the books, unless a filter says otherwise. */
const from = (
  { portfolio_id, as_of_date, filters }: LoanTape,
  { source, range, isWhole }: Rows,
) => {
  const among = (id: SqlFragment) => isInChunk(range, id);
  const rows =
    source === 'recorded'
      ? snapshotsOfClosedDay(as_of_date, among, isWhole)
      : snapshotsOfOpenDay(as_of_date, among, isWhole, filters.status ?? SNAPSHOT_STATUSES);
  const ofTheLoan = OF_THE_LOAN.flatMap((name) =>
    isAnyOf(sql.identifier(['loan', name]), filters[name]),
  );
  const clauses = [
    ...(portfolio_id === null ? [] : [sql.fragment`row.portfolio_id = ${portfolio_id}`]),
    ...OF_THE_DAY.flatMap((name) => isAnyOf(sql.identifier(['row', name]), filters[name])),
    ...ofTheLoan,
  ];
  const loan = sql.fragment`
    join loans as loan on loan.id = row.loan_id and ${among(sql.fragment`loan.id`)}`;
  return sql.fragment`
    from (${rows}) as row
    ${isWhole || ofTheLoan.length > 0 ? loan : sql.fragment``}
    where ${sql.join([sql.fragment`true`, ...clauses], sql.fragment` and `)}
  `;
};

const OF_THE_DAY = ['status', 'delinquency_bucket', 'investor_id'] as const;
const OF_THE_LOAN = ['program_id', 'product_id', 'loan_type'] as const;

const isAnyOf = (column: IdentifierSqlToken, values: string[] | undefined) =>
  values ? [sql.fragment`${column}::text = any(${sql.array(values, 'text')})`] : [];

/** How a loan is written: as a CSV line or as a JSON object. */
const WRITTEN = {
  csv: (columns: readonly TapeColumn[]) =>
    csvLine(
      columns.map((name) => ({
        from: valueOf(name),
        isWorded: COLUMN_DEFINITIONS[name].kind === 'text',
        isPlain: COLUMN_DEFINITIONS[name].kind !== 'flag',
      })),
    ),
  json: (columns: readonly TapeColumn[]) => sql.fragment`(
    select row_to_json(fields)::text from (select ${sql.join(
      columns.map((name) => sql.fragment`${inJson(name)} as ${sql.identifier([name])}`),
      sql.fragment`, `,
    )}) as fields
  )`,
};
const ROW_SEPARATOR = { csv: '', json: ',\n' } as const;

/**
 * The Postgres type of each kind. A value that does not fit its declared kind fails the query instead of
 * being written.
 */
const TYPES: Record<ColumnKind, SqlFragment> = {
  text: sql.fragment`text`,
  code: sql.fragment`text`,
  count: sql.fragment`integer`,
  flag: sql.fragment`boolean`,
  money: sql.fragment`numeric`,
  rate: sql.fragment`numeric`,
  day: sql.fragment`date`,
};
const valueOf = (name: TapeColumn) => {
  const { from: value, kind } = COLUMN_DEFINITIONS[name];
  return sql.fragment`(${value})::${TYPES[kind]}`;
};

/** Amounts and rates are strings in JSON, because a reader may round a JSON number. */
const inJson = (name: TapeColumn) => {
  const { kind } = COLUMN_DEFINITIONS[name];
  const value = valueOf(name);
  return kind === 'money' || kind === 'rate' ? sql.fragment`(${value})::text` : value;
};

const TapePage = z.object({
  written: z.string().nullable(),
  row_count: z.int(),
  principal_balance: z.string(),
  no_maturity: z.int(),
  matures_early: z.int(),
  negative: z.int(),
  odd_rate: z.int(),
  no_state: z.int(),
});
export type TapePage = z.output<typeof TapePage>;

/**
 * The loans of one page in the order of their ids, as one text written by Postgres. Also returns their
 * number and principal, and the first problem that a buyer would notice.
 */
export const readPage = (
  tx: Transaction,
  tape: LoanTape,
  source: LoanSource,
  range: LoanIdRange,
  form: keyof typeof WRITTEN,
) => {
  const readRows = () => tx.one(pageOf(tape, source, range, form));
  return source === 'recorded' ? withoutNestedLoops(tx, readRows) : readRows();
};

const pageOf = (
  tape: LoanTape,
  source: LoanSource,
  range: LoanIdRange,
  form: keyof typeof WRITTEN,
) =>
  sql.type(TapePage)`
    select string_agg(written, ${ROW_SEPARATOR[form]} order by loan_id) as written,
           count(*)::integer as row_count,
           coalesce(sum(principal_balance), 0)::numeric(18, 2) as principal_balance,
           count(*) filter (where maturity_date is null)::integer as no_maturity,
           count(*) filter (where maturity_date < origination_date)::integer as matures_early,
           count(*) filter (where least(principal_balance, outstanding_fees) < 0)::integer
             as negative,
           count(*) filter (where interest_rate > 0.6)::integer as odd_rate,
           count(*) filter (where borrower_state is null)::integer as no_state
    from (
      select row.loan_id, row.principal_balance, row.outstanding_fees, row.maturity_date,
             row.origination_date, row.interest_rate, row.borrower_state,
             ${WRITTEN[form](tape.columns)} as written
      ${from(tape, { source, range, isWhole: true })}
      offset 0
    ) as loan
  `;

/** Loans of the day that its close quarantined before writing their snapshot. */
export const countLoansWithoutSnapshot = (tx: Transaction, day: string) =>
  tx.oneFirst(sql.type(z.object({ loans: z.int() }))`
    select count(distinct error.loan_id)::integer as loans
    from cob_loan_errors as error
    join cob_runs as run on run.id = error.run_id
    where run.cob_date = ${day} and error.step = 'snapshot'
  `);

const Tie = z.object({ ledger_principal: z.string(), differing: z.int() });

/**
 * The ledger's principal of the tape's loans at the end of its day, on any account, and the number of loans
 * for which the tape differs. A join, so that Postgres reads the ledger once for a tape of all loans and by
 * index for a tape of few.
 */
export const compareWithLedger = (tx: Transaction, tape: LoanTape, source: LoanSource) =>
  tx.one(sql.type(Tie)`
    select coalesce(sum(principal), 0.00)::numeric(18, 2) as ledger_principal,
           count(*) filter (where snapshot_principal <> principal)::integer as differing
    from (
      select row.loan_id, min(row.principal_balance) as snapshot_principal,
             coalesce(sum(line.debit - line.credit), 0) as principal
      from (
        select row.loan_id, row.principal_balance
        ${from(tape, { source, range: WHOLE, isWhole: false })}
      ) as row
      left join (
        journal_entries as entry
        join journal_lines as line on line.entry_id = entry.id and line.role = 'loans_receivable'
      ) on entry.loan_id = row.loan_id and entry.status = 'posted'
        and entry.entry_date <= ${tape.as_of_date}
      group by row.loan_id
    ) as books
  `);
