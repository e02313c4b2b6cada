import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';

const SentEntry = z.object({
  id: z.string(),
  payment_id: z.string().nullable(),
  disbursement_id: z.string().nullable(),
  draw_id: z.string().nullable(),
  is_credit: z.boolean(),
  amount: z.string(),
  individual_id: z.string(),
  company_id: z.string(),
  return_code: z.string().nullable(),
  settled_on: z.string().nullable(),
  clearing_account_id: z.string().nullable(),
  cash_account_id: z.string(),
  loan_id: z.string(),
  borrower_id: z.string(),
  payment_instrument_id: z.string().nullable(),
});
export type SentEntry = z.output<typeof SentEntry>;
const Traced = SentEntry.extend({ trace_number: z.string() });

/** The loan's cash account: its product's or the chart's. */
const cashOf = sql.fragment`
  coalesce(
    (loan.terms -> 'gl_map' ->> 'cash')::uuid,
    (select charted.id from ledger_accounts as charted where charted.role = 'cash')
  )
`;
const isCredit = sql.fragment`entry.transaction_code in ('22', '32')`;

const sent = sql.fragment`
  select entry.id, entry.payment_id, entry.disbursement_id, entry.draw_id, ${isCredit} as is_credit,
         entry.trace_number, entry.amount, entry.individual_id,
         file.originator ->> 'company_id' as company_id, entry.return_code, entry.settled_on, entry.clearing_account_id,
         ${cashOf} as cash_account_id, loan.id as loan_id, loan.borrower_id,
         coalesce(
           payment.payment_instrument_id, disbursement.payment_instrument_id,
           draw.payment_instrument_id
         ) as payment_instrument_id
  from nacha_entries as entry
  join nacha_files as file on file.id = entry.nacha_file_id
  left join payments as payment on payment.id = entry.payment_id
  left join disbursements as disbursement on disbursement.id = entry.disbursement_id
  left join draws as draw on draw.id = entry.draw_id
  join loans as loan
    on loan.id = coalesce(payment.loan_id, disbursement.loan_id, draw.loan_id)
`;

/** Sent entries by trace number. The caller then locks their loans. */
export async function findByTraceNumbers(tx: Transaction, traceNumbers: readonly string[]) {
  const found = await tx.any(sql.type(Traced)`
    ${sent} where entry.trace_number = any(${sql.array([...traceNumbers], 'text')})
  `);
  return new Map(found.map((entry) => [entry.trace_number, entry]));
}

export const lockSentEntry = (tx: Transaction, id: string) =>
  tx.one(sql.type(SentEntry)`${sent} where entry.id = ${id} for update of entry`);

/** The entry that collected or paid a payment, locked; null if no file contains it. */
export const lockSentEntryOfPayment = (tx: Transaction, paymentId: string) =>
  tx.maybeOne(
    sql.type(SentEntry)`${sent} where entry.payment_id = ${paymentId} for update of entry`,
  );

/** Marks a returned payout as failed. Returns whether it was in force; a reversed payout stays reversed. */
export const markPayoutFailed = async (
  tx: Transaction,
  table: 'disbursements' | 'draws',
  id: string,
): Promise<boolean> => {
  const failed = await tx.maybeOneFirst(sql.typeAlias('id')`
    update ${sql.identifier([table])} set status = 'failed'
    where id = ${id} and status in ('pending', 'completed') returning id
  `);
  return failed !== null;
};

const SettledEntry = z.object({
  nacha_file_id: z.string(),
  filename: z.string(),
  is_credit: z.boolean(),
  clearing_account_id: z.string(),
  cash_account_id: z.string(),
  amount: z.string(),
});

const isSettlingBy = (day: string) => sql.fragment`
  file.id = entry.nacha_file_id and file.status = 'completed' and file.effective_entry_date <= ${day}
  and entry.settled_on is null and entry.return_code is null and entry.clearing_account_id is not null
`;

/**
 * Finds entries that the bank settles by the end of a day: all entries of the day's files that were not
 * returned.
 */
export const entriesToSettle = (day: string) =>
  sql.fragment`select from nacha_entries as entry, nacha_files as file where ${isSettlingBy(day)}`;

/** Marks the entries as settled, and returns the sums by file, side and accounts. */
export const settleSentEntries = (tx: Transaction, day: string) =>
  tx.any(
    prepared(sql.type(SettledEntry)`
    with moved as (
      update nacha_entries as entry set settled_on = ${day}
      from nacha_files as file
      where ${isSettlingBy(day)}
      returning entry.*, file.filename
    )
    select entry.nacha_file_id, entry.filename, ${isCredit} as is_credit,
           entry.clearing_account_id, ${cashOf} as cash_account_id, sum(entry.amount) as amount
    from moved as entry
    left join payments as payment on payment.id = entry.payment_id
    left join disbursements as disbursement on disbursement.id = entry.disbursement_id
    left join draws as draw on draw.id = entry.draw_id
    join loans as loan
      on loan.id = coalesce(payment.loan_id, disbursement.loan_id, draw.loan_id)
    group by 1, 2, 3, 4, 5 order by 1, 3, 4, 5
  `),
  );
