-- A second proof of who somebody is, beside the password: an app that makes codes of the time (TOTP), or
-- a passkey. One counts once it was used for the first time, which is when it is confirmed.
create table second_factors (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  user_id uuid not null,
  kind text not null check (kind in ('totp', 'passkey')),
  name text not null,
  -- What codes are made of, sealed; and the step of time of the last one, which is never taken again.
  secret_sealed text,
  last_step bigint,
  -- A passkey, as its device named it for this host, and how often it says that it has signed.
  credential_id text,
  public_key text,
  sign_count bigint,
  transports jsonb,
  host text,
  confirmed_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  check ((kind = 'totp') = (secret_sealed is not null)),
  check ((kind = 'passkey') = (credential_id is not null)),
  check (kind = 'totp' or (public_key is not null and sign_count is not null and host is not null)),
  check (kind = 'totp' or confirmed_at is not null)
);
call app.protect('second_factors');
create index second_factors_user on second_factors (tenant_id, user_id);
create unique index second_factors_credential on second_factors (tenant_id, credential_id);
create unique index second_factors_app on second_factors (tenant_id, user_id)
  where kind = 'totp' and confirmed_at is not null;

-- For whoever has lost the factor: each opens once, and only its hash is kept.
create table recovery_codes (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  user_id uuid not null,
  code_hash bytea not null,
  used_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (tenant_id, user_id, code_hash),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
call app.protect('recovery_codes');

-- Who has proved himself once and has to do so again, or to enroll what he would do it with. It opens
-- nothing, belongs to one browser, and is over after minutes or a few wrong tries.
create table pending_sign_ins (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  token_hash bytea not null,
  user_id uuid not null,
  wants text not null check (wants in ('proof', 'enrollment')),
  -- As a session's: what ends the sessions of a user ends this.
  epoch integer not null,
  tries integer not null default 0,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  primary key (tenant_id, token_hash),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
call app.protect('pending_sign_ins');
create index pending_sign_ins_user on pending_sign_ins (tenant_id, user_id);

-- What a passkey is asked to sign, once.
create table passkey_challenges (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  challenge text not null,
  user_id uuid not null,
  purpose text not null check (purpose in ('enrollment', 'proof')),
  expires_at timestamptz not null,
  primary key (tenant_id, challenge),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
call app.protect('passkey_challenges');
create index passkey_challenges_user on passkey_challenges (tenant_id, user_id);

-- A session has a name that may be shown, and says what it was proved by beside the first factor.
alter table sessions
  add column id uuid not null default uuidv7(),
  add column second_factor text
    check (second_factor in ('totp', 'passkey', 'recovery_code', 'provider')),
  add unique (tenant_id, id);

drop function app.open_session(uuid, bytea);
create function app.open_session(tenant uuid, hash bytea)
  returns table (
    user_id uuid, csrf_token text, email text, first_name text, last_name text,
    tenant_role text, borrower_id uuid, session_id uuid, second_factor text
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
           account.tenant_role, account.borrower_id, session.id, session.second_factor
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
