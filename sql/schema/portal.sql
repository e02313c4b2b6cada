-- What borrowers open in the portal: hardship applications.

-- A borrower's request for relief. Staff decide and grant the relief.
create table hardship_applications (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  application_number text not null,
  borrower_id uuid not null,
  loan_id uuid not null,
  case_id uuid not null,
  hardship_type text not null,
  description text not null,
  monthly_income app.money,
  monthly_expenses app.money,
  requested_action text not null,
  document_ids jsonb not null default '[]',
  status text not null default 'submitted' check (status in
    ('submitted', 'under_review', 'more_info_needed', 'approved', 'denied', 'withdrawn')),
  source text not null check (source in ('portal', 'agent')),
  decision text check (decision in ('approved', 'denied')),
  decision_reason text,
  decided_by uuid,
  decided_at timestamptz,
  resulting_type text check (resulting_type in ('forbearance', 'deferment', 'modification', 'payment_plan')),
  resulting_id uuid,
  -- The last day without collection contacts. Null: contacts were not paused.
  contacts_paused_until date,
  submitted_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint hardship_applications_application_number unique (tenant_id, application_number),
  check ((resulting_type is null) = (resulting_id is null)),
  check ((decision is null) = (status not in ('approved', 'denied'))),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, case_id) references support_cases (tenant_id, id),
  foreign key (tenant_id, decided_by) references users (tenant_id, id)
);
create unique index hardship_applications_one_open on hardship_applications (tenant_id, loan_id)
  where status in ('submitted', 'under_review', 'more_info_needed');
create index hardship_applications_created
  on hardship_applications (tenant_id, created_at desc, id desc);
create index hardship_applications_borrower
  on hardship_applications (tenant_id, borrower_id, created_at desc, id desc);
create index hardship_applications_case on hardship_applications (tenant_id, case_id);
-- For checking whether a loan has a pending application, which pauses collection contacts for all who owe
-- it.
create index hardship_applications_loan on hardship_applications (tenant_id, loan_id, created_at desc, id desc);
call app.protect('hardship_applications', 'select, insert, update');
call app.declare_borrower_data('hardship_applications', 'messages', links => '{"borrower_id": "borrowers"}',
  redacted => '{description,decision_reason}', emptied => '{monthly_income,monthly_expenses}',
  kept => '{"our own number": ["application_number"], "one of a few values": ["hardship_type", "requested_action",
    "status"], "ids": ["document_ids"]}');

-- Keys from earlier tables to those above.
alter table forbearances add foreign key (tenant_id, hardship_application_id)
  references hardship_applications (tenant_id, id);
