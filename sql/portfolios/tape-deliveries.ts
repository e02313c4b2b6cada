import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { serverAddress } from '../documents/sftp-servers.ts';
import { table } from '../table.ts';

export const tapeDeliveries = table({
  name: 'tape_deliveries',
  rows: sql.fragment`
    select record.id, record.loan_tape_id, record.recipient, record.sftp_server_id,
           record.attach_file, record.status, record.attempts, record.error, record.sent_at, record.created_at, record.updated_at
    from tape_deliveries as record
  `,
});

/** Creates one delivery per email address of the tape's configuration, or one to its server. */
export const createTapeDeliveries = (tx: Transaction, tapeId: string) =>
  tx.anyFirst(sql.typeAlias('id')`
    insert into tape_deliveries (loan_tape_id, recipient, attach_file, sftp_server_id)
    select tape.id, named.recipient, config.attach_file, named.sftp_server_id
    from loan_tapes as tape
    join loan_tape_configs as config on config.id = tape.loan_tape_config_id
    cross join lateral (
      select distinct recipient, null::uuid as sftp_server_id
      from jsonb_array_elements_text(config.recipients) as recipient
      where config.delivery = 'email'
      union all
      select ${serverAddress}, id
      from sftp_servers where id = config.sftp_server_id and config.delivery = 'sftp'
    ) as named
    where tape.id = ${tapeId}
    order by named.recipient
    on conflict on constraint tape_deliveries_once do nothing
    returning id
  `);

const Pending = z.object({
  recipient: z.string(),
  sftp_server_id: z.string().nullable(),
  previous_attempts: z.int(),
  attach_file: z.boolean(),
  name: z.string(),
  as_of_date: z.string(),
  row_count: z.int(),
  principal_balance: z.string(),
  filename: z.string(),
  file_size: z.coerce.number(),
  content_type: z.string(),
  storage_key: z.string(),
});

/** The delivery for this attempt; null if it is delivered, failed, or the attempt was already made. */
export const findPendingTapeDelivery = (tx: Transaction, id: string, attempt: number) =>
  tx.maybeOne(sql.type(Pending)`
    select delivery.recipient, delivery.sftp_server_id, delivery.previous_attempts,
           delivery.attach_file, config.name, tape.as_of_date, tape.row_count,
           tape.totals ->> 'principal_balance' as principal_balance, tape.filename,
           document.file_size, document.content_type, document.storage_key
    from tape_deliveries as delivery
    join loan_tapes as tape on tape.id = delivery.loan_tape_id
    join loan_tape_configs as config on config.id = tape.loan_tape_config_id
    join documents as document on document.id = tape.document_id
    where delivery.id = ${id} and delivery.status = 'pending' and delivery.attempts = ${attempt} - 1
  `);

/** Serializes uploads of a file name to a server. Emails are not locked. */
export const lockFile = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    select pg_advisory_xact_lock(hashtextextended(delivery.sftp_server_id || ' ' || tape.filename, 0))
    from tape_deliveries as delivery join loan_tapes as tape on tape.id = delivery.loan_tape_id
    where delivery.id = ${id} and delivery.sftp_server_id is not null
  `);

const FileTurn = z.object({ is_superseded: z.boolean(), busy_until: z.string().nullable() });

/**
 * Whether a later tape with this name is already on the server, and until when another worker may be
 * uploading a file with this name (even one that is presumed dead). Call it under the file's lock.
 */
export const findFileTurn = (tx: Transaction, id: string, seconds: number) =>
  tx.one(sql.type(FileTurn)`
    select coalesce(bool_or(
             other.status = 'sent' and other.recipient = place.name
             and (others.generated_at, others.id) > (tape.generated_at, tape.id)
           ), false) as is_superseded,
           max(other.started_at + make_interval(secs => ${seconds}))
             filter (where other.started_at > now() - make_interval(secs => ${seconds})) as busy_until
    from tape_deliveries as delivery
    join loan_tapes as tape on tape.id = delivery.loan_tape_id
    join lateral (
      select ${serverAddress} as name from sftp_servers where id = delivery.sftp_server_id
    ) as place on true
    join loan_tapes as others on others.filename = tape.filename
      and others.loan_tape_config_id = tape.loan_tape_config_id
    join tape_deliveries as other on other.loan_tape_id = others.id
      and other.sftp_server_id = delivery.sftp_server_id
    where delivery.id = ${id}
  `);

/** Marks the upload as started, and records the server's current address. */
export const markTapeDeliveryStarted = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update tape_deliveries
    set started_at = now(),
        recipient = (select ${serverAddress} from sftp_servers where id = tape_deliveries.sftp_server_id)
    where id = ${id}
  `);

/** Supersedes the delivery, so that it does not replace a later file. */
export const supersedeTapeDelivery = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update tape_deliveries
    set status = 'superseded', error = 'A later tape with this name is already on the server.'
    where id = ${id} and status = 'pending'
  `);

type Outcome = { status: 'pending' | 'sent' | 'failed'; error: string | null };

/** Records the outcome of an attempt once. Returns null if it was recorded before. */
export const recordTapeDeliveryAttempt = (
  tx: Transaction,
  id: string,
  attempt: number,
  { status, error }: Outcome,
) =>
  tx.maybeOneFirst(sql.typeAlias('id')`
    update tape_deliveries
    set attempts = ${attempt}, status = ${status}, error = ${error}, started_at = null,
        sent_at = case when ${status} = 'sent' then now() end
    where id = ${id} and status = 'pending' and attempts = ${attempt} - 1
    returning id
  `);

const Failed = z.object({ id: z.string(), attempts: z.int() });

/** Makes the tape's failed deliveries, or one of them, pending again with the full number of attempts. */
export const resetFailed = (tx: Transaction, tapeId: string, id: string | null) =>
  tx.any(sql.type(Failed)`
    update tape_deliveries set status = 'pending', error = null, previous_attempts = attempts
    where loan_tape_id = ${tapeId} and status = 'failed' and (${id}::uuid is null or id = ${id})
    returning id, attempts
  `);

export const hasFile = (tx: Transaction, tapeId: string) =>
  tx.exists(sql.typeAlias('void')`
    select from loan_tapes as tape join documents as document on document.id = tape.document_id
    where tape.id = ${tapeId} and document.status in ('uploaded', 'verified')
  `);

export const belongsToTape = (tx: Transaction, tapeId: string, id: string) =>
  tx.exists(sql.typeAlias('void')`
    select from tape_deliveries where loan_tape_id = ${tapeId} and id = ${id}
  `);
