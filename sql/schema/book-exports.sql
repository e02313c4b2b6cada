-- Exports of whole books in the format that imports read. The files are removed when they expire.

create table book_exports (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  -- The loans: those of a portfolio, those of a servicing transfer, or all.
  portfolio_id uuid,
  servicing_transfer_id uuid,
  -- Whether the file of a servicing transfer has prices of sales, internal notes and officers.
  with_internal_records boolean not null default false,
  status text not null default 'pending' check (status in ('pending', 'completed', 'failed', 'expired')),
  -- The business date of the figures. Null until the file is written.
  business_date date,
  requested_by uuid,
  loan_count integer,
  -- Progress: the file that is being written, and the rows in all files so far.
  current_file text,
  rows_written integer not null default 0,
  storage_key text not null,
  file_size bigint,
  sha256_hash text,
  failure_reason text,
  completed_at timestamptz,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  check (num_nonnulls(portfolio_id, servicing_transfer_id) <= 1),
  foreign key (tenant_id, portfolio_id) references portfolios (tenant_id, id),
  foreign key (tenant_id, servicing_transfer_id) references servicing_transfers (tenant_id, id),
  foreign key (tenant_id, requested_by) references users (tenant_id, id)
);
create index book_exports_created on book_exports (tenant_id, created_at desc, id desc);
create index book_exports_expiring on book_exports (tenant_id, expires_at) where status = 'completed';
-- One export of the same loans at a time.
create unique index book_exports_one_pending
  on book_exports (tenant_id, portfolio_id, servicing_transfer_id, with_internal_records) nulls not distinct where status = 'pending';
call app.protect('book_exports', 'select, insert, update');
