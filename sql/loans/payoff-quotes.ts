import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

const isOver = (quote: 'record' | 'row') => sql.fragment`(
  ${sql.identifier([quote, 'status'])} = 'active'
  and ${sql.identifier([quote, 'good_through_date'])} < (select app.business_date())
)`;

/** An active quote is shown as expired after its last day. */
const shownStatus = (quote: 'record' | 'row') => sql.fragment`
  case when ${isOver(quote)} then 'expired' else ${sql.identifier([quote, 'status'])} end`;

/** The quotes (alias `row`) that are shown with one of these statuses. An index finds their stored statuses. */
const hasStatus = (values: readonly string[]) => {
  const clauses = values.map((status) => {
    const isStored = sql.fragment`row.status = ${status}`;
    if (status === 'active') return sql.fragment`(${isStored} and not ${isOver('row')})`;
    return status === 'expired' ? sql.fragment`(${isStored} or ${isOver('row')})` : isStored;
  });
  return sql.fragment`(${sql.join(clauses, sql.fragment` or `)})`;
};

export const payoffQuotes = table({
  name: 'payoff_quotes',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.loan_id, loan.borrower_id, record.quote_number, record.quote_date, record.payoff_date,
           record.good_through_date, record.principal_amount, record.accrued_interest,
           record.per_diem, record.fees_amount, record.unbilled_fees, record.prepayment_penalty,
           record.credits_amount, record.payoff_amount, record.payoff_amount_good_through,
           record.include_prepayment_penalty, record.delivery_method, record.explanation,
           record.agreed_changes, record.superseded_reason,
           record.remittance_instructions,
           ${shownStatus('record')} as status,
           record.document_id, document.status as document_status,
           case when document.status = 'failed' then document.rejection_reason end
             as document_failure_reason,
           record.created_by, record.created_at, record.updated_at
    from payoff_quotes as record left join loans as loan on loan.id = record.loan_id
    left join documents as document on document.id = record.document_id
  `,
  own: [
    'id',
    'loan_id',
    'status',
    'quote_number',
    'payoff_date',
    'good_through_date',
    'created_at',
    'updated_at',
  ],
  filters: { status: { where: hasStatus } },
  orders: { status: () => ({ all: { value: shownStatus('row') } }) },
});

const ActiveQuote = z.object({
  loan_id: z.string(),
  payoff_date: z.string(),
  good_through_date: z.string(),
  principal_amount: z.string(),
  accrued_interest: z.string(),
  per_diem: z.string(),
  fees_amount: z.string(),
  prepayment_penalty: z.string(),
  credits_amount: z.string(),
  payoff_amount: z.string(),
  payoff_amount_good_through: z.string(),
});

export const readQuoteInForce = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(ActiveQuote)`
    select loan_id, payoff_date, good_through_date, principal_amount, accrued_interest, per_diem,
           fees_amount, prepayment_penalty, credits_amount, payoff_amount,
           payoff_amount_good_through
    from payoff_quotes where id = ${id} and status = 'active'
  `);

const EndedQuote = z.object({ id: z.string(), status: z.string() });

/**
 * Supersedes the loan's active quote, because of a newer quote or an event that changes the payoff amount.
 */
export const supersedeQuotes = (tx: Transaction, loanId: string, reason: string) =>
  tx.any(sql.type(EndedQuote)`
    update payoff_quotes
    set status =
      case when good_through_date < app.business_date() then 'expired' else 'superseded' end,
        superseded_reason = case when good_through_date >= app.business_date() then ${reason} end
    where loan_id = ${loanId} and status = 'active'
    returning id, status
  `);

/** The amount of the loan's active quote on a day that it covers. */
export const quotedAmountOn = (tx: Transaction, loanId: string, date: string) =>
  tx.maybeOneFirst(sql.type(z.object({ payoff_amount_good_through: z.string() }))`
    select payoff_amount_good_through from payoff_quotes
    where loan_id = ${loanId} and status = 'active' and good_through_date >= ${date}::date
  `);

/** Marks the quote as accepted: a payment of its amount is on its way. */
export const acceptQuote = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update payoff_quotes set status = 'accepted' where id = ${id} and status = 'active'
  `);

/** Supersedes an accepted quote whose payment did not pay the loan off. */
export async function supersedeAccepted(tx: Transaction, loanId: string, reason: string) {
  const ended = await tx.any(sql.type(z.object({ id: z.string() }))`
    update payoff_quotes set status = 'superseded', superseded_reason = ${reason}
    where loan_id = ${loanId} and status = 'accepted'
    returning id
  `);
  return ended.map(({ id }) => id);
}
