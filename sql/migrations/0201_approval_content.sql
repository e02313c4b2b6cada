-- What a second person approves: the records behind the request as they were when it was made. The
-- action runs only if they are still the same; otherwise the request is closed as outdated.
alter table approvals
  add column content jsonb,
  add column content_fingerprint text,
  -- The fields of the content that had changed when somebody tried to approve it.
  add column changed_fields jsonb;
alter table approvals drop constraint approvals_status_check, add constraint approvals_status_check
  check (status in ('pending', 'approved', 'rejected', 'canceled', 'outdated'));

-- The content is for the people who decide; an export for a borrower does not show it.
insert into app.borrower_columns (table_name, column_name, becomes, kept_because, is_secret) values
  ('approvals', 'content', 'null', null, true),
  ('approvals', 'secrets_sealed', 'null', null, true),
  ('approvals', 'content_fingerprint', null, 'a version', false),
  ('approvals', 'changed_fields', null, 'names of fields', false);
