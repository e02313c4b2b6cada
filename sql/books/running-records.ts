import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { sql, type Transaction } from '../database/db.ts';
import { dictionary } from '../dictionary.ts';
import type { TableName } from '../tables.ts';

type Source = {
  table: TableName;
  /** The rows of the table that a book has, by the alias `record`. Default: all. */
  where?: SqlFragment;
};

/** The records of loans that a book brings verbatim, so that agreements continue where they stood. */
export const LOAN_RECORDS = {
  // Columns of the loan itself that follow from no event.
  standing: { table: 'loans' },
  forbearance: { table: 'forbearances' },
  deferment: { table: 'deferments' },
  promotion: { table: 'loan_promotions' },
  rate_cap: { table: 'loan_rate_caps' },
  modification: { table: 'modifications' },
  payment_plan: { table: 'payment_plans' },
  promise: { table: 'promises_to_pay' },
  late_fee_exemption: { table: 'late_fee_exemptions' },
  // What the event of a payment does not say.
  payment: {
    table: 'payments',
    where: sql.fragment`
      record.status in ('completed', 'settled', 'reversed', 'returned') and exists (
        select from loan_events as event where event.id = record.id and event.loan_id = record.loan_id
      )`,
  },
  // What the event of a fee does not say.
  fee: { table: 'fees', where: sql.fragment`record.status <> 'reversed'` },
  // What the event of a draw does not say.
  draw: {
    table: 'draws',
    where: sql.fragment`exists (
      select from loan_events as event where event.id = record.id and event.loan_id = record.loan_id
    )`,
  },
  // What an earlier servicer reported, and this platform only displays.
  earlier_transaction: { table: 'earlier_transactions' },
  scheduled_payment: {
    table: 'payments',
    // The draws of autopay follow from its plan.
    where: sql.fragment`record.status = 'scheduled' and record.autopay_plan_id is null`,
  },
  assignment: {
    table: 'loan_assignments',
    where: sql.fragment`record.status in ('pending', 'active')`,
  },
} as const satisfies Record<string, Source>;

/** The records of borrowers that a book brings verbatim. */
export const BORROWER_RECORDS = {
  legal_representative: { table: 'legal_reps', where: sql.fragment`not record.is_archived` },
  business_details: { table: 'business_details' },
  military_report: { table: 'military_reports', where: sql.fragment`not record.is_archived` },
} as const satisfies Record<string, Source>;

export type LoanRecordKind = keyof typeof LOAN_RECORDS;
export type BorrowerRecordKind = keyof typeof BORROWER_RECORDS;

/** The columns of a record as JSON. Numbers are text, so that amounts keep their decimals. */
const facts = (columns: readonly string[]) => sql.fragment`(
  select jsonb_object_agg(key, case jsonb_typeof(value) when 'number' then to_jsonb(value #>> '{}') else value end)
  from jsonb_each(to_jsonb(record))
  where key = any(${sql.array([...columns], 'text')}) and value <> 'null'
)`;

type Wanted<Kind extends string> = { kind: Kind; columns: readonly string[] };

export const loanRecords =
  (kinds: readonly Wanted<LoanRecordKind>[]) =>
  (ids: SqlFragment): SqlFragment =>
    sql.fragment`
      select * from (${sql.join(
        kinds.map(({ kind, columns }, at) => {
          const { table, where = sql.fragment`true` }: Source = LOAN_RECORDS[kind];
          const owner =
            kind === 'standing' ? sql.fragment`record.id` : sql.fragment`record.loan_id`;
          return sql.fragment`
            select ${at}::integer as place, loan.loan_number, ${kind}::text as kind, record.id as record_id,
                   ${facts(columns)} as facts
            from ${sql.identifier([table])} as record join loans as loan on loan.id = ${owner}
            where ${owner} = any(${ids}) and ${where}`;
        }),
        sql.fragment` union all `,
      )}) as record
      where facts is not null
      order by loan_number, place, record_id`;

export const borrowerRecords =
  (kinds: readonly Wanted<BorrowerRecordKind>[]) =>
  (ids: SqlFragment): SqlFragment =>
    sql.fragment`
      select * from (${sql.join(
        kinds.map(({ kind, columns }, at) => {
          const { table, where = sql.fragment`true` }: Source = BORROWER_RECORDS[kind];
          return sql.fragment`
            select ${at}::integer as place, coalesce(borrower.external_id, borrower.id::text) as borrower_external_id,
                   ${kind}::text as kind, record.id as record_id, ${facts(columns)} as facts
            from ${sql.identifier([table])} as record join borrowers as borrower on borrower.id = record.borrower_id
            where record.borrower_id = any(${ids}) and ${where}`;
        }),
        sql.fragment` union all `,
      )}) as record
      where facts is not null
      order by borrower_external_id, place, record_id`;

export type BroughtRecord = { id: string } & Record<string, unknown>;

/**
 * Completes loans, payments, fees or draws that replayed events have made. Columns without a value keep theirs, except
 * those of a loan that is not funded yet.
 */
export async function completeRecords(
  tx: Transaction,
  table: keyof typeof COMPLETED,
  records: readonly BroughtRecord[],
) {
  if (records.length === 0) return;
  const columns = COMPLETED[table].map((column) => {
    const name = sql.identifier([column]);
    const value = RULES[column] ?? sql.fragment`coalesce(given.${name}, record.${name})`;
    return sql.fragment`${name} = ${value}`;
  });
  await tx.query(sql.typeAlias('void')`
    update ${sql.identifier([table])} as record
    set ${sql.join(columns, sql.fragment`, `)}
    from jsonb_populate_recordset(null::${sql.identifier([table])}, ${JSON.stringify(records)}::jsonb) as given
    where record.id = given.id
  `);
}

const isUnfunded = sql.fragment`record.status in ('pending', 'approved')`;
/** The time of something that happened to the loan. It completes the day, and never adds a fact. */
const timeOf = (column: string) => {
  const [given, record] = [sql.identifier(['given', column]), sql.identifier(['record', column])];
  return sql.fragment`case when ${record} is not null then coalesce(${given}, ${record}) end`;
};

/** How columns of a loan are completed, if not by the value that is given. */
const RULES = dictionary<SqlFragment>({
  // Boarding takes these from the terms, although a loan of our own may not have them yet.
  apr: sql.fragment`case when ${isUnfunded} then given.apr else coalesce(given.apr, record.apr) end`,
  origination_date: sql.fragment`
    case when ${isUnfunded} and given.origination_date is null then null else record.origination_date end`,
  payment_day: sql.fragment`given.payment_day`,
  frozen_at: timeOf('frozen_at'),
  accelerated_at: timeOf('accelerated_at'),
  paid_off_at: timeOf('paid_off_at'),
  charged_off_at: sql.fragment`
    case when given.charged_off_at::date = record.charged_off_at::date
      then given.charged_off_at else record.charged_off_at end`,
  charge_off_amount: sql.fragment`
    case when record.charged_off_at is not null
      then coalesce(given.charge_off_amount, record.charge_off_amount) else record.charge_off_amount end`,
});

const COMPLETED = {
  loans: [
    ...([
      'apr',
      'payment_amount',
      'payment_day',
      'origination_date',
      'delinquency_days_counted',
    ] as const),
    ...(['cycle_outlook', 'paid_off_at', 'charged_off_at', 'charge_off_amount'] as const),
    ...(['freeze_reason', 'freeze_until', 'frozen_at', 'accelerated_at'] as const),
    ...(['approved_on', 'approved_at', 'expected_disbursement_date'] as const),
    ...(['agreed_first_payment_date', 'rescission_ends'] as const),
  ],
  fees: [
    ...(['description', 'due_date', 'fee_rule_id', 'payment_id', 'draw_id'] as const),
    ...(['waived_at', 'waive_reason'] as const),
  ],
  draws: ['purpose', 'payment_instrument_id', 'external_id', 'fee_amount'],
  payments: [
    ...(['receipt_number', 'payment_date', 'payment_method', 'payment_instrument_id'] as const),
    ...(['payment_plan_id', 'remaining_balance'] as const),
    ...(['external_id', 'reference_number', 'notes', 'status', 'source', 'return_code'] as const),
    ...(['reversal_reason', 'reversal_effective_date', 'failure_reason', 'hold_until'] as const),
    ...(['posted_at', 'settled_at', 'reversed_at', 'failed_at', 'waive_returned_fee'] as const),
  ],
} as const;
