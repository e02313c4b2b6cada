import { sql, type Transaction } from '../../database/db.ts';
import { reportedNumber } from './reported-number.ts';

export type Incomplete = 'address_missing' | 'date_of_birth_missing' | 'account_number_not_unique';
type Incompletion = {
  period: string;
  due_date: string;
  tasks: Readonly<Record<Incomplete, string>>;
};

/**
 * Suppresses waiting records up to the period that lack data every bureau requires, and creates a task with
 * the reason as its title for each loan without an open one. A date of
 * birth is required of every borrower who is not a business, because many have no social security number.
 */
export const suppressIncomplete = (tx: Transaction, { period, due_date, tasks }: Incompletion) =>
  tx.query(sql.typeAlias('void')`
    with waiting as (
      select record.id, record.loan_id, record.ecoa_code, record.consumer, record.co_consumers
      from credit_reporting_records as record
      where record.status = 'queued' and record.reporting_period <= ${period}
    ), shared as (
      select unnest(array_agg(id)) as loan_id from loans
      group by ${reportedNumber} having count(*) > 1 or ${reportedNumber} = ''
    ), incomplete as (
      select waiting.id, waiting.loan_id,
             case
               when shared.loan_id is not null then 'account_number_not_unique'
               when lacking.has_no_address then 'address_missing'
               else 'date_of_birth_missing'
             end as reason
      from waiting
      left join shared on shared.loan_id = waiting.loan_id
      cross join lateral (
        select bool_or(
                 coalesce(trim(who ->> 'street_line_1'), '') = '' or coalesce(trim(who ->> 'city'), '') = ''
                 or coalesce(trim(who ->> 'postal_code'), '') = ''
                 or (coalesce(who ->> 'country', 'US') = 'US' and coalesce(trim(who ->> 'state'), '') = '')
               ) as has_no_address,
               bool_or(ecoa_code <> 'W' and coalesce(who ->> 'date_of_birth', '') = '') as has_no_birth
        from (
          select waiting.consumer as who, waiting.ecoa_code
          union all
          select other, other ->> 'ecoa_code' from jsonb_array_elements(waiting.co_consumers) as other
        ) as people
      ) as lacking
      where shared.loan_id is not null or lacking.has_no_address or lacking.has_no_birth
    ), suppressed as (
      update credit_reporting_records as record
      set status = 'suppressed', suppression_reason = incomplete.reason
      from incomplete where record.id = incomplete.id
      returning record.loan_id, incomplete.reason
    )
    insert into tasks (borrower_id, loan_id, title, task_type, due_date, source, related_type, related_id)
    select loan.borrower_id, loan.id, asked.title, 'review', ${due_date}, 'system', 'loan', loan.id
    from (
      select distinct suppressed.loan_id, ${JSON.stringify(tasks)}::jsonb ->> suppressed.reason as title
      from suppressed
    ) as asked
    join loans as loan on loan.id = asked.loan_id
    where not exists (
      select from tasks
      where related_id = loan.id and title = asked.title and status in ('open', 'in_progress')
    )
  `);
