import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';
import { AMOUNT_MAX } from '../wide-sums.ts';
import { servicingFeeRateSince } from './servicing-fee-rates.ts';

const SUMS = [
  'principal_owned',
  'principal_collected',
  'interest_collected',
  'fees_collected',
  'other_collected',
  'collected',
  'servicing_fee',
  'amount_due',
];
type Name = ReturnType<typeof sql.identifier>;
const listed = (each: (sum: Name) => SqlFragment) =>
  sql.join(
    SUMS.map((name) => each(sql.identifier([name]))),
    sql.fragment`, `,
  );
const SUMS_LISTED = listed((sum) => sql.fragment`${sum}`);

/**
 * Remittances (alias `record`) with their sums (`sums`). If a sum exceeds app.money, the remittance stores
 * no sums and they are computed from its loans.
 */
export const remittancesWithSums = sql.fragment`
  remittances as record
  cross join lateral (
    select ${listed((sum) => sql.fragment`record.${sum}`)}
    where record.collected is not null
    union all
    select sum(principal_owned), sum(principal_collected), sum(interest_collected),
           sum(fees_collected), sum(other_collected), sum(collected), sum(servicing_fee),
           sum(collected - servicing_fee)
    from remittance_loans as part
    cross join lateral (
      select principal_collected + interest_collected + fees_collected + other_collected as collected
    ) as line
    where part.tenant_id = record.tenant_id and part.remittance_id = record.id
    having record.collected is null
  ) as sums
`;

export const remittances = table({
  name: 'remittances',
  owner: 'investors',
  rows: sql.fragment`
    select record.id, record.investor_id, record.period_start, record.period_end,
           record.loan_count, sums.*, record.status, record.journal_entry_id, record.paid_on,
           record.reference_number, record.payment_entry_id, record.created_by, record.created_at,
           record.updated_at
    from ${remittancesWithSums}
  `,
});

export const remittanceLoans = table({
  name: 'remittance_loans',
  rows: sql.fragment`
    select record.id, record.remittance_id, record.loan_id, loan.loan_number,
           record.assignment_id, record.principal_owned, record.principal_collected,
           record.interest_collected, record.fees_collected, record.other_collected,
           record.principal_collected + record.interest_collected + record.fees_collected
             + record.other_collected as collected,
           trim_scale(record.servicing_fee_rate) as servicing_fee_rate, record.servicing_fee,
           record.created_at
    from remittance_loans as record
    join loans as loan on loan.id = record.loan_id
  `,
});

/** A manual entry gets its id when it is drafted, so its id does not show when it was posted. */
const isDrafted = sql.fragment`entry.source = 'manual' and entry.reversal_of_entry_id is null`;

/**
 * The ledger lines owed to investors, with the sale they belong to: everything booked for the loan on that
 * account from its sale until its buyback. A positive amount is owed to the investor.
 *
 * The ids of entries tell which was booked first, because a loan's entries are written under its lock. A
 * manual entry counts from its posting. Selling a charged-off loan for nothing books no entry, nor does its
 * buyback; then the days of ownership decide.
 */
export const investorLines = sql.fragment`
  select sale.tenant_id, sale.id as assignment_id, sale.investor_id, sale.loan_id,
         entry.id as entry_id, entry.entry_date, entry.reference_type, line.account_id, line.role,
         line.credit - line.debit as amount
  from loan_assignments as sale
  left join journal_entries as sold
    on sold.tenant_id = sale.tenant_id and sold.reference_type = 'portfolio_sale'
    and sold.reference_id = sale.id and sold.purpose = ''
  left join journal_entries as bought
    on bought.tenant_id = sale.tenant_id and bought.reference_type = 'portfolio_buyback'
    and bought.reference_id = sale.id and bought.purpose = ''
  join loans as loan on loan.tenant_id = sale.tenant_id and loan.id = sale.loan_id
  join ledger_accounts as charted
    on charted.tenant_id = sale.tenant_id and charted.role = 'due_to_investors'
  join journal_entries as entry
    on entry.tenant_id = sale.tenant_id and entry.loan_id = sale.loan_id
    and entry.status = 'posted'
    and case when sold.id is null then entry.entry_date >= sale.effective_date
             when ${isDrafted} then entry.posted_at >= uuid_extract_timestamp(sold.id)
             else entry.id >= sold.id end
    and case when bought.id is null then entry.entry_date <= coalesce(sale.end_date, 'infinity')
             when ${isDrafted} then entry.posted_at <= uuid_extract_timestamp(bought.id)
             else entry.id <= bought.id end
  join journal_lines as line
    on line.tenant_id = entry.tenant_id and line.entry_id = entry.id
    and line.account_id
      = coalesce((loan.terms -> 'gl_map' ->> 'due_to_investors')::uuid, charted.id)
  where sale.is_booked
`;

/** The amounts owed before a period and the effect of each entry in the period, by sale and account. */
const collected = (moving: readonly string[]) => sql.fragment`
  select entry.*, is_moving or net <> 0 as counts
  from (
    select tenant_id, assignment_id, investor_id, loan_id, account_id, entry_id, entry_date,
           reference_type = any(${sql.array([...moving], 'text')}) as is_moving,
           sum(amount) as net,
           coalesce(sum(amount) filter (where role = 'loans_receivable'), 0) as principal,
           coalesce(sum(amount) filter (
             where role in ('interest_income', 'interest_receivable')
           ), 0) as interest,
           coalesce(sum(amount) filter (where role in ('fee_income', 'fees_receivable')), 0) as fees
    from (${investorLines}) as line
    group by tenant_id, assignment_id, investor_id, loan_id, account_id, entry_id, entry_date,
             reference_type
  ) as entry
`;

export type RemittancePeriod = { investor_id: string; period_start: string; period_end: string };

/** The sums if app.money can hold all of them, otherwise nulls. */
const GREATEST_ABSOLUTE_SUM = sql.fragment`greatest(${listed((sum) => sql.fragment`abs(${sum})`)})`;
const SUMS_THAT_FIT = listed(
  (sum) =>
    sql.fragment`case when ${GREATEST_ABSOLUTE_SUM} <= ${AMOUNT_MAX}::numeric then ${sum} end`,
);

/**
 * Creates the remittance of an investor for a period, per loan and in total. Entries that move money
 * (`moving`) are split by what they paid; other entries with an effect, such as manual ones, count as a
 * whole. The monthly fee is a twelfth of the annual rate, on the principal owned before the month began, at
 * that day's rate.
 */
export const createRemittance = (
  tx: Transaction,
  { investor_id, period_start, period_end }: RemittancePeriod,
  moving: readonly string[],
  createdBy: string | null,
) =>
  tx.oneFirst(sql.typeAlias('id')`
    with loan as (
      select assignment_id, loan_id, account_id,
             coalesce(-sum(principal) filter (where is_before), 0) as principal_owned,
             coalesce(sum(principal) filter (where counts and is_moving), 0) as principal,
             coalesce(sum(interest) filter (where counts and is_moving), 0) as interest,
             coalesce(sum(fees) filter (where counts and is_moving), 0) as fees,
             coalesce(sum(net) filter (where counts), 0) as net
      from (
        select tenant_id, assignment_id, loan_id, account_id, principal, interest, fees, net,
               is_moving, entry_date < ${period_start} as is_before,
               counts and entry_date >= ${period_start} as counts
        from (${collected(moving)}) as entry
        where investor_id = ${investor_id} and entry_date <= ${period_end}
      ) as entry
      group by assignment_id, loan_id, account_id
      having coalesce(-sum(principal) filter (where is_before), 0) <> 0 or bool_or(counts)
    ), charged as (
      select loan.*, net - principal - interest - fees as other, rate.servicing_fee_rate,
             round(greatest(principal_owned, 0) * rate.servicing_fee_rate / 12, 2) as fee
      from loan
      join loan_assignments as sale on sale.id = loan.assignment_id
      cross join lateral (
        select coalesce((${servicingFeeRateSince(period_start)}), sale.servicing_fee_rate) as servicing_fee_rate
      ) as rate
    ), summed as (
      select count(distinct loan_id) as loan_count,
             coalesce(sum(principal_owned), 0) as principal_owned,
             coalesce(sum(principal), 0) as principal_collected,
             coalesce(sum(interest), 0) as interest_collected,
             coalesce(sum(fees), 0) as fees_collected, coalesce(sum(other), 0) as other_collected,
             coalesce(sum(net), 0) as collected, coalesce(sum(fee), 0) as servicing_fee,
             coalesce(sum(net - fee), 0) as amount_due
      from charged
    ), made as (
      insert into remittances
        (investor_id, period_start, period_end, loan_count, ${SUMS_LISTED}, created_by)
      select ${investor_id}, ${period_start}, ${period_end}, loan_count, ${SUMS_THAT_FIT},
             ${createdBy}::uuid
      from summed
      returning id
    ), parts as (
      insert into remittance_loans
        (remittance_id, loan_id, assignment_id, account_id, principal_owned, principal_collected,
         interest_collected, fees_collected, other_collected, servicing_fee_rate, servicing_fee)
      select made.id, loan_id, assignment_id, account_id, principal_owned, principal, interest, fees,
             other, servicing_fee_rate, fee
      from made cross join charged
      order by loan_id, assignment_id
    )
    select id from made
  `);

const Part = z.object({ account_id: z.string(), servicing_fee: z.string(), due: z.string() });

/** A remittance's servicing fee and amount due, by the account on which they are owed. */
export const sumsByAccount = (tx: Transaction, id: string) =>
  tx.any(sql.type(Part)`
    select account_id, sum(servicing_fee) as servicing_fee,
           sum(principal_collected + interest_collected + fees_collected + other_collected
             - servicing_fee) as due
    from remittance_loans where remittance_id = ${id} group by account_id order by account_id
  `);

export const hasRemittance = (tx: Transaction, { investor_id, period_start }: RemittancePeriod) =>
  tx.exists(sql.typeAlias('void')`
    select from remittances
    where investor_id = ${investor_id} and period_start = ${period_start}
  `);
