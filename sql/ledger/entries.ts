import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { prepared, sql, deferred, type Transaction } from '../database/db.ts';
import { batchByTransaction } from '../database/batch-by-transaction.ts';
import { newId } from '../new-id.ts';
import { containsPattern, table } from '../table.ts';

/** Entries with their lines. Whether an entry was reversed follows from the entry that reverses it. */
export const entries = table({
  name: 'journal_entries',
  own: [
    'id',
    'q',
    'status',
    'entry_date',
    'effective_date',
    'reference_type',
    'reference_id',
    'loan_id',
    'source',
    'reversal_of_entry_id',
    'is_archived',
    'account_id',
    'created_by',
    'posted_by',
    'posted_at',
    'created_at',
  ],
  rows: sql.fragment`
    select record.id, record.entry_date, record.effective_date, record.description,
           record.reference_type, record.reference_id, record.loan_id, record.source, record.status,
           record.posted_at, record.posted_by, record.reversal_of_entry_id, record.reversal_reason,
           mirror.id is not null as is_reversed, mirror.id as reversed_by_entry_id,
           mirror.posted_at as reversed_at,
           (
             select coalesce(json_agg(json_build_object(
               'account_id', line.account_id, 'account_code', account.code, 'account', account.name,
               'role', line.role,
               'debit', line.debit::text, 'credit', line.credit::text,
               'description', line.description
             ) order by line.position), '[]')
             from journal_lines as line
             join ledger_accounts as account on account.id = line.account_id
             where line.entry_id = record.id
           ) as lines,
           record.is_archived, record.created_by, record.created_at
    from journal_entries as record
    left join journal_entries as mirror on mirror.reversal_of_entry_id = record.id
  `,
  search: (words) => sql.fragment`row.description ilike ${containsPattern(words)}`,
  filters: {
    // Entries with a line on one of the accounts.
    account_id: {
      type: 'uuid',
      where: (values) => sql.fragment`
        exists (
          select from journal_lines as line
          where line.entry_id = row.id and line.account_id = any(${sql.array(values, 'uuid')})
        )
      `,
    },
  },
});

export type Heading = {
  /** Chosen by the caller if other rows reference the entry before it is written. */
  id: string | null;
  entry_date: string;
  effective_date: string;
  description: string | null;
  reference_type: string;
  reference_id: string | null;
  purpose: string;
  loan_id: string | null;
  actor_id: string | null;
};
/**
 * A line has a role and either its own account, or the account that the loan's product maps the role to.
 */
export type RoleLine = { role: string; account_id: string | null; debit: string; credit: string };

type EntryInput = { heading: Heading; lines: readonly RoleLine[] };

/**
 * Writes system entries with their lines. Each line is posted on its own account, or the account that the
 * loan's terms map its role to, or the chart's account for the role; throws if there is none. Returns the
 * id of each entry, or null if its reference is already posted.
 */
export const writeEntry = batchByTransaction(async (tx, entryInputs: readonly EntryInput[]) => {
  const entryRows = entryInputs.map(withId);
  const onRepeat = sql.fragment`on conflict on constraint journal_entries_posted_once do nothing`;
  const written = new Set(await tx.anyFirst(prepared(insertEntries(entryRows, onRepeat))));
  return entryRows.map(({ id }) => (written.has(id) ? id : null));
});

/**
 * Like `writeEntry`, for references that are new in this transaction. They cannot be posted yet, so nothing
 * waits for the answer. Returns the ids.
 */
export const writeNewEntry = batchByTransaction(async (tx, entryInputs: readonly EntryInput[]) => {
  const entryRows = entryInputs.map(withId);
  await tx.query(deferred(insertEntries(entryRows, sql.fragment``)));
  return entryRows.map(({ id }) => id);
});

const withId = ({ heading, lines }: EntryInput) => ({
  ...heading,
  id: heading.id ?? newId(),
  lines,
});

type EntryWithId = ReturnType<typeof withId>;

const insertEntries = (entryRows: readonly EntryWithId[], onRepeat: FragmentSqlToken) => {
  const [only, ...others] = entryRows;
  return only && others.length === 0
    ? insertOneEntry(only, onRepeat)
    : insertManyEntries(entryRows, onRepeat);
};

/** A single entry uses bound values, except for its lines, whose number varies. */
const insertOneEntry = ({ lines, ...heading }: EntryWithId, onRepeat: FragmentSqlToken) =>
  sql.typeAlias('id')`
    with entry as (
      insert into journal_entries (
        id, entry_date, effective_date, description, reference_type, reference_id, purpose, loan_id,
        source, status, posted_at, posted_by, created_by
      )
      values (
        ${heading.id}, ${heading.entry_date}, ${heading.effective_date}, ${heading.description},
        ${heading.reference_type}, ${heading.reference_id}, ${heading.purpose}, ${heading.loan_id},
        'system', 'posted', now(), ${heading.actor_id}, ${heading.actor_id}
      )
      ${onRepeat}
      returning id, entry_date
    ), written as (
      insert into journal_lines (entry_id, entry_date, account_id, role, position, debit, credit)
      select entry.id, entry.entry_date, ${accountOf(sql.fragment`
        (select loan.terms -> 'gl_map' from loans as loan where loan.id = ${heading.loan_id})
      `)}, line.role, line.position, line.debit, line.credit
      from entry cross join ${linesIn(sql.fragment`${JSON.stringify(lines)}::jsonb`)}
    )
    select id from entry
  `;

const insertManyEntries = (entryRows: readonly EntryWithId[], onRepeat: FragmentSqlToken) =>
  sql.typeAlias('id')`
    with given as materialized (
      select heading.*, (
        select loan.terms -> 'gl_map' from loans as loan where loan.id = heading.loan_id
      ) as mapped
      from jsonb_to_recordset(${JSON.stringify(entryRows)}) as heading (
        id uuid, entry_date date, effective_date date, description text, reference_type text,
        reference_id uuid, purpose text, loan_id uuid, actor_id uuid, lines jsonb
      )
    ), entry as (
      insert into journal_entries (
        id, entry_date, effective_date, description, reference_type, reference_id, purpose, loan_id,
        source, status, posted_at, posted_by, created_by
      )
      select id, entry_date, effective_date, description, reference_type, reference_id, purpose,
             loan_id, 'system', 'posted', now(), actor_id, actor_id
      from given
      ${onRepeat}
      returning id, entry_date
    ), charged as materialized (
      select given.id as entry_id, line.*, ${accountOf(sql.fragment`given.mapped`)} as found_id
      from given cross join lateral ${linesIn(sql.fragment`given.lines`)}
    ), written as (
      insert into journal_lines (entry_id, entry_date, account_id, role, position, debit, credit)
      select entry.id, entry.entry_date, found_id, role, position, debit, credit
      from entry join charged on charged.entry_id = entry.id
    )
    select id from entry
  `;

/** The account of a line: its own, or the one that the loan maps its role to, or the chart's. */
const accountOf = (glMap: FragmentSqlToken) => sql.fragment`
  coalesce(
    line.account_id, (${glMap} ->> line.role)::uuid,
    (select id from ledger_accounts as charted where charted.role = line.role),
    app.raise_missing_account(line.role)
  )`;

const linesIn = (lines: FragmentSqlToken) => sql.fragment`
  rows from (jsonb_to_recordset(${lines}) as (
    role text, account_id uuid, debit numeric, credit numeric
  )) with ordinality as line (role, account_id, debit, credit, position)`;

const Existing = z.object({
  id: z.string(),
  lines: z.array(z.object({ role: z.string().nullable(), debit: z.string(), credit: z.string() })),
});

/**
 * The entry posted for a reference, to distinguish a repetition from a different posting under the same
 * reference.
 */
export const findPosted = (
  tx: Transaction,
  {
    reference_type,
    reference_id,
    purpose,
  }: Pick<Heading, 'reference_type' | 'reference_id' | 'purpose'>,
) =>
  tx.maybeOne(sql.type(Existing)`
    select entry.id, (
      select json_agg(json_build_object(
        'role', line.role, 'debit', line.debit::text, 'credit', line.credit::text
      ) order by line.position)
      from journal_lines as line
      where line.entry_id = entry.id
    ) as lines
    from journal_entries as entry
    where entry.reference_type = ${reference_type} and entry.reference_id = ${reference_id}
      and entry.purpose = ${purpose}
  `);
