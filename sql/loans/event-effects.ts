import { sql, deferred, type Transaction } from '../database/db.ts';
import { batchByTransaction } from '../database/batch-by-transaction.ts';
import { setClause, definedColumns, type Values } from '../write.ts';
import {
  insertEventsSql,
  updateReversalsSql,
  type EventReversal,
  type NewLoanEvent,
} from './events.ts';
import {
  updateCoverageSql,
  insertSchedulesSql,
  type InstallmentCoverage,
  type NewScheduleVersion,
} from './installments.ts';
import { trimOutlooksSql, writeOutlooksSql, type LoanOutlook } from './outlook.ts';
import {
  updatePaymentSplitsSql,
  updateFeesSql,
  updateCreditSplitsSql,
  updateSaleSplitsSql,
  type FeeAmounts,
} from './splits.ts';

type WithoutLoanId<Row> = Omit<Row, 'loan_id'>;

type LoanEffects = {
  loan_id: string;
  events: readonly NewLoanEvent[];
  /** Earlier events that the new ones reverse or restore. */
  reversals: readonly EventReversal[];
  /** New versions of the schedule; if there is none, the coverage of the current one changes. */
  new_schedules: readonly WithoutLoanId<NewScheduleVersion>[];
  coverage: { version: number; rows: readonly Omit<InstallmentCoverage, 'loan_id' | 'version'>[] };
  payments: Parameters<typeof updatePaymentSplitsSql>[0];
  /** Service credits and suspense applications. */
  credits: Parameters<typeof updateCreditSplitsSql>[1];
  sales: Parameters<typeof updateSaleSplitsSql>[0];
  fees: readonly WithoutLoanId<FeeAmounts>[];
  /** The loan's checkpoint: its balances after the last event. */
  checkpoint: Values;
  /** What the loan will show until its next event. */
  outlook: LoanOutlook['rows'];
};

/**
 * Writes all effects of events on loans. Loans whose checkpoints change the same columns share one
 * statement.
 */
export const writeEventEffects = batchByTransaction(async (tx, all: readonly LoanEffects[]) => {
  const groups = Map.groupBy(all, ({ checkpoint }) => definedColumns(checkpoint).join());
  for (const group of groups.values()) await writeGroup(tx, group);
  return all.map(() => undefined);
});

/** All checkpoints of the group change the same columns. */
async function writeGroup(tx: Transaction, all: readonly LoanEffects[]) {
  const events = all.flatMap(withLoanIds((loan) => loan.events));
  const schedules = all.flatMap(withLoanIds((loan) => loan.new_schedules));
  const coverage = all.flatMap(
    withLoanIds(({ coverage: { version, rows } }) => rows.map((row) => ({ ...row, version }))),
  );
  const reversals = all.flatMap((loan) => loan.reversals);
  const fees = all.flatMap(withLoanIds((loan) => loan.fees));
  const payments = all.flatMap((loan) => loan.payments);
  const credits = all.flatMap((loan) => loan.credits);
  const sales = all.flatMap((loan) => loan.sales);
  const outlooks = all.map(({ loan_id, outlook }) => ({ loan_id, rows: outlook }));
  const parts = [
    events.length > 0 && insertEventsSql(events),
    reversals.length > 0 && updateReversalsSql(reversals),
    schedules.length > 0 && insertSchedulesSql(schedules),
    coverage.length > 0 && updateCoverageSql(coverage),
    payments.length > 0 && updatePaymentSplitsSql(payments),
    credits.length > 0 && updateCreditSplitsSql('service_credits', credits),
    credits.length > 0 && updateCreditSplitsSql('suspense_applications', credits),
    sales.length > 0 && updateSaleSplitsSql(sales),
    fees.length > 0 && updateFeesSql(fees),
    writeOutlooksSql(outlooks),
    trimOutlooksSql(outlooks),
  ].filter((part) => part !== false);
  const named = parts.map(
    (part, index) => sql.fragment`${sql.identifier([`part_${index}`])} as (${part})`,
  );
  const first =
    named.length === 0 ? sql.fragment`` : sql.fragment`with ${sql.join(named, sql.fragment`, `)}`;
  await tx.query(deferred(sql.typeAlias('void')`${first} ${updateCheckpoints(all)}`));
}

const withLoanIds =
  <Row extends object>(rowsOf: (effects: LoanEffects) => readonly Row[]) =>
  (effects: LoanEffects) =>
    rowsOf(effects).map((row) => ({ ...row, loan_id: effects.loan_id }));

/** A single loan uses bound values: read from JSON, the row of a loan costs Postgres twice as much. */
const updateOneCheckpoint = ({ loan_id, checkpoint }: LoanEffects) => sql.fragment`
  update loans as loan set ${setClause(checkpoint)}
  where loan.id = ${loan_id}
`;

/**
 * Postgres expects few rows where it filters by a JSON type, so it looks the loans up by index instead of
 * scanning the table.
 */
function updateCheckpoints(all: readonly LoanEffects[]) {
  const [only, ...others] = all;
  if (only && others.length === 0) return updateOneCheckpoint(only);
  const checkpoints = all.map(({ loan_id, checkpoint }) => ({ loan_id, checkpoint }));
  const assigned = definedColumns(all[0]?.checkpoint ?? {}).map((column) => {
    const name = sql.identifier([column]);
    return sql.fragment`${name} = stored.${name}`;
  });
  return sql.fragment`
    update loans as loan
    set ${sql.join(assigned, sql.fragment`, `)}
    from jsonb_to_recordset(${JSON.stringify(checkpoints)}::jsonb) as given (loan_id uuid, checkpoint jsonb)
    cross join lateral jsonb_populate_record(null::loans, given.checkpoint) as stored
    where loan.id = given.loan_id and jsonb_typeof(given.checkpoint) = 'object'
  `;
}
