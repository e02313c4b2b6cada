import { z } from 'zod';
import { prepared, sql, deferred, type Transaction } from '../database/db.ts';
import { batchByTransaction } from '../database/batch-by-transaction.ts';
import { CHANNELS } from './channels.ts';
import { FIRST_DOMAIN } from './recipients.ts';

const Pending = z.object({
  id: z.string(),
  template_id: z.string().nullable(),
  template_type: z.string().nullable(),
  borrower_id: z.string(),
  loan_id: z.string().nullable(),
  channel: z.enum(CHANNELS),
  recipient: z.string().nullable(),
  sender: z.string().nullable(),
  subject: z.string().nullable(),
  body: z.string().nullable(),
  figures: z.record(z.string(), z.unknown()),
  document_id: z.string().nullable(),
  document_status: z.string().nullable(),
  storage_key: z.string().nullable(),
  filename: z.string().nullable(),
  content_type: z.string().nullable(),
  /** The borrower requested it a moment ago, so it is sent even if the borrower has opted out. */
  is_answer: z.boolean(),
  tenant: z.object({
    settings: z.record(z.string(), z.unknown()),
    time_zone: z.string(),
    business_date: z.string(),
    domain: z.string().nullable(),
  }),
});
export type PendingMessage = z.output<typeof Pending>;

type Ordered = { id: string; attempt: number };

/** The message, if this attempt is still to be made. Concurrent calls share one statement. */
export const findPendingMessage = (tx: Transaction, id: string, attempt: number) =>
  findPendingBatched(tx, { id, attempt });

const findPendingBatched = batchByTransaction(async (tx, ordered: readonly Ordered[]) => {
  const rows = await tx.any(selectPending(ordered));
  const tenant = rows.find((row) => row.tenant !== null)?.tenant;
  const found = new Map<number, PendingMessage>();
  for (const { place, ...row } of rows) if (tenant) found.set(place, { ...row, tenant });
  return ordered.map((_, index) => found.get(index + 1) ?? null);
});

/** The lateral join looks each message up by its key, whatever row count the planner expects. */
const selectPending = (ordered: readonly Ordered[]) =>
  prepared(sql.type(Pending.extend({ place: z.int(), tenant: Pending.shape.tenant.nullable() }))`
    select found.*,
           case when row_number() over (order by found.place) = 1 then (
             select jsonb_build_object(
               'settings', tenant.settings, 'time_zone', tenant.time_zone,
               'business_date', tenant.business_date, 'domain', (${FIRST_DOMAIN})
             )
             from tenants as tenant where tenant.id = app.current_tenant()
           ) end as tenant
    from (
      select ordered.place::integer as place, message.*
      from rows from (
        jsonb_to_recordset(${JSON.stringify(ordered)}::jsonb) as (id uuid, attempt integer)
      ) with ordinality as ordered (id, attempt, place)
      cross join lateral (
        select log.id, log.template_id, log.template_type, log.borrower_id, log.loan_id, log.channel,
               log.recipient, log.sender, log.subject, log.body, log.figures, log.document_id,
               document.status as document_status, document.storage_key, document.filename,
               document.content_type, log.metadata ? 'is_answer' as is_answer
        from communication_logs as log
        left join documents as document on document.id = log.document_id
        where log.id = ordered.id and log.status = 'queued' and log.attempts = ordered.attempt - 1
        limit 1
      ) as message
    ) as found
  `);

/** Stores the rendered content. The messages of a batch are written first and rendered one by one. */
export const saveContent = (
  tx: Transaction,
  id: string,
  { subject, body }: { subject: string | null; body: string },
  document_id: string | null = null,
) => fillBatched(tx, { id, subject, body, document_id });

type Filled = { id: string; subject: string | null; body: string; document_id: string | null };

const fillBatched = batchByTransaction(async (tx, messages: readonly Filled[]) => {
  await tx.query(
    deferred(sql.typeAlias('void')`
      update communication_logs as log
      set subject = message.subject, body = message.body,
          document_id = coalesce(message.document_id, log.document_id)
      from (
        select * from jsonb_to_recordset(${jsonOf(messages)}::jsonb)
          as message (id uuid, subject text, body text, document_id uuid)
        limit ${messages.length}
      ) as message
      where log.id = message.id
    `),
  );
  return messages.map(() => undefined);
});

/** JSON cannot hold an unpaired surrogate, so it is replaced by U+FFFD, as in a bound value. */
const jsonOf = (rows: readonly object[]) =>
  JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  );

export const findMailAddress = (tx: Transaction, id: string) =>
  tx.maybeOneFirst(sql.type(z.object({ recipient: z.string() }))`
    select recipient from communication_logs
    where id = ${id} and direction = 'outbound' and channel = 'email' and recipient like '%@%'
  `);

type Sent = { provider: string; provider_message_id: string | null };

/**
 * Marks messages as sent; a letter waits for the mail house from now on. Concurrent calls share one
 * statement.
 */
export const markSent = (tx: Transaction, id: string, attempt: number, by: Sent) =>
  markSentBatched(tx, { id, attempt, ...by });

const markSentBatched = batchByTransaction(async (tx, messages: readonly (Ordered & Sent)[]) => {
  await tx.query(deferred(updateSent(messages)));
  return messages.map(() => undefined);
});

const updateSent = (messages: readonly (Ordered & Sent)[]) => sql.typeAlias('void')`
  with sent as (
    update communication_logs as log
    set status = 'sent', sent_at = clock_timestamp(), attempts = message.attempt,
        provider = message.provider, provider_message_id = message.provider_message_id,
        error_code = null, error_message = null
    from (
      select * from jsonb_to_recordset(${jsonOf(messages)}::jsonb)
        as message (id uuid, attempt integer, provider text, provider_message_id text)
      -- The limit tells Postgres that there are few, so it uses the index.
      limit ${messages.length}
    ) as message
    where log.id = message.id and log.status = 'queued'
    returning log.id, log.channel, log.borrower_id, log.document_id
  )
  insert into mail_letters (id, borrower_id, document_id, page_count)
  select sent.id, sent.borrower_id, document.id, document.page_count
  from sent join documents as document on document.id = sent.document_id
  where sent.channel = 'letter' and document.page_count > 0
`;

type Failure = { provider: string; error_code: string; error_message: string };

export const markMessageFailed = (tx: Transaction, id: string, attempt: number, failure: Failure) =>
  tx.query(sql.typeAlias('void')`
    update communication_logs
    set status = 'failed', failed_at = clock_timestamp(), attempts = ${attempt},
        provider = ${failure.provider}, error_code = ${failure.error_code},
        error_message = ${failure.error_message}
    where id = ${id} and status = 'queued'
  `);

/** Marks the message as failed. It is not sent unless the failed job is run again. */
export const markAbandoned = (tx: Transaction, id: string, attempt: number, reason: string) =>
  tx.query(sql.typeAlias('void')`
    update communication_logs
    set status = 'failed', failed_at = clock_timestamp(), error_code = 'job_failed',
        error_message = ${reason}
    where id = ${id} and status = 'queued' and attempts = ${attempt - 1}
  `);

/** Makes an abandoned message pending again. Returns whether it was abandoned. */
export const reopenAbandoned = async (
  tx: Transaction,
  id: string,
  attempt: number,
): Promise<boolean> => {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update communication_logs
    set status = 'queued', failed_at = null, error_code = null, error_message = null
    where id = ${id} and status = 'failed' and error_code = 'job_failed'
      and attempts = ${attempt - 1}
  `);
  return rowCount === 1;
};

/** Abandons messages about an account that were written and never sent. */
export const abandonAccountMessages = (
  tx: Transaction,
  userId: string,
  message: string,
  reason: string,
) =>
  tx.query(sql.typeAlias('void')`
    update communication_logs
    set status = 'failed', failed_at = clock_timestamp(), error_code = 'job_failed',
        error_message = ${reason}
    where status = 'queued' and template_type = ${message} and channel = 'email' and body is null
      and recipient = (select email from users where id = ${userId})
  `);

/** Records why the message was postponed, and returns the time of its next attempt by the queue's clock. */
export const postponeMessage = (
  tx: Transaction,
  id: string,
  attempt: number,
  delaySeconds: number,
  failure: Failure,
) =>
  tx.maybeOneFirst(sql.type(z.object({ next: z.string() }))`
    update communication_logs
    set attempts = ${attempt}, provider = ${failure.provider}, error_code = ${failure.error_code},
        error_message = ${failure.error_message}
    where id = ${id} and status = 'queued' and attempts = ${attempt - 1}
    returning clock_timestamp() + make_interval(secs => ${delaySeconds}) as next
  `);

/** Messages that waited for a document that is now stored, with their next attempt. */
export const findWaitingForDocument = (tx: Transaction, documentId: string) =>
  tx.any(
    prepared(sql.type(z.object({ id: z.string(), attempt: z.int() }))`
    select id, attempts + 1 as attempt from communication_logs
    where document_id = ${documentId} and status = 'queued'
  `),
  );
