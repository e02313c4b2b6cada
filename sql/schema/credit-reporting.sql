-- Metro 2 files for the credit bureaus, and disputes.

-- Files of dispute requests (ACDV) from a bureau. The same file is one import, however often it is uploaded.
create table credit_dispute_imports (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  bureau text not null,
  received_date date not null,
  sha256_hash text not null,
  line_count integer not null,
  recorded_count integer not null default 0,
  unmatched_count integer not null default 0,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint credit_dispute_imports_once unique (tenant_id, bureau, sha256_hash)
);
create index credit_dispute_imports_created
  on credit_dispute_imports (tenant_id, created_at desc, id desc);
call app.protect('credit_dispute_imports', 'select, insert, update');

-- Files of answers to a bureau's dispute requests.
create table credit_dispute_answer_files (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  bureau text not null,
  answer_count integer not null,
  status text not null default 'pending' check (status in ('pending', 'completed')),
  filename text not null,
  storage_key text not null,
  file_size integer,
  sha256_hash text,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint credit_dispute_answer_files_filename unique (tenant_id, filename)
);
create index credit_dispute_answer_files_created
  on credit_dispute_answer_files (tenant_id, created_at desc, id desc);
call app.protect('credit_dispute_answer_files', 'select, insert, update');

-- Disputes from a bureau or directly from a consumer (FCRA 611 and 623).
create table credit_disputes (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  dispute_number text not null,
  dispute_source text not null,
  bureau text,
  acdv_control_number text,
  subscriber_code text,
  received_date date not null,
  -- When the bureau received the dispute, and by when it asks for the answer.
  bureau_received_date date,
  response_due_date date,
  due_date date not null,
  is_extended boolean not null default false,
  dispute_codes jsonb not null,
  fcra_relevant_information text,
  disputed_fields jsonb not null default '[]',
  consumer_statement text,
  document_ids jsonb not null default '[]',
  assigned_to uuid,
  investigation_notes text,
  findings text,
  response_code text,
  corrected_values jsonb not null default '{}',
  compliance_condition_code text,
  status text not null default 'received' check (status in
    ('received', 'investigating', 'responded', 'closed', 'frivolous', 'withdrawn')),
  responded_at timestamptz,
  resolved_at timestamptz,
  resolution_letter_document_id uuid,
  is_frivolous boolean not null default false,
  frivolous_notice_sent_at timestamptz,
  import_id uuid,
  answer_file_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, import_id) references credit_dispute_imports (tenant_id, id),
  foreign key (tenant_id, answer_file_id) references credit_dispute_answer_files (tenant_id, id),
  constraint credit_disputes_dispute_number unique (tenant_id, dispute_number),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, assigned_to) references users (tenant_id, id),
  foreign key (tenant_id, resolution_letter_document_id) references documents (tenant_id, id)
);
create index credit_disputes_loan on credit_disputes (tenant_id, loan_id, created_at desc, id desc);
create index credit_disputes_open on credit_disputes (tenant_id, due_date)
  where status in ('received', 'investigating');
-- A bureau's control number names one request.
create unique index credit_disputes_tenant_id_acdv_control_number_key
  on credit_disputes (tenant_id, acdv_control_number, coalesce(bureau, ''));
create index credit_disputes_to_send on credit_disputes (tenant_id, bureau, due_date)
  where acdv_control_number is not null and response_code is not null and answer_file_id is null
    and status in ('responded', 'closed');
create index credit_disputes_import on credit_disputes (tenant_id, import_id, created_at desc, id desc)
  where import_id is not null;
create index credit_disputes_answer_file
  on credit_disputes (tenant_id, answer_file_id, created_at desc, id desc);
call app.protect('credit_disputes', 'select, insert, update');
call app.declare_borrower_data('credit_disputes', 'credit',
  redacted => '{fcra_relevant_information,consumer_statement,investigation_notes,findings,corrected_values}',
  emptied => '{acdv_control_number}',
  kept => '{"our own number": ["dispute_number"], "a code of the credit bureaus": ["dispute_source", "bureau",
    "subscriber_code", "dispute_codes", "response_code", "compliance_condition_code", "status"],
    "names of fields": ["disputed_fields"], "ids": ["document_ids"]}',
  is_about => 'not app.is_joint(loan_id)');

-- What became of each line of an imported file.
create table credit_dispute_import_lines (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  import_id uuid not null,
  line integer not null,
  control_number text,
  subscriber_code text not null,
  consumer_account_number text not null,
  response_due_date date not null,
  status text not null
    check (status in ('recorded', 'already_recorded', 'unknown_account', 'unknown_subscriber', 'ambiguous_account')),
  credit_dispute_id uuid,
  loan_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint credit_dispute_import_lines_line unique (tenant_id, import_id, line),
  foreign key (tenant_id, import_id) references credit_dispute_imports (tenant_id, id),
  foreign key (tenant_id, credit_dispute_id) references credit_disputes (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
create index credit_dispute_import_lines_dispute
  on credit_dispute_import_lines (tenant_id, credit_dispute_id) where credit_dispute_id is not null;
create index credit_dispute_import_lines_loan
  on credit_dispute_import_lines (tenant_id, loan_id) where loan_id is not null;
call app.protect('credit_dispute_import_lines', 'select, insert, update');
call app.declare_borrower_data('credit_dispute_import_lines', 'credit', links => '{"loan_id": "loans"}',
  emptied => '{control_number}',
  kept => '{"a code of the credit bureaus": ["subscriber_code"], "the loan''s number": ["consumer_account_number"]}',
  is_about => 'not app.is_joint(loan_id)');

-- A file of Metro 2 records for the bureaus.
create table credit_reporting_files (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  reporting_period date not null,
  record_count integer not null,
  -- The reporter settings when the file was ordered.
  reporter jsonb not null,
  status text not null default 'pending' check (status in ('pending', 'completed')),
  filename text not null,
  storage_key text not null,
  -- The file is stored encrypted under this key (jobs/files/sealed-files.ts).
  file_key_sealed text not null,
  -- Size and hash as downloaded.
  file_size integer,
  sha256_hash text,
  stored_sha256_hash text,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint credit_reporting_files_filename unique (tenant_id, filename)
);
create index credit_reporting_files_created
  on credit_reporting_files (tenant_id, created_at desc, id desc);
call app.protect('credit_reporting_files', 'select, insert, update');

-- One record per loan and month-end, by the fields of the Metro 2 base segment. A correction is a separate record.
-- Amounts are whole dollars.
create table credit_reporting_records (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  reporting_period date not null,
  bureaus jsonb not null,
  consumer_account_number text not null,
  portfolio_type text not null,
  account_type text not null,
  date_opened date not null,
  date_closed date,
  date_of_account_information date not null,
  date_last_payment date,
  date_first_delinquency date,
  credit_limit bigint,
  highest_credit bigint not null,
  original_charge_off_amount bigint,
  terms_duration text not null,
  terms_frequency text not null,
  scheduled_monthly_payment bigint not null,
  actual_payment_amount bigint not null,
  current_balance bigint not null,
  amount_past_due bigint not null,
  account_status text not null,
  payment_rating text,
  payment_history_profile text not null check (length(payment_history_profile) = 24),
  special_comment text,
  compliance_condition_code text,
  consumer_information_indicator text,
  ecoa_code text not null,
  interest_type_indicator text not null,
  consumer jsonb not null,
  status text not null check (status in ('draft', 'queued', 'reported', 'rejected', 'suppressed')),
  rejection_reason text,
  suppression_reason text,
  file_id uuid,
  reported_at timestamptz,
  correction_indicator integer not null default 0 check (correction_indicator in (0, 1)),
  credit_dispute_id uuid,
  -- The identification number under which the record was sent (field 5); null until it is in a file.
  identification_number text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Other consumers reported with the record (J2 segments), each with an ECOA code.
  co_consumers jsonb not null default '[]',
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, file_id) references credit_reporting_files (tenant_id, id),
  foreign key (tenant_id, credit_dispute_id) references credit_disputes (tenant_id, id)
);
create unique index credit_reporting_records_once
  on credit_reporting_records (tenant_id, loan_id, reporting_period) where correction_indicator = 0;
create index credit_reporting_records_queued
  on credit_reporting_records (tenant_id, reporting_period, id) where status = 'queued';
create index credit_reporting_records_file
  on credit_reporting_records (tenant_id, file_id, reporting_period desc, id desc);
create index credit_reporting_records_loan
  on credit_reporting_records (tenant_id, loan_id, reporting_period desc, id desc);
call app.protect('credit_reporting_records', 'select, insert');
call app.declare_borrower_data('credit_reporting_records', 'credit',
  redacted => '{rejection_reason,suppression_reason,co_consumers}', redacted_as => $${"consumer": "'{}'"}$$,
  kept => '{"a code of the credit bureaus": ["bureaus", "portfolio_type", "account_type", "terms_duration",
    "terms_frequency", "account_status", "payment_rating", "payment_history_profile", "special_comment",
    "compliance_condition_code", "consumer_information_indicator", "ecoa_code", "interest_type_indicator",
    "status"], "the loan''s number": ["consumer_account_number"],
    "the lender''s number": ["identification_number"]}',
  is_about => 'not app.is_joint(loan_id)',
  exported_as => $${
    "consumer": "case when consumer ->> 'borrower_id' = $1::text then consumer end",
    "ecoa_code": "case when consumer ->> 'borrower_id' = $1::text then ecoa_code end",
    "consumer_information_indicator":
      "case when consumer ->> 'borrower_id' = $1::text then consumer_information_indicator end",
    "co_consumers":
      "jsonb_path_query_array(co_consumers, '$[*] ? (@.borrower_id == $who)', jsonb_build_object('who', $1))"
  }$$);
grant update (status, rejection_reason, suppression_reason, file_id, reported_at, identification_number) on credit_reporting_records to servicing_app;

-- Corrections of a record outside the monthly cycle and without a dispute (automated universal dataform). The
-- corrected record is a record of its own. A correction never changes; another one corrects it.
create table credit_corrections (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  correction_number text not null,
  action text not null check (action in ('update', 'delete', 'delete_fraud')),
  reason text not null,
  requested_by uuid,
  -- The record that is wrong, and its corrected copy.
  record_id uuid not null,
  corrected_record_id uuid not null,
  -- The fields that differ.
  before jsonb not null,
  after jsonb not null,
  -- The submission through the portal of the bureaus. Without it, the next file contains the corrected record.
  aud_control_number text,
  submitted_at timestamptz,
  submitted_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint credit_corrections_correction_number unique (tenant_id, correction_number),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, record_id) references credit_reporting_records (tenant_id, id),
  foreign key (tenant_id, corrected_record_id) references credit_reporting_records (tenant_id, id),
  foreign key (tenant_id, requested_by) references users (tenant_id, id),
  foreign key (tenant_id, submitted_by) references users (tenant_id, id)
);
create index credit_corrections_loan on credit_corrections (tenant_id, loan_id, created_at desc, id desc);
create index credit_corrections_created on credit_corrections (tenant_id, created_at desc, id desc);
create index credit_corrections_record on credit_corrections (tenant_id, record_id);
create index credit_corrections_corrected on credit_corrections (tenant_id, corrected_record_id);
call app.protect('credit_corrections', 'select, insert');
grant update (aud_control_number, submitted_at, submitted_by) on credit_corrections to servicing_app;
call app.declare_borrower_data('credit_corrections', 'credit', links => '{"loan_id": "loans"}',
  redacted => '{reason}', redacted_as => $${"before": "'{}'", "after": "'{}'"}$$, emptied => '{aud_control_number}',
  kept => '{"our own number": ["correction_number"]}', is_about => 'not app.is_joint(loan_id)');

-- What the check of a waiting record found: a contradiction between its fields, or with the previous record.
create table credit_reporting_findings (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  record_id uuid not null,
  loan_id uuid not null,
  reporting_period date not null,
  -- The rule as it was when the record was checked.
  rule text not null,
  problem text not null,
  fields jsonb not null,
  may_be_right text,
  -- The file that contains the record.
  file_id uuid,
  status text not null default 'open' check (status in ('open', 'accepted', 'withheld')),
  notes text,
  decided_by uuid,
  decided_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint credit_reporting_findings_once unique (tenant_id, record_id, rule),
  foreign key (tenant_id, record_id) references credit_reporting_records (tenant_id, id),
  foreign key (tenant_id, file_id) references credit_reporting_files (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, decided_by) references users (tenant_id, id)
);
create index credit_reporting_findings_created
  on credit_reporting_findings (tenant_id, created_at desc, id desc);
create index credit_reporting_findings_loan
  on credit_reporting_findings (tenant_id, loan_id, created_at desc, id desc);
create index credit_reporting_findings_file
  on credit_reporting_findings (tenant_id, file_id, created_at desc, id desc);
create index credit_reporting_findings_period
  on credit_reporting_findings (tenant_id, reporting_period, rule);
call app.protect('credit_reporting_findings', 'select, insert, update');
call app.declare_borrower_data('credit_reporting_findings', 'credit', redacted => '{notes}',
  kept => '{"the rule that was checked": ["rule", "problem", "fields", "may_be_right"]}',
  is_about => 'not app.is_joint(loan_id)',
  exported_as => '{"rule": "case when not app.is_joint(loan_id) then rule end",
    "problem": "case when not app.is_joint(loan_id) then problem end",
    "fields": "case when not app.is_joint(loan_id) then fields end",
    "may_be_right": "case when not app.is_joint(loan_id) then may_be_right end"}');
