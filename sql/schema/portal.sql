-- What borrowers open in the portal: support cases and hardship applications.

-- The last case number of a year.
create table case_number_sequences (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  year integer not null,
  last_number bigint not null,
  primary key (tenant_id, year)
);
call app.protect('case_number_sequences');

-- Support cases, opened by a borrower or by the servicing team about a borrower.
create table support_cases (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  case_number text not null,
  borrower_id uuid not null,
  loan_id uuid,
  subject text not null,
  description text not null,
  case_type text not null,
  status text not null default 'open' check (status in
    ('open', 'in_progress', 'waiting_on_borrower', 'resolved', 'closed')),
  priority text not null default 'normal',
  source text not null check (source in ('portal', 'agent', 'system', 'email', 'sms')),
  assigned_to uuid,
  resolution text,
  -- The borrower wrote the last message.
  awaits_answer boolean not null default false,
  is_visible_to_borrower boolean not null default false,
  opened_at timestamptz not null default now(),
  first_response_at timestamptz,
  resolved_at timestamptz,
  closed_at timestamptz,
  last_message_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint support_cases_case_number unique (tenant_id, case_number),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, assigned_to) references users (tenant_id, id)
);
create index support_cases_created on support_cases (tenant_id, created_at desc, id desc);
create index support_cases_borrower on support_cases (tenant_id, borrower_id, created_at desc, id desc);
create index support_cases_status on support_cases (tenant_id, status, created_at desc, id desc);
create index support_cases_assigned on support_cases (tenant_id, assigned_to, created_at desc, id desc);
call app.protect('support_cases', 'select, insert, update');
call app.declare_borrower_data('support_cases', 'messages', redacted => '{subject,description,resolution}',
  kept => '{"our own number": ["case_number"], "one of a few values": ["case_type", "status", "priority"]}');

-- The messages of a case. They never change.
create table support_case_messages (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  case_id uuid not null,
  author_type text not null check (author_type in ('borrower', 'agent', 'system')),
  author_id uuid,
  author_name text not null,
  -- The author's name as shown to the borrower.
  shown_name text not null,
  message text not null,
  is_internal boolean not null default false,
  attachments jsonb not null default '[]',
  -- The time of writing, not of the transaction, so that messages sort in order.
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id),
  foreign key (tenant_id, case_id) references support_cases (tenant_id, id),
  foreign key (tenant_id, author_id) references users (tenant_id, id)
);
create index support_case_messages_case
  on support_case_messages (tenant_id, case_id, created_at desc, id desc);
call app.protect('support_case_messages', 'select, insert');
call app.declare_borrower_data('support_case_messages', 'messages', redacted => '{message}',
  redacted_as => $${"author_name": "case author_type when 'borrower' then 'Redacted' else author_name end",
    "shown_name": "case author_type when 'borrower' then 'Redacted' else shown_name end"}$$,
  kept => '{"ids": ["attachments"]}');

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
