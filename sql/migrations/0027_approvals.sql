-- What somebody asked for that a second person has to agree to. Nothing has been done yet; what the
-- request said is kept as it was checked, and is done by whoever approves, once.
create table approvals (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  kind text not null check (kind in ('disbursements', 'reversals', 'refunds', 'invitations')),
  -- The endpoint, such as POST /loans/{id}/disburse, with what stood in its path and body.
  endpoint text not null,
  params jsonb not null,
  body jsonb,
  -- The tags of If-Match, where the request named any: they are compared when it is done.
  if_match jsonb,
  status text not null default 'pending'
    check (status in ('pending', 'approved', 'rejected', 'canceled')),
  reason text,
  requested_by uuid not null,
  requested_by_email text not null,
  decided_by uuid,
  decided_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, requested_by) references users (tenant_id, id),
  foreign key (tenant_id, decided_by) references users (tenant_id, id),
  check ((status = 'pending') = (decided_at is null)),
  check (status not in ('approved', 'rejected') or decided_by <> requested_by)
);
call app.protect('approvals', 'select, insert, update');
create index approvals_pending on approvals (tenant_id, created_at desc, id desc)
  where status = 'pending';
