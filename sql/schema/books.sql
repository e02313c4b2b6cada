-- Imports of books: the loans of a lender with everything that belongs to them, from a file to boarded loans.

create table imports (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  filename text not null,
  -- The hash of the file, and of the file with the mapping and the options, which identifies the import.
  sha256_hash text not null check (sha256_hash ~ '^[0-9a-f]{64}$'),
  fingerprint text not null check (fingerprint ~ '^[0-9a-f]{64}$'),
  file_size bigint not null,
  -- The sealed file and its key. Null if a command reads its own file, and after the import has ended.
  storage_key text,
  file_key_sealed text,
  mapping text,
  options jsonb not null default '{}',
  status text not null default 'uploaded' check (status in (
    'uploaded', 'checking', 'checked', 'refused', 'confirmed', 'boarding', 'boarded', 'failed', 'canceled'
    )),
  -- The business date of the check. The loans are boarded on this date.
  business_date date,
  -- What the file says, by status of its loans, and the same of the boarded loans.
  control_totals jsonb,
  boarded_totals jsonb,
  error_count integer not null default 0,
  warning_count integer not null default 0,
  -- Progress. `rows_total` counts the rows of all files.
  loans_total integer not null default 0,
  loans_checked integer not null default 0,
  rows_total integer not null default 0,
  rows_staged integer not null default 0,
  loans_boarded integer not null default 0,
  failure_reason text,
  created_by uuid,
  confirmed_by uuid,
  confirmed_at timestamptz,
  boarded_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  foreign key (tenant_id, confirmed_by) references users (tenant_id, id)
);
-- The same file with the same mapping and options is the same import.
create unique index imports_once on imports (tenant_id, fingerprint) where status <> 'canceled';
create index imports_created on imports (tenant_id, created_at desc, id desc);
call app.protect('imports', 'select, insert, update');

-- What the check of an import found. No finding contains a personal number or a name.
create table import_findings (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  import_id uuid not null,
  position integer not null,
  file text not null,
  line integer not null,
  -- The column of the file. Null if the finding concerns the whole line.
  column_name text,
  code text not null,
  severity text not null check (severity in ('error', 'warning')),
  reason text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint import_findings_position unique (tenant_id, import_id, position),
  foreign key (tenant_id, import_id) references imports (tenant_id, id)
);
create index import_findings_created on import_findings (tenant_id, import_id, created_at desc, id desc);
call app.protect('import_findings', 'select, insert, delete');

-- The rows of a confirmed import, sealed, until it ends. `key` names the loan, borrower or other record to which they
-- belong. Rows of a loan in files with many of them share one row here, with the place of the first.
create table import_rows (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  import_id uuid not null,
  -- The book file, and the place of the row among its rows. Several files that were sent may feed one book file.
  file text not null,
  position integer not null,
  source text not null,
  line integer not null,
  key text not null,
  -- The borrower of a case, so that it is opened with the first loan of the person, and of a loan that describes its
  -- borrower.
  borrower_key text,
  values_sealed text not null,
  primary key (tenant_id, import_id, file, position),
  foreign key (tenant_id, import_id) references imports (tenant_id, id)
);
create index import_rows_key on import_rows (tenant_id, import_id, file, key, position);
create index import_rows_borrower on import_rows (tenant_id, import_id, borrower_key) where borrower_key is not null;
-- A change of SECRET seals the rows again.
call app.protect('import_rows', 'select, insert, update, delete');

-- The records that an import created for keys of its file, such as a borrower's external id or the id of a bank account.
-- Later chunks of the import find them here. Removed when it ends.
create table import_records (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  import_id uuid not null,
  file text not null,
  key text not null,
  record_id uuid not null,
  primary key (tenant_id, import_id, file, key),
  foreign key (tenant_id, import_id) references imports (tenant_id, id)
);
call app.protect('import_records', 'select, insert, delete');

-- The loans that an import has boarded: written in the transaction that boards them, so each is boarded once.
create table import_loans (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  import_id uuid not null,
  loan_number text not null,
  position integer not null,
  loan_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, import_id, loan_number),
  constraint import_loans_loan unique (tenant_id, loan_id),
  foreign key (tenant_id, import_id) references imports (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
create index import_loans_position on import_loans (tenant_id, import_id, position);
call app.protect('import_loans', 'select, insert');
call app.declare_borrower_data('import_loans', 'loans', links => '{"loan_id": "loans"}',
  kept => '{"the loan''s number": ["loan_number"]}');
