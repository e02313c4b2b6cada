-- Documents, their wordings, borrower statements, and the servers that files are sent to.

create table documents (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid,
  borrower_id uuid,
  document_type text not null,
  filename text not null,
  content_type text not null,
  file_size bigint,
  sha256_hash text check (sha256_hash ~ '^[0-9a-f]{64}$'),
  status text not null default 'pending',
  source text not null,
  storage_key text not null,
  language text,
  page_count integer,
  uploaded_by uuid,
  uploaded_at timestamptz,
  expires_at timestamptz,
  verified_by text,
  verified_at timestamptz,
  verification_notes text,
  rejected_by uuid,
  rejected_at timestamptz,
  rejection_reason text,
  -- The template and values of a generated document.
  template text,
  template_data jsonb,
  is_visible_to_borrower boolean not null default true,
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Additional information that the sender of a file gave.
  metadata jsonb not null default '{}',
  -- Removal after the tenant's retention period: removed_at records the decision, then a job deletes the file and
  -- sets file_deleted_at. The row stays.
  removed_at timestamptz,
  -- The status before removal, restored if a legal hold begins while the file still exists.
  status_before_removal text,
  file_deleted_at timestamptz,
  primary key (tenant_id, id),
  constraint documents_storage_key unique (tenant_id, storage_key),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id)
);
create index documents_loan on documents (tenant_id, loan_id, created_at desc, id desc);
create index documents_created on documents (tenant_id, created_at desc, id desc);
-- For clearing the expired upload links of announced documents.
create index documents_links on documents (tenant_id, expires_at)
  where expires_at is not null and status <> 'expired';
create index documents_borrower on documents (tenant_id, borrower_id, created_at desc, id desc);
create index documents_to_remove on documents (tenant_id, id) where status = 'removed' and file_deleted_at is null;
call app.protect('documents');
call app.declare_borrower_data('documents', 'documents',
  links => '{"borrower_id": "borrowers", "loan_id": "loans"}',
  redacted => '{filename,verified_by,verification_notes,rejection_reason,metadata}',
  emptied => '{template_data}', redacted_as => $${"storage_key": "storage_key"}$$,
  kept => '{"one of a few values": ["document_type", "content_type", "status", "source", "language", "template",
    "status_before_removal"], "identifies the file": ["sha256_hash"]}',
  takes_rows_after_redaction => true);

-- The templates of documents about a loan, shown to every person who owes it. All other documents are only for the
-- borrower whom they name.
create function app.loan_document_templates() returns text[]
  language sql immutable parallel safe
return '{monthly_statement,tila_disclosure,account_opening_disclosure}'::text[];

-- A tenant's own wording on printed documents, in addition to the fixed text.
create table document_wordings (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  document_type text not null,
  language text not null,
  opening text,
  closing text,
  version integer not null default 1,
  is_active boolean not null default true,
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
create unique index document_wordings_one_of_a_kind on document_wordings (tenant_id, document_type, language)
  where not is_archived;
create index document_wordings_created on document_wordings (tenant_id, created_at desc, id desc);
call app.protect('document_wordings');

-- One statement per loan and month: the billed figures, and the rendered letter.
create table statements (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  statement_month date not null check (extract(day from statement_month) = 1),
  statement_date date not null,
  figures jsonb not null,
  document_id uuid,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint statements_month unique (tenant_id, loan_id, statement_month),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, document_id) references documents (tenant_id, id)
);
create index statements_document on statements (tenant_id, document_id);
create index statements_unissued on statements (tenant_id, statement_month, loan_id)
  where document_id is null;
call app.protect('statements');
call app.declare_borrower_data('statements', 'loans',
  redacted_as => $${"figures": "figures - 'letter' - 'borrower'"}$$);

-- SFTP servers of a tenant's partners. Credentials are sealed. The accepted host keys are given in advance as
-- SHA256 fingerprints.
create table sftp_servers (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  name text not null,
  host text not null,
  port integer not null default 22,
  username text not null,
  host_keys jsonb not null,
  folder text not null default '',
  is_active boolean not null default true,
  password_sealed text,
  private_key_sealed text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  check (num_nonnulls(password_sealed, private_key_sealed) = 1)
);
create index sftp_servers_created on sftp_servers (tenant_id, created_at desc, id desc);
call app.protect('sftp_servers', 'select, insert, update');

-- Keys from earlier tables to those above.
alter table legal_reps add foreign key (tenant_id, authorization_document_id) references documents (tenant_id, id);
alter table borrower_identities add foreign key (tenant_id, document_id) references documents (tenant_id, id);
alter table borrower_consents add foreign key (tenant_id, document_id) references documents (tenant_id, id);
alter table payoff_quotes add foreign key (tenant_id, document_id) references documents (tenant_id, id);
alter table modifications add foreign key (tenant_id, document_id) references documents (tenant_id, id);
alter table forms_1099c add foreign key (tenant_id, document_id) references documents (tenant_id, id);
