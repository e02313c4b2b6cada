-- Pictures for the head of a tenant's letters: each time one was asked for, with what came of it. One that is here
-- never changes, so that a letter which names it is printed with the picture of its day.
create table logos (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  url text not null,
  status text not null default 'pending' check (status in ('pending', 'ready', 'failed')),
  problem text,
  content_type text check (content_type in ('image/png', 'image/jpeg', 'image/svg+xml')),
  width integer,
  height integer,
  sha256_hash text,
  -- Its bytes in base64, made safe.
  image text,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  check ((status = 'ready') = (image is not null and content_type is not null)),
  check ((status = 'failed') = (problem is not null))
);
call app.protect('logos', 'select, insert, update');
create index logos_url on logos (tenant_id, url, id desc);
