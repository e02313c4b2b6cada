import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { LegalConditions, legalConditionsJson } from '../loans/legal-conditions.ts';
import { table } from '../table.ts';
import { servicingFeeRateOn } from './servicing-fee-rates.ts';

export const assignments = table({
  name: 'loan_assignments',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.investor_id, record.loan_id, record.portfolio_id,
           record.ownership_percentage, record.assignment_type, record.effective_date,
           record.settlement_date, record.end_date, record.purchase_price,
           trim_scale(record.purchase_price_ratio) as purchase_price_ratio,
           trim_scale(record.servicing_fee_rate) as servicing_fee_rate, record.recourse,
           record.status, record.decline_reason, record.settlement_instrument_id, record.is_booked,
           record.journal_entry_ids,
           record.created_at, record.updated_at
    from loan_assignments as record
  `,
});

const Owned = z.object({ status: z.string(), owned: z.string() });

/** Locks the loan and returns its owned share, including pending assignments, without the one given. */
export async function lockAssignedLoan(
  tx: Transaction,
  loanId: string,
  except: string | null = null,
) {
  const locked = await tx.maybeOne(sql.type(z.object({ status: z.string() }))`
    select status from loans where id = ${loanId} for no key update
  `);
  if (locked === null) return null;
  return tx.one(sql.type(Owned)`
    select ${locked.status} as status, coalesce(sum(ownership_percentage), 0) as owned
    from loan_assignments
    where loan_id = ${loanId} and status in ('pending', 'active')
      and id is distinct from ${except}::uuid
  `);
}

const Sold = z.object({
  loans: z.int(),
  principal: z.string(),
  claims: z.string(),
  owned: z.array(z.string()),
});

/**
 * Locks the portfolio's loans, and returns their number, their principal, and which of them already have an
 * owner.
 */
export async function lockLoansOf(tx: Transaction, portfolioId: string) {
  await tx.query(sql.typeAlias('void')`
    select from loans where portfolio_id = ${portfolioId} order by id for no key update
  `);
  return tx.one(sql.type(Sold)`
    select count(*)::integer as loans, coalesce(sum(principal_balance), 0) as principal,
           coalesce(sum(charge_off_balance), 0) as claims,
           coalesce(array_agg(loan.id) filter (where exists (
             select from loan_assignments as owner
             where owner.loan_id = loan.id and owner.status in ('pending', 'active')
           )), '{}')::text[] as owned
    from loans as loan where portfolio_id = ${portfolioId} and ${ON_THE_BOOKS}
  `);
}

const Protected = z.object({ loan_id: z.string(), legal: LegalConditions });

/** The loans of a portfolio that have legal conditions. */
export const listLegalConditions = (tx: Transaction, portfolioId: string) =>
  tx.any(sql.type(Protected)`
    select loan_id, legal
    from (
      select loan.id as loan_id, ${legalConditionsJson(sql.fragment`loan.id`)} as legal
      from loans as loan where portfolio_id = ${portfolioId} and ${ON_THE_BOOKS}
    ) as sold
    where legal is not null
    order by loan_id
  `);

const ON_THE_BOOKS = sql.fragment`loan.status in ('active', 'charged_off')`;

export type Sale = {
  portfolio_id: string;
  investor_id: string;
  sale_date: string;
  settlement_date: string;
  sale_price: string | null;
  purchase_price_ratio: string | null;
  settlement_instrument_id: string | null;
};

/**
 * Creates one assignment per loan on the books. The price is divided by principal, or by the charged-off
 * amounts if all loans are charged off. Each loan gets the cumulative share up to it less the share before
 * it, so the parts add up to the price.
 */
export const assignSoldLoans = (tx: Transaction, sale: Sale) =>
  tx.query(sql.typeAlias('void')`
    insert into loan_assignments
      (investor_id, loan_id, portfolio_id, assignment_type, effective_date, settlement_date,
       purchase_price, purchase_price_ratio, settlement_instrument_id, servicing_fee_rate,
       agreed_status)
    select ${sale.investor_id}, share.id, ${sale.portfolio_id}, 'whole_loan_sale',
           ${sale.sale_date}::date, ${sale.settlement_date}::date,
           round(${sale.sale_price}::numeric * upto / nullif(total, 0), 2)
             - round(${sale.sale_price}::numeric * (upto - weight) / nullif(total, 0), 2),
           ${sale.purchase_price_ratio}::numeric, ${sale.settlement_instrument_id}::uuid,
           ${servicingFeeRateOn(sale.sale_date)}, share.status
    from (
      select id, status, weight, sum(weight) over () as total, sum(weight) over (order by id) as upto
      from (
        select loan.id, loan.status, case
            when sum(loan.principal_balance) over () > 0 then loan.principal_balance
            else loan.charge_off_balance
          end as weight
        from loans as loan where portfolio_id = ${sale.portfolio_id} and ${ON_THE_BOOKS}
      ) as weighed
    ) as share
    join investors as investor on investor.id = ${sale.investor_id}
    order by share.id
  `);

export const markSold = (
  tx: Transaction,
  id: string,
  sale: {
    buyer_id: string | null;
    sale_date: string;
    settlement_date: string;
    sale_price: string | null;
    servicing_retained: boolean;
  },
) =>
  tx.query(sql.typeAlias('void')`
    update portfolios
    set status = 'sold', sold_at = now(), sale_date = ${sale.sale_date},
        sale_price = ${sale.sale_price}::numeric, servicing_retained = ${sale.servicing_retained},
        buyer_id = ${sale.buyer_id}::uuid, settlement_date = ${sale.settlement_date}
    where id = ${id}
  `);
