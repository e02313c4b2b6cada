-- A list's first page is the beginning of an index. Where a list had begun with created_at and is now in the order of
-- its own day, the index that nothing asks for any more gives way to the one that it is read from.
create index payments_created on payments (tenant_id, created_at desc, id desc);
create index approvals_created on approvals (tenant_id, created_at desc, id desc);
create index nacha_entries_created on nacha_entries (tenant_id, nacha_file_id, created_at desc, id desc);
create index mail_letters_batch on mail_letters (tenant_id, mail_batch_id, created_at desc, id desc);

create index portfolio_snapshots_newest on portfolio_snapshots (tenant_id, snapshot_date desc, id desc);
drop index portfolio_snapshots_portfolio;

create index remittances_newest on remittances (tenant_id, period_end desc, id desc);
drop index remittances_created;

drop index credit_reporting_records_file;
create index credit_reporting_records_file
  on credit_reporting_records (tenant_id, file_id, reporting_period desc, id desc);
drop index credit_reporting_records_loan;
create index credit_reporting_records_loan
  on credit_reporting_records (tenant_id, loan_id, reporting_period desc, id desc);
