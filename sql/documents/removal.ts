import { z } from 'zod';
import { isOpenOrHoldsMoney } from '../borrowers/redaction.ts';
import { LETTERS_OF_DOCUMENT } from '../communications/logs.ts';
import { sql, type Transaction } from '../database/db.ts';

/** Shown wherever a removed file is requested. */
export const REMOVED_MESSAGE = 'The file was removed after its retention period.';

/** Years of retention by kind of document. Null or missing: kept permanently. */
export type RetentionYears = Readonly<Record<string, number | null | undefined>>;

/** A person who owes or ever owed the loan is on legal hold. */
const IS_LOAN_HELD = sql.fragment`
  exists (
    select from borrowers as person
    where person.is_on_legal_hold and (
      person.id = loan.borrower_id
      or person.id in (select party.borrower_id from co_borrowers as party where party.loan_id = loan.id)
    )
  )
`;

/**
 * The facts that decide whether a document's file may be removed. A document is about its loan, about all
 * loans of its borrower, or about many borrowers (a tape). A tape stays while any borrower is on legal
 * hold.
 */
const NOT_REMOVED = sql.fragment`
  cross join lateral (
    select case
      when document.loan_id is not null then array[document.loan_id]
      else array(
        select own.id from loans as own where own.borrower_id = document.borrower_id
        union
        select party.loan_id from co_borrowers as party where party.borrower_id = document.borrower_id
      )
    end as loan_ids
  ) as about
  cross join lateral (
    select coalesce(bool_or(${isOpenOrHoldsMoney}), false) as is_open,
           coalesce(bool_or(${IS_LOAN_HELD}), false)
             or exists (
               select from borrowers as person
               where person.is_on_legal_hold
                 and (person.id = document.borrower_id
                   or (document.borrower_id is null and document.loan_id is null))
             ) as is_held,
           greatest(document.created_at::date, max(greatest(loan.created_at::date, (
             select max(greatest(event.effective_date, event.recorded_on))
             from loan_events as event where event.loan_id = loan.id
           )))) as last_day
    from loans as loan where loan.id = any(about.loan_ids)
  ) as standing
`;

/**
 * Documents with a file whose retention would end by the day, counted from their creation. Later activity
 * on their loans may extend it.
 */
const selectExpiredDocuments = (years: RetentionYears, by: string) => sql.fragment`
  select document.*, kept.kind, kept.years
  from documents as document
  join lateral (
    select case
      when exists (select from loan_tapes as tape where tape.document_id = document.id) then 'loan_tape'
      else document.document_type
    end as kind
  ) as known on true
  join (
    select key as kind, value::integer as years
    from jsonb_each_text(${JSON.stringify(years)}::jsonb) where value is not null
  ) as kept on kept.kind = known.kind
  where document.status in ('uploaded', 'verified', 'rejected')
    and (document.created_at::date + make_interval(years => kept.years))::date <= ${by}::date
    -- A letter that waits for its batch needs its file, however long it has been held.
    and not exists (
      select from mail_letters as letter
      left join mail_batches as batch on batch.id = letter.mail_batch_id
      where letter.document_id = document.id
        and (letter.status in ('waiting', 'held') or batch.status in ('making', 'failed'))
    )
`;

const DUE_ON = sql.fragment`(standing.last_day + make_interval(years => document.years))::date`;

const Kind = z.object({
  kind: z.string(),
  years: z.int(),
  documents: z.int(),
  bytes: z.coerce.number(),
  first_due_on: z.string().nullable(),
  held: z.int(),
});

/** By kind, the documents whose retention ends by that day, and how many of them a legal hold keeps. */
export const countRemovable = (tx: Transaction, years: RetentionYears, by: string) =>
  tx.any(sql.type(Kind)`
    select document.kind, document.years,
           count(*) filter (where not is_held)::integer as documents,
           coalesce(sum(document.file_size) filter (where not is_held), 0) as bytes,
           min(${DUE_ON}) filter (where not is_held) as first_due_on,
           count(*) filter (where is_held)::integer as held
    from (${selectExpiredDocuments(years, by)}) as document ${NOT_REMOVED}
    where not standing.is_open and ${DUE_ON} <= ${by}::date
    group by document.kind, document.years order by document.kind
  `);

const Next = z.object({ id: z.string(), kind: z.string(), due_on: z.string() });

export const findFirstRemovable = (
  tx: Transaction,
  years: RetentionYears,
  by: string,
  limit: number,
) =>
  tx.any(sql.type(Next)`
    select document.id, document.kind, ${DUE_ON} as due_on
    from (${selectExpiredDocuments(years, by)}) as document ${NOT_REMOVED}
    where not standing.is_open and not standing.is_held and ${DUE_ON} <= ${by}::date
    order by due_on, document.id limit ${limit}
  `);

type RemovalPage = { years: RetentionYears; today: string; after: string; limit: number };

/**
 * Marks the next expired documents as removed, writes their history, and fails deliveries that need the
 * file, in one statement. Returns the last id that was examined; null at the end.
 */
export const markExpiredDocuments = (
  tx: Transaction,
  { years, today, after, limit }: RemovalPage,
) =>
  tx.oneFirst(sql.type(z.object({ last: z.string().nullable() }))`
    with page as materialized (
      select * from (${selectExpiredDocuments(years, today)}) as document
      where document.id > ${after} order by document.id limit ${limit}
    ), due as (
      select document.id, document.status, document.years, standing.last_day
      from page as document ${NOT_REMOVED}
      where not standing.is_open and not standing.is_held and ${DUE_ON} <= ${today}::date
    ), removed as (
      update documents as document
      set status = 'removed', removed_at = now(), status_before_removal = document.status
      from due
      -- The document may have been reviewed or redacted in the meantime.
      where document.id = due.id and document.status = due.status
      returning document.id, document.borrower_id, document.loan_id, document.status_before_removal, due.years, due.last_day
    ), logged as (
      insert into audit_log (entity_type, entity_id, borrower_id, loan_id, action, actor_type, changes, reason)
      select 'documents', id, borrower_id, loan_id, 'remove-file', 'system',
             jsonb_build_object('status', jsonb_build_object('old', status_before_removal, 'new', 'removed')),
             'Its retention of ' || years || ' years after ' || last_day || ' has ended.'
      from removed
    ), undeliverable as (
      update tape_deliveries set status = 'failed', error = ${REMOVED_MESSAGE}
      where status = 'pending' and loan_tape_id in (
        select tape.id from loan_tapes as tape join removed on removed.id = tape.document_id
      )
    )
    select max(id::text) as last from page
  `);

/**
 * Restores documents whose borrower came under legal hold after they were marked, if the file still exists.
 * An interrupted removal leaves such files.
 */
export const restoreHeld = (tx: Transaction) =>
  tx.query(sql.typeAlias('void')`
    with held as (
      select document.id from documents as document ${NOT_REMOVED}
      where document.status = 'removed' and document.file_deleted_at is null and standing.is_held
    ), kept as (
      update documents as document
      set status = document.status_before_removal, removed_at = null, status_before_removal = null
      from held where document.id = held.id and document.status = 'removed' and document.file_deleted_at is null
      returning document.id, document.borrower_id, document.loan_id, document.status
    )
    insert into audit_log (entity_type, entity_id, borrower_id, loan_id, action, actor_type, changes, reason)
    select 'documents', id, borrower_id, loan_id, 'keep-file', 'system',
           jsonb_build_object('status', jsonb_build_object('old', 'removed', 'new', status)),
           'A legal hold began before the file was deleted.'
    from kept
  `);

const RemovableFile = z.object({
  id: z.string(),
  storage_key: z.string(),
  letter_ids: z.array(z.string()),
});

const IS_FILE_PENDING_DELETION = sql.fragment`document.status = 'removed' and document.file_deleted_at is null`;

export const filesToDelete = sql.fragment`select from documents as document where ${IS_FILE_PENDING_DELETION}`;

/** Removed documents whose file may still exist, with the messages that were sent with a copy. */
export const listFilesToDelete = (tx: Transaction, limit: number) =>
  tx.any(sql.type(RemovableFile)`
    select document.id, document.storage_key, ${LETTERS_OF_DOCUMENT} as letter_ids
    from documents as document
    where ${IS_FILE_PENDING_DELETION}
    order by document.id limit ${limit}
  `);

export const markFilesDeleted = (tx: Transaction, ids: readonly string[]) =>
  tx.query(sql.typeAlias('void')`
    update documents set file_deleted_at = now()
    where id = any(${sql.array([...ids], 'uuid')}) and status = 'removed' and file_deleted_at is null
  `);
