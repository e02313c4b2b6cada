-- Cases: questions and disputes of borrowers, and events with legal effect such as a bankruptcy, with their dated facts
-- and the legal conditions that follow from them.

-- The last case number of a year.
create table case_number_sequences (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  year integer not null,
  last_number bigint not null,
  primary key (tenant_id, year)
);
call app.protect('case_number_sequences');

-- Cases, opened by a borrower or by the servicing team about a borrower.
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
  -- The case was opened by mistake. It has no legal conditions.
  opened_in_error boolean not null default false,
  -- The evidence.
  document_ids jsonb not null default '[]',
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
  kept => '{"our own number": ["case_number"], "one of a few values": ["case_type", "status", "priority"],
    "ids": ["document_ids"]}');

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

-- The facts of a case, such as the chapter and the dates of a bankruptcy. A correction is a new version; the highest one
-- is in force. jobs/cases/rules/facts.ts defines the facts of each type.
create table case_facts (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  case_id uuid not null,
  borrower_id uuid not null,
  version integer not null check (version > 0),
  facts jsonb not null default '{}',
  -- Why the facts were corrected.
  reason text,
  changed_by uuid,
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id),
  constraint case_facts_once unique (tenant_id, case_id, version),
  foreign key (tenant_id, case_id) references support_cases (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, changed_by) references users (tenant_id, id)
);
create index case_facts_borrower on case_facts (tenant_id, borrower_id);
call app.protect('case_facts', 'select, insert');
call app.declare_borrower_data('case_facts', 'borrower', redacted => '{facts,reason}');

-- A legal condition of a person from one day until another, such as the stay of a bankruptcy. Written from the
-- facts of the case (jobs/cases/rules/conditions.ts), deleted and written again with every new version.
create table legal_conditions (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  case_id uuid not null,
  borrower_id uuid not null,
  condition text not null check (condition ~ '^[a-z0-9_]{1,60}(:[a-z0-9_]{1,40})?$'),
  -- Null: all loans that the person owes, except those of except_loan_ids and those made after incurred_through.
  loan_id uuid,
  except_loan_ids uuid[] not null default '{}',
  incurred_through date,
  from_date date not null,
  -- The first day on which the condition no longer applies. Null: no end is known.
  until_date date check (until_date > from_date),
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint legal_conditions_once
    unique nulls not distinct (tenant_id, case_id, borrower_id, loan_id, condition, from_date),
  foreign key (tenant_id, case_id) references support_cases (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
create index legal_conditions_borrower on legal_conditions (tenant_id, borrower_id, from_date);
create index legal_conditions_from on legal_conditions (tenant_id, from_date);
create index legal_conditions_until on legal_conditions (tenant_id, until_date) where until_date is not null;
create index legal_conditions_loan on legal_conditions (tenant_id, loan_id) where loan_id is not null;
call app.protect('legal_conditions', 'select, insert, delete');
call app.declare_borrower_data('legal_conditions', 'borrower',
  links => '{"borrower_id": "borrowers", "case_id": "support_cases"}',
  kept => '{"one of our codes": ["condition"]}');
