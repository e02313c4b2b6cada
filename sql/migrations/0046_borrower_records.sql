-- Who a borrower is, as documents of others say it. A full number is sealed; its index is a keyed hash, by
-- which the same number is found again.
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
  foreign key (tenant_id, verified_by) references users (tenant_id, id),
  foreign key (tenant_id, document_id) references documents (tenant_id, id)
);
call app.protect('borrower_identities');
create index borrower_identities_borrower on borrower_identities (tenant_id, borrower_id, created_at desc, id desc);
create index borrower_identities_identifier on borrower_identities (tenant_id, identifier_index)
  where identifier_index is not null;

-- Evidence of what a borrower agreed to: written once, and revoked once.
create table borrower_consents (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  consent_type text not null check (consent_type in (
    'esign', 'tcpa_sms', 'tcpa_call', 'email', 'marketing', 'credit_pull', 'autopay', 'data_sharing',
    'privacy_policy', 'terms'
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
  -- The number or address that it is about; all of the borrower's where there is none.
  contact_value text,
  revoked_at timestamptz check (revoked_at >= granted_at),
  revocation_method text
    check (revocation_method in ('portal', 'sms_keyword', 'agent', 'email', 'letter')),
  revocation_reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  check ((revoked_at is null) = (revocation_method is null)),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, document_id) references documents (tenant_id, id)
);
call app.protect('borrower_consents', 'select, insert, update');
create index borrower_consents_borrower on borrower_consents (tenant_id, borrower_id, created_at desc, id desc);

create function app.refuse_all_but_revocation() returns trigger language plpgsql as $$
declare revocation text[] := '{revoked_at,revocation_method,revocation_reason,updated_at}';
begin
  if old.revoked_at is not null or new.revoked_at is null
    or to_jsonb(new) - revocation <> to_jsonb(old) - revocation
  then
    raise exception '% is evidence: it may be revoked once', tg_table_name
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

-- Who speaks for a borrower, and whether the borrower is reached through them alone.
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
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, authorization_document_id) references documents (tenant_id, id)
);
call app.protect('legal_reps');
create index legal_reps_borrower on legal_reps (tenant_id, borrower_id, created_at desc, id desc);

-- What somebody wants remembered; never changed, like what was said.
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
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, author_id) references users (tenant_id, id)
);
call app.protect('notes', 'select, insert');
create index notes_borrower on notes (tenant_id, borrower_id, created_at desc, id desc);

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

-- The day on which the borrower's demand to be left alone came in (15 U.S.C. 1692c(c)).
alter table borrowers add column cease_and_desist_date date;
