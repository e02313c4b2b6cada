import { z } from 'zod';
import { prepared, sql, type Transaction } from '../../database/db.ts';
import { table } from '../../table.ts';
import { isInChunk, type LoanChunk } from '../chunk.ts';

export const promisesToPay = table({
  name: 'promises_to_pay',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.loan_id, loan.borrower_id, record.promised_on, record.promised_amount,
           record.promised_date, record.payment_method, record.channel, record.contact_note,
           record.grace_days, record.installments, record.status, record.fulfilled_amount,
           record.fulfilled_at, record.created_by, record.created_at, record.updated_at
    from promises_to_pay as record left join loans as loan on loan.id = record.loan_id
  `,
});

const PromiseToPay = z.object({
  id: z.string(),
  status: z.string(),
  promised_on: z.string(),
  promised_amount: z.string(),
  promised_date: z.string(),
  grace_days: z.int(),
  fulfilled_amount: z.string(),
});
export type PromiseToPay = z.output<typeof PromiseToPay>;

export const loansWithPendingPromise = (chunk: LoanChunk) =>
  prepared(sql.type(z.object({ id: z.string() }))`
    select distinct loan.id
    from promises_to_pay as promise join loans as loan on loan.id = promise.loan_id
    where promise.status = 'pending' and ${isInChunk(chunk)} order by loan.id
  `);

export const pendingPromises = (tx: Transaction, loanId: string) =>
  ofStatus(tx, loanId, ['pending']);

/** Kept and broken promises of the loan. Later events may change the result. */
export const decidedPromises = (tx: Transaction, loanId: string) =>
  ofStatus(tx, loanId, ['kept', 'partially_kept', 'broken']);

const ofStatus = (tx: Transaction, loanId: string, statuses: readonly string[]) =>
  tx.any(sql.type(PromiseToPay)`
    select id, status, promised_on, promised_amount, promised_date, grace_days, fulfilled_amount
    from promises_to_pay
    where loan_id = ${loanId} and status = any(${sql.array([...statuses], 'text')})
    order by id for update
  `);

export const saveOutcome = (tx: Transaction, id: string, status: string, fulfilled: string) =>
  tx.query(sql.typeAlias('void')`
    update promises_to_pay
    set status = ${status}, fulfilled_amount = ${fulfilled}::numeric,
        fulfilled_at = case when ${status} = 'kept' then now() end
    where id = ${id}
  `);
