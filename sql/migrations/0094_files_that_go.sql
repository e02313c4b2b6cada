-- The file of a document goes when the years that its tenant has set are over; its row stays and says so.
-- First it is decided (removed_at), then the file is removed, then that it is gone is written down.
alter table documents
  add column removed_at timestamptz,
  -- What it was before, for whoever is put on legal hold while the file is still there.
  add column removed_from text,
  add column file_gone_at timestamptz;

create index documents_to_remove on documents (tenant_id, id) where status = 'removed' and file_gone_at is null;
-- Whether a document is a tape, and whose deliveries end with its file.
create index loan_tapes_document on loan_tapes (tenant_id, document_id) where document_id is not null;

insert into app.borrower_columns (table_name, column_name, kept_because) values
  ('documents', 'removed_from', 'a word of ours, one of a few');
