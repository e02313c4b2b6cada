import { sql } from '../database/db.ts';
import { table } from '../table.ts';

/**
 * Everything booked for one loan: its own entries, and its share of the aggregated accrual entries, which
 * are written once for thousands of loans and name none of them. A share appears per day under its entry's
 * id, or summed per month under the id of the month's first entry.
 */
export const subLedger = (loanId: string, accrualsBy: 'day' | 'month') =>
  table({
    name: 'journal_lines',
    rows: sql.fragment`
      select entry.id, entry.entry_date, entry.effective_date, entry.description,
             entry.reference_type, entry.reference_id, entry.reversal_of_entry_id,
             (
               select json_agg(json_build_object(
                 'account', account.name, 'account_code', account.code,
                 'debit', line.debit::text, 'credit', line.credit::text
               ) order by line.position)
               from journal_lines as line
               join ledger_accounts as account on account.id = line.account_id
               where line.entry_id = entry.id
             ) as lines
      from journal_entries as entry
      where entry.loan_id = ${loanId} and entry.status = 'posted'
      union all
      select share.id, share.entry_date, share.effective_date, share.description,
             'interest_accrual', null, null,
             json_build_array(
               json_build_object(
                 'account', receivable.name, 'account_code', receivable.code,
                 'debit', greatest(share.amount, 0.00)::text,
                 'credit', greatest(-share.amount, 0.00)::text
               ),
               json_build_object(
                 'account', income.name, 'account_code', income.code,
                 'debit', greatest(-share.amount, 0.00)::text,
                 'credit', greatest(share.amount, 0.00)::text
               )
             )
      from (${accrualsBy === 'day' ? daily(loanId) : monthly(loanId)}) as share
      join ledger_accounts as receivable on receivable.id = ${accountOf('interest_receivable')}
      join ledger_accounts as income on income.id = ${accountOf('interest_income')}
      where share.amount <> 0
    `,
  });

/** The account to which the loan's GL map maps the role: the product's or the chart's. */
const accountOf = (role: string) => sql.fragment`
  coalesce(
    (share.gl_map ->> ${role})::uuid,
    (select charted.id from ledger_accounts as charted where charted.role = ${role})
  )
`;

/** A loan that was sold or bought back had another GL map before. */
const mapOf = sql.fragment`
  coalesce((
    select past.value -> 'gl_map'
    from jsonb_array_elements(loan.terms -> 'previous_gl_maps') as past
    where entry.entry_date < (past.value ->> 'until')::date
    order by past.value ->> 'until' limit 1
  ), loan.terms -> 'gl_map')
`;

/**
 * The days on which the loan earned interest. Adjustments have their own entries, which name the loan and
 * appear as such. The lateral join goes day by day with the whole key, because the key starts with the day;
 * otherwise Postgres would search every row of the tenant.
 */
const shares = (loanId: string) => sql.fragment`
  from loans as loan
  cross join lateral (
    select least(
      (select min(effective_date) from loan_events where loan_id = ${loanId}),
      (select min(least(entry_date, effective_date)) from journal_entries where loan_id = ${loanId})
    ) as first_day
  ) as history
  cross join lateral generate_series(
    history.first_day::timestamp, app.business_date()::timestamp, interval '1 day'
  ) as days (day)
  cross join lateral (
    select accrual_date, amount, entry_id from interest_accruals
    where accrual_date = days.day::date and loan_id = ${loanId}
    offset 0
  ) as accrual
  join journal_entries as entry on entry.id = accrual.entry_id and entry.loan_id is null
  where loan.id = ${loanId}
`;

const daily = (loanId: string) => sql.fragment`
  select accrual.entry_id as id, entry.entry_date, entry.effective_date,
         'Interest accrual' as description, sum(accrual.amount) as amount,
         ${mapOf} as gl_map
  ${shares(loanId)}
  group by accrual.entry_id, entry.entry_date, entry.effective_date, gl_map
`;

const monthly = (loanId: string) => sql.fragment`
  select (array_agg(accrual.entry_id order by accrual.accrual_date))[1] as id,
         max(entry.entry_date) as entry_date, max(entry.effective_date) as effective_date,
         'Interest accrual, ' || to_char(min(accrual.accrual_date), 'FMMonth YYYY') as description,
         sum(accrual.amount) as amount, ${mapOf} as gl_map
  ${shares(loanId)}
  group by date_trunc('month', accrual.accrual_date), gl_map
`;
