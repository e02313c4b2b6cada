-- What staff put among the documents is theirs until they show it to the borrower. Until now nobody was
-- asked, so nobody has chosen to show one.
update documents set is_visible_to_borrower = false where source in ('upload_link', 'direct');
create index documents_borrower on documents (tenant_id, borrower_id, created_at desc, id desc);

create table case_number_sequences (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  year integer not null,
  last_number bigint not null,
  primary key (tenant_id, year)
);
call app.protect('case_number_sequences');

-- What a borrower asks of the servicing team, or the team keeps about a borrower, until it is settled.
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
  -- The borrower spoke last.
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
call app.protect('support_cases', 'select, insert, update');
create index support_cases_created on support_cases (tenant_id, created_at desc, id desc);
create index support_cases_borrower on support_cases (tenant_id, borrower_id, created_at desc, id desc);
create index support_cases_status on support_cases (tenant_id, status, created_at desc, id desc);
create index support_cases_assigned on support_cases (tenant_id, assigned_to, created_at desc, id desc);

-- The thread of a case. What was said is never changed.
create table support_case_messages (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  case_id uuid not null,
  author_type text not null check (author_type in ('borrower', 'agent', 'system')),
  author_id uuid,
  author_name text not null,
  -- What the borrower is told of who wrote it.
  shown_name text not null,
  message text not null,
  is_internal boolean not null default false,
  attachments jsonb not null default '[]',
  -- By the clock and not by its transaction, so that a thread is in the order in which it was said.
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id),
  foreign key (tenant_id, case_id) references support_cases (tenant_id, id),
  foreign key (tenant_id, author_id) references users (tenant_id, id)
);
call app.protect('support_case_messages', 'select, insert');
create index support_case_messages_case
  on support_case_messages (tenant_id, case_id, created_at desc, id desc);
