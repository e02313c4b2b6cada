-- Where a provider waits to be told that its callbacks are wanted.
alter table communication_providers add column subscribe_url text;

-- Certificates that providers sign with, by where each stands.
create table provider_certificates (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  url text not null,
  pem text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, url)
);
call app.protect('provider_certificates', 'select, insert');

-- Words of callbacks that count once. They are kept for longer than a callback may be old.
create table spent_provider_tokens (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  token text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, token)
);
call app.protect('spent_provider_tokens', 'select, insert, delete');

-- Rules that look for a regular expression, and those that hand on what was written.
alter table auto_responses add column pattern text, add column forward_to text;
