-- Export and redaction of borrowers' data. The three tables app.borrower_tables, app.borrower_links and
-- app.borrower_columns describe every table with data about a borrower. A new table or column needs rows
-- here.

-- Archives of all data about a borrower. The file expires after some days; the row stays.
create table borrower_exports (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  status text not null default 'pending' check (status in ('pending', 'completed', 'failed', 'expired')),
  requested_by uuid,
  -- Progress: the number of document files already in the archive, and their total.
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
create unique index borrower_exports_one_pending on borrower_exports (tenant_id, borrower_id)
  where status = 'pending';
create index borrower_exports_borrower
  on borrower_exports (tenant_id, borrower_id, created_at desc, id desc);
create index borrower_exports_expiring on borrower_exports (tenant_id, expires_at)
  where status = 'completed';
call app.protect('borrower_exports', 'select, insert, update');

-- Tables with data about a borrower: their folder in an export (or why exports omit them), and whether a
-- redaction deletes their rows.
create table app.borrower_tables (
  table_name text primary key,
  folder text,
  not_exported_because text,
  is_deleted_on_redaction boolean not null default false,
  check (num_nonnulls(folder, not_exported_because) = 1)
);
grant select on app.borrower_tables to servicing_app, servicing_auditor;

-- How a table's rows lead to the borrower: a column or expression that holds the id of a parent row.
create table app.borrower_links (
  table_name text not null references app.borrower_tables,
  through text not null,
  parent text not null,
  primary key (table_name, through, parent)
);
grant select on app.borrower_links to servicing_app, servicing_auditor;

-- What a redaction writes into a column that may contain personal text (an expression over the row), or why
-- it keeps the column. Nulls stay null. Secrets are never exported.
create table app.borrower_columns (
  table_name text not null references app.borrower_tables,
  column_name text not null,
  becomes text,
  kept_because text,
  is_secret boolean not null default false,
  primary key (table_name, column_name),
  check (num_nonnulls(becomes, kept_because) = 1)
);
grant select on app.borrower_columns to servicing_app, servicing_auditor;

-- A condition for the rows of a table that belong to the borrower with these ids.
create function app.borrower_condition(name text, ids jsonb) returns text
  language sql stable set search_path = public, pg_temp
as $$
  select format('tenant_id = %L::uuid and (%s)', app.current_tenant(), string_agg(
    case
      when tie.through ~ '^[a-z_]+$' then format('%I = any(%L::uuid[])', tie.through, known.ids)
      else format('(%s) = any(%L::text[])', tie.through, known.ids)
    end, ' or '))
  from app.borrower_links as tie
  cross join lateral (
    select array(select jsonb_array_elements_text(ids -> tie.parent)) as ids
  ) as known
  where tie.table_name = name
$$;

-- The ids of all parent rows that lead to the borrower: loans, payments, users and so on.
create function app.borrower_ids(borrower uuid) returns jsonb
  language plpgsql stable set search_path = public, pg_temp
as $$
declare
  known jsonb := jsonb_build_object('borrowers', jsonb_build_array(borrower));
  parent_table text;
  ids jsonb;
begin
  loop
    select tie.parent into parent_table from app.borrower_links as tie
    where not known ? tie.parent and not exists (
      select from app.borrower_links as own
      where own.table_name = tie.parent and not known ? own.parent
    )
    limit 1;
    exit when not found;
    execute format('select coalesce(jsonb_agg(id), ''[]'') from %I where %s',
      parent_table, app.borrower_condition(parent_table, known)) into ids;
    known := known || jsonb_build_object(parent_table, ids);
  end loop;
  return known;
end $$;

-- The rows of a table for an export, each as a JSON text, without secrets.
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
    secrets, name, app.borrower_condition(name, ids));
end $$;

-- A JSON value without text: everything that is not an amount, date or id becomes "Redacted", except below
-- the given names.
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

-- The changes of an audit entry without personal text. A column is treated as in its own table; other
-- fields are kept only if they are an amount, date or id.
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
      when holder.is_deleted_on_redaction then atttypid in ('uuid'::regtype, 'boolean'::regtype, 'timestamptz'::regtype)
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

-- The only exception to append-only tables: an update by the owner inside app.redact_borrower that changes nothing
-- but columns listed as personal.
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

-- Refuses to add or change personal data after a borrower was redacted.
create function app.refuse_change_of_redacted() returns trigger
  language plpgsql set search_path = public, pg_temp
as $$
begin
  if tg_op = 'UPDATE' then
    if old.redacted_at is null or app.is_redaction(tg_relid, to_jsonb(old), to_jsonb(new)) then
      return new;
    end if;
  elsif app.is_importing(tg_relid, new.tenant_id) or not exists (
    select from borrowers
    where tenant_id = new.tenant_id and id = new.borrower_id and redacted_at is not null
  ) then
    return new;
  end if;
  raise exception 'The borrower is redacted. Their records can no longer be changed.'
    using errcode = 'check_violation', constraint = 'borrowers_redacted';
end $$;

-- Letters and records of a loan name everyone who owes it, and are redacted with its borrower. So a co-borrower is
-- redacted after the borrower, and a co-borrower's legal hold also protects the borrower.
create function app.require_borrower_redacted_first() returns trigger
  language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  if exists (
    select from co_borrowers as party
    join loans as loan on loan.tenant_id = party.tenant_id and loan.id = party.loan_id
    join borrowers as person on person.tenant_id = loan.tenant_id and person.id = loan.borrower_id
    where party.tenant_id = new.tenant_id and party.borrower_id = new.id and person.redacted_at is null
  ) then
    raise exception 'Borrower % is a co-borrower of a borrower who is not redacted. Redact that one first.', new.id
      using errcode = 'insufficient_privilege';
  end if;
  if exists (
    select from loans as loan
    join co_borrowers as party on party.tenant_id = loan.tenant_id and party.loan_id = loan.id
    join borrowers as person on person.tenant_id = party.tenant_id and person.id = party.borrower_id
    where loan.tenant_id = new.tenant_id and loan.borrower_id = new.id and person.is_on_legal_hold
  ) then
    raise exception 'A co-borrower of borrower % is on legal hold. Lift that hold first.', new.id
      using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
revoke execute on function app.require_borrower_redacted_first from public;

-- Redacts a borrower of the current tenant permanently. app.borrower_columns defines the replacements.
-- Refuses a borrower on legal hold or with an open loan.
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
    raise exception 'Borrower % is unknown, redacted, on legal hold or has an open loan.', borrower
      using errcode = 'insufficient_privilege';
  end if;

  ids := app.borrower_ids(borrower);
  perform set_config('app.redacting', 'on', true);
  for target in
    select kept.table_name as name, kept.is_deleted_on_redaction, (
      select string_agg(format('%1$I = case when %1$I is not null then (%2$s)::%3$s end',
        column_name, becomes, format_type(atttypid, atttypmod)), ', ')
      from app.borrower_columns
      join pg_attribute on attrelid = to_regclass(table_name) and attname = column_name
      where table_name = kept.table_name and becomes is not null
    ) as changes
    from app.borrower_tables as kept order by kept.table_name
  loop
    condition := app.borrower_condition(target.name, ids);
    if target.is_deleted_on_redaction then
      execute format('delete from %I where %s', target.name, condition);
    elsif target.changes is not null then
      execute format('update %I set %s where %s', target.name, target.changes, condition);
    end if;
  end loop;

  execute 'update users set is_active = false, session_epoch = session_epoch + 1 where '
    || app.borrower_condition('users', ids);
  execute 'update communication_logs set status = ''failed'', failed_at = now(), error_code = ''redacted''
    where status = ''queued'' and ' || app.borrower_condition('communication_logs', ids);
  -- A job deletes the files of documents and exports after the commit.
  execute 'update documents set status = ''redacted'' where ' || app.borrower_condition('documents', ids);
  execute 'update borrower_exports set status = ''expired'' where status in (''pending'', ''completed'') and '
    || app.borrower_condition('borrower_exports', ids);
  update app.failed_jobs set error = 'Redacted'
  where payload ->> 'tenant_id' = app.current_tenant()::text and exists (
    select from jsonb_each_text(payload) as named, jsonb_each(ids) as known
    where known.value ? named.value
  );
  perform set_config('app.redacting', '', true);
end $$;
revoke execute on function app.redact_borrower from public;
grant execute on function app.redact_borrower to servicing_app;

create trigger redacted before update on borrowers
  for each row execute function app.refuse_change_of_redacted();
create trigger require_borrower_redacted_first before update on borrowers for each row
  when (new.redacted_at is not null and old.redacted_at is null)
  execute function app.require_borrower_redacted_first();

-- Refuse new rows about a borrower whose data was redacted.
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

-- Tables that an export contains, by folder.
insert into app.borrower_tables (table_name, folder, is_deleted_on_redaction) values
  ('journal_entries', 'books', false),
  ('journal_lines', 'books', false),
  ('interest_accruals', 'books', false),
  ('nacha_entries', 'books', false),
  ('order_accounts', 'books', false),
  ('borrowers', 'borrower', false),
  ('borrower_consents', 'borrower', false),
  ('payment_instruments', 'borrower', false),
  ('change_notices', 'borrower', false),
  ('autopay_plans', 'borrower', false),
  ('notes', 'borrower', false),
  ('tasks', 'borrower', false),
  ('addresses', 'borrower', true),
  ('emails', 'borrower', true),
  ('phones', 'borrower', true),
  ('borrower_identities', 'borrower', true),
  ('business_details', 'borrower', true),
  ('legal_reps', 'borrower', true),
  ('collateral_items', 'collateral', false),
  ('liens', 'collateral', false),
  ('lien_alerts', 'collateral', false),
  ('valuations', 'collateral', false),
  ('liquidations', 'collateral', false),
  ('credit_disputes', 'credit', false),
  ('credit_reporting_records', 'credit', false),
  ('forms_1099c', 'credit', false),
  ('documents', 'documents', false),
  ('borrower_exports', 'documents', false),
  ('audit_log', 'history', false),
  ('approvals', 'history', false),
  ('events', 'history', false),
  ('loans', 'loans', false),
  ('payments', 'loans', false),
  ('installments', 'loans', false),
  ('disbursements', 'loans', false),
  ('draws', 'loans', false),
  ('fees', 'loans', false),
  ('service_credits', 'loans', false),
  ('suspense_applications', 'loans', false),
  ('autopay_draws', 'loans', false),
  ('statements', 'loans', false),
  ('payoff_quotes', 'loans', false),
  ('payment_plans', 'loans', false),
  ('promises_to_pay', 'loans', false),
  ('deferments', 'loans', false),
  ('forbearances', 'loans', false),
  ('modifications', 'loans', false),
  ('loan_promotions', 'loans', false),
  ('loan_assignments', 'loans', false),
  ('loan_events', 'loans', false),
  ('compliance_runs', 'loans', false),
  ('loan_attribute_history', 'loans', false),
  ('loan_snapshots', 'loans', false),
  ('co_borrowers', 'loans', false),
  ('remittance_loans', 'loans', false),
  ('late_fee_exemptions', 'loans', false),
  ('communication_logs', 'messages', false),
  ('support_cases', 'messages', false),
  ('support_case_messages', 'messages', false),
  ('hardship_applications', 'messages', false),
  ('mail_letters', 'messages', false),
  ('users', 'portal', false),
  ('security_log', 'portal', false),
  ('sessions', 'portal', true),
  ('second_factors', 'portal', true),
  ('user_identities', 'portal', true),
  ('user_permissions', 'portal', true),
  ('permission_group_members', 'portal', true),
  ('object_grants', 'portal', true);
-- Tables that no export contains, and why.
insert into app.borrower_tables (table_name, not_exported_because, is_deleted_on_redaction) values
  ('one_time_tokens', 'hashes of sent links', true),
  ('recovery_codes', 'hashes of codes', true),
  ('passkey_challenges', 'challenges to a device, valid for minutes', true),
  ('pending_sign_ins', 'hashes of sign-ins that wait for a second factor', true),
  ('provider_sign_ins', 'secrets of sign-ins in progress', true),
  ('idempotency_keys', 'copies of answers, kept for days', false),
  ('webhook_deliveries', 'which systems of the lender got an event', false),
  ('webhook_attempts', 'what the lender''s systems answered', false),
  ('dead_letters', 'what the lender''s systems did not accept', false),
  ('cob_loan_errors', 'an internal error during a close', false),
  ('cob_changed_loans', 'loans that a close must process again', false);

-- How rows lead to the borrower. Approvals, idempotency keys and the audit log name their record by its id.
insert into app.borrower_links (table_name, through, parent) values
  ('borrowers', 'id', 'borrowers'),
  ('borrower_consents', 'borrower_id', 'borrowers'),
  ('payment_instruments', 'borrower_id', 'borrowers'),
  ('autopay_plans', 'borrower_id', 'borrowers'),
  ('notes', 'borrower_id', 'borrowers'),
  ('notes', 'loan_id', 'loans'),
  ('tasks', 'borrower_id', 'borrowers'),
  ('tasks', 'loan_id', 'loans'),
  ('addresses', 'borrower_id', 'borrowers'),
  ('emails', 'borrower_id', 'borrowers'),
  ('phones', 'borrower_id', 'borrowers'),
  ('borrower_identities', 'borrower_id', 'borrowers'),
  ('business_details', 'borrower_id', 'borrowers'),
  ('legal_reps', 'borrower_id', 'borrowers'),
  ('documents', 'borrower_id', 'borrowers'),
  ('documents', 'loan_id', 'loans'),
  ('borrower_exports', 'borrower_id', 'borrowers'),
  ('communication_logs', 'borrower_id', 'borrowers'),
  ('communication_logs', 'loan_id', 'loans'),
  ('support_cases', 'borrower_id', 'borrowers'),
  ('support_case_messages', 'case_id', 'support_cases'),
  ('hardship_applications', 'borrower_id', 'borrowers'),
  ('loans', 'borrower_id', 'borrowers'),
  ('payments', 'borrower_id', 'borrowers'),
  ('payments', 'loan_id', 'loans'),
  ('installments', 'loan_id', 'loans'),
  ('disbursements', 'loan_id', 'loans'),
  ('draws', 'loan_id', 'loans'),
  ('fees', 'loan_id', 'loans'),
  ('service_credits', 'loan_id', 'loans'),
  ('suspense_applications', 'loan_id', 'loans'),
  ('autopay_draws', 'loan_id', 'loans'),
  ('statements', 'loan_id', 'loans'),
  ('payoff_quotes', 'loan_id', 'loans'),
  ('payment_plans', 'loan_id', 'loans'),
  ('promises_to_pay', 'loan_id', 'loans'),
  ('deferments', 'loan_id', 'loans'),
  ('forbearances', 'loan_id', 'loans'),
  ('modifications', 'loan_id', 'loans'),
  ('loan_promotions', 'loan_id', 'loans'),
  ('loan_assignments', 'loan_id', 'loans'),
  ('loan_events', 'loan_id', 'loans'),
  ('compliance_runs', 'loan_id', 'loans'),
  ('loan_attribute_history', 'loan_id', 'loans'),
  ('loan_snapshots', 'loan_id', 'loans'),
  ('collateral_items', 'loan_id', 'loans'),
  ('liens', 'collateral_id', 'collateral_items'),
  ('lien_alerts', 'loan_id', 'loans'),
  ('valuations', 'collateral_id', 'collateral_items'),
  ('credit_disputes', 'loan_id', 'loans'),
  ('credit_reporting_records', 'loan_id', 'loans'),
  ('forms_1099c', 'loan_id', 'loans'),
  ('journal_entries', 'loan_id', 'loans'),
  ('journal_lines', 'entry_id', 'journal_entries'),
  ('interest_accruals', 'loan_id', 'loans'),
  ('nacha_entries', 'payment_id', 'payments'),
  ('nacha_entries', 'disbursement_id', 'disbursements'),
  ('nacha_entries', 'draw_id', 'draws'),
  ('users', 'borrower_id', 'borrowers'),
  ('security_log', 'user_id', 'users'),
  ('sessions', 'user_id', 'users'),
  ('second_factors', 'user_id', 'users'),
  ('user_identities', 'user_id', 'users'),
  ('user_permissions', 'user_id', 'users'),
  ('permission_group_members', 'user_id', 'users'),
  ('object_grants', 'user_id', 'users'),
  ('audit_log', 'borrower_id', 'borrowers'),
  ('audit_log', 'loan_id', 'loans'),
  ('audit_log', 'entity_id', 'users'),
  ('audit_log', 'entity_id', 'approvals'),
  ('audit_log', 'entity_id', 'documents'),
  ('audit_log', 'entity_id', 'payments'),
  ('audit_log', 'entity_id', 'support_cases'),
  ('audit_log', 'entity_id', 'collateral_items'),
  ('audit_log', 'entity_id', 'disbursements'),
  ('audit_log', 'entity_id', 'draws'),
  ('approvals', 'params ->> ''id''', 'borrowers'),
  ('approvals', 'body ->> ''borrower_id''', 'borrowers'),
  ('approvals', 'body ->> ''loan_id''', 'borrowers'),
  ('approvals', 'params ->> ''id''', 'loans'),
  ('approvals', 'body ->> ''borrower_id''', 'loans'),
  ('approvals', 'body ->> ''loan_id''', 'loans'),
  ('approvals', 'params ->> ''id''', 'payments'),
  ('approvals', 'body ->> ''borrower_id''', 'payments'),
  ('approvals', 'body ->> ''loan_id''', 'payments'),
  ('approvals', 'params ->> ''id''', 'disbursements'),
  ('approvals', 'body ->> ''borrower_id''', 'disbursements'),
  ('approvals', 'body ->> ''loan_id''', 'disbursements'),
  ('approvals', 'params ->> ''id''', 'draws'),
  ('approvals', 'body ->> ''borrower_id''', 'draws'),
  ('approvals', 'body ->> ''loan_id''', 'draws'),
  ('approvals', 'params ->> ''id''', 'documents'),
  ('approvals', 'body ->> ''borrower_id''', 'documents'),
  ('approvals', 'body ->> ''loan_id''', 'documents'),
  ('approvals', 'params ->> ''id''', 'users'),
  ('approvals', 'body ->> ''borrower_id''', 'users'),
  ('approvals', 'body ->> ''loan_id''', 'users'),
  ('approvals', 'params ->> ''id''', 'support_cases'),
  ('approvals', 'body ->> ''borrower_id''', 'support_cases'),
  ('approvals', 'body ->> ''loan_id''', 'support_cases'),
  ('events', 'loan_id', 'loans'),
  ('one_time_tokens', 'user_id', 'users'),
  ('recovery_codes', 'user_id', 'users'),
  ('passkey_challenges', 'user_id', 'users'),
  ('pending_sign_ins', 'user_id', 'users'),
  ('provider_sign_ins', 'user_id', 'users'),
  ('idempotency_keys', 'user_id', 'users'),
  ('idempotency_keys', 'substring(path from ''[0-9a-f]{8}-[0-9a-f-]{27}'')', 'borrowers'),
  ('idempotency_keys', 'body ->> ''id''', 'borrowers'),
  ('idempotency_keys', 'body ->> ''borrower_id''', 'borrowers'),
  ('idempotency_keys', 'body ->> ''loan_id''', 'borrowers'),
  ('idempotency_keys', 'substring(path from ''[0-9a-f]{8}-[0-9a-f-]{27}'')', 'loans'),
  ('idempotency_keys', 'body ->> ''id''', 'loans'),
  ('idempotency_keys', 'body ->> ''borrower_id''', 'loans'),
  ('idempotency_keys', 'body ->> ''loan_id''', 'loans'),
  ('idempotency_keys', 'substring(path from ''[0-9a-f]{8}-[0-9a-f-]{27}'')', 'payments'),
  ('idempotency_keys', 'body ->> ''id''', 'payments'),
  ('idempotency_keys', 'body ->> ''borrower_id''', 'payments'),
  ('idempotency_keys', 'body ->> ''loan_id''', 'payments'),
  ('idempotency_keys', 'substring(path from ''[0-9a-f]{8}-[0-9a-f-]{27}'')', 'disbursements'),
  ('idempotency_keys', 'body ->> ''id''', 'disbursements'),
  ('idempotency_keys', 'body ->> ''borrower_id''', 'disbursements'),
  ('idempotency_keys', 'body ->> ''loan_id''', 'disbursements'),
  ('idempotency_keys', 'substring(path from ''[0-9a-f]{8}-[0-9a-f-]{27}'')', 'draws'),
  ('idempotency_keys', 'body ->> ''id''', 'draws'),
  ('idempotency_keys', 'body ->> ''borrower_id''', 'draws'),
  ('idempotency_keys', 'body ->> ''loan_id''', 'draws'),
  ('idempotency_keys', 'substring(path from ''[0-9a-f]{8}-[0-9a-f-]{27}'')', 'documents'),
  ('idempotency_keys', 'body ->> ''id''', 'documents'),
  ('idempotency_keys', 'body ->> ''borrower_id''', 'documents'),
  ('idempotency_keys', 'body ->> ''loan_id''', 'documents'),
  ('idempotency_keys', 'substring(path from ''[0-9a-f]{8}-[0-9a-f-]{27}'')', 'users'),
  ('idempotency_keys', 'body ->> ''id''', 'users'),
  ('idempotency_keys', 'body ->> ''borrower_id''', 'users'),
  ('idempotency_keys', 'body ->> ''loan_id''', 'users'),
  ('idempotency_keys', 'substring(path from ''[0-9a-f]{8}-[0-9a-f-]{27}'')', 'support_cases'),
  ('idempotency_keys', 'body ->> ''id''', 'support_cases'),
  ('idempotency_keys', 'body ->> ''borrower_id''', 'support_cases'),
  ('idempotency_keys', 'body ->> ''loan_id''', 'support_cases'),
  ('webhook_deliveries', 'event_id', 'events'),
  ('webhook_attempts', 'delivery_id', 'webhook_deliveries'),
  ('dead_letters', 'event_id', 'events'),
  ('cob_loan_errors', 'loan_id', 'loans'),
  ('co_borrowers', 'borrower_id', 'borrowers'),
  ('co_borrowers', 'loan_id', 'loans'),
  ('liquidations', 'loan_id', 'loans'),
  ('remittance_loans', 'loan_id', 'loans'),
  ('mail_letters', 'borrower_id', 'borrowers'),
  ('late_fee_exemptions', 'loan_id', 'loans'),
  ('cob_changed_loans', 'loan_id', 'loans'),
  ('change_notices', 'borrower_id', 'borrowers'),
  ('order_accounts', 'payment_id', 'payments'),
  ('order_accounts', 'disbursement_id', 'disbursements'),
  ('order_accounts', 'draw_id', 'draws');

-- Text that people wrote about a person or that names a person, and its replacement.
insert into app.borrower_columns (table_name, column_name, becomes) values
  ('borrowers', 'first_name', '''Redacted'''),
  ('borrowers', 'last_name', '''Redacted'''),
  ('borrowers', 'legal_hold_reason', '''Redacted'''),
  ('borrowers', 'middle_name', 'null'),
  ('borrowers', 'suffix', 'null'),
  ('borrowers', 'date_of_birth', 'null'),
  ('borrowers', 'ssn_last_four', 'null'),
  ('borrowers', 'time_zone', 'null'),
  ('borrowers', 'bankruptcy_status', 'null'),
  ('borrowers', 'military_status', 'null'),
  ('borrowers', 'external_id', 'null'),
  ('borrowers', 'metadata', '''{}'''),
  ('borrower_consents', 'consent_text', '''Redacted'''),
  ('borrower_consents', 'document_version', '''Redacted'''),
  ('borrower_consents', 'contact_value', '''Redacted'''),
  ('borrower_consents', 'revocation_reason', '''Redacted'''),
  ('borrower_consents', 'ip_address', 'null'),
  ('borrower_consents', 'user_agent', 'null'),
  ('payment_instruments', 'account_holder_name', '''Redacted'''),
  ('payment_instruments', 'bank_name', '''Redacted'''),
  ('payment_instruments', 'routing_number', 'null'),
  ('payment_instruments', 'account_number_last_four', 'null'),
  ('payment_instruments', 'card_brand', 'null'),
  ('payment_instruments', 'card_exp_month', 'null'),
  ('payment_instruments', 'card_exp_year', 'null'),
  ('autopay_plans', 'cancel_reason', '''Redacted'''),
  ('notes', 'subject', '''Redacted'''),
  ('notes', 'body', '''Redacted'''),
  ('tasks', 'title', '''Redacted'''),
  ('tasks', 'description', '''Redacted'''),
  ('documents', 'filename', '''Redacted'''),
  ('documents', 'verified_by', '''Redacted'''),
  ('documents', 'verification_notes', '''Redacted'''),
  ('documents', 'rejection_reason', '''Redacted'''),
  ('documents', 'template_data', 'null'),
  ('documents', 'storage_key', 'storage_key'),
  ('documents', 'metadata', '''{}'''),
  ('communication_logs', 'recipient', '''Redacted'''),
  ('communication_logs', 'sender', '''Redacted'''),
  ('communication_logs', 'subject', '''Redacted'''),
  ('communication_logs', 'body', '''Redacted'''),
  ('communication_logs', 'error_message', '''Redacted'''),
  ('communication_logs', 'figures', 'null'),
  ('communication_logs', 'provider_message_id', 'null'),
  ('communication_logs', 'metadata', '''{}'''),
  ('support_cases', 'subject', '''Redacted'''),
  ('support_cases', 'description', '''Redacted'''),
  ('support_cases', 'resolution', '''Redacted'''),
  ('support_case_messages', 'message', '''Redacted'''),
  ('support_case_messages', 'author_name', 'case author_type when ''borrower'' then ''Redacted'' else author_name end'),
  ('support_case_messages', 'shown_name', 'case author_type when ''borrower'' then ''Redacted'' else shown_name end'),
  ('hardship_applications', 'description', '''Redacted'''),
  ('hardship_applications', 'decision_reason', '''Redacted'''),
  ('hardship_applications', 'monthly_income', 'null'),
  ('hardship_applications', 'monthly_expenses', 'null'),
  ('loans', 'freeze_reason', '''Redacted'''),
  ('loans', 'cancel_reason', '''Redacted'''),
  ('loans', 'charge_off_reason', '''Redacted'''),
  ('loans', 'external_id', 'null'),
  ('loans', 'labels', '''[]'''),
  ('loans', 'denial_reasons', '''[]'''),
  ('loans', 'metadata', '''{}'''),
  ('payments', 'reference_number', '''Redacted'''),
  ('payments', 'notes', '''Redacted'''),
  ('payments', 'reversal_reason', '''Redacted'''),
  ('payments', 'failure_reason', '''Redacted'''),
  ('payments', 'external_id', 'null'),
  ('disbursements', 'payee_name', '''Redacted'''),
  ('disbursements', 'reference_number', '''Redacted'''),
  ('draws', 'purpose', '''Redacted'''),
  ('draws', 'external_id', 'null'),
  ('fees', 'description', '''Redacted'''),
  ('fees', 'waive_reason', '''Redacted'''),
  ('service_credits', 'reason', '''Redacted'''),
  ('suspense_applications', 'notes', '''Redacted'''),
  ('statements', 'figures', 'figures - ''letter'' - ''borrower'''),
  ('payment_plans', 'notes', '''Redacted'''),
  ('promises_to_pay', 'contact_note', '''Redacted'''),
  ('deferments', 'reason', '''Redacted'''),
  ('deferments', 'notes', '''Redacted'''),
  ('forbearances', 'reason', '''Redacted'''),
  ('forbearances', 'notes', '''Redacted'''),
  ('modifications', 'reason_comment', '''Redacted'''),
  ('compliance_runs', 'checks', 'app.redacted_json(checks, ''{code,status,level,enforcement}'')'),
  ('loan_attribute_history', 'borrower_name', '''Redacted'''),
  ('loan_attribute_history', 'borrower_state', 'null'),
  ('loan_attribute_history', 'borrower_zip', 'null'),
  ('loan_attribute_history', 'external_id', 'null'),
  ('loan_attribute_history', 'credit_score_origination', 'null'),
  ('loan_snapshots', 'labels', '''[]'''),
  ('collateral_items', 'description', '''Redacted'''),
  ('collateral_items', 'metadata', '''{}'''),
  ('liens', 'filing_number', '''Redacted'''),
  ('liens', 'release_reason', '''Redacted'''),
  ('liens', 'release_filing_number', '''Redacted'''),
  ('liens', 'release_notes', '''Redacted'''),
  ('valuations', 'appraiser_name', '''Redacted'''),
  ('valuations', 'notes', '''Redacted'''),
  ('credit_disputes', 'acdv_control_number', '''Redacted'''),
  ('credit_disputes', 'fcra_relevant_information', '''Redacted'''),
  ('credit_disputes', 'consumer_statement', '''Redacted'''),
  ('credit_disputes', 'investigation_notes', '''Redacted'''),
  ('credit_disputes', 'findings', '''Redacted'''),
  ('credit_disputes', 'corrected_values', '''{}'''),
  ('credit_reporting_records', 'rejection_reason', '''Redacted'''),
  ('credit_reporting_records', 'suppression_reason', '''Redacted'''),
  ('credit_reporting_records', 'consumer', '''{}'''),
  ('credit_reporting_records', 'co_consumers', '''[]'''),
  ('forms_1099c', 'debtor_name', '''Redacted'''),
  ('forms_1099c', 'debtor_address', '''Redacted'''),
  ('forms_1099c', 'debt_description', '''Redacted'''),
  ('forms_1099c', 'notes', '''Redacted'''),
  ('forms_1099c', 'debtor_tin_last_four', '''0000'''),
  ('journal_entries', 'reversal_reason', '''Redacted'''),
  ('journal_entries', 'description', 'case source when ''system'' then description else ''Redacted'' end'),
  ('journal_lines', 'description', '''Redacted'''),
  ('nacha_entries', 'individual_name', '''Redacted'''),
  ('nacha_entries', 'routing_number', '''000000000'''),
  ('users', 'first_name', '''Redacted'''),
  ('users', 'last_name', '''Redacted'''),
  ('users', 'email', '''redacted-'' || id || ''@redacted.invalid'''),
  ('security_log', 'ip_address', 'null'),
  ('security_log', 'attempted_identifier', 'null'),
  ('audit_log', 'reason', '''Redacted'''),
  ('audit_log', 'changes', 'app.redacted_changes(entity_type, changes)'),
  ('audit_log', 'actor_email', 'case actor_type when ''borrower'' then ''Redacted'' else actor_email end'),
  ('audit_log', 'ip_address', 'case when actor_type <> ''borrower'' then ip_address end'),
  ('approvals', 'reason', '''Redacted'''),
  ('approvals', 'body', 'null'),
  ('events', 'body', 'app.redacted_json(body::jsonb, ''{event,event_type,type,loan_number,receipt_number,
    status,sub_status,old_status,new_status,old_bucket,new_bucket,fee_type,payment_method,
    payment_type,credit_type,modification_type,document_type,lien_type,apply_to,source,code,
    enforcement,return_code,currency}'')::text'),
  ('idempotency_keys', 'body', 'null'),
  ('webhook_attempts', 'response_body', '''Redacted'''),
  ('webhook_attempts', 'error', '''Redacted'''),
  ('dead_letters', 'response_body', '''Redacted'''),
  ('dead_letters', 'error', '''Redacted'''),
  ('cob_loan_errors', 'error', '''Redacted'''),
  ('co_borrowers', 'release_notes', '''Redacted'''),
  ('liquidations', 'notes', '''Redacted'''),
  ('mail_letters', 'note', '''Redacted'''),
  ('order_accounts', 'individual_name', '''Redacted'''),
  ('order_accounts', 'bank_name', '''Redacted'''),
  ('order_accounts', 'routing_number', '''000000000'''),
  ('order_accounts', 'account_number_last_four', 'null'),
  ('change_notices', 'corrected_routing_number', '''000000000'''),
  ('change_notices', 'corrected_account_number_last_four', 'null');
-- Secrets: redacted and never exported.
insert into app.borrower_columns (table_name, column_name, becomes, kept_because, is_secret) values
  ('payment_instruments', 'account_number_sealed', 'null', null, true),
  ('payment_instruments', 'token_sealed', 'null', null, true),
  ('borrower_identities', 'identifier_sealed', 'null', null, true),
  ('borrower_identities', 'identifier_index', 'null', null, true),
  ('nacha_entries', 'account_number_sealed', '''''', null, true),
  ('users', 'password_hash', 'null', null, true),
  ('sessions', 'id_hash', 'null', null, true),
  ('sessions', 'csrf_token', 'null', null, true),
  ('second_factors', 'secret_sealed', 'null', null, true),
  ('second_factors', 'credential_id', 'null', null, true),
  ('second_factors', 'public_key', 'null', null, true),
  ('approvals', 'content', 'null', null, true),
  ('approvals', 'secrets_sealed', 'null', null, true),
  ('order_accounts', 'account_number_sealed', '''''', null, true),
  ('change_notices', 'corrected_account_number_sealed', 'null', null, true);
-- Columns that redaction keeps, and why.
insert into app.borrower_columns (table_name, column_name, kept_because) values
  ('borrowers', 'borrower_type', 'a fixed value'),
  ('borrowers', 'language_preference', 'a fixed value'),
  ('borrowers', 'preferred_channel', 'a fixed value'),
  ('borrower_consents', 'consent_type', 'a fixed value'),
  ('borrower_consents', 'channel', 'a fixed value'),
  ('borrower_consents', 'source', 'a fixed value'),
  ('borrower_consents', 'revocation_method', 'a fixed value'),
  ('payment_instruments', 'instrument_type', 'a fixed value'),
  ('payment_instruments', 'account_type', 'a fixed value'),
  ('payment_instruments', 'verification_method', 'a fixed value'),
  ('payment_instruments', 'status', 'a fixed value'),
  ('payment_instruments', 'last_return_code', 'the bank''s code'),
  ('payment_instruments', 'block_code', 'the bank''s code'),
  ('autopay_plans', 'amount_type', 'a fixed value'),
  ('autopay_plans', 'extra_toward', 'a fixed value'),
  ('autopay_plans', 'frequency', 'a fixed value'),
  ('autopay_plans', 'status', 'a fixed value'),
  ('notes', 'category', 'a fixed value'),
  ('notes', 'visibility', 'a fixed value'),
  ('tasks', 'task_type', 'a fixed value'),
  ('tasks', 'priority', 'a fixed value'),
  ('tasks', 'status', 'a fixed value'),
  ('tasks', 'source', 'a fixed value'),
  ('tasks', 'related_type', 'a fixed value'),
  ('documents', 'document_type', 'a fixed value'),
  ('documents', 'content_type', 'a fixed value'),
  ('documents', 'status', 'a fixed value'),
  ('documents', 'source', 'a fixed value'),
  ('documents', 'language', 'a fixed value'),
  ('documents', 'template', 'a fixed value'),
  ('documents', 'sha256_hash', 'identifies the file'),
  ('documents', 'status_before_removal', 'a fixed value'),
  ('borrower_exports', 'status', 'a fixed value'),
  ('borrower_exports', 'storage_key', 'composed of ids'),
  ('borrower_exports', 'sha256_hash', 'identifies the file'),
  ('borrower_exports', 'failure_reason', 'a fixed sentence'),
  ('communication_logs', 'template_type', 'a fixed value'),
  ('communication_logs', 'direction', 'a fixed value'),
  ('communication_logs', 'channel', 'a fixed value'),
  ('communication_logs', 'status', 'a fixed value'),
  ('communication_logs', 'provider', 'a fixed value'),
  ('communication_logs', 'error_code', 'a fixed value'),
  ('communication_logs', 'triggered_by', 'a fixed value'),
  ('communication_logs', 'blocked_reasons', 'a fixed value'),
  ('support_cases', 'case_number', 'a generated number'),
  ('support_cases', 'case_type', 'a fixed value'),
  ('support_cases', 'status', 'a fixed value'),
  ('support_cases', 'priority', 'a fixed value'),
  ('support_cases', 'source', 'a fixed value'),
  ('support_case_messages', 'author_type', 'a fixed value'),
  ('support_case_messages', 'attachments', 'ids'),
  ('hardship_applications', 'application_number', 'a generated number'),
  ('hardship_applications', 'hardship_type', 'a fixed value'),
  ('hardship_applications', 'requested_action', 'a fixed value'),
  ('hardship_applications', 'status', 'a fixed value'),
  ('hardship_applications', 'source', 'a fixed value'),
  ('hardship_applications', 'decision', 'a fixed value'),
  ('hardship_applications', 'resulting_type', 'a fixed value'),
  ('hardship_applications', 'document_ids', 'ids'),
  ('loans', 'loan_number', 'the number of the loan, used in the books'),
  ('loans', 'status', 'a fixed value'),
  ('loans', 'sub_status', 'a fixed value'),
  ('loans', 'loan_type', 'a fixed value'),
  ('loans', 'payment_frequency', 'a fixed value'),
  ('loans', 'day_count', 'a fixed value'),
  ('loans', 'interest_method', 'a fixed value'),
  ('loans', 'rounding_mode', 'a fixed value'),
  ('loans', 'delinquency_bucket', 'a fixed value'),
  ('loans', 'terms', 'terms, amounts and dates of the loan'),
  ('loans', 'delinquency_pauses', 'terms, amounts and dates of the loan'),
  ('loans', 'payment_history_profile', 'terms, amounts and dates of the loan'),
  ('loans', 'cycle_outlook', 'terms, amounts and dates of the loan'),
  ('payments', 'receipt_number', 'a generated number'),
  ('payments', 'payment_method', 'a fixed value'),
  ('payments', 'payment_type', 'a fixed value'),
  ('payments', 'status', 'a fixed value'),
  ('payments', 'source', 'a fixed value'),
  ('payments', 'return_code', 'the bank''s code'),
  ('payments', 'allocation_override', 'the allocation of the payment'),
  ('payments', 'allocations', 'the allocation of the payment'),
  ('payments', 'coverage', 'the allocation of the payment'),
  ('installments', 'reason', 'a fixed value'),
  ('disbursements', 'method', 'a fixed value'),
  ('disbursements', 'payee_type', 'a fixed value'),
  ('disbursements', 'status', 'a fixed value'),
  ('draws', 'status', 'a fixed value'),
  ('fees', 'fee_type', 'a fixed value'),
  ('fees', 'treatment', 'a fixed value'),
  ('fees', 'status', 'a fixed value'),
  ('service_credits', 'credit_type', 'a fixed value'),
  ('service_credits', 'apply_to', 'a fixed value'),
  ('service_credits', 'sponsor', 'a fixed value'),
  ('service_credits', 'status', 'a fixed value'),
  ('suspense_applications', 'payment_type', 'a fixed value'),
  ('suspense_applications', 'source', 'a fixed value'),
  ('suspense_applications', 'status', 'a fixed value'),
  ('autopay_draws', 'status', 'a fixed value'),
  ('autopay_draws', 'reason', 'a fixed value'),
  ('payoff_quotes', 'quote_number', 'a generated number'),
  ('payoff_quotes', 'delivery_method', 'a fixed value'),
  ('payoff_quotes', 'status', 'a fixed value'),
  ('payoff_quotes', 'explanation', 'amounts with fixed labels'),
  ('payoff_quotes', 'remittance_instructions', 'how the lender is paid'),
  ('payment_plans', 'plan_type', 'a fixed value'),
  ('payment_plans', 'frequency', 'a fixed value'),
  ('payment_plans', 'status', 'a fixed value'),
  ('payment_plans', 'installments', 'amounts and dates'),
  ('promises_to_pay', 'payment_method', 'a fixed value'),
  ('promises_to_pay', 'channel', 'a fixed value'),
  ('promises_to_pay', 'status', 'a fixed value'),
  ('promises_to_pay', 'installments', 'amounts and dates'),
  ('deferments', 'deferment_type', 'a fixed value'),
  ('deferments', 'interest_treatment', 'a fixed value'),
  ('deferments', 'status', 'a fixed value'),
  ('deferments', 'event_ids', 'ids'),
  ('forbearances', 'forbearance_type', 'a fixed value'),
  ('forbearances', 'end_treatment', 'a fixed value'),
  ('forbearances', 'status', 'a fixed value'),
  ('forbearances', 'event_ids', 'ids'),
  ('modifications', 'modification_type', 'a fixed value'),
  ('modifications', 'reason', 'a fixed value'),
  ('modifications', 'interest_treatment', 'a fixed value'),
  ('modifications', 'fee_treatment', 'a fixed value'),
  ('modifications', 'status', 'a fixed value'),
  ('modifications', 'previous_terms', 'terms of the loan'),
  ('modifications', 'new_terms', 'terms of the loan'),
  ('modifications', 'event_ids', 'ids'),
  ('loan_promotions', 'name', 'the lender''s name for a general offer'),
  ('loan_promotions', 'promo_type', 'a fixed value'),
  ('loan_promotions', 'conditions', 'terms of the offer'),
  ('loan_assignments', 'assignment_type', 'a fixed value'),
  ('loan_assignments', 'status', 'a fixed value'),
  ('loan_assignments', 'agreed_status', 'a fixed value'),
  ('loan_assignments', 'decline_reason', 'a fixed value'),
  ('loan_assignments', 'journal_entry_ids', 'ids'),
  ('loan_events', 'kind', 'ledger: kinds, amounts and dates in a fixed format'),
  ('loan_events', 'details', 'ledger: kinds, amounts and dates in a fixed format'),
  ('loan_attribute_history', 'program', 'names of the lender''s products and investors'),
  ('loan_attribute_history', 'product', 'names of the lender''s products and investors'),
  ('loan_attribute_history', 'investor', 'names of the lender''s products and investors'),
  ('loan_attribute_history', 'portfolio', 'names of the lender''s products and investors'),
  ('loan_attribute_history', 'payment_frequency', 'a fixed value'),
  ('loan_attribute_history', 'collateral_type', 'a fixed value'),
  ('loan_snapshots', 'status', 'a fixed value'),
  ('loan_snapshots', 'sub_status', 'a fixed value'),
  ('loan_snapshots', 'delinquency_bucket', 'a fixed value'),
  ('collateral_items', 'collateral_type', 'a fixed value'),
  ('collateral_items', 'status', 'a fixed value'),
  ('liens', 'lien_type', 'a fixed value'),
  ('liens', 'status', 'a fixed value'),
  ('liens', 'filing_jurisdiction', 'a filing office'),
  ('lien_alerts', 'status', 'a fixed value'),
  ('valuations', 'valuation_type', 'a fixed value'),
  ('credit_disputes', 'dispute_number', 'a generated number'),
  ('credit_disputes', 'dispute_source', 'a code of the credit bureaus'),
  ('credit_disputes', 'bureau', 'a code of the credit bureaus'),
  ('credit_disputes', 'dispute_codes', 'a code of the credit bureaus'),
  ('credit_disputes', 'response_code', 'a code of the credit bureaus'),
  ('credit_disputes', 'compliance_condition_code', 'a code of the credit bureaus'),
  ('credit_disputes', 'status', 'a code of the credit bureaus'),
  ('credit_disputes', 'disputed_fields', 'names of fields'),
  ('credit_disputes', 'document_ids', 'ids'),
  ('credit_reporting_records', 'bureaus', 'a code of the credit bureaus'),
  ('credit_reporting_records', 'portfolio_type', 'a code of the credit bureaus'),
  ('credit_reporting_records', 'account_type', 'a code of the credit bureaus'),
  ('credit_reporting_records', 'terms_duration', 'a code of the credit bureaus'),
  ('credit_reporting_records', 'terms_frequency', 'a code of the credit bureaus'),
  ('credit_reporting_records', 'account_status', 'a code of the credit bureaus'),
  ('credit_reporting_records', 'payment_rating', 'a code of the credit bureaus'),
  ('credit_reporting_records', 'payment_history_profile', 'a code of the credit bureaus'),
  ('credit_reporting_records', 'special_comment', 'a code of the credit bureaus'),
  ('credit_reporting_records', 'compliance_condition_code', 'a code of the credit bureaus'),
  ('credit_reporting_records', 'consumer_information_indicator', 'a code of the credit bureaus'),
  ('credit_reporting_records', 'ecoa_code', 'a code of the credit bureaus'),
  ('credit_reporting_records', 'interest_type_indicator', 'a code of the credit bureaus'),
  ('credit_reporting_records', 'status', 'a code of the credit bureaus'),
  ('credit_reporting_records', 'consumer_account_number', 'the number of the loan'),
  ('forms_1099c', 'form_number', 'a generated number'),
  ('forms_1099c', 'account_number', 'the number of the loan'),
  ('forms_1099c', 'creditor_name', 'data of the lender'),
  ('forms_1099c', 'creditor_tin_last_four', 'data of the lender'),
  ('forms_1099c', 'creditor_address', 'data of the lender'),
  ('forms_1099c', 'creditor_phone', 'data of the lender'),
  ('forms_1099c', 'status', 'a fixed value'),
  ('forms_1099c', 'source', 'a fixed value'),
  ('forms_1099c', 'identifiable_event_code', 'a fixed value'),
  ('journal_entries', 'reference_type', 'ledger: a fixed value'),
  ('journal_entries', 'purpose', 'ledger: a fixed value'),
  ('journal_entries', 'source', 'ledger: a fixed value'),
  ('journal_entries', 'status', 'ledger: a fixed value'),
  ('journal_lines', 'role', 'ledger: a fixed value'),
  ('nacha_entries', 'batch', 'a format set by the bank'),
  ('nacha_entries', 'transaction_code', 'a format set by the bank'),
  ('nacha_entries', 'trace_number', 'a format set by the bank'),
  ('nacha_entries', 'return_code', 'a format set by the bank'),
  ('nacha_entries', 'individual_id', 'the number of the loan'),
  ('users', 'tenant_role', 'a fixed value'),
  ('security_log', 'event', 'a fixed value'),
  ('security_log', 'outcome', 'a fixed value'),
  ('security_log', 'reason', 'a fixed value'),
  ('security_log', 'route', 'a fixed value'),
  ('security_log', 'request_id', 'generated for each request'),
  ('audit_log', 'entity_type', 'a fixed value'),
  ('audit_log', 'action', 'a fixed value'),
  ('audit_log', 'actor_type', 'a fixed value'),
  ('audit_log', 'request_id', 'generated for each request'),
  ('approvals', 'kind', 'a fixed value'),
  ('approvals', 'endpoint', 'a fixed value'),
  ('approvals', 'status', 'a fixed value'),
  ('approvals', 'params', 'ids'),
  ('approvals', 'if_match', 'a version number'),
  ('approvals', 'requested_by_email', 'a person at the lender'),
  ('approvals', 'content_fingerprint', 'a version number'),
  ('approvals', 'changed_fields', 'names of fields'),
  ('events', 'event_type', 'a fixed value'),
  ('events', 'request_id', 'generated for each request without personal numbers'),
  ('idempotency_keys', 'method', 'fixed values and ids'),
  ('idempotency_keys', 'path', 'fixed values and ids'),
  ('idempotency_keys', 'key', 'a client''s own number for a request, kept for days'),
  ('idempotency_keys', 'request_hash', 'a client''s own number for a request, kept for days'),
  ('webhook_deliveries', 'status', 'a fixed value'),
  ('dead_letters', 'status', 'a fixed value'),
  ('cob_loan_errors', 'step', 'a fixed value'),
  ('co_borrowers', 'role', 'a fixed value'),
  ('co_borrowers', 'release_reason', 'a fixed value'),
  ('liquidations', 'status', 'a fixed value'),
  ('liquidations', 'status_before', 'a fixed value'),
  ('liquidations', 'liens_released', 'ids'),
  ('mail_letters', 'status', 'a fixed value'),
  ('mail_letters', 'hold_reasons', 'a fixed value'),
  ('late_fee_exemptions', 'reason', 'a fixed value'),
  ('order_accounts', 'account_type', 'a fixed value'),
  ('change_notices', 'code', 'the bank''s code'),
  ('change_notices', 'trace_number', 'a format set by the bank'),
  ('change_notices', 'corrected_account_type', 'a fixed value'),
  ('change_notices', 'status', 'a fixed value');
