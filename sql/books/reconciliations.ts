import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

/**
 * Which loans here the file must have. `imported`: those of the imports that brought the loans of the file, or all boarded
 * loans if no import brought any of them.
 */
export const LOANS_HERE = ['imported', 'all', 'none'] as const;
export type LoansHere = (typeof LOANS_HERE)[number];

export const RECONCILIATION_STATUSES = ['waiting', 'running', 'done', 'failed'] as const;

export const reconciliations = table({
  name: 'reconciliations',
  owner: null,
  rows: sql.fragment`
    select record.id, record.filename, record.sha256_hash, record.file_size, record.mapping, record.compares,
           record.loans_here, record.through_date, record.tolerance, record.accepted_kinds, record.status, record.failure_reason,
           record.loans_total, record.loans_agreeing, record.loans_accepted, record.loans_differing,
           record.loans_not_compared, record.loans_only_here, record.days_compared, record.days_not_compared,
           record.first_date, record.last_date, record.summary, record.fingerprint,
           record.differences_key is not null as has_file,
           record.computed_at, record.created_by, record.signed_off_by, record.signed_off_at,
           record.sign_off_note, record.created_at, record.updated_at
    from reconciliations as record
  `,
});

export const reconciliationDifferences = table({
  name: 'reconciliation_differences',
  owner: null,
  rows: sql.fragment`
    select record.id, record.reconciliation_id, record.position, record.loan_id, record.loan_number,
           record.figure, record.kind, record.is_accepted, record.reason, record.first_date,
           record.first_ours, record.first_theirs, record.last_date, record.last_ours, record.last_theirs,
           record.days_differing, record.days_not_compared, record.parting, record.created_at
    from reconciliation_differences as record
  `,
});

/** Counts of one kind. `amount` is the sum of the last differences of amounts, ours minus theirs. */
const KindSummary = z.object({
  kind: z.string(),
  loans: z.int(),
  figures: z.int(),
  amount: z.string(),
  is_accepted: z.boolean(),
});

const StoredReconciliation = z.object({
  id: z.string(),
  filename: z.string(),
  sha256_hash: z.string(),
  storage_key: z.string().nullable(),
  file_key_sealed: z.string().nullable(),
  differences_key: z.string().nullable(),
  file_size: z.coerce.number(),
  mapping: z.string().nullable(),
  compares: z.enum(['loans', 'book']),
  loans_here: z.enum(LOANS_HERE),
  through_date: z.string().nullable(),
  tolerance: z.string(),
  accepted_kinds: z.array(z.string()),
  status: z.enum(RECONCILIATION_STATUSES),
  loans_total: z.int(),
  loans_agreeing: z.int(),
  loans_accepted: z.int(),
  loans_differing: z.int(),
  loans_not_compared: z.int(),
  loans_only_here: z.int(),
  days_compared: z.int(),
  days_not_compared: z.int(),
  summary: z.array(KindSummary),
  fingerprint: z.string().nullable(),
  computed_at: z.string().nullable(),
  created_by: z.string().nullable(),
  signed_off_by: z.string().nullable(),
});
export type StoredReconciliation = z.output<typeof StoredReconciliation>;

const columns = sql.fragment`
  id, filename, sha256_hash, storage_key, file_key_sealed, differences_key, file_size, mapping, compares, loans_here,
  through_date, tolerance, accepted_kinds, status,
  loans_total, loans_agreeing, loans_accepted, loans_differing, loans_not_compared, loans_only_here, days_compared,
  days_not_compared, summary, fingerprint, computed_at, created_by, signed_off_by
`;

export const readReconciliation = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(StoredReconciliation)`
    select ${columns} from reconciliations where id = ${id}
  `);

/** Locks the reconciliation, so that one transaction at a time changes it. */
export const lockReconciliation = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(StoredReconciliation)`
    select ${columns} from reconciliations where id = ${id} for no key update
  `);

/** Comparisons of a command that have not proceeded for so many minutes. */
export const listStoppedCommands = (tx: Transaction, minutes: number) =>
  tx.anyFirst(sql.typeAlias('id')`
    select id from reconciliations
    where status in ('waiting', 'running') and storage_key is null
      and updated_at < now() - make_interval(mins => ${minutes})
    for no key update skip locked
  `);

/** Stored files that are not needed any more: of comparisons that have ended, or have not been made for so long. */
export const listUnneededFiles = (tx: Transaction, days: number) =>
  tx.any(sql.type(z.object({ id: z.string(), storage_key: z.string(), is_abandoned: z.boolean() }))`
    select id, storage_key, status in ('waiting', 'running') as is_abandoned from reconciliations
    where storage_key is not null
      and (status in ('done', 'failed') or updated_at < now() - make_interval(days => ${days}))
  `);

/** Removes the results of an attempt that did not finish. */
export async function removeResults(tx: Transaction, id: string) {
  await tx.query(sql.typeAlias('void')`
    delete from reconciliation_differences where reconciliation_id = ${id}
  `);
  await tx.query(sql.typeAlias('void')`
    delete from reconciliation_loans where reconciliation_id = ${id}
  `);
}

const FoundLoan = z.object({ id: z.string(), number: z.string() });

/** The loans with these numbers, or with these external ids if no loan has the number. */
export const findLoansByNumbers = (tx: Transaction, numbers: readonly string[]) =>
  tx.any(sql.type(FoundLoan)`
    select coalesce(numbered.id, named.id) as id, given.number
    from unnest(${sql.array([...numbers], 'text')}) as given (number)
    left join loans as numbered on numbered.loan_number = given.number
    left join lateral (
      select id from loans where external_id = given.number order by id limit 1
    ) as named on numbered.id is null
    where coalesce(numbered.id, named.id) is not null
  `);

export type DifferenceRow = {
  position: number;
  loan_id: string | null;
  loan_number: string;
  figure: string | null;
  kind: string;
  is_accepted: boolean;
  reason: string;
  first_date: string | null;
  first_ours: string | null;
  first_theirs: string | null;
  last_date: string | null;
  last_ours: string | null;
  last_theirs: string | null;
  days_differing: number;
  days_not_compared: number;
  parting: object | null;
};

export const addDifferences = (tx: Transaction, id: string, rows: readonly DifferenceRow[]) =>
  tx.query(sql.typeAlias('void')`
    insert into reconciliation_differences (
      reconciliation_id, position, loan_id, loan_number, figure, kind, is_accepted, reason, first_date, first_ours,
      first_theirs, last_date, last_ours, last_theirs, days_differing, days_not_compared, parting
    )
    select ${id}, position, loan_id, loan_number, figure, kind, is_accepted, reason, first_date, first_ours,
           first_theirs, last_date, last_ours, last_theirs, days_differing, days_not_compared, parting
    from jsonb_populate_recordset(null::reconciliation_differences, ${JSON.stringify(rows)}::jsonb)
  `);

/** `events_read`: the events of the loan through the last day, when the comparison read them. */
export type ComparedLoan = { loan_id: string; last_date: string | null; events_read: number };

export const addComparedLoans = (tx: Transaction, id: string, loans: readonly ComparedLoan[]) =>
  tx.query(sql.typeAlias('void')`
    insert into reconciliation_loans (reconciliation_id, loan_id, last_date, events_read)
    select distinct on (loan_id) ${id}, loan_id, last_date, events_read
    from jsonb_populate_recordset(null::reconciliation_loans, ${JSON.stringify(loans)}::jsonb)
    order by loan_id, last_date desc nulls last
    on conflict (tenant_id, reconciliation_id, loan_id) do nothing
  `);

/** Loans here on which something is owed and that the file does not have. */
const onlyHere = (id: string) => sql.fragment`
  loan.status in ('active', 'charged_off') and not exists (
    select from reconciliation_loans as compared
    where compared.reconciliation_id = ${id} and compared.loan_id = loan.id
  )
`;

/** The next loans here that the file does not have although it should, by their numbers. */
export const listLoansOnlyHere = (
  tx: Transaction,
  id: string,
  { after, limit, loans_here }: { after: string; limit: number; loans_here: LoansHere },
) =>
  tx.any(sql.type(FoundLoan)`
    with brought as materialized (
      select distinct import_id
      from reconciliation_loans as compared join import_loans on import_loans.loan_id = compared.loan_id
      where compared.reconciliation_id = ${id}
    )
    select loan.id, loan.loan_number as number from loans as loan
    where ${onlyHere(id)} and loan.loan_number > ${after} and (
      ${loans_here} = 'all'
      or exists (
        select from import_loans as imported
        where imported.loan_id = loan.id and imported.import_id in (select import_id from brought)
      )
      or not exists (select from brought)
        and exists (select from loan_events where loan_id = loan.id and kind = 'boarding')
    )
    order by loan.loan_number
    limit ${limit}
  `);

/** All loans here that the file does not have. */
export const countLoansOnlyHere = (tx: Transaction, id: string) =>
  tx.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*)::integer as count from loans as loan where ${onlyHere(id)}
  `);

/**
 * The loans with events that count from a compared day and that the comparison has not read. Compares counts, not times:
 * an event may be stored while the comparison runs, or after it although its transaction began before.
 */
export const countChangedLoans = (tx: Transaction, id: string) =>
  tx.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*)::integer as count
    from reconciliations as record
    join reconciliation_loans as compared on compared.reconciliation_id = record.id
    where record.id = ${id} and compared.last_date is not null and compared.events_read <> (
      select count(*) from loan_events as event
      where event.loan_id = compared.loan_id and event.effective_date <= compared.last_date
    )
  `);

const ListedDifference = z.object({
  position: z.int(),
  loan_number: z.string(),
  figure: z.string().nullable(),
  kind: z.string(),
  is_accepted: z.boolean(),
  reason: z.string(),
  first_date: z.string().nullable(),
  first_ours: z.string().nullable(),
  first_theirs: z.string().nullable(),
  last_date: z.string().nullable(),
  last_ours: z.string().nullable(),
  last_theirs: z.string().nullable(),
  days_differing: z.int(),
  days_not_compared: z.int(),
});

/** The next differences in their order, for an export. */
export const listDifferences = (
  tx: Transaction,
  id: string,
  { after, limit }: { after: number; limit: number },
) =>
  tx.any(sql.type(ListedDifference)`
    select position, loan_number, figure, kind, is_accepted, reason, first_date, first_ours, first_theirs, last_date,
           last_ours, last_theirs, days_differing, days_not_compared
    from reconciliation_differences
    where reconciliation_id = ${id} and position > ${after}
    order by position limit ${limit}
  `);
export type ListedDifference = z.output<typeof ListedDifference>;

const EarlierFacts = z.object({
  id: z.string(),
  last_payment_date: z.string().nullable(),
  boarded_on: z.string().nullable(),
  paid_interest: z.string().nullable(),
  paid_fees: z.string().nullable(),
  recovered: z.string().nullable(),
});
export type EarlierFacts = z.output<typeof EarlierFacts>;

/** What the file of a boarded loan said about the payments before, and the day on which its import boarded it. */
export const listEarlierFacts = (tx: Transaction, ids: readonly string[]) =>
  tx.any(sql.type(EarlierFacts)`
    select loan.id, loan.last_payment_date, import.business_date as boarded_on,
           loan.metadata #>> '{tape,paid_interest}' as paid_interest,
           loan.metadata #>> '{tape,paid_late_fees}' as paid_fees,
           loan.metadata #>> '{tape,recovered_amount}' as recovered
    from loans as loan
    left join import_loans as brought on brought.loan_id = loan.id
    left join imports as import on import.id = brought.import_id
    where loan.id = any(${sql.array([...ids], 'uuid')})
  `);
