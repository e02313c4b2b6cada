import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { isInChunk, type LoanChunk } from '../loans/chunk.ts';
import { servicingFeeRateOn } from './servicing-fee-rates.ts';
import { joinOutlook } from '../loans/outlook.ts';

const DueSale = z.object({
  id: z.string(),
  loan_id: z.string(),
  portfolio_id: z.string().nullable(),
  agreed_status: z.string().nullable(),
  price: z.string().nullable(),
  servicing_retained: z.boolean(),
});
export type DueSale = z.output<typeof DueSale>;

/**
 * Assignments of the chunk's loans that settle by its day. Only a loan that is sold with its portfolio has
 * a price here.
 */
export const dueSales = (chunk: LoanChunk) =>
  prepared(sql.type(DueSale)`
    select assignment.id, assignment.loan_id, portfolio.id as portfolio_id,
           assignment.agreed_status,
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
      and ${isInChunk(chunk, sql.fragment`assignment.loan_id`)}
    order by assignment.loan_id, assignment.id
  `);

/** Locks the assignment and returns whether it is still pending. */
export const lockIfDue = (tx: Transaction, id: string) =>
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

/** The ledger balances of a locked loan on a day, and the account for amounts owed to investors. */
export const carryingAmounts = (tx: Transaction, loanId: string, day: string) =>
  tx.one(sql.type(Carried)`
    select record.loan_number, record.principal_balance > 0 or record.charge_off_balance > 0 as is_left,
           record.principal_balance as loans_receivable,
           grown.earned - record.interest_settled - record.off_books_interest as interest_receivable,
           record.outstanding_fees as fees_receivable,
           coalesce(record.terms -> 'gl_map' ->> 'due_to_investors', account.id::text)
             as due_to_investors
    from loans as record
    ${joinOutlook(sql.fragment`${day}::date`)}
    join ledger_accounts as account on account.role = 'due_to_investors'
    where record.id = ${loanId}
  `);

/** The loan's GL map until the day, kept for reports about earlier days. */
const previousGlMaps = (day: string) => sql.fragment`
  coalesce(terms -> 'previous_gl_maps', '[]') || jsonb_build_array(jsonb_build_object(
    'until', ${day}::date, 'gl_map', coalesce(terms -> 'gl_map', '{}')
  ))
`;

/** Marks the loan as sold from the day on and maps its roles to other accounts. */
export const mapSaleAccounts = (
  tx: Transaction,
  loanId: string,
  day: string,
  map: Record<string, string>,
) =>
  tx.query(sql.typeAlias('void')`
    update loans
    set terms = terms || jsonb_build_object(
      'gl_map', coalesce(terms -> 'gl_map', '{}') || ${JSON.stringify(map)}::jsonb,
      'previous_gl_maps', ${previousGlMaps(day)}, 'sold_on', ${day}::date
    )
    where id = ${loanId}
  `);

/** Restores the GL map from before the sale, from the day on. */
export const restoreAccounts = (tx: Transaction, loanId: string, day: string) =>
  tx.query(sql.typeAlias('void')`
    update loans
    set terms = (terms - 'sold_on') || jsonb_build_object(
      'gl_map', terms -> 'previous_gl_maps' -> -1 -> 'gl_map', 'previous_gl_maps', ${previousGlMaps(day)}
    )
    where id = ${loanId}
  `);

/**
 * The investor owns the loan from the morning after the day. `entryIds` are null if the sale is not booked.
 * If no servicing fee rate was agreed, the investor's rate on the day applies.
 */
export const settleAssignment = (
  tx: Transaction,
  id: string,
  day: string,
  entryIds: readonly string[] | null,
) =>
  tx.query(sql.typeAlias('void')`
    update loan_assignments
    set status = 'active', effective_date = ${day}::date + 1, is_booked = ${entryIds !== null},
        journal_entry_ids = ${JSON.stringify(entryIds ?? [])}::jsonb,
        servicing_fee_rate = coalesce(loan_assignments.servicing_fee_rate, ${servicingFeeRateOn(day)})
    from investors as investor
    where loan_assignments.id = ${id} and investor.id = loan_assignments.investor_id
  `);

export const declineAssignment = (tx: Transaction, id: string, reason: string) =>
  tx.query(sql.typeAlias('void')`
    update loan_assignments set status = 'declined', decline_reason = ${reason} where id = ${id}
  `);

const SoldLoan = z.object({
  id: z.string(),
  /** The first entry of the sale. Null if it moved nothing on the books. */
  entry_id: z.string().nullable(),
  due_to_investors: z.string(),
  previous_accounts: z.record(z.string(), z.string()),
});

/** The booked sale of a sold loan, and the account of each role before the sale. */
export const findBookedSale = (tx: Transaction, loanId: string) =>
  tx.one(sql.type(SoldLoan)`
    select sale.id, sale.journal_entry_ids ->> 0 as entry_id,
           loan.terms -> 'gl_map' ->> 'loans_receivable' as due_to_investors,
           (
             select jsonb_object_agg(account.role, coalesce(
               loan.terms -> 'previous_gl_maps' -> -1 -> 'gl_map' ->> account.role, account.id::text
             ))
             from ledger_accounts as account where account.role is not null
           ) as previous_accounts
    from loans as loan
    join loan_assignments as sale on sale.loan_id = loan.id
    where loan.id = ${loanId} and sale.status = 'active' and sale.is_booked
    order by sale.id desc limit 1
  `);

const SoldBalance = z.object({
  sold_on: z.string(),
  price: z.string(),
  agreed: z.string(),
  /** Null if the sale moved nothing on the books: a charged-off loan sold for nothing. */
  entry_id: z.string().nullable(),
});

/**
 * A sold loan's booked sale: its price, its first entry, and the balance that it took off the books. That
 * balance is the debits of the assets on the investor's account.
 */
export const findSoldBalance = (tx: Transaction, loanId: string) =>
  tx.one(sql.type(SoldBalance)`
    select loan.terms ->> 'sold_on' as sold_on, coalesce(sale.purchase_price, 0.00)::numeric(15, 2) as price,
           sale.journal_entry_ids ->> 0 as entry_id,
           (
             select coalesce(sum(line.debit - line.credit), 0.00)::numeric(15, 2)
             from journal_lines as line
             where line.entry_id = (sale.journal_entry_ids ->> 0)::uuid
               and line.role in ('loans_receivable', 'interest_receivable', 'fees_receivable')
               and line.account_id = (loan.terms -> 'gl_map' ->> 'loans_receivable')::uuid
           ) as agreed
    from loans as loan
    join loan_assignments as sale on sale.loan_id = loan.id
    where loan.id = ${loanId} and sale.status = 'active' and sale.is_booked
    order by sale.id desc limit 1
  `);

const BookedEvent = z.object({ reference_id: z.string() });

/**
 * Of these events, those that were booked before the entry. Ids of entries are ordered by the time of
 * booking. Ids of events are not: a scheduled payment keeps the id with which it was scheduled.
 */
export const listEventsBookedBefore = (
  tx: Transaction,
  eventIds: readonly string[],
  entryId: string,
) =>
  tx.anyFirst(sql.type(BookedEvent)`
    select distinct reference_id from journal_entries
    where reference_id = any(${sql.array([...eventIds], 'uuid')}) and id < ${entryId}
  `);

export const addJournalEntries = (tx: Transaction, id: string, entryIds: readonly string[]) =>
  tx.query(sql.typeAlias('void')`
    update loan_assignments
    set journal_entry_ids = journal_entry_ids || ${JSON.stringify(entryIds)}::jsonb
    where id = ${id}
  `);

const Settled = z.object({
  id: z.string(),
  buyer_id: z.string(),
  investor_id: z.string().nullable(),
});

/** The portfolio's sale settles by the day and is not marked as settled yet. */
export const isSettlingBy = (day: string) => sql.fragment`
  portfolio.status = 'sold' and portfolio.buyer_id is not null
  and portfolio.settled_on is null and portfolio.settlement_date <= ${day}
`;

export const portfoliosSettlingBy = (day: string) =>
  sql.fragment`select from portfolios as portfolio where ${isSettlingBy(day)}`;

/** Marks portfolios as settled if no assignment of their sale is pending at the end of the day. */
export const markPortfoliosSettled = (tx: Transaction, day: string) =>
  tx.any(
    prepared(sql.type(Settled)`
    with done as (
      select portfolio.id, portfolio.buyer_id, portfolio.investor_id
      from portfolios as portfolio
      where ${isSettlingBy(day)}
        and not exists (
          select from loan_assignments as sale
          where sale.portfolio_id = portfolio.id and sale.status = 'pending'
        )
      for no key update
    ), settled as (
      update portfolios set settled_on = ${day}, investor_id = portfolios.buyer_id
      from done where portfolios.id = done.id
    )
    select id, buyer_id, investor_id from done order by id
  `),
  );

const Canceled = z.object({ id: z.string(), loan_id: z.string() });

/** Locks the portfolio's loans in order, and returns whether the sale of any has already settled. */
export async function lockLoansAndCheckSettled(
  tx: Transaction,
  portfolioId: string,
): Promise<boolean> {
  await tx.query(sql.typeAlias('void')`
    select from loans where portfolio_id = ${portfolioId} order by id for no key update
  `);
  return tx.exists(sql.typeAlias('void')`
    select from loan_assignments
    where portfolio_id = ${portfolioId} and status = 'active'
      and assignment_type = 'whole_loan_sale'
  `);
}

export const cancelPendingAssignments = (tx: Transaction, portfolioId: string) =>
  tx.any(sql.type(Canceled)`
    update loan_assignments set status = 'canceled'
    where portfolio_id = ${portfolioId} and status = 'pending'
      and assignment_type = 'whole_loan_sale'
    returning id, loan_id
  `);

/** Restores the portfolio's state before the sale was agreed. */
export const unmarkSold = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update portfolios
    set status = 'active', sold_at = null, sale_date = null, sale_price = null,
        servicing_retained = null, buyer_id = null, settlement_date = null
    where id = ${id}
  `);

const Sold = z.object({ id: z.string(), loan_id: z.string(), status: z.string() });

/** The loans among these whose sale with the portfolio is booked, in the order of their ids. */
export const listBookedSales = (tx: Transaction, portfolioId: string, loanIds: readonly string[]) =>
  tx.any(sql.type(Sold)`
    select assignment.id, loan.id as loan_id, loan.status
    from loan_assignments as assignment join loans as loan on loan.id = assignment.loan_id
    where assignment.portfolio_id = ${portfolioId} and loan.id = any(${sql.array([...loanIds], 'uuid')})
      and assignment.status = 'active' and assignment.is_booked
    order by loan.id
  `);

/** Ends the investor's ownership and removes the loan from its portfolio. */
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
