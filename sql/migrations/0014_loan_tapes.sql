create table loan_tape_configs (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  name text not null,
  portfolio_id uuid,
  format text not null default 'csv' check (format in ('csv', 'json')),
  columns jsonb not null,
  filters jsonb not null default '{}',
  schedule text not null default 'none',
  include_header boolean not null default true,
  is_active boolean not null default true,
  delivery text not null default 'document',
  last_generated_at timestamptz,
  -- The close of this day generates the tape.
  next_run_at date,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, portfolio_id) references portfolios (tenant_id, id)
);
call app.protect('loan_tape_configs');
create index loan_tape_configs_created on loan_tape_configs (tenant_id, created_at desc, id desc);
create index loan_tape_configs_due on loan_tape_configs (tenant_id, next_run_at)
  where is_active and next_run_at is not null;

-- A tape that was made, or is being made: what was asked for, and what came of it.
create table loan_tapes (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_tape_config_id uuid not null,
  portfolio_id uuid,
  as_of_date date not null,
  format text not null,
  columns jsonb not null,
  filters jsonb not null,
  include_header boolean not null,
  status text not null default 'pending' check (status in ('pending', 'completed')),
  filename text not null,
  row_count integer,
  document_id uuid,
  checksum text,
  totals jsonb not null default '{}',
  warnings jsonb not null default '[]',
  generated_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_tape_config_id) references loan_tape_configs (tenant_id, id),
  foreign key (tenant_id, portfolio_id) references portfolios (tenant_id, id),
  foreign key (tenant_id, document_id) references documents (tenant_id, id)
);
call app.protect('loan_tapes');
create index loan_tapes_config on loan_tapes (tenant_id, loan_tape_config_id, created_at desc, id desc);
