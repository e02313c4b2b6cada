-- A month is billed by the chunks of the day that ended it, each in transactions of its own. As long as a
-- chunk's month stands here, its loans are not all billed: who changes one bills it first.
alter table cob_chunks add column unbilled_month date;
create index cob_chunks_unbilled on cob_chunks (tenant_id, cob_date) where unbilled_month is not null;
