import { z } from 'zod';
import { sql, type Transaction } from '../../database/db.ts';
import { table } from '../../table.ts';

export const disbursements = table({
  name: 'disbursements',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.loan_id, loan.borrower_id, record.amount, record.disbursement_date, record.method,
           record.payment_instrument_id, record.payee_name, record.payee_type,
           record.reference_number, record.fee_deducted, record.net_amount, record.status,
           (
             select entry.id from loan_events as event
             join journal_entries as entry
               on entry.reference_id = event.id and entry.reference_type = 'disbursement'
             where event.loan_id = record.loan_id and event.kind = 'disbursement'
               and event.details ->> 'disbursement_id' = record.id::text
             order by entry.id limit 1
           ) as journal_entry_id,
           record.created_at, record.updated_at
    from disbursements as record left join loans as loan on loan.id = record.loan_id
  `,
});

export const lastDisbursementId = (tx: Transaction, loanId: string) =>
  tx.oneFirst(sql.type(z.object({ id: z.string() }))`
    select id from disbursements where loan_id = ${loanId} order by id desc limit 1
  `);

/** Resets the loan to its state before the disbursement. */
export const clearFunding = (tx: Transaction, loanId: string) =>
  tx.query(sql.typeAlias('void')`
    update loans
    set disbursed_amount = 0, disbursement_date = null,
        first_payment_date = agreed_first_payment_date, maturity_date = null,
        cycle_start_date = null, cycle_end_date = null, first_delinquency_date = null,
        first_delinquency_30_date = null,
        origination_date = case when origination_date <> disbursement_date then origination_date end
    where id = ${loanId}
  `);

export const reverseDisbursementFees = (tx: Transaction, loanId: string) =>
  tx.query(sql.typeAlias('void')`
    update fees set status = 'reversed' where loan_id = ${loanId} and status <> 'reversed'
  `);
