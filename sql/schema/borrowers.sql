-- Borrowers and their contact data, identities, consents, notes, tasks and bank accounts.

create table borrowers (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_type text not null default 'individual',
  first_name text not null,
  middle_name text,
  last_name text not null,
  suffix text,
  date_of_birth date,
  ssn_last_four text check (ssn_last_four ~ '^\d{4}$'),
  language_preference text not null default 'en',
  preferred_channel text,
  time_zone text,
  do_not_contact boolean not null default false,
  external_id text,
  metadata jsonb not null default '{}',
  -- Communication preferences: a channel is allowed unless the borrower switched it off.
  email_enabled boolean not null default true,
  sms_enabled boolean not null default true,
  letter_enabled boolean not null default true,
  marketing_enabled boolean not null default false,
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- A court or regulator requires the data to be kept. While set, nothing is redacted.
  is_on_legal_hold boolean not null default false,
  legal_hold_reason text,
  redacted_at timestamptz,
  redacted_by uuid,
  primary key (tenant_id, id),
  unique (tenant_id, external_id),
  check (is_on_legal_hold = (legal_hold_reason is not null)),
  check ((redacted_at is null) = (redacted_by is null)),
  foreign key (tenant_id, redacted_by) references users (tenant_id, id) deferrable initially immediate
);
create index borrowers_name on borrowers (tenant_id, last_name, first_name, id);
create index borrowers_search on borrowers
  using gin (tenant_id, (first_name || ' ' || coalesce(middle_name || ' ', '') || last_name) gin_trgm_ops);
create index borrowers_last_four on borrowers (tenant_id, ssn_last_four) where ssn_last_four is not null;
-- For searches of one or two letters, which occur in nearly every name: finds names by their beginning,
-- compared by bytes.
create index borrowers_name_begins on borrowers
  (tenant_id, lower(first_name || ' ' || last_name) text_pattern_ops) include (id);
create index borrowers_last_name_begins on borrowers (tenant_id, lower(last_name) text_pattern_ops) include (id);
create index borrowers_created on borrowers (tenant_id, created_at desc, id desc) include (is_archived);
call app.protect('borrowers');
call app.declare_borrower_data('borrowers', 'borrower', links => '{"id": "borrowers"}',
  redacted => '{first_name,last_name,legal_hold_reason,metadata}',
  emptied => '{middle_name,suffix,date_of_birth,ssn_last_four,time_zone,external_id}',
  kept => '{"one of a few values": ["borrower_type", "language_preference", "preferred_channel"]}');

create table addresses (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  address_type text not null default 'mailing',
  street_line_1 text not null,
  street_line_2 text,
  city text not null,
  state text,
  postal_code text not null,
  country text not null default 'US',
  is_primary boolean not null default false,
  address_indicator text,
  residence_code text,
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id)
);
create index addresses_borrower on addresses (tenant_id, borrower_id, created_at desc, id desc);
create unique index addresses_one_primary on addresses (tenant_id, borrower_id, address_type)
  where is_primary and not is_archived;
call app.protect('addresses');
call app.declare_borrower_data('addresses', 'borrower', is_deleted_on_redaction => true);

create table emails (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  email text not null check (email = lower(email)),
  email_type text not null default 'personal',
  is_primary boolean not null default false,
  is_verified boolean not null default false,
  verified_at timestamptz,
  status text not null default 'active',
  last_bounce_at timestamptz,
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id)
);
create index emails_borrower on emails (tenant_id, borrower_id, created_at desc, id desc);
create unique index emails_one_primary on emails (tenant_id, borrower_id)
  where is_primary and not is_archived;
create index emails_search on emails using gin (tenant_id, email gin_trgm_ops) where not is_archived;
create index emails_email on emails (tenant_id, email text_pattern_ops) include (borrower_id, is_archived);
call app.protect('emails');
call app.declare_borrower_data('emails', 'borrower', is_deleted_on_redaction => true);

create table phones (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  phone_number text not null check (phone_number ~ '^\+[1-9]\d{1,14}$'),
  phone_type text not null default 'mobile',
  is_primary boolean not null default false,
  is_verified boolean not null default false,
  verified_at timestamptz,
  can_sms boolean not null default true,
  can_call boolean not null default true,
  do_not_call boolean not null default false,
  carrier_name text,
  is_landline boolean,
  time_zone text,
  extension text,
  status text not null default 'active',
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id)
);
create index phones_borrower on phones (tenant_id, borrower_id, created_at desc, id desc);
create index phones_number on phones (tenant_id, phone_number);
-- Finds numbers by their last digits, with or without the country's code.
create index phones_number_ends on phones (tenant_id, reverse(phone_number) text_pattern_ops) include (borrower_id)
  where not is_archived;
create unique index phones_one_primary on phones (tenant_id, borrower_id)
  where is_primary and not is_archived;
call app.protect('phones');
call app.declare_borrower_data('phones', 'borrower', is_deleted_on_redaction => true);

create table business_details (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  legal_name text not null,
  dba_name text,
  ein_last_four text check (ein_last_four ~ '^\d{4}$'),
  entity_type text not null check (entity_type in (
    'sole_proprietorship', 'llc', 'corporation', 's_corporation', 'partnership', 'nonprofit', 'trust',
    'other'
    )),
  formation_date date,
  formation_state text,
  naics_code text check (naics_code ~ '^\d{6}$'),
  industry text,
  annual_revenue app.money,
  employee_count integer check (employee_count >= 0),
  website text,
  phone text,
  contact_name text,
  contact_title text,
  beneficial_owners jsonb not null default '[]',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint business_details_one unique (tenant_id, borrower_id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id)
);
call app.protect('business_details');
call app.declare_borrower_data('business_details', 'borrower', is_deleted_on_redaction => true);

-- Legal representatives of a borrower, and whether the borrower may be contacted only through them.
create table legal_reps (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  representative_type text not null check (representative_type in (
    'attorney', 'power_of_attorney', 'guardian', 'executor', 'bankruptcy_trustee', 'debt_settlement',
    'other'
    )),
  first_name text not null,
  last_name text not null,
  firm_name text,
  email text,
  phone text,
  street_line_1 text,
  street_line_2 text,
  city text,
  state text,
  postal_code text,
  country text,
  bar_number text,
  effective_date date not null,
  end_date date check (end_date >= effective_date),
  authorization_document_id uuid,
  contact_through_representative boolean not null,
  is_active boolean not null default true,
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id)
);
create index legal_reps_borrower on legal_reps (tenant_id, borrower_id, created_at desc, id desc);
call app.protect('legal_reps');
call app.declare_borrower_data('legal_reps', 'borrower', is_deleted_on_redaction => true);

-- Status reports about a borrower from the military databases of the Department of Defense. A report is evidence, so
-- it never changes; a report entered by mistake is archived.
create table military_reports (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  database text not null check (database in ('scra', 'mla')),
  result text not null check (result in ('active_duty', 'covered', 'none')),
  -- The day for which the report states the status.
  status_date date not null,
  active_duty_from date,
  active_duty_until date check (active_duty_until >= active_duty_from),
  certificate_id text not null,
  document_id uuid,
  is_archived boolean not null default false,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  check (result = 'none' or (result = 'active_duty') = (database = 'scra')),
  check (result = 'active_duty' or (active_duty_from is null and active_duty_until is null)),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
create index military_reports_borrower on military_reports (tenant_id, borrower_id, created_at desc, id desc);
call app.protect('military_reports', 'select, insert, update');
call app.declare_borrower_data('military_reports', 'borrower', redacted => '{certificate_id}');

-- Identity documents and numbers. A full number is sealed. A keyed hash in the index finds the same number
-- again.
create table borrower_identities (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  identity_type text not null check (identity_type in (
    'ssn', 'itin', 'ein', 'drivers_license', 'passport', 'state_id', 'military_id', 'other'
    )),
  identifier_sealed text,
  identifier_index text,
  identifier_last_four text not null,
  issuing_authority text,
  issuing_state text,
  issuing_country text,
  issue_date date,
  expiration_date date,
  verification_status text not null default 'unverified'
    check (verification_status in ('unverified', 'pending', 'verified', 'failed', 'expired')),
  verified_at timestamptz,
  verified_by uuid,
  verification_method text check (verification_method in ('document', 'database', 'biometric', 'manual')),
  document_id uuid,
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  check ((identifier_sealed is null) = (identifier_index is null)),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, verified_by) references users (tenant_id, id)
);
create index borrower_identities_borrower on borrower_identities (tenant_id, borrower_id, created_at desc, id desc);
create index borrower_identities_identifier on borrower_identities (tenant_id, identifier_index)
  where identifier_index is not null;
call app.protect('borrower_identities');
call app.declare_borrower_data('borrower_identities', 'borrower', is_deleted_on_redaction => true,
  secret => '{identifier_sealed,identifier_index}');

-- Evidence of a borrower's consent: written once and revoked at most once.
create table borrower_consents (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  consent_type text not null check (consent_type in (
    'esign', 'tcpa_sms', 'tcpa_call', 'email', 'marketing', 'credit_pull', 'autopay', 'data_sharing',
    'payment', 'privacy_policy', 'terms'
    )),
  channel text check (channel in ('email', 'sms', 'letter', 'in_app')),
  granted_at timestamptz not null default now(),
  expires_at timestamptz check (expires_at > granted_at),
  source text not null check (source in ('portal', 'agent', 'api', 'import', 'paper', 'sms_keyword', 'email')),
  consent_text text,
  document_id uuid,
  document_version text,
  ip_address text,
  user_agent text,
  -- The phone number or address that the consent covers; null if it covers all of the borrower's contacts.
  contact_value text,
  revoked_at timestamptz check (revoked_at >= granted_at),
  revocation_method text check (revocation_method in ('portal', 'sms_keyword', 'agent', 'email', 'letter', 'provider', 'bank_return')),
  revocation_reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  check ((revoked_at is null) = (revocation_method is null)),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id)
);
create index borrower_consents_borrower on borrower_consents (tenant_id, borrower_id, created_at desc, id desc);
call app.protect('borrower_consents', 'select, insert, update');
call app.declare_borrower_data('borrower_consents', 'borrower',
  redacted => '{consent_text,document_version,contact_value,revocation_reason}',
  emptied => '{ip_address,user_agent}');

-- Notes about a borrower or loan. A note never changes.
create table notes (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  loan_id uuid,
  subject text,
  body text not null,
  category text not null default 'general'
    check (category in ('general', 'call', 'collections', 'legal', 'servicing', 'complaint')),
  visibility text not null default 'internal' check (visibility in ('internal', 'borrower')),
  is_pinned boolean not null default false,
  author_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, author_id) references users (tenant_id, id)
);
create index notes_borrower on notes (tenant_id, borrower_id, created_at desc, id desc);
create index notes_loan on notes (tenant_id, loan_id, created_at desc, id desc);
create index notes_created on notes (tenant_id, created_at desc, id desc);
create index notes_search on notes using gin (tenant_id, (coalesce(subject || ' ', '') || body) gin_trgm_ops);
call app.protect('notes', 'select, insert');
call app.declare_borrower_data('notes', 'borrower', links => '{"borrower_id": "borrowers", "loan_id": "loans"}',
  redacted => '{subject,body}');

create table tasks (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_id uuid,
  loan_id uuid,
  title text not null,
  description text,
  task_type text not null default 'other',
  assignee_id uuid,
  due_date date,
  priority text not null default 'normal',
  status text not null default 'open',
  completed_at timestamptz,
  completed_by uuid,
  source text not null default 'manual',
  related_type text,
  related_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, assignee_id) references users (tenant_id, id)
);
create index tasks_borrower on tasks (tenant_id, borrower_id, created_at desc, id desc);
create index tasks_loan on tasks (tenant_id, loan_id, created_at desc, id desc);
create index tasks_created on tasks (tenant_id, created_at desc, id desc);
create index tasks_assignee on tasks (tenant_id, assignee_id, created_at desc, id desc);
create index tasks_related on tasks (tenant_id, related_id) where related_id is not null;
create index tasks_type on tasks (tenant_id, task_type, created_at desc, id desc);
call app.protect('tasks');
call app.declare_borrower_data('tasks', 'borrower', links => '{"borrower_id": "borrowers", "loan_id": "loans"}',
  redacted => '{title,description}',
  kept => '{"one of a few values": ["task_type", "priority", "status", "source", "related_type"]}');

-- A borrower's bank accounts and cards. The account number is sealed (jobs/sealing/secrets.ts), so a copy of the
-- database alone cannot debit an account; people see the last four digits.
create table payment_instruments (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  instrument_type text not null default 'bank_account',
  account_holder_name text,
  bank_name text,
  routing_number text check (routing_number ~ '^\d{9}$'),
  account_number_sealed text,
  account_number_last_four text check (account_number_last_four ~ '^\d{4}$'),
  account_type text,
  card_brand text,
  card_exp_month integer check (card_exp_month between 1 and 12),
  card_exp_year integer,
  token_sealed text,
  is_default boolean not null default false,
  is_verified boolean not null default false,
  verified_at timestamptz,
  verification_method text not null default 'none',
  status text not null default 'active' check (status in ('active', 'inactive', 'blocked')),
  last_return_code text,
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The return code for which the account is blocked. A later return for insufficient funds does not replace it.
  block_code text check (block_code ~ '^R\d{2}$'),
  primary key (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id)
);
create index payment_instruments_borrower
  on payment_instruments (tenant_id, borrower_id, created_at desc, id desc);
create index payment_instruments_created on payment_instruments (tenant_id, created_at desc, id desc);
create index payment_instruments_status on payment_instruments (tenant_id, status, created_at desc, id desc);
create unique index payment_instruments_one_default on payment_instruments (tenant_id, borrower_id)
  where is_default and not is_archived;
call app.protect('payment_instruments');
call app.declare_borrower_data('payment_instruments', 'borrower', redacted => '{account_holder_name,bank_name}',
  emptied => '{routing_number,account_number_last_four,card_brand,card_exp_month,card_exp_year}',
  secret => '{account_number_sealed,token_sealed}',
  kept => '{"one of a few values": ["instrument_type", "account_type", "verification_method"],
    "the bank''s code": ["last_return_code", "block_code"]}');

-- Refuses a search that finds more records than a page of a list can be chosen from quickly. A record may be found up to
-- four times, by its names and addresses. The caller reads one id more than that.
create function app.refuse_broad_search(ids uuid[]) returns uuid[]
  language plpgsql stable parallel safe
as $$
begin
  if cardinality(ids) > 80000
    or cardinality(ids) > 20000 and (select count(distinct id) from unnest(ids) as id) > 20000
  then
    raise exception 'The search matches too many records.' using errcode = 'BROAD';
  end if;
  return ids;
end $$;

-- Borrowers whose full name matches all patterns, whose email address matches a pattern, whose phone number ends with
-- the digits, or whose social security number ends with them. Null means: do not search by that. An index finds the
-- patterns `name` and `other_name` (null if there is only one), which must contain three letters or digits in a row.
-- Under row-level security Postgres uses an index only for leakproof conditions, and ilike is not one. So this function
-- runs as the owner and filters by the tenant itself.
create function app.search_borrowers(
    name text, other_name text, names text[], address text, phone text, last_four text
  ) returns setof uuid
  language sql stable parallel safe rows 100 security definer set search_path = public, pg_temp
as $$
  select id from borrowers
  where tenant_id = app.current_tenant() and other_name is null
    and first_name || ' ' || coalesce(middle_name || ' ', '') || last_name ilike name
    and first_name || ' ' || coalesce(middle_name || ' ', '') || last_name ilike all (names)
  union all
  select id from borrowers
  where tenant_id = app.current_tenant()
    and first_name || ' ' || coalesce(middle_name || ' ', '') || last_name ilike name
    and first_name || ' ' || coalesce(middle_name || ' ', '') || last_name ilike other_name
    and first_name || ' ' || coalesce(middle_name || ' ', '') || last_name ilike all (names)
  union all
  select borrower_id from emails
  where tenant_id = app.current_tenant() and email ilike address and not is_archived
  union all
  select borrower_id from phones
  where tenant_id = app.current_tenant() and not is_archived
    and reverse(phone_number) ~>=~ reverse(phone) and reverse(phone_number) ~<~ (reverse(phone) || ':')
  union all
  select id from borrowers where tenant_id = app.current_tenant() and ssn_last_four = last_four
$$;
revoke execute on function app.search_borrowers from public;
grant execute on function app.search_borrowers to servicing_app;

-- Notes that contain the pattern, which must contain three letters or digits in a row. Runs as the owner for the same
-- reason.
create function app.search_notes(pattern text) returns setof uuid
  language sql stable parallel safe rows 100 security definer set search_path = public, pg_temp
as $$
  select id from notes
  where tenant_id = app.current_tenant() and coalesce(subject || ' ', '') || body ilike pattern
$$;
revoke execute on function app.search_notes from public;
grant execute on function app.search_notes to servicing_app;

-- Borrowers whose name begins with the first text, or whose email address begins with the second one, for searches of
-- one or two letters.
create function app.borrowers_with_prefix(name_start text, address_start text) returns setof uuid
  language sql stable parallel safe rows 1000 security definer set search_path = public, pg_temp
as $$
  with range as (select lower(name_start) as first, lower(name_start) || U&'\+10FFFF' as last)
  select borrowers.id from borrowers, range
  where tenant_id = app.current_tenant()
    and lower(first_name || ' ' || last_name) ~>=~ range.first and lower(first_name || ' ' || last_name) ~<~ range.last
  union all
  select borrowers.id from borrowers, range
  where tenant_id = app.current_tenant()
    and lower(last_name) ~>=~ range.first and lower(last_name) ~<~ range.last
  union all
  select borrower_id from emails
  where tenant_id = app.current_tenant() and not is_archived
    and email ~>=~ lower(address_start) and email ~<~ (lower(address_start) || U&'\+10FFFF')
$$;
revoke execute on function app.borrowers_with_prefix from public;
grant execute on function app.borrowers_with_prefix to servicing_app;

-- A consent may only be revoked, once, or redacted.
create function app.refuse_all_but_revocation() returns trigger
  language plpgsql
as $$
declare revocation text[] := '{revoked_at,revocation_method,revocation_reason,updated_at}';
begin
  if app.is_redaction(tg_relid, to_jsonb(old), to_jsonb(new)) then return new; end if;
  if old.revoked_at is not null or new.revoked_at is null
    or to_jsonb(new) - revocation <> to_jsonb(old) - revocation
  then
    raise exception 'A row of % can only be revoked, and only once.', tg_table_name
      using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;

create trigger evidence before update on borrower_consents
  for each row execute function app.refuse_all_but_revocation();
create trigger append_only before delete on borrower_consents
  for each row execute function app.refuse_change();
create trigger append_only_all before truncate on borrower_consents
  for each statement execute function app.refuse_change();

-- Keys from earlier tables to those above.
alter table users add foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id);
