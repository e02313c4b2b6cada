import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { serverAddress } from '../documents/sftp-servers.ts';
import { table } from '../table.ts';

export const deliveries = table({
  name: 'tape_deliveries',
  rows: sql.fragment`
    select record.id, record.loan_tape_id, record.recipient, record.sftp_server_id,
           record.attach_file, record.status, record.attempts, record.error, record.sent_at, record.created_at, record.updated_at
    from tape_deliveries as record
  `,
});

/** One delivery to each address that the tape's config names, or to its server. */
export const createDeliveries = (tx: Transaction, tapeId: string) =>
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

/** What is to be delivered by this attempt; null where it was delivered, given up or tried already. */
export const findPending = (tx: Transaction, id: string, attempt: number) =>
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

/** Whoever puts a file of this name on this server takes turns; mails need none. */
export const lockFile = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    select pg_advisory_xact_lock(hashtextextended(delivery.sftp_server_id || ' ' || tape.filename, 0))
    from tape_deliveries as delivery join loan_tapes as tape on tape.id = delivery.loan_tape_id
    where delivery.id = ${id} and delivery.sftp_server_id is not null
  `);

const Turn = z.object({ is_superseded: z.boolean(), busy_until: z.string().nullable() });

/**
 * Whether a later tape lies there under this name already; and until when somebody may be putting a file of
 * this name, as a worker that was thought dead may. Asked under the lock of the file.
 */
export const findFileTurn = (tx: Transaction, id: string, seconds: number) =>
  tx.one(sql.type(Turn)`
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

/** From now on it is being put on the server as it is set now; the note of it says which that was. */
export const markStarted = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update tape_deliveries
    set started_at = now(),
        recipient = (select ${serverAddress} from sftp_servers where id = tape_deliveries.sftp_server_id)
    where id = ${id}
  `);

/** It is not delivered any more: what came later must not be replaced by it. */
export const supersede = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update tape_deliveries
    set status = 'superseded', error = 'A later tape of this name is on the server.'
    where id = ${id} and status = 'pending'
  `);

type Outcome = { status: 'pending' | 'sent' | 'failed'; error: string | null };

/** Writes down what came of an attempt, once; answers whether it was this one's to write. */
export const recordAttempt = (
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

/** The failed ones of the tape, or that one, from now on pending again; with all further attempts. */
export const resetFailed = (tx: Transaction, tapeId: string, id: string | null) =>
  tx.any(sql.type(Failed)`
    update tape_deliveries set status = 'pending', error = null, previous_attempts = attempts
    where loan_tape_id = ${tapeId} and status = 'failed' and (${id}::uuid is null or id = ${id})
    returning id, attempts
  `);

/** Whether the tape's file is there to be delivered. */
export const hasFile = (tx: Transaction, tapeId: string) =>
  tx.exists(sql.typeAlias('void')`
    select from loan_tapes as tape join documents as document on document.id = tape.document_id
    where tape.id = ${tapeId} and document.status in ('uploaded', 'verified')
  `);

export const belongsToTape = (tx: Transaction, tapeId: string, id: string) =>
  tx.exists(sql.typeAlias('void')`
    select from tape_deliveries where loan_tape_id = ${tapeId} and id = ${id}
  `);
