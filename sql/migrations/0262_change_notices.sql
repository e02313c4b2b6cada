-- What a bank says of an account that we sent an entry to: its corrected number, bank or type.
create table change_notices (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  nacha_entry_id uuid not null,
  payment_instrument_id uuid not null,
  borrower_id uuid not null,
  loan_id uuid not null,
  code text not null check (code ~ '^C\d{2}$'),
  trace_number text not null,
  received_on date not null,
  due_date date not null,
  corrected_routing_number text check (corrected_routing_number ~ '^\d{9}$'),
  corrected_account_number_sealed text,
  corrected_account_number_last_four text check (corrected_account_number_last_four ~ '^\d{4}$'),
  corrected_account_type text check (corrected_account_type in ('checking', 'savings')),
  status text not null default 'pending' check (status in ('pending', 'applied', 'dismissed')),
  decided_at timestamptz,
  decided_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, nacha_entry_id) references nacha_entries (tenant_id, id),
  foreign key (tenant_id, payment_instrument_id) references payment_instruments (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, decided_by) references users (tenant_id, id),
  constraint change_notices_reported unique (tenant_id, nacha_entry_id, code, trace_number)
);
call app.protect('change_notices');
create index change_notices_created on change_notices (tenant_id, created_at desc, id desc);
create index change_notices_instrument on change_notices (tenant_id, payment_instrument_id, created_at desc, id desc);
