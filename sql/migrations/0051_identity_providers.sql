-- Where a tenant's staff may sign in besides (OpenID Connect). What it says of itself is read by a worker
-- before anybody is sent there.
create table identity_providers (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  name text not null,
  issuer_url text not null,
  client_id text not null,
  client_secret_sealed text not null,
  redirect_url text not null,
  -- Which claim names what somebody is there, and what that means here.
  role_claim text,
  roles jsonb not null default '{}',
  -- Whether somebody whom only the provider knows becomes a user here.
  adds_users boolean not null default false,
  is_active boolean not null default true,
  authorization_url text,
  read_at timestamptz,
  last_error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
call app.protect('identity_providers');
create index identity_providers_created on identity_providers (tenant_id, created_at desc, id desc);

-- Who a user is there: the provider's own name for him, which never changes as an address may.
create table user_identities (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  provider_id uuid not null,
  subject text not null,
  user_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, provider_id, subject),
  foreign key (tenant_id, provider_id) references identity_providers (tenant_id, id) on delete cascade,
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
call app.protect('user_identities');
create unique index user_identities_user on user_identities (tenant_id, user_id, provider_id);

-- A sign-in that somebody began at a provider, in one browser: what was sent along, what came back, and
-- what a worker made of it.
create table provider_sign_ins (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  provider_id uuid not null,
  token_hash bytea not null,
  state_hash bytea not null,
  nonce text not null,
  verifier_sealed text not null,
  code_sealed text,
  response_issuer text,
  status text not null default 'begun' check (status in ('begun', 'asked', 'known', 'failed', 'used')),
  user_id uuid,
  is_multi_factor boolean not null default false,
  problem text,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, provider_id) references identity_providers (tenant_id, id) on delete cascade,
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
call app.protect('provider_sign_ins');
create unique index provider_sign_ins_token on provider_sign_ins (tenant_id, token_hash);
create index provider_sign_ins_provider on provider_sign_ins (tenant_id, provider_id);
create index provider_sign_ins_user on provider_sign_ins (tenant_id, user_id);
