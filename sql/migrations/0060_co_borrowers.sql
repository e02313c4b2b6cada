-- Who owes a loan beside its borrower. Nobody is deleted: whoever is released owes from that day on no
-- more, and stays known.
create table co_borrowers (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  borrower_id uuid not null,
  role text not null check (role in ('co_borrower', 'co_signer', 'guarantor')),
  liable_from date not null,
  -- The first day on which nothing is owed any more.
  released_on date,
  release_reason text,
  release_notes text,
  released_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  check (released_on >= liable_from),
  check ((released_on is null) = (release_reason is null)),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, released_by) references users (tenant_id, id)
);
call app.protect('co_borrowers', 'select, insert, update');
create unique index co_borrowers_once on co_borrowers (tenant_id, loan_id, borrower_id)
  where released_on is null;
create index co_borrowers_loan on co_borrowers (tenant_id, loan_id, created_at desc, id desc);
create index co_borrowers_borrower on co_borrowers (tenant_id, borrower_id, created_at desc, id desc);
create index co_borrowers_created on co_borrowers (tenant_id, created_at desc, id desc);

-- Those who are told beside the consumer of a record, each with an ECOA code of their own.
alter table credit_reporting_records add column co_consumers jsonb not null default '[]';

-- Relief that one of them asks for is looked at for the loan, so nobody is asked to pay it meanwhile.
create index hardship_applications_loan on hardship_applications (tenant_id, loan_id, created_at desc, id desc);
