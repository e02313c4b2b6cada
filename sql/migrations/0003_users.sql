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
  is_deceased boolean not null default false,
  bankruptcy_status text,
  military_status text,
  external_id text,
  metadata jsonb not null default '{}',
  -- Communication preferences: what the borrower has not switched off is allowed.
  email_enabled boolean not null default true,
  sms_enabled boolean not null default true,
  letter_enabled boolean not null default true,
  marketing_enabled boolean not null default true,
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, external_id)
);
call app.protect('borrowers');
create index borrowers_created on borrowers (tenant_id, created_at desc, id desc);
create index borrowers_name on borrowers (tenant_id, last_name, first_name, id);
create extension if not exists pg_trgm;
create index borrowers_search on borrowers using gin ((first_name || ' ' || last_name) gin_trgm_ops);

create table users (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  email text not null check (email = lower(email)),
  first_name text not null,
  last_name text not null,
  -- argon2id in PHC form; null until an invited user has chosen a password.
  password_hash text,
  tenant_role text check (tenant_role in ('viewer', 'collector', 'loan_officer', 'admin', 'superadmin')),
  borrower_id uuid,
  is_active boolean not null default true,
  -- Grows with each reset, deactivation and change of role; sessions of an older epoch are void.
  session_epoch integer not null default 0,
  date_joined timestamptz not null default now(),
  last_login timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, email),
  unique (tenant_id, borrower_id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id)
);
call app.protect('users');
create index users_created on users (tenant_id, created_at desc, id desc);

-- Grants and denials beside the role: of a group, an assignment, or one object.
create table user_permissions (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  user_id uuid not null,
  type text not null default 'allow' check (type in ('allow', 'deny')),
  action text not null,
  resource text not null,
  record jsonb,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
call app.protect('user_permissions');
create index user_permissions_user on user_permissions (tenant_id, user_id);

-- Only the SHA-256 of a session's id is kept, so a stolen copy of this table opens nothing.
create table sessions (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id_hash bytea not null,
  user_id uuid not null,
  csrf_token text not null,
  epoch integer not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  idle_seconds integer not null,
  absolute_expires_at timestamptz not null,
  ip text,
  user_agent text,
  revoked_at timestamptz,
  primary key (tenant_id, id_hash),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
call app.protect('sessions');
create index sessions_user on sessions (tenant_id, user_id) where revoked_at is null;

-- Reset and invitation links: used once, kept as a hash.
create table one_time_tokens (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  token_hash bytea not null,
  user_id uuid not null,
  purpose text not null check (purpose in ('password_reset', 'invitation')),
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (tenant_id, token_hash),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
call app.protect('one_time_tokens');
create index one_time_tokens_user on one_time_tokens (tenant_id, user_id);

-- One row per counted request, exact over all processes because counting holds an advisory lock.
create table throttle_hits (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  scope text not null,
  subject text not null,
  at timestamptz not null default clock_timestamp(),
  id uuid not null default uuidv7(),
  primary key (tenant_id, scope, subject, id)
);
call app.protect('throttle_hits');

create table idempotency_keys (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  user_id uuid not null,
  method text not null,
  path text not null,
  key text not null check (length(key) between 1 and 255),
  request_hash bytea not null,
  status integer,
  body jsonb,
  created_at timestamptz not null default now(),
  primary key (tenant_id, user_id, method, path, key)
);
call app.protect('idempotency_keys');
create index idempotency_keys_age on idempotency_keys (tenant_id, created_at);

-- Who changed what, written in the transaction of the change and never altered afterwards.
create table audit_log (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  entity_type text not null,
  entity_id uuid not null,
  -- The borrower and loan that the entity belongs to, so that their histories include it.
  borrower_id uuid,
  loan_id uuid,
  action text not null,
  actor_type text not null check (actor_type in ('user', 'borrower', 'system', 'provider')),
  actor_id uuid,
  actor_email text,
  changes jsonb not null,
  reason text,
  request_id text,
  ip_address text,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
call app.protect('audit_log', 'select, insert');
create index audit_log_borrower on audit_log (tenant_id, borrower_id, created_at desc, id desc);
create index audit_log_loan on audit_log (tenant_id, loan_id, created_at desc, id desc);
create index audit_log_entity on audit_log (tenant_id, entity_id, created_at desc, id desc);
create trigger append_only before update or delete on audit_log
  for each row execute function app.refuse_change();
create trigger append_only_all before truncate on audit_log
  for each statement execute function app.refuse_change();

-- One round trip for every request that carries a session: it is checked, marked as seen at most once
-- a minute, and answered with its user. The tenant is the one that the host named, so a session of
-- another tenant opens nothing.
create function app.open_session(tenant uuid, hash bytea)
  returns table (
    user_id uuid, csrf_token text, email text, first_name text, last_name text,
    tenant_role text, borrower_id uuid
  )
  language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  update sessions as session set last_seen_at = now()
  where session.tenant_id = tenant and session.id_hash = hash and session.revoked_at is null
    and session.last_seen_at < now() - interval '1 minute'
    and session.last_seen_at > now() - make_interval(secs => session.idle_seconds);
  return query
    select account.id, session.csrf_token, account.email, account.first_name, account.last_name,
           account.tenant_role, account.borrower_id
    from sessions as session
    join users as account on account.tenant_id = session.tenant_id and account.id = session.user_id
    left join borrowers as borrower
      on borrower.tenant_id = account.tenant_id and borrower.id = account.borrower_id
    where session.tenant_id = tenant and session.id_hash = hash and session.revoked_at is null
      and session.last_seen_at > now() - make_interval(secs => session.idle_seconds)
      and session.absolute_expires_at > now()
      and session.epoch = account.session_epoch
      and account.is_active and not coalesce(borrower.is_archived, false);
end $$;
