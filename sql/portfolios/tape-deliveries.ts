import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const deliveries = table({
  name: 'tape_deliveries',
  rows: sql.fragment`
    select record.id, record.loan_tape_id, record.recipient, record.attach_file, record.status,
           record.attempts, record.error, record.sent_at, record.created_at, record.updated_at
    from tape_deliveries as record
  `,
});

/** One delivery to each address that the tape's config names, where it is to go out by mail. */
export const order = (tx: Transaction, tapeId: string) =>
  tx.anyFirst(sql.typeAlias('id')`
    insert into tape_deliveries (loan_tape_id, recipient, attach_file)
    select tape.id, named.recipient, config.attach_file
    from loan_tapes as tape
    join loan_tape_configs as config on config.id = tape.loan_tape_config_id
    cross join lateral (
      select distinct recipient from jsonb_array_elements_text(config.recipients) as recipient
    ) as named
    where tape.id = ${tapeId} and config.delivery = 'email'
    order by named.recipient
    on conflict on constraint tape_deliveries_once do nothing
    returning id
  `);

const Pending = z.object({
  recipient: z.string(),
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
export const pending = (tx: Transaction, id: string, attempt: number) =>
  tx.maybeOne(sql.type(Pending)`
    select delivery.recipient, delivery.attach_file, config.name, tape.as_of_date, tape.row_count,
           tape.totals ->> 'principal_balance' as principal_balance, tape.filename,
           document.file_size, document.content_type, document.storage_key
    from tape_deliveries as delivery
    join loan_tapes as tape on tape.id = delivery.loan_tape_id
    join loan_tape_configs as config on config.id = tape.loan_tape_config_id
    join documents as document on document.id = tape.document_id
    where delivery.id = ${id} and delivery.status = 'pending' and delivery.attempts = ${attempt} - 1
  `);

type Outcome = { status: 'pending' | 'sent' | 'failed'; error: string | null };

/** Writes down what came of an attempt, once; answers whether it was this one's to write. */
export const tried = (tx: Transaction, id: string, attempt: number, { status, error }: Outcome) =>
  tx.maybeOneFirst(sql.typeAlias('id')`
    update tape_deliveries
    set attempts = ${attempt}, status = ${status}, error = ${error},
        sent_at = case when ${status} = 'sent' then now() end
    where id = ${id} and status = 'pending' and attempts = ${attempt} - 1
    returning id
  `);
