-- Export and redaction of borrowers' data, from what each table declares with app.declare_borrower_data
-- (borrower-data.sql).

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
call app.declare_borrower_data('borrower_exports', 'documents',
  kept => '{"built from ids": ["storage_key"], "identifies the file": ["sha256_hash"],
    "one of our sentences": ["failure_reason"]}');

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

-- The ids of all parent rows that lead to these ids of borrowers or loans: payments, documents, users and so on.
create function app.related_ids(known jsonb) returns jsonb
  language plpgsql stable set search_path = public, pg_temp
as $$
declare
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

-- The ids that lead to the borrower. Loans that the person owes as a co-borrower belong to their own borrower.
create function app.borrower_ids(borrower uuid) returns jsonb
  language sql stable set search_path = public, pg_temp
as $$
  select app.related_ids(jsonb_build_object('borrowers', jsonb_build_array(borrower)))
$$;

-- The same for an export. `shared` has the ids that lead to loans that the person owes as a co-borrower.
create function app.exported_ids(borrower uuid) returns jsonb
  language sql stable set search_path = public, pg_temp
as $$
  select app.borrower_ids(borrower) || jsonb_build_object('shared', app.related_ids(jsonb_build_object(
    'borrowers', jsonb_build_array(),
    'loans', (
      select coalesce(jsonb_agg(party.loan_id), '[]') from co_borrowers as party
      where party.tenant_id = app.current_tenant() and party.borrower_id = borrower and party.released_on is null
    ))))
$$;

-- Whether a loan has, or ever had, a second person who owes it.
create function app.is_joint(loan uuid) returns boolean
  language sql stable set search_path = public, pg_temp
as $$
  select exists (select from co_borrowers where tenant_id = app.current_tenant() and loan_id = loan)
$$;

-- Whether one of the borrower's loans is joint.
create function app.has_joint_loan(borrower uuid) returns boolean
  language sql stable set search_path = public, pg_temp
as $$
  select exists (
    select from loans where tenant_id = app.current_tenant() and borrower_id = borrower and app.is_joint(id))
$$;

-- The borrower whose account an order to the bank names.
create function app.order_borrower(payment uuid, disbursement uuid, draw uuid) returns uuid
  language sql stable set search_path = public, pg_temp
as $$
  select borrower_id from payments where tenant_id = app.current_tenant() and id = payment
  union all
  select instrument.borrower_id
  from (
    select payment_instrument_id from disbursements where tenant_id = app.current_tenant() and id = disbursement
    union all
    select payment_instrument_id from draws where tenant_id = app.current_tenant() and id = draw
  ) as paid_out
  join payment_instruments as instrument
    on instrument.tenant_id = app.current_tenant() and instrument.id = paid_out.payment_instrument_id
$$;

-- The rows of a table for an export, each as a JSON text, without secrets. A joint loan is in the archive of everyone who
-- owes it. A row that may be about another person (is_about) is as a redaction would leave it, except what exported_as says.
-- Letters, papers, cases, contacts and history go to the person whom they are about, and those without a person to the
-- loan's borrower. Statements and disclosures go to everyone who owes the loan, as in the portal. The legal conditions of
-- all who owe it, from which the form of a statement followed, are left out.
create function app.exported_rows(name text, ids jsonb) returns setof text
  language plpgsql stable set search_path = public, pg_temp
as $$
declare
  secrets text[] := array(
    select column_name from app.borrower_columns where table_name = name and is_secret
  ) || '{tenant_id}';
  redacted text := (
    select coalesce(string_agg(format('%1$L, case when %1$I is not null then %2$s end', column_name, becomes), ', '), '')
    from app.borrower_columns where table_name = name and becomes is not null and not is_secret
  );
  shown text := (
    select coalesce(string_agg(format('%L, %s', column_name, exported_as), ', '), '')
    from app.borrower_columns where table_name = name and exported_as is not null
  );
  is_about text := (select kept.is_about from app.borrower_tables as kept where kept.table_name = name);
  -- Rows that name another person are left out of these folders.
  is_personal boolean := exists (
    select from app.borrower_tables as kept
    where kept.table_name = name and kept.folder in ('borrower', 'documents', 'history', 'messages')
  );
  names_no_other text := case when is_personal and exists (
    select from pg_attribute where attrelid = name::regclass and attname = 'borrower_id' and not attisdropped
  ) then 'coalesce(borrower_id, $1) = $1' else 'true' end;
  own text := app.borrower_condition(name, ids);
  shared text := case
    when is_personal then 'false'
    when name = 'loans' then format('tenant_id = app.current_tenant() and id = any(%L::uuid[])',
      array(select jsonb_array_elements_text(ids #> '{shared,loans}')))
    else app.borrower_condition(name, ids -> 'shared') end;
  -- The documents of others that the person sees.
  seen text := case when name <> 'documents' then 'false' else format(
    'borrower_id is distinct from $1 and template = any(app.loan_document_templates()) and is_visible_to_borrower
       and not is_archived and loan_id = any(%L::uuid[])',
    array(select jsonb_array_elements_text((ids -> 'loans') || (ids #> '{shared,loans}')))) end;
begin
  return query execute format(
    'select jsonb_pretty(jsonb_strip_nulls(row)) from (
       select (to_jsonb(record) - %L::text[]
         || case when (%s) and (%s) then ''{}'' else jsonb_build_object(%s) end
         || jsonb_build_object(%s)) #- ''{figures,legal}'' as row
       from %I as record where ((%s) or (%s)) and %s
       union all
       select to_jsonb(record) - %L::text[] - %L::text[] from %I as record
       where tenant_id = app.current_tenant() and %s
     ) as exported
     order by coalesce(row ->> ''id'', row ->> ''accrual_date'', row::text)',
    secrets, own, is_about, redacted, shown, name, own, shared, names_no_other, secrets,
    '{template_data,metadata,verified_by,verification_notes,rejection_reason}', name, seen)
    using (ids -> 'borrowers' ->> 0)::uuid;
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
      from jsonb_each(change) as sides (side, value)
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
  for name in
    select table_name from app.borrower_links join app.borrower_tables using (table_name)
    where through = 'borrower_id' and parent = 'borrowers' and not takes_rows_after_redaction
  loop
    execute format('create trigger redacted before insert on %I
      for each row execute function app.refuse_change_of_redacted()', name);
  end loop;
end $$;
