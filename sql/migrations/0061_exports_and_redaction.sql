-- What is kept about a borrower is given out whole on demand, and taken away when the law no longer asks
-- for it. Books, amounts, dates and numbers of loans stay; names and words go.

alter table borrowers
  -- A court or a regulator wants it kept; while it is on, nothing is redacted.
  add column is_on_legal_hold boolean not null default false,
  add column legal_hold_reason text,
  add column redacted_at timestamptz,
  add column redacted_by uuid,
  add check (is_on_legal_hold = (legal_hold_reason is not null)),
  add check ((redacted_at is null) = (redacted_by is null)),
  add foreign key (tenant_id, redacted_by) references users (tenant_id, id);

alter table approvals drop constraint approvals_kind_check, add check (kind in
  ('disbursements', 'reversals', 'refunds', 'suspense', 'invitations', 'redactions', 'settings'));

-- One archive of everything that is kept about a borrower. Its file goes after some days, its row stays.
create table borrower_exports (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  status text not null default 'pending' check (status in ('pending', 'completed', 'failed', 'expired')),
  requested_by uuid,
  -- How far it is: files of documents that are in the archive, of so many.
  documents_total integer,
  documents_done integer not null default 0,
  storage_key text not null,
  file_size bigint,
  sha256_hash text,
  failure_reason text,
  completed_at timestamptz,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, requested_by) references users (tenant_id, id)
);
call app.protect('borrower_exports', 'select, insert, update');
create unique index borrower_exports_one_pending on borrower_exports (tenant_id, borrower_id)
  where status = 'pending';
create index borrower_exports_borrower
  on borrower_exports (tenant_id, borrower_id, created_at desc, id desc);
create index borrower_exports_expiring on borrower_exports (tenant_id, expires_at)
  where status = 'completed';

-- Which tables hold something of a borrower: in which folder of an export they are, or why in none; and
-- whether redaction takes their rows away whole.
create table app.borrower_tables (
  table_name text primary key,
  folder text,
  not_exported_because text,
  is_forgotten boolean not null default false,
  check (num_nonnulls(folder, not_exported_because) = 1)
);
-- How their rows lead to the borrower: by a column, or an expression over the row, that names a row of
-- a parent which leads there.
create table app.borrower_ties (
  table_name text not null references app.borrower_tables,
  through text not null,
  parent text not null,
  primary key (table_name, through, parent)
);
-- What becomes of a column that may hold words about a person (an expression over its row), or why it
-- stays. Nulls stay null. What is secret is in no export.
create table app.borrower_columns (
  table_name text not null references app.borrower_tables,
  column_name text not null,
  becomes text,
  kept_because text,
  is_secret boolean not null default false,
  primary key (table_name, column_name),
  check (num_nonnulls(becomes, kept_because) = 1)
);
grant select on app.borrower_tables, app.borrower_ties, app.borrower_columns
  to servicing_app, servicing_auditor;

insert into app.borrower_tables (table_name, folder, is_forgotten)
select name, folder, is_forgotten
from (values
  ('borrower', false, '{borrowers,borrower_consents,payment_instruments,autopay_plans,notes,tasks}'),
  ('borrower', true, '{addresses,emails,phones,borrower_identities,business_details,legal_reps}'),
  ('documents', false, '{documents,borrower_exports}'),
  ('messages', false,
    '{communication_logs,support_cases,support_case_messages,hardship_applications}'),
  ('loans', false, '{loans,payments,installments,disbursements,draws,fees,service_credits,
    suspense_applications,autopay_draws,statements,payoff_quotes,payment_plans,promises_to_pay,
    deferments,forbearances,modifications,loan_promotions,loan_assignments,loan_events,
    compliance_runs,loan_particulars,loan_snapshots}'),
  ('collateral', false, '{collateral_items,liens,lien_alerts,valuations}'),
  ('credit', false, '{credit_disputes,credit_reporting_records,forms_1099c}'),
  ('books', false, '{journal_entries,journal_lines,interest_accruals,nacha_entries}'),
  ('portal', false, '{users,security_log}'),
  ('portal', true, '{sessions,second_factors,user_identities,user_permissions,
    permission_group_members,object_grants}'),
  ('history', false, '{audit_log,approvals,events}')
) as listed (folder, is_forgotten, names), unnest(names::text[]) as name;

insert into app.borrower_tables (table_name, not_exported_because, is_forgotten) values
  ('one_time_tokens', 'hashes of links that were sent', true),
  ('recovery_codes', 'hashes of codes', true),
  ('passkey_challenges', 'questions to a device, good for minutes', true),
  ('pending_sign_ins', 'hashes of sign-ins that wait for a second factor', true),
  ('provider_sign_ins', 'secrets of sign-ins that are under way', true),
  ('idempotency_keys', 'answers that are told elsewhere, kept for days', false),
  ('webhook_deliveries', 'which of the lender''s systems heard of an event', false),
  ('webhook_attempts', 'what the lender''s systems answered', false),
  ('dead_letters', 'what the lender''s systems did not take', false),
  ('cob_loan_errors', 'a fault of ours during a night', false);

insert into app.borrower_ties (table_name, through, parent)
select name, through, parent
from (values
  ('id', 'borrowers', '{borrowers}'),
  ('borrower_id', 'borrowers', '{addresses,emails,phones,borrower_identities,business_details,
    legal_reps,borrower_consents,payment_instruments,autopay_plans,notes,tasks,documents,
    borrower_exports,communication_logs,support_cases,hardship_applications,loans,payments,users,
    audit_log}'),
  ('loan_id', 'loans', '{notes,tasks,documents,communication_logs,payments,installments,
    disbursements,draws,fees,service_credits,suspense_applications,autopay_draws,statements,
    payoff_quotes,payment_plans,promises_to_pay,deferments,forbearances,modifications,
    loan_promotions,loan_assignments,loan_events,compliance_runs,loan_particulars,loan_snapshots,
    collateral_items,lien_alerts,credit_disputes,credit_reporting_records,forms_1099c,
    journal_entries,interest_accruals,audit_log,events,cob_loan_errors}'),
  ('case_id', 'support_cases', '{support_case_messages}'),
  ('collateral_id', 'collateral_items', '{liens,valuations}'),
  ('entry_id', 'journal_entries', '{journal_lines}'),
  ('payment_id', 'payments', '{nacha_entries}'),
  ('disbursement_id', 'disbursements', '{nacha_entries}'),
  ('draw_id', 'draws', '{nacha_entries}'),
  ('event_id', 'events', '{webhook_deliveries,dead_letters}'),
  ('delivery_id', 'webhook_deliveries', '{webhook_attempts}'),
  ('user_id', 'users', '{sessions,second_factors,user_identities,user_permissions,
    permission_group_members,object_grants,security_log,one_time_tokens,recovery_codes,
    passkey_challenges,pending_sign_ins,provider_sign_ins,idempotency_keys}')
) as listed (through, parent, names), unnest(names::text[]) as name;

-- A request that waited for a second person, an answer that is kept for a repeat and a row of history
-- name what they are about by its id.
insert into app.borrower_ties (table_name, through, parent)
select name, through, parent
from (values
  ('approvals', '{params ->> ''id'',body ->> ''borrower_id'',body ->> ''loan_id''}'),
  ('idempotency_keys',
    '{"substring(path from ''[0-9a-f]{8}-[0-9a-f-]{27}'')",body ->> ''id'',body ->> ''borrower_id'',body ->> ''loan_id''}')
) as listed (name, expressions), unnest(expressions::text[]) as through,
unnest('{borrowers,loans,payments,disbursements,draws,documents,users,support_cases}'::text[]) as parent
union all
select 'audit_log', 'entity_id', unnest('{users,approvals,documents,payments,support_cases,
  collateral_items,disbursements,draws}'::text[]);

-- Words that people wrote about a person, or that name one.
insert into app.borrower_columns (table_name, column_name, becomes)
select name, column_name, '''Redacted'''
from (values
  ('borrowers', '{first_name,last_name,legal_hold_reason}'),
  ('borrower_consents', '{consent_text,document_version,contact_value,revocation_reason}'),
  ('payment_instruments', '{account_holder_name,bank_name}'),
  ('autopay_plans', '{cancel_reason}'),
  ('notes', '{subject,body}'),
  ('tasks', '{title,description}'),
  ('documents', '{filename,verified_by,verification_notes,rejection_reason}'),
  ('communication_logs', '{recipient,sender,subject,body,error_message}'),
  ('support_cases', '{subject,description,resolution}'),
  ('support_case_messages', '{message}'),
  ('hardship_applications', '{description,decision_reason}'),
  ('loans', '{freeze_reason,cancel_reason,charge_off_reason}'),
  ('payments', '{reference_number,notes,reversal_reason,failure_reason}'),
  ('disbursements', '{payee_name,reference_number}'),
  ('draws', '{purpose}'),
  ('fees', '{description,waive_reason}'),
  ('service_credits', '{reason}'),
  ('suspense_applications', '{notes}'),
  ('payment_plans', '{notes}'),
  ('promises_to_pay', '{contact_note}'),
  ('deferments', '{reason,notes}'),
  ('forbearances', '{reason,notes}'),
  ('modifications', '{reason_comment}'),
  ('loan_particulars', '{borrower_name}'),
  ('collateral_items', '{description}'),
  ('liens', '{filing_number,release_reason,release_filing_number,release_notes}'),
  ('valuations', '{appraiser_name,notes}'),
  ('credit_disputes', '{acdv_control_number,fcra_relevant_information,consumer_statement,
    investigation_notes,findings}'),
  ('credit_reporting_records', '{rejection_reason,suppression_reason}'),
  ('forms_1099c', '{debtor_name,debtor_address,debt_description,notes}'),
  ('journal_entries', '{reversal_reason}'),
  ('journal_lines', '{description}'),
  ('nacha_entries', '{individual_name}'),
  ('users', '{first_name,last_name}'),
  ('audit_log', '{reason}'),
  ('approvals', '{reason}'),
  ('webhook_attempts', '{response_body,error}'),
  ('dead_letters', '{response_body,error}'),
  ('cob_loan_errors', '{error}')
) as listed (name, columns), unnest(columns::text[]) as column_name;

-- What is no sentence goes altogether, or to what its column may hold.
insert into app.borrower_columns (table_name, column_name, becomes)
select name, column_name, becomes
from (values
  ('borrowers', 'null', '{middle_name,suffix,date_of_birth,ssn_last_four,time_zone,
    bankruptcy_status,military_status,external_id}'),
  ('borrowers', '''{}''', '{metadata}'),
  ('borrower_consents', 'null', '{ip_address,user_agent}'),
  ('payment_instruments', 'null', '{routing_number,account_number_last_four,card_brand,
    card_exp_month,card_exp_year}'),
  ('documents', 'null', '{template_data}'),
  -- The name of a file stands in its key, which goes with the file, once that is removed.
  ('documents', 'storage_key', '{storage_key}'),
  ('communication_logs', 'null', '{figures,provider_message_id}'),
  ('communication_logs', '''{}''', '{metadata}'),
  ('support_case_messages', 'case author_type when ''borrower'' then ''Redacted'' else author_name end',
    '{author_name}'),
  ('support_case_messages', 'case author_type when ''borrower'' then ''Redacted'' else shown_name end',
    '{shown_name}'),
  ('hardship_applications', 'null', '{monthly_income,monthly_expenses}'),
  ('loans', 'null', '{external_id}'),
  ('loans', '''[]''', '{labels,denial_reasons}'),
  ('loans', '''{}''', '{metadata}'),
  ('loan_snapshots', '''[]''', '{labels}'),
  ('loan_particulars', 'null', '{borrower_state,borrower_zip,external_id,credit_score_origination}'),
  ('payments', 'null', '{external_id}'),
  ('draws', 'null', '{external_id}'),
  ('collateral_items', '''{}''', '{metadata}'),
  ('compliance_runs', 'app.redacted_json(checks, ''{code,status,level,enforcement}'')', '{checks}'),
  ('statements', 'figures - ''letter'' - ''borrower''', '{figures}'),
  ('credit_disputes', '''{}''', '{corrected_values}'),
  ('credit_reporting_records', '''{}''', '{consumer}'),
  ('forms_1099c', '''0000''', '{debtor_tin_last_four}'),
  ('journal_entries', 'case source when ''system'' then description else ''Redacted'' end',
    '{description}'),
  ('nacha_entries', '''000000000''', '{routing_number}'),
  ('users', '''redacted-'' || id || ''@redacted.invalid''', '{email}'),
  ('security_log', 'null', '{ip_address,tried_as}'),
  ('audit_log', 'app.redacted_changes(entity_type, changes)', '{changes}'),
  ('audit_log', 'case actor_type when ''borrower'' then ''Redacted'' else actor_email end',
    '{actor_email}'),
  ('audit_log', 'case when actor_type <> ''borrower'' then ip_address end', '{ip_address}'),
  ('approvals', 'null', '{body}'),
  ('idempotency_keys', 'null', '{body}'),
  ('events', 'app.redacted_json(body::jsonb, ''{event,event_type,type,loan_number,receipt_number,
    status,sub_status,old_status,new_status,old_bucket,new_bucket,fee_type,payment_method,
    payment_type,credit_type,modification_type,document_type,lien_type,apply_to,source,code,
    enforcement,return_code,currency}'')::text', '{body}')
) as listed (name, becomes, columns), unnest(columns::text[]) as column_name;

insert into app.borrower_columns (table_name, column_name, becomes, is_secret)
select name, column_name, becomes, true
from (values
  ('payment_instruments', 'null', '{account_number_sealed,token_sealed}'),
  ('nacha_entries', '''''', '{account_number_sealed}'),
  ('users', 'null', '{password_hash}'),
  ('borrower_identities', 'null', '{identifier_sealed,identifier_index}'),
  ('sessions', 'null', '{id_hash,csrf_token}'),
  ('second_factors', 'null', '{secret_sealed,credential_id,public_key}')
) as listed (name, becomes, columns), unnest(columns::text[]) as column_name;

-- What stays, and why.
insert into app.borrower_columns (table_name, column_name, kept_because)
select name, column_name, reason
from (values
  ('a word of ours, one of a few', 'borrowers', '{borrower_type,language_preference,preferred_channel}'),
  ('a word of ours, one of a few', 'borrower_consents',
    '{consent_type,channel,source,revocation_method}'),
  ('a word of ours, one of a few', 'payment_instruments',
    '{instrument_type,account_type,verification_method,status}'),
  ('the bank''s code', 'payment_instruments', '{last_return_code}'),
  ('a word of ours, one of a few', 'autopay_plans', '{amount_type,extra_toward,frequency,status}'),
  ('a word of ours, one of a few', 'notes', '{category,visibility}'),
  ('a word of ours, one of a few', 'tasks', '{task_type,priority,status,source,related_type}'),
  ('a word of ours, one of a few', 'documents',
    '{document_type,content_type,status,source,language,template}'),
  ('proves which file it was', 'documents', '{sha256_hash}'),
  ('a word of ours, one of a few', 'borrower_exports', '{status}'),
  ('made of ids', 'borrower_exports', '{storage_key}'),
  ('proves which file it was', 'borrower_exports', '{sha256_hash}'),
  ('a sentence of ours', 'borrower_exports', '{failure_reason}'),
  ('a word of ours, one of a few', 'communication_logs',
    '{template_type,direction,channel,status,provider,error_code,triggered_by,blocked_reasons}'),
  ('a number of ours', 'support_cases', '{case_number}'),
  ('a word of ours, one of a few', 'support_cases', '{case_type,status,priority,source}'),
  ('a word of ours, one of a few', 'support_case_messages', '{author_type}'),
  ('ids', 'support_case_messages', '{attachments}'),
  ('a number of ours', 'hardship_applications', '{application_number}'),
  ('a word of ours, one of a few', 'hardship_applications',
    '{hardship_type,requested_action,status,source,decision,resulting_type}'),
  ('ids', 'hardship_applications', '{document_ids}'),
  ('the number of the loan, by which the books are read', 'loans', '{loan_number}'),
  ('a word of ours, one of a few', 'loans', '{status,sub_status,loan_type,payment_frequency,
    day_count,interest_method,rounding_mode,delinquency_bucket}'),
  ('terms, amounts and dates of the loan', 'loans',
    '{terms,delinquency_pauses,payment_history_profile,cycle_outlook}'),
  ('a number of ours', 'payments', '{receipt_number}'),
  ('a word of ours, one of a few', 'payments', '{payment_method,payment_type,status,source}'),
  ('the bank''s code', 'payments', '{return_code}'),
  ('what the money was used for', 'payments', '{allocation_override,allocations,coverage}'),
  ('a word of ours, one of a few', 'installments', '{reason}'),
  ('a word of ours, one of a few', 'disbursements', '{method,payee_type,status}'),
  ('a word of ours, one of a few', 'draws', '{status}'),
  ('a word of ours, one of a few', 'fees', '{fee_type,treatment,status}'),
  ('a word of ours, one of a few', 'service_credits', '{credit_type,apply_to,sponsor,status}'),
  ('a word of ours, one of a few', 'suspense_applications', '{payment_type,source,status}'),
  ('a word of ours, one of a few', 'autopay_draws', '{status,reason}'),
  ('a number of ours', 'payoff_quotes', '{quote_number}'),
  ('a word of ours, one of a few', 'payoff_quotes', '{delivery_method,status}'),
  ('lines of amounts in our words', 'payoff_quotes', '{explanation}'),
  ('how the lender is paid', 'payoff_quotes', '{remittance_instructions}'),
  ('a word of ours, one of a few', 'payment_plans', '{plan_type,frequency,status}'),
  ('amounts and dates', 'payment_plans', '{installments}'),
  ('a word of ours, one of a few', 'promises_to_pay', '{payment_method,channel,status}'),
  ('amounts and dates', 'promises_to_pay', '{installments}'),
  ('a word of ours, one of a few', 'deferments', '{deferment_type,interest_treatment,status}'),
  ('ids', 'deferments', '{event_ids}'),
  ('a word of ours, one of a few', 'forbearances', '{forbearance_type,end_treatment,status}'),
  ('ids', 'forbearances', '{event_ids}'),
  ('a word of ours, one of a few', 'modifications',
    '{modification_type,reason,interest_treatment,fee_treatment,status}'),
  ('terms of the loan', 'modifications', '{previous_terms,new_terms}'),
  ('ids', 'modifications', '{event_ids}'),
  ('the lender''s name for an offer to many', 'loan_promotions', '{name}'),
  ('a word of ours, one of a few', 'loan_promotions', '{promo_type}'),
  ('terms of the offer', 'loan_promotions', '{conditions}'),
  ('a word of ours, one of a few', 'loan_assignments', 
    '{assignment_type,status,agreed_status,decline_reason}'),
  ('ids', 'loan_assignments', '{journal_entry_ids}'),
  ('the books: kinds, amounts and dates, of a strict form', 'loan_events', '{kind,details}'),
  ('names of the lender''s products and investors', 'loan_particulars',
    '{program,product,investor,portfolio}'),
  ('a word of ours, one of a few', 'loan_particulars', '{payment_frequency,collateral_type}'),
  ('a word of ours, one of a few', 'loan_snapshots', '{status,sub_status,delinquency_bucket}'),
  ('a word of ours, one of a few', 'collateral_items', '{collateral_type,status}'),
  ('a word of ours, one of a few', 'liens', '{lien_type,status}'),
  ('an office', 'liens', '{filing_jurisdiction}'),
  ('a word of ours, one of a few', 'lien_alerts', '{status}'),
  ('a word of ours, one of a few', 'valuations', '{valuation_type}'),
  ('a number of ours', 'credit_disputes', '{dispute_number}'),
  ('a code of the bureaus', 'credit_disputes',
    '{dispute_source,bureau,dispute_codes,response_code,compliance_condition_code,status}'),
  ('names of fields', 'credit_disputes', '{disputed_fields}'),
  ('ids', 'credit_disputes', '{document_ids}'),
  ('a code of the bureaus', 'credit_reporting_records', '{bureaus,portfolio_type,account_type,
    terms_duration,terms_frequency,account_status,payment_rating,payment_history_profile,
    special_comment,compliance_condition_code,consumer_information_indicator,ecoa_code,
    interest_type_indicator,status}'),
  ('the number of the loan', 'credit_reporting_records', '{consumer_account_number}'),
  ('a number of ours', 'forms_1099c', '{form_number}'),
  ('the number of the loan', 'forms_1099c', '{account_number}'),
  ('the lender', 'forms_1099c',
    '{creditor_name,creditor_tin_last_four,creditor_address,creditor_phone}'),
  ('a word of ours, one of a few', 'forms_1099c', '{status,source,identifiable_event_code}'),
  ('the books: a word of ours', 'journal_entries', '{reference_type,purpose,source,status}'),
  ('the books: a word of ours', 'journal_lines', '{role}'),
  ('the bank''s form', 'nacha_entries', '{batch,transaction_code,trace_number,return_code}'),
  ('the number of the loan', 'nacha_entries', '{individual_id}'),
  ('a word of ours, one of a few', 'users', '{tenant_role}'),
  ('a word of ours', 'security_log', '{event,outcome,reason,route}'),
  ('made by us for each request', 'security_log', '{request_id}'),
  ('a word of ours', 'audit_log', '{entity_type,action,actor_type}'),
  ('made by us for each request', 'audit_log', '{request_id}'),
  ('a word of ours', 'approvals', '{kind,endpoint,status}'),
  ('ids', 'approvals', '{params}'),
  ('a version', 'approvals', '{if_match}'),
  ('somebody of the lender', 'approvals', '{requested_by_email}'),
  ('a word of ours', 'events', '{event_type}'),
  ('a word of ours', 'webhook_deliveries', '{status}'),
  ('a word of ours', 'dead_letters', '{status}'),
  ('a word of ours', 'cob_loan_errors', '{step}'),
  ('a word of ours and ids', 'idempotency_keys', '{method,path}'),
  ('a client''s own number for a request, for days', 'idempotency_keys', '{key,request_hash}')
) as listed (reason, name, columns), unnest(columns::text[]) as column_name;

-- Which rows of a table are of the borrower whose ids these are, as a condition.
create function app.is_of_borrower(name text, ids jsonb) returns text
  language sql stable set search_path = public, pg_temp
as $$
  select format('tenant_id = %L::uuid and (%s)', app.current_tenant(), string_agg(
    case
      when tie.through ~ '^[a-z_]+$' then format('%I = any(%L::uuid[])', tie.through, known.ids)
      else format('(%s) = any(%L::text[])', tie.through, known.ids)
    end, ' or '))
  from app.borrower_ties as tie
  cross join lateral (
    select array(select jsonb_array_elements_text(ids -> tie.parent)) as ids
  ) as known
  where tie.table_name = name
$$;

-- The ids of everything of a borrower that other rows lead to the borrower by: loans, payments, users …
create function app.borrower_ids(borrower uuid) returns jsonb
  language plpgsql stable set search_path = public, pg_temp
as $$
declare
  known jsonb := jsonb_build_object('borrowers', jsonb_build_array(borrower));
  parent_table text;
  ids jsonb;
begin
  loop
    select tie.parent into parent_table from app.borrower_ties as tie
    where not known ? tie.parent and not exists (
      select from app.borrower_ties as own
      where own.table_name = tie.parent and not known ? own.parent
    )
    limit 1;
    exit when not found;
    execute format('select coalesce(jsonb_agg(id), ''[]'') from %I where %s',
      parent_table, app.is_of_borrower(parent_table, known)) into ids;
    known := known || jsonb_build_object(parent_table, ids);
  end loop;
  return known;
end $$;

-- What an export says of one table, each row as the text of an object; nothing secret is in it.
create function app.exported_rows(name text, ids jsonb) returns setof text
  language plpgsql stable set search_path = public, pg_temp
as $$
declare
  secrets text[] := array(
    select column_name from app.borrower_columns where table_name = name and is_secret
  ) || '{tenant_id}';
begin
  return query execute format(
    'select jsonb_pretty(jsonb_strip_nulls(row)) from (
       select to_jsonb(record) - %L::text[] as row from %I as record where %s
     ) as told order by coalesce(row ->> ''id'', row ->> ''accrual_date'', row::text)',
    secrets, name, app.is_of_borrower(name, ids));
end $$;

-- A value without its words: what is no amount, date or id becomes "Redacted", except beneath these names.
create function app.redacted_json(value jsonb, names text[]) returns jsonb
  language plpgsql immutable
as $$
begin
  return case jsonb_typeof(value)
    when 'object' then (
      select coalesce(jsonb_object_agg(name, case
        when name = any(names) and jsonb_typeof(item) = 'string' then item
        else app.redacted_json(item, names)
      end), '{}')
      from jsonb_each(value) as member (name, item)
    )
    when 'array' then (
      select coalesce(jsonb_agg(app.redacted_json(item, names) order by place), '[]')
      from jsonb_array_elements(value) with ordinality as element (item, place)
    )
    when 'string' then case
      when value #>> '{}' ~
        '^(-?\d+\.\d+|\d{4}-\d\d-\d\d([T ][\d:.+Z-]*)?|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$'
        then value
      else '"Redacted"'
    end
    else value
  end;
end $$;

-- What changed, told without words about a person: a column is kept or not as it is in its own table, a
-- field that is no column as far as it is an amount, a date or an id.
create function app.redacted_changes(entity text, changes jsonb) returns jsonb
  language sql stable set search_path = public, pg_temp
as $$
  select coalesce(jsonb_object_agg(field, case
    when field = 'requested_by' or known.stays then change
    when known.stays is null then app.redacted_json(change, '{}')
    when jsonb_typeof(change) <> 'object' then '"Redacted"'
    else (
      select coalesce(jsonb_object_agg(side, case value when 'null' then value else '"Redacted"' end), '{}')
      from jsonb_each(change) as told (side, value)
    )
  end), '{}')
  from jsonb_each(changes) as changed (field, change)
  left join lateral (
    select case
      when holder.is_forgotten then atttypid in ('uuid'::regtype, 'boolean'::regtype, 'timestamptz'::regtype)
      else coalesce(listed.kept_because is not null, true)
    end as stays
    from pg_attribute
    left join app.borrower_tables as holder on holder.table_name = entity
    left join app.borrower_columns as listed
      on listed.table_name = entity and listed.column_name = field
    where attrelid = to_regclass(quote_ident(entity)) and attname = field and not attisdropped
      and holder.table_name is not null
  ) as known on true
$$;

-- The one way past what keeps rows as they were written: an update by the owner of the tables, inside
-- app.redact_borrower, that changes nothing but what is listed as personal.
create function app.is_redaction(target regclass, before jsonb, after jsonb) returns boolean
  language sql stable set search_path = public, pg_temp
as $$
  select current_setting('app.redacting', true) = 'on'
    and current_user = (select pg_get_userbyid(relowner) from pg_class where oid = target)
    and before - personal.columns = after - personal.columns
  from (
    select array(
      select column_name from app.borrower_columns
      where table_name = target::text and becomes is not null
    ) || '{updated_at}' as columns
  ) as personal
$$;

create or replace function app.refuse_change() returns trigger
  language plpgsql
as $$
begin
  if tg_level = 'ROW' and tg_op = 'UPDATE' then
    if app.is_redaction(tg_relid, to_jsonb(old), to_jsonb(new)) then return new; end if;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;

create or replace function app.refuse_all_but_revocation() returns trigger
  language plpgsql
as $$
declare revocation text[] := '{revoked_at,revocation_method,revocation_reason,updated_at}';
begin
  if app.is_redaction(tg_relid, to_jsonb(old), to_jsonb(new)) then return new; end if;
  if old.revoked_at is not null or new.revoked_at is null
    or to_jsonb(new) - revocation <> to_jsonb(old) - revocation
  then
    raise exception '% is evidence: it may be revoked once', tg_table_name
      using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;

create or replace function app.entry_is_immutable() returns trigger
  language plpgsql
as $$
begin
  if tg_op = 'UPDATE' then
    if app.is_redaction(tg_relid, to_jsonb(old), to_jsonb(new)) then return new; end if;
  end if;
  if tg_op = 'DELETE' or old.status = 'posted'
    or (to_jsonb(old) - '{status,posted_at,posted_by,is_archived}'::text[])
       <> (to_jsonb(new) - '{status,posted_at,posted_by,is_archived}'::text[]) then
    raise exception 'Posted entries are immutable.' using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;

-- Nothing is added to who a borrower was, or changed of it, once that is taken away.
create function app.refuse_change_of_redacted() returns trigger
  language plpgsql set search_path = public, pg_temp
as $$
begin
  if tg_op = 'UPDATE' then
    if old.redacted_at is null or app.is_redaction(tg_relid, to_jsonb(old), to_jsonb(new)) then
      return new;
    end if;
  elsif not exists (
    select from borrowers
    where tenant_id = new.tenant_id and id = new.borrower_id and redacted_at is not null
  ) then
    return new;
  end if;
  raise exception 'The borrower is redacted.'
    using errcode = 'check_violation', constraint = 'borrowers_redacted';
end $$;
create trigger redacted before update on borrowers
  for each row execute function app.refuse_change_of_redacted();
do $$
declare name text;
begin
  foreach name in array '{addresses,emails,phones,borrower_identities,business_details,legal_reps,
    borrower_consents,payment_instruments,notes,tasks,support_cases,hardship_applications,
    borrower_exports}'::text[] loop
    execute format('create trigger redacted before insert on %I
      for each row execute function app.refuse_change_of_redacted()', name);
  end loop;
end $$;

-- Takes away who a borrower was, of the running transaction's tenant, once and for good. Whoever calls it
-- says who and nothing else: what is written instead stands in app.borrower_columns. A borrower who is
-- kept by a legal hold, or whose loan is not over, is refused here as well.
create function app.redact_borrower(borrower uuid, by_whom uuid) returns void
  language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  ids jsonb;
  target record;
  condition text;
begin
  update borrowers as record
  set redacted_at = now(), redacted_by = by_whom, is_archived = true, do_not_contact = true,
      email_enabled = false, sms_enabled = false, letter_enabled = false, marketing_enabled = false
  where record.tenant_id = app.current_tenant() and record.id = borrower
    and record.redacted_at is null and not record.is_on_legal_hold
    and not exists (
      select from loans as loan
      where loan.tenant_id = record.tenant_id and loan.borrower_id = record.id
        and (loan.status in ('pending', 'approved', 'active')
          or loan.charge_off_balance > 0 or loan.suspense_balance > 0)
    );
  if not found then
    raise exception 'Borrower % may not be redacted.', borrower using errcode = 'insufficient_privilege';
  end if;

  ids := app.borrower_ids(borrower);
  perform set_config('app.redacting', 'on', true);
  for target in
    select kept.table_name as name, kept.is_forgotten, (
      select string_agg(format('%1$I = case when %1$I is not null then (%2$s)::%3$s end',
        column_name, becomes, format_type(atttypid, atttypmod)), ', ')
      from app.borrower_columns
      join pg_attribute on attrelid = to_regclass(table_name) and attname = column_name
      where table_name = kept.table_name and becomes is not null
    ) as changes
    from app.borrower_tables as kept order by kept.table_name
  loop
    condition := app.is_of_borrower(target.name, ids);
    if target.is_forgotten then
      execute format('delete from %I where %s', target.name, condition);
    elsif target.changes is not null then
      execute format('update %I set %s where %s', target.name, target.changes, condition);
    end if;
  end loop;

  execute 'update users set is_active = false, session_epoch = session_epoch + 1 where '
    || app.is_of_borrower('users', ids);
  execute 'update communication_logs set status = ''failed'', failed_at = now(), error_code = ''redacted''
    where status = ''queued'' and ' || app.is_of_borrower('communication_logs', ids);
  -- Their files, and those of exports, are removed by a job once this is committed.
  execute 'update documents set status = ''redacted'' where ' || app.is_of_borrower('documents', ids);
  execute 'update borrower_exports set status = ''expired'' where status in (''pending'', ''completed'') and '
    || app.is_of_borrower('borrower_exports', ids);
  update app.failed_jobs set error = 'Redacted'
  where payload ->> 'tenant_id' = app.current_tenant()::text and exists (
    select from jsonb_each_text(payload) as named, jsonb_each(ids) as known
    where known.value ? named.value
  );
  perform set_config('app.redacting', '', true);
end $$;
revoke execute on function app.redact_borrower from public;
grant execute on function app.redact_borrower to servicing_app;
