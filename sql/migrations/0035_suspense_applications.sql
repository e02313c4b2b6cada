-- Money of the borrower that waited in suspense and was put to the loan, by a person or by rule.
create table suspense_applications (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  amount app.money not null check (amount > 0),
  effective_date date not null,
  payment_type text not null,
  notes text,
  source text not null check (source in ('staff', 'rule')),
  status text not null default 'applied' check (status in ('applied', 'reversed')),
  -- As the history has them now: an event that arrives late may move them.
  principal_applied app.money not null default 0,
  interest_applied app.money not null default 0,
  fees_applied app.money not null default 0,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
call app.protect('suspense_applications', 'select, insert, update');
create index suspense_applications_loan
  on suspense_applications (tenant_id, loan_id, created_at desc, id desc);

alter table approvals drop constraint approvals_kind_check;
alter table approvals add constraint approvals_kind_check
  check (kind in ('disbursements', 'reversals', 'refunds', 'suspense', 'invitations', 'settings'));
