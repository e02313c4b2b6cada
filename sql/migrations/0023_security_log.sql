-- Who came in, who was turned away, and who changed what others may do. Beside the audit trail, which
-- tells of records and of what succeeded, this tells of people and of what was refused as well.
create table security_log (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  event text not null check (event ~ '^[a-z_]{1,40}$'),
  outcome text not null check (outcome in ('done', 'refused', 'failed')),
  -- The code of the refusal.
  reason text,
  user_id uuid,
  -- A keyed hash of the address that was tried, where no account has it.
  tried_as text,
  -- The record that it was about: the user whose role changed, the file that was fetched.
  subject_id uuid,
  route text not null,
  ip_address text,
  request_id text,
  -- More than one where a flood of refusals was counted and not written one by one.
  occurrences integer not null default 1 check (occurrences > 0),
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
call app.protect('security_log', 'select, insert');
create index security_log_newest on security_log (tenant_id, created_at desc, id desc);
create index security_log_user on security_log (tenant_id, user_id, created_at desc, id desc);
create trigger append_only before update or delete on security_log
  for each row execute function app.refuse_change();
create trigger append_only_all before truncate on security_log
  for each statement execute function app.refuse_change();
