import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const payoffQuotes = table({
  name: 'payoff_quotes',
  owner: 'loans',
  // A quote expires by itself when its last day is over.
  rows: sql.fragment`
    select record.id, record.loan_id, record.quote_number, record.quote_date, record.payoff_date,
           record.good_through_date, record.principal_amount, record.accrued_interest,
           record.per_diem, record.fees_amount, record.unbilled_fees, record.prepayment_penalty,
           record.credits_amount, record.payoff_amount, record.payoff_amount_good_through,
           record.include_prepayment_penalty, record.delivery_method, record.explanation,
           record.remittance_instructions,
           case
             when record.status = 'active' and record.good_through_date < app.business_date()
             then 'expired' else record.status
           end as status,
           record.document_id, document.status as document_status,
           case when document.status = 'failed' then document.rejection_reason end
             as document_failure_reason,
           record.created_by, record.created_at, record.updated_at
    from payoff_quotes as record
    left join documents as document on document.id = record.document_id
  `,
});

/** A newer quote takes the place of the older one. */
export const supersede = (tx: Transaction, loanId: string) =>
  tx.query(sql.typeAlias('void')`
    update payoff_quotes set status = 'superseded' where loan_id = ${loanId} and status = 'active'
  `);

/** The payoff that a quote asked for has come. */
export const accept = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update payoff_quotes set status = 'accepted' where id = ${id} and status = 'active'
  `);
