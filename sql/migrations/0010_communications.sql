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
  -- What a generated document is made of: the template's name and the values it was ordered with.
  template text,
  template_data jsonb,
  is_visible_to_borrower boolean not null default true,
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint documents_storage_key unique (tenant_id, storage_key),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id)
);
call app.protect('documents');
create index documents_loan on documents (tenant_id, loan_id, created_at desc, id desc);
create index documents_created on documents (tenant_id, created_at desc, id desc);

-- One statement per loan and month: the figures as they were billed, and the letter once rendered.
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
call app.protect('statements');
create index statements_document on statements (tenant_id, document_id);
create index statements_unissued on statements (tenant_id, statement_month, loan_id)
  where document_id is null;

create table communication_templates (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  name text not null,
  template_type text not null,
  channel text not null,
  language text not null default 'en',
  program_id uuid,
  subject text,
  body text not null,
  description text,
  version integer not null default 1,
  is_active boolean not null default true,
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, program_id) references programs (tenant_id, id)
);
call app.protect('communication_templates');
-- An archived template keeps its name and takes it from nobody.
create unique index communication_templates_tenant_id_name_key on communication_templates
  (tenant_id, program_id, template_type, channel, language, name) nulls not distinct
  where not is_archived;
create index communication_templates_created on communication_templates (tenant_id, created_at desc, id desc);

create table communication_logs (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  template_id uuid,
  template_type text,
  borrower_id uuid,
  loan_id uuid,
  batch_id uuid,
  direction text not null default 'outbound',
  channel text not null,
  recipient text,
  sender text,
  subject text,
  body text,
  status text not null,
  provider text,
  provider_message_id text,
  error_code text,
  error_message text,
  attempts integer not null default 0,
  queued_at timestamptz,
  sent_at timestamptz,
  delivered_at timestamptz,
  opened_at timestamptz,
  clicked_at timestamptz,
  failed_at timestamptz,
  received_at timestamptz,
  triggered_by text not null default 'user',
  sent_by_id uuid,
  in_reply_to_id uuid,
  document_id uuid,
  blocked_reasons jsonb not null default '[]',
  metadata jsonb not null default '{}',
  -- The day whose business caused it: rules about recent contacts count in days of business too.
  business_date date not null default app.business_date(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, template_id) references communication_templates (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, document_id) references documents (tenant_id, id)
);
call app.protect('communication_logs', 'select, insert, update');
create index communication_logs_created on communication_logs (tenant_id, created_at desc, id desc);
create index communication_logs_borrower on communication_logs (tenant_id, borrower_id, created_at desc, id desc);
create index communication_logs_loan on communication_logs (tenant_id, loan_id, created_at desc, id desc);
-- What waits for its document to be rendered.
create index communication_logs_waiting on communication_logs (tenant_id, document_id)
  where status = 'queued' and document_id is not null;
create unique index communication_logs_message on communication_logs (tenant_id, provider_message_id, provider)
  where provider_message_id is not null;

-- Who may call us about messages. The secret is encrypted (jobs/sealing/secrets.ts).
create table communication_providers (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  channel text not null check (channel in ('email', 'sms')),
  name text not null,
  account_id text,
  secret_sealed text not null,
  -- While a secret is changed, the one before it is still believed.
  previous_secret_sealed text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, channel)
);
call app.protect('communication_providers');

create table auto_responses (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  name text not null,
  channel text not null,
  match_type text not null,
  keywords jsonb not null default '[]',
  response_template_id uuid,
  response_subject text,
  response_body text,
  action text not null default 'reply',
  priority integer not null default 100,
  language text,
  is_active boolean not null default true,
  cooldown_minutes integer not null default 60,
  program_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, response_template_id) references communication_templates (tenant_id, id),
  foreign key (tenant_id, program_id) references programs (tenant_id, id)
);
call app.protect('auto_responses');
create index auto_responses_created on auto_responses (tenant_id, created_at desc, id desc);
