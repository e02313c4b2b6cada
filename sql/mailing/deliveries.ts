import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { serverAddress } from '../documents/sftp-servers.ts';
import { table } from '../table.ts';

export const mailDeliveries = table({
  name: 'mail_deliveries',
  rows: sql.fragment`
    select record.id, record.mail_batch_id, record.sftp_server_id, record.recipient, record.status,
           record.files_sent, record.attempts, record.error, record.sent_at, record.created_at,
           record.updated_at
    from mail_deliveries as record
  `,
});

const Ordered = z.object({ id: z.string(), attempts: z.int() });

/**
 * Starts the delivery to the server, or restarts a finished one from the first file. Returns null while it
 * is in progress.
 */
export const startOrRestart = (tx: Transaction, batchId: string, serverId: string) =>
  tx.maybeOne(sql.type(Ordered)`
    insert into mail_deliveries as delivery (mail_batch_id, sftp_server_id, recipient)
    select ${batchId}, id, ${serverAddress} from sftp_servers where id = ${serverId}
    on conflict on constraint mail_deliveries_once do update
    set status = 'pending', files_sent = 0, error = null, sent_at = null,
        previous_attempts = delivery.attempts, recipient = excluded.recipient
    where delivery.status <> 'pending'
    returning id, attempts
  `);

const Pending = z.object({
  mail_batch_id: z.string(),
  sftp_server_id: z.string(),
  files_sent: z.int(),
  previous_attempts: z.int(),
});

/** The delivery for this attempt; null if it is delivered, abandoned, or the attempt was already made. */
export const findPendingMailDelivery = (tx: Transaction, id: string, attempt: number) =>
  tx.maybeOne(sql.type(Pending)`
    select mail_batch_id, sftp_server_id, files_sent, previous_attempts from mail_deliveries
    where id = ${id} and status = 'pending' and attempts = ${attempt} - 1
  `);

export const recordFilesSent = (tx: Transaction, id: string, attempt: number, files: number) =>
  tx.query(sql.typeAlias('void')`
    update mail_deliveries set files_sent = ${files}
    where id = ${id} and status = 'pending' and attempts = ${attempt} - 1
  `);

type Outcome = { status: 'pending' | 'sent' | 'failed'; error: string | null };

/** Records the outcome of an attempt once. Returns null if it was recorded before. */
export const recordMailDeliveryAttempt = (
  tx: Transaction,
  id: string,
  attempt: number,
  { status, error }: Outcome,
) =>
  tx.maybeOneFirst(sql.typeAlias('id')`
    update mail_deliveries
    set attempts = ${attempt}, status = ${status}, error = ${error},
        sent_at = case when ${status} = 'sent' then now() end
    where id = ${id} and status = 'pending' and attempts = ${attempt} - 1
    returning id
  `);
