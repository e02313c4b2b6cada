import { z } from 'zod';
import { envelopeLines } from '../communications/envelope-lines.ts';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const LETTER_STATUSES = ['waiting', 'held', 'batched', 'withdrawn'] as const;

/** Letters for the mail house, with their position in a batch. */
export const letters = table({
  name: 'mail_letters',
  own: [
    'id',
    'borrower_id',
    'document_id',
    'posted_on',
    'status',
    'mail_batch_id',
    'mail_batch_file_id',
    'returned_on',
    'created_at',
    'updated_at',
  ],
  rows: sql.fragment`
    select record.id, record.borrower_id, record.document_id, log.loan_id, log.template_type,
           record.posted_on, record.status, record.hold_reasons, record.note, record.mail_batch_id,
           record.mail_batch_file_id, record.position, record.first_page,
           record.first_page + record.page_count - 1 as last_page, record.page_count,
           record.returned_on, record.created_at, record.updated_at
    from mail_letters as record
    join communication_logs as log on log.id = record.id
  `,
});

/**
 * Reasons for a hold that only a person releases. A corrected address does not help: the old one is printed
 * on the letter.
 */
export const MANUALLY_RELEASED_REASONS = ['by_hand', 'contact_invalid'] as const;

const LetterToCheck = z.object({
  id: z.string(),
  borrower_id: z.string(),
  template_type: z.string().nullable(),
  loan_id: z.string().nullable(),
  is_held: z.boolean(),
  is_printed_returned: z.boolean(),
});
export type LetterToCheck = z.output<typeof LetterToCheck>;
export type BatchDates = { from_date: string; business_date: string };

/**
 * Locks waiting letters of these days in the order of their ids, so that concurrent batches cannot
 * deadlock.
 */
export const lockWaiting = (tx: Transaction, { from_date, business_date }: BatchDates) =>
  tx.query(sql.typeAlias('void')`
    select from mail_letters
    where status in ('waiting', 'held') and posted_on between ${from_date} and ${business_date}
    order by id for no key update
  `);

/** A page of waiting letters after the given one, to check whether they may be sent. */
export const listLettersToCheck = (
  tx: Transaction,
  { from_date, business_date }: BatchDates,
  after: string | null,
  limit: number,
) =>
  tx.any(sql.type(LetterToCheck)`
    select letter.id, letter.borrower_id, log.template_type, log.loan_id,
           letter.status = 'held' as is_held,
           exists (
             select from addresses
             where borrower_id = letter.borrower_id and address_indicator = 'U'
               and ${envelopeLines} = log.figures #> '{letter,recipient,address_lines}'
           ) as is_printed_returned
    from mail_letters as letter
    join communication_logs as log on log.id = letter.id
    where letter.status in ('waiting', 'held') and (${after}::uuid is null or letter.id > ${after})
      and letter.posted_on between ${from_date} and ${business_date}
      and not letter.hold_reasons ?| ${sql.array([...MANUALLY_RELEASED_REASONS], 'text')}
    order by letter.id limit ${limit}
  `);

/** Marks the letter as returned. Returns false if it was already marked. */
export const markReturned = async (tx: Transaction, id: string, on: string) =>
  (await tx.maybeOneFirst(sql.typeAlias('id')`
    update mail_letters set returned_on = ${on} where id = ${id} and returned_on is null returning id
  `)) !== null;

/** The borrower's address that is printed on the letter, if it is still on file. */
export const findPrintedAddress = (tx: Transaction, id: string) =>
  tx.maybeOneFirst(sql.typeAlias('id')`
    select id from addresses
    where borrower_id = (select borrower_id from mail_letters where id = ${id}) and not is_archived
      and ${envelopeLines}
        = (select figures #> '{letter,recipient,address_lines}' from communication_logs where id = ${id})
    order by created_at limit 1
  `);

type CheckedLetter = { id: string; hold_reasons: readonly string[] };

/** Holds letters with blockers, and releases letters without. */
export const updateHolds = (tx: Transaction, checked: readonly CheckedLetter[]) =>
  tx.query(sql.typeAlias('void')`
    update mail_letters as letter
    set hold_reasons = checked.hold_reasons,
        status = case when checked.hold_reasons = '[]' then 'waiting' else 'held' end
    from jsonb_to_recordset(${JSON.stringify(checked)}::jsonb) as checked (id uuid, hold_reasons jsonb)
    where letter.id = checked.id and letter.hold_reasons <> checked.hold_reasons
  `);

/** Holds the borrower's waiting letters to an address from which mail was returned. */
export const holdForReturnedAddress = (tx: Transaction, addressId: string) =>
  tx.query(sql.typeAlias('void')`
    update mail_letters as letter
    set status = 'held', hold_reasons = hold_reasons || '["contact_invalid"]'
    from addresses, communication_logs as log
    where addresses.id = ${addressId} and letter.borrower_id = addresses.borrower_id
      and log.id = letter.id and letter.status in ('waiting', 'held')
      and not letter.hold_reasons ? 'contact_invalid'
      and ${envelopeLines} = log.figures #> '{letter,recipient,address_lines}'
  `);

const Count = z.object({ waiting: z.int(), held: z.int() });

export const countWaiting = (tx: Transaction, { from_date, business_date }: BatchDates) =>
  tx.one(sql.type(Count)`
    select count(*) filter (where status = 'waiting')::integer as waiting,
           count(*) filter (where status = 'held')::integer as held
    from mail_letters
    where status in ('waiting', 'held') and posted_on between ${from_date} and ${business_date}
  `);

type Change = {
  status: 'waiting' | 'held' | 'withdrawn';
  hold_reasons: readonly string[];
  note: string | null;
};

/** Records a person's decision about a letter. Returns false if the letter can no longer be changed. */
export async function updateStatus(tx: Transaction, id: string, change: Change): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update mail_letters
    set status = ${change.status}, note = ${change.note},
        hold_reasons = ${JSON.stringify(change.hold_reasons)}::jsonb
    where id = ${id} and status in ('waiting', 'held')
  `);
  return rowCount === 1;
}
