import { z } from 'zod';
import { inChunk, type Chunk } from '../business-day/closes.ts';
import { sql, type Transaction } from '../database/db.ts';

const Due = z.object({
  id: z.string(),
  loan_id: z.string(),
  price: z.string().nullable(),
  servicing_retained: z.boolean(),
});
export type Due = z.output<typeof Due>;

/**
 * Assignments of the chunk's loans that settle by its day. Only a loan that is sold with its portfolio
 * has a price here.
 */
export const due = (tx: Transaction, chunk: Chunk) =>
  tx.any(sql.type(Due)`
    select assignment.id, assignment.loan_id,
           case
             when portfolio.id is not null and assignment.ownership_percentage = 1
               then assignment.purchase_price
           end as price,
           coalesce(portfolio.servicing_retained, true) as servicing_retained
    from loan_assignments as assignment
    left join portfolios as portfolio
      on portfolio.id = assignment.portfolio_id and portfolio.status = 'sold'
      and assignment.assignment_type = 'whole_loan_sale'
    where assignment.status = 'pending'
      and coalesce(assignment.settlement_date, assignment.effective_date) <= ${chunk.cob_date}
      and ${inChunk(chunk, sql.fragment`assignment.loan_id`)}
    order by assignment.loan_id, assignment.id
  `);

/** Whether the assignment is still to settle; held until it is. */
export const isDue = (tx: Transaction, id: string) =>
  tx.exists(sql.typeAlias('void')`
    select from loan_assignments where id = ${id} and status = 'pending' for update
  `);

const Carried = z.object({
  loan_number: z.string(),
  is_left: z.boolean(),
  loans_receivable: z.string(),
  interest_receivable: z.string(),
  fees_receivable: z.string(),
  due_to_investors: z.string(),
});

/** What the books have of a locked loan to a day, and the account of what is owed to investors. */
export const carried = (tx: Transaction, loanId: string, day: string) =>
  tx.one(sql.type(Carried)`
    select loan.loan_number, loan.principal_balance > 0 or loan.charge_off_balance > 0 as is_left,
           loan.principal_balance as loans_receivable,
           app.accrued_cents(loan, ${day}) - loan.interest_settled - loan.off_books_interest
             as interest_receivable,
           loan.outstanding_fees as fees_receivable,
           coalesce(loan.terms -> 'gl_map' ->> 'due_to_investors', account.id::text)
             as due_to_investors
    from loans as loan
    join ledger_accounts as account on account.role = 'due_to_investors'
    where loan.id = ${loanId}
  `);

/** The map of the loan until the day, kept for those who look at the days before. */
const kept = (day: string) => sql.fragment`
  coalesce(terms -> 'gl_maps_before', '[]') || jsonb_build_array(jsonb_build_object(
    'until', ${day}::date, 'gl_map', coalesce(terms -> 'gl_map', '{}')
  ))
`;

/** From the day on the loan is sold, and the roles of the map are booked on other accounts. */
export const mapSold = (
  tx: Transaction,
  loanId: string,
  day: string,
  map: Record<string, string>,
) =>
  tx.query(sql.typeAlias('void')`
    update loans
    set terms = terms || jsonb_build_object(
      'gl_map', coalesce(terms -> 'gl_map', '{}') || ${JSON.stringify(map)}::jsonb,
      'gl_maps_before', ${kept(day)}, 'sold_on', ${day}::date
    )
    where id = ${loanId}
  `);

/** From the day on the loan is booked as it was before it was sold. */
export const mapUnsold = (tx: Transaction, loanId: string, day: string) =>
  tx.query(sql.typeAlias('void')`
    update loans
    set terms = (terms - 'sold_on') || jsonb_build_object(
      'gl_map', terms -> 'gl_maps_before' -> -1 -> 'gl_map', 'gl_maps_before', ${kept(day)}
    )
    where id = ${loanId}
  `);

export const settle = (
  tx: Transaction,
  id: string,
  { status, day, entryIds }: { status: string; day: string; entryIds: readonly string[] },
) =>
  tx.query(sql.typeAlias('void')`
    update loan_assignments
    set status = ${status}, effective_date = ${day}::date + 1,
        journal_entry_ids = ${JSON.stringify(entryIds)}::jsonb
    where id = ${id}
  `);

const Sold = z.object({ id: z.string(), loan_id: z.string(), status: z.string() });

/** The loans among these whose sale with the portfolio is booked, in the order of their ids. */
export const booked = (tx: Transaction, portfolioId: string, loanIds: readonly string[]) =>
  tx.any(sql.type(Sold)`
    select assignment.id, loan.id as loan_id, loan.status
    from loan_assignments as assignment join loans as loan on loan.id = assignment.loan_id
    where assignment.portfolio_id = ${portfolioId} and loan.id = any(${sql.array([...loanIds], 'uuid')})
      and assignment.status = 'active' and loan.terms ? 'sold_on'
    order by loan.id
  `);

/** The investor owns the loan no longer, and it is in no portfolio. */
export async function endOwnership(
  tx: Transaction,
  { id, loan_id }: { id: string; loan_id: string },
  day: string,
  entryIds: readonly string[],
) {
  await tx.query(sql.typeAlias('void')`
    update loan_assignments
    set status = 'bought_back', end_date = ${day},
        journal_entry_ids = journal_entry_ids || ${JSON.stringify(entryIds)}::jsonb
    where id = ${id}
  `);
  await tx.query(sql.typeAlias('void')`update loans set portfolio_id = null where id = ${loan_id}`);
}
