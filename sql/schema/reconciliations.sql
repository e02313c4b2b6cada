-- Reconciliations: the figures of another system next to ours.

create table reconciliations (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  filename text not null,
  sha256_hash text not null check (sha256_hash ~ '^[0-9a-f]{64}$'),
  file_size bigint not null,
  -- The sealed file, until its figures are compared. Null if a command reads its own file.
  storage_key text,
  file_key_sealed text,
  -- The differences as a CSV file, once a worker has written it.
  differences_key text,
  mapping text,
  -- `loans`: the figures of loans here. `book`: those computed from the loans and histories of the file.
  compares text not null check (compares in ('loans', 'book')),
  -- Which loans here the file must have. The others are only counted.
  loans_here text not null default 'imported' check (loans_here in ('imported', 'all', 'none')),
  -- Later figures of the file are ignored. Null: all count.
  through_date date,
  tolerance app.money not null default 0.00,
  accepted_kinds jsonb not null default '[]',
  status text not null default 'waiting' check (status in ('waiting', 'running', 'done', 'failed')),
  failure_reason text,
  loans_total integer not null default 0,
  loans_agreeing integer not null default 0,
  -- Loans that differ only by accepted kinds, and other loans that differ.
  loans_accepted integer not null default 0,
  loans_differing integer not null default 0,
  -- Loans of which no figure, or not each day, could be compared.
  loans_not_compared integer not null default 0,
  -- Loans here with a debt that the file lacks and need not have.
  loans_only_here integer not null default 0,
  -- Days of the compared loans, and those of their days in the file that were left out.
  days_compared integer not null default 0,
  days_not_compared integer not null default 0,
  first_date date,
  last_date date,
  -- Counts by kind.
  summary jsonb not null default '[]',
  -- The hash of the file, the options and all results, which a sign-off names.
  fingerprint text check (fingerprint ~ '^[0-9a-f]{64}$'),
  computed_at timestamptz,
  created_by uuid,
  signed_off_by uuid,
  signed_off_at timestamptz,
  sign_off_note text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  foreign key (tenant_id, signed_off_by) references users (tenant_id, id),
  check (signed_off_by is distinct from created_by or signed_off_by is null)
);
create index reconciliations_created on reconciliations (tenant_id, created_at desc, id desc);
call app.protect('reconciliations', 'select, insert, update');

-- A figure of a loan that differs, with the first and the last day on which it does.
create table reconciliation_differences (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  reconciliation_id uuid not null,
  position integer not null,
  loan_id uuid,
  loan_number text not null,
  -- Null if the loan is missing in one of the systems, or was not compared.
  figure text,
  kind text not null,
  is_accepted boolean not null,
  reason text not null,
  first_date date,
  first_ours text,
  first_theirs text,
  last_date date,
  last_ours text,
  last_theirs text,
  days_differing integer not null,
  -- Days of the loan in the file that were left out.
  days_not_compared integer not null,
  -- The first day on which both computations differ, and both. On the first difference of a loan only.
  parting jsonb,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint reconciliation_differences_position unique (tenant_id, reconciliation_id, position),
  foreign key (tenant_id, reconciliation_id) references reconciliations (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
create index reconciliation_differences_created on reconciliation_differences
  (tenant_id, reconciliation_id, created_at desc, id desc);
create index reconciliation_differences_loan on reconciliation_differences (tenant_id, loan_id);
call app.protect('reconciliation_differences', 'select, insert, delete');
call app.declare_borrower_data('reconciliation_differences', 'loans', links => '{"loan_id": "loans"}',
  kept => '{"the loan''s number": ["loan_number"],
    "figures of the books in a fixed format": ["figure", "kind", "reason", "first_ours", "first_theirs", "last_ours",
      "last_theirs", "parting"]}');

-- The loans here that the file has, to notice later changes of their past: events through the last day that the
-- comparison has not read. Without a last day, nothing was compared.
create table reconciliation_loans (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  reconciliation_id uuid not null,
  loan_id uuid not null,
  last_date date,
  events_read integer not null,
  primary key (tenant_id, reconciliation_id, loan_id),
  foreign key (tenant_id, reconciliation_id) references reconciliations (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
create index reconciliation_loans_loan on reconciliation_loans (tenant_id, loan_id);
call app.protect('reconciliation_loans', 'select, insert, delete');
call app.declare_borrower_data('reconciliation_loans', 'loans', links => '{"loan_id": "loans"}', kept => '{}');
