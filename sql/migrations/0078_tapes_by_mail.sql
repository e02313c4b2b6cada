-- Tapes that go out by mail, to the addresses that the tenant names: as a link, unless the file is asked for.
alter table loan_tape_configs
  add column recipients jsonb not null default '[]',
  add column attach_file boolean not null default false,
  add constraint loan_tape_configs_delivery_check check (
    delivery = 'document' or (delivery = 'email' and recipients <> '[]')
  );

create table tape_deliveries (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_tape_id uuid not null,
  recipient text not null,
  attach_file boolean not null,
  status text not null default 'pending' check (status in ('pending', 'sent', 'failed')),
  -- How often it was tried.
  attempts integer not null default 0,
  error text,
  sent_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint tape_deliveries_once unique (tenant_id, loan_tape_id, recipient),
  foreign key (tenant_id, loan_tape_id) references loan_tapes (tenant_id, id)
);
call app.protect('tape_deliveries', 'select, insert, update');
