-- What a credit record says of a month's end is read from that night: which plan was in force then.
alter table loan_snapshots add column schedule_version integer;

-- A credit record is not changed once it is written; only its way to the bureaus goes on.
revoke update on credit_reporting_records from servicing_app;
grant update (status, rejection_reason, suppression_reason, file_id, reported_at)
  on credit_reporting_records to servicing_app;
