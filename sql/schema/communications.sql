-- Messages to and from borrowers, their templates, providers and opt-outs.

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
create index communication_templates_created on communication_templates (tenant_id, created_at desc, id desc);
create unique index communication_templates_one_of_a_kind on communication_templates
  (tenant_id, program_id, template_type, channel, language) nulls not distinct
  where not is_archived and template_type <> 'custom';
create unique index communication_templates_tenant_id_name_key on communication_templates
  (tenant_id, program_id, channel, language, name) nulls not distinct
  where not is_archived and template_type = 'custom';
call app.protect('communication_templates');

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
  -- The business day of the message: rules about recent contacts also count business days.
  business_date date not null default app.business_date(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The values from which the message is rendered, including sender, recipient and date. A message of a
  -- batch also keeps its template here.
  figures jsonb,
  primary key (tenant_id, id),
  foreign key (tenant_id, template_id) references communication_templates (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, document_id) references documents (tenant_id, id)
);
create index communication_logs_created on communication_logs (tenant_id, created_at desc, id desc);
create index communication_logs_borrower on communication_logs (tenant_id, borrower_id, created_at desc, id desc);
create index communication_logs_loan on communication_logs (tenant_id, loan_id, created_at desc, id desc);
-- Messages that wait until their document is rendered.
create index communication_logs_waiting on communication_logs (tenant_id, document_id)
  where status = 'queued' and document_id is not null;
create unique index communication_logs_message on communication_logs (tenant_id, provider_message_id, provider)
  where provider_message_id is not null;
call app.protect('communication_logs', 'select, insert, update');
call app.declare_borrower_data('communication_logs', 'messages',
  links => '{"borrower_id": "borrowers", "loan_id": "loans"}',
  redacted => '{recipient,sender,subject,body,error_message,metadata}',
  emptied => '{figures,provider_message_id}',
  kept => '{"one of a few values": ["template_type", "direction", "channel", "status", "provider", "error_code",
    "triggered_by", "blocked_reasons"]}',
  takes_rows_after_redaction => true);

-- Communication providers and the credentials of their callbacks. The secret is sealed (jobs/sealing/secrets.ts).
create table communication_providers (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  channel text not null check (channel in ('email', 'sms')),
  name text not null,
  account_id text,
  secret_sealed text not null,
  -- The previous secret, accepted while the secret is being changed.
  previous_secret_sealed text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The URL that confirms the provider's callback subscription.
  subscribe_url text,
  primary key (tenant_id, channel)
);
call app.protect('communication_providers');

-- Cached certificates for verifying providers' signatures, by URL.
create table provider_certificates (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  url text not null,
  pem text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, url)
);
call app.protect('provider_certificates', 'select, insert');

-- Callback tokens that were used; each counts once. They are kept longer than the maximum age of a
-- callback.
create table used_provider_tokens (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  token text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, token)
);
call app.protect('used_provider_tokens', 'select, insert, delete');

-- Rules that answer or forward inbound messages.
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
  -- A regular expression to match, and the address to which the message is forwarded.
  pattern text,
  forward_to text,
  primary key (tenant_id, id),
  foreign key (tenant_id, response_template_id) references communication_templates (tenant_id, id),
  foreign key (tenant_id, program_id) references programs (tenant_id, id)
);
create index auto_responses_created on auto_responses (tenant_id, created_at desc, id desc);
call app.protect('auto_responses');

-- Phone numbers and addresses whose holders opted out, whether or not they belong to a known borrower. A
-- number that later becomes a borrower's stays opted out. Rows are not linked to a borrower and survive a
-- redaction, so that the person is not contacted again.
create table opt_outs (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  channel text not null check (channel in ('email', 'sms')),
  contact_value text not null,
  -- The text of the opt-out message.
  message text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, channel, contact_value)
);
call app.protect('opt_outs', 'select, insert, delete');
