alter table loan_tape_configs drop constraint loan_tape_configs_format_check;
alter table loan_tape_configs add constraint loan_tape_configs_format_check
  check (format in ('csv', 'json', 'xlsx'));
create index loan_tapes_created on loan_tapes (tenant_id, created_at desc, id desc);

-- Who owned all the loans of a portfolio on the day; null where nobody did, or several.
alter table portfolio_snapshots add column investor_id uuid;
alter table portfolio_snapshots add foreign key (tenant_id, investor_id)
  references investors (tenant_id, id);
update portfolio_snapshots as told set investor_id = owned.investor_id
from (
  select tenant_id, portfolio_id, snapshot_date, (array_agg(investor_id))[1] as investor_id
  from loan_snapshots where portfolio_id is not null and status in ('active', 'charged_off')
  group by tenant_id, portfolio_id, snapshot_date
  having count(investor_id) = count(*) and count(distinct investor_id) = 1
) as owned
where owned.tenant_id = told.tenant_id and owned.portfolio_id = told.portfolio_id
  and owned.snapshot_date = told.snapshot_date;
