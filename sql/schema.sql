-- The schema as migrated. Written by UPDATE_SCHEMA=1 and the schema test, never by hand.

create extension btree_gin;

create extension pg_trgm;

create domain app.money as numeric(15,2) CHECK ((VALUE <> 'NaN'::numeric));

create domain app.rate as numeric(12,8) CHECK (((VALUE <> 'NaN'::numeric) AND (VALUE >= (0)::numeric)));

CREATE OR REPLACE FUNCTION app.accrued(interest_accrued numeric, is_accruing boolean, accrual_since date, accrual_balance numeric, accrual_rate numeric, accrual_period_days integer, accrual_period_interest numeric, day_count text, day date)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (interest_accrued + CASE WHEN ((NOT is_accruing) OR (day <= accrual_since)) THEN (0)::numeric WHEN (accrual_period_days IS NULL) THEN round(((accrual_balance * accrual_rate) * app.year_fraction(day_count, accrual_since, day)), 10) ELSE round((((accrual_period_interest)::numeric(40,30) * ((day - accrual_since))::numeric) / (accrual_period_days)::numeric), 10) END);

CREATE OR REPLACE FUNCTION app.accrued(loan loans, day date)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN app.accrued((loan).interest_accrued, (loan).is_accruing, (loan).accrual_since, ((loan).accrual_balance)::numeric, ((loan).accrual_rate)::numeric, (loan).accrual_period_days, (loan).accrual_period_interest, (loan).day_count, day);

CREATE OR REPLACE FUNCTION app.accrued_cents(interest_accrued numeric, is_accruing boolean, accrual_since date, accrual_balance numeric, accrual_rate numeric, accrual_period_days integer, accrual_period_interest numeric, day_count text, rounding_mode text, day date)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE rounding_mode WHEN 'half_even'::text THEN app.half_even(app.accrued(interest_accrued, is_accruing, accrual_since, accrual_balance, accrual_rate, accrual_period_days, accrual_period_interest, day_count, day)) ELSE round(app.accrued(interest_accrued, is_accruing, accrual_since, accrual_balance, accrual_rate, accrual_period_days, accrual_period_interest, day_count, day), 2) END;

CREATE OR REPLACE FUNCTION app.accrued_cents(loan loans, day date)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN app.accrued_cents((loan).interest_accrued, (loan).is_accruing, (loan).accrual_since, ((loan).accrual_balance)::numeric, ((loan).accrual_rate)::numeric, (loan).accrual_period_days, (loan).accrual_period_interest, (loan).day_count, (loan).rounding_mode, day);

CREATE OR REPLACE FUNCTION app.active_tenants()
 RETURNS TABLE(id uuid, slug text, name text, time_zone text, business_date date)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select id, slug, name, time_zone, business_date from tenants where is_active order by slug
$function$;

CREATE OR REPLACE FUNCTION app.add_job(identifier text, payload json, run_at timestamp with time zone, max_attempts integer, job_key text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select graphile_worker.add_job(
    identifier => identifier, payload => app.of_request(payload), run_at => run_at,
    max_attempts => max_attempts, job_key => job_key
  )
$function$;

CREATE OR REPLACE FUNCTION app.add_jobs(identifier text, payloads json[], run_at timestamp with time zone, max_attempts integer, keys text[])
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select from graphile_worker.add_jobs(array(
    select row(
      identifier, app.of_request(item.payload), null, add_jobs.run_at, add_jobs.max_attempts,
      item.key, 0, null
    )::graphile_worker.job_spec
    from unnest(payloads, keys) as item (payload, key)
  ))
$function$;

CREATE OR REPLACE FUNCTION app.all_tenants()
 RETURNS TABLE(id uuid, slug text, is_active boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select id, slug, is_active from tenants order by slug
$function$;
grant execute on function app.all_tenants to servicing_worker;
revoke execute on function app.all_tenants from public;

CREATE OR REPLACE FUNCTION app.analyze_table(wanted text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare due text;
begin
  select name into due from app.tables_to_analyze() where name = wanted;
  if due is null then return false; end if;
  execute format('analyze only %s', due::regclass);
  return true;
end $function$;
grant execute on function app.analyze_table to servicing_app;
revoke execute on function app.analyze_table from public;

CREATE OR REPLACE FUNCTION app.assert_sees_all()
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not app.sees_all() then
    raise exception 'This is for operators of the platform.' using errcode = 'insufficient_privilege';
  end if;
end $function$;
revoke execute on function app.assert_sees_all from public;

CREATE OR REPLACE FUNCTION app.borrower_ids(borrower uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION app.borrowers_beginning(start text)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with range as (select lower(start) as first, lower(start) || U&'\+10FFFF' as last)
  select borrowers.id from borrowers, range
  where tenant_id = app.current_tenant()
    and lower(first_name || ' ' || last_name) ~>=~ range.first and lower(first_name || ' ' || last_name) ~<~ range.last
  union all
  select borrowers.id from borrowers, range
  where tenant_id = app.current_tenant()
    and lower(last_name) ~>=~ range.first and lower(last_name) ~<~ range.last
  union all
  select borrower_id from emails, range
  where tenant_id = app.current_tenant() and email ~>=~ range.first and email ~<~ range.last and not is_archived
$function$;
grant execute on function app.borrowers_beginning to servicing_app;
revoke execute on function app.borrowers_beginning from public;

CREATE OR REPLACE FUNCTION app.borrowers_found(pattern text)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE SECURITY DEFINER ROWS 100
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select id from borrowers
  where tenant_id = app.current_tenant() and first_name || ' ' || last_name ilike pattern
  union all
  select borrower_id from emails
  where tenant_id = app.current_tenant() and email ilike pattern and not is_archived
$function$;
grant execute on function app.borrowers_found to servicing_app;
revoke execute on function app.borrowers_found from public;

CREATE OR REPLACE FUNCTION app.bucket(days integer)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (days <= 0) THEN 'current'::text WHEN (days < 30) THEN 'dpd_1_29'::text WHEN (days < 60) THEN 'dpd_30_59'::text WHEN (days < 90) THEN 'dpd_60_89'::text WHEN (days < 120) THEN 'dpd_90_119'::text WHEN (days < 150) THEN 'dpd_120_149'::text WHEN (days < 180) THEN 'dpd_150_179'::text ELSE 'dpd_180_plus'::text END;

CREATE OR REPLACE FUNCTION app.business_date()
 RETURNS date
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (SELECT tenants.business_date FROM tenants WHERE (tenants.id = app.current_tenant()));

CREATE OR REPLACE FUNCTION app.call_workers()
 RETURNS void
 LANGUAGE sql
AS $function$ select pg_notify('jobs:insert', '{"count":1}') $function$;

CREATE OR REPLACE FUNCTION app.cause_of(error text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN regexp_replace("left"(error, 300), '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|[0-9]+'::text, '#'::text, 'g'::text);
revoke execute on function app.cause_of from public;

CREATE OR REPLACE FUNCTION app.change_jobs(action text, numbers bigint[], at timestamp with time zone, who text, why text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  whose uuid := app.seen_tenant(null);
  done bigint[];
  failed record;
begin
  if action in ('run-now', 'reschedule') then
    with chosen as (
      select job.id from graphile_worker._private_jobs as job
      where job.id = any(numbers) and job.is_available and (whose is null or app.tenant_of_job(job.payload) = whose::text)
      order by job.id for update skip locked
    ), changed as (
      update graphile_worker._private_jobs as job
      set run_at = case when action = 'run-now' then now() else at end, updated_at = now()
      from chosen where job.id = chosen.id returning job.id
    ) select array_agg(id) into done from changed;
  elsif action = 'cancel' then
    with chosen as (
      select job.id, job.attempts from graphile_worker._private_jobs as job
      where job.id = any(numbers) and job.is_available and (whose is null or app.tenant_of_job(job.payload) = whose::text)
      order by job.id for update skip locked
    ), ended as (
      update graphile_worker._private_jobs as job
      set attempts = job.max_attempts, last_error = 'Canceled by operations.', updated_at = now()
      from chosen where job.id = chosen.id
      returning job.id, job.task_id, job.payload, chosen.attempts
    ), kept as (
      insert into app.failed_jobs (job_id, task, payload, attempts, error, is_canceled)
      select ended.id, task.identifier, ended.payload::jsonb, ended.attempts, 'Canceled by operations.', true
      from ended join graphile_worker._private_tasks as task on task.id = ended.task_id
      on conflict (job_id) do update set error = excluded.error, attempts = excluded.attempts,
        payload = excluded.payload, failed_at = now(), retried_at = null, told_at = null, is_canceled = true
      returning job_id
    ) select array_agg(job_id) into done from kept;
  elsif action = 'discard' then
    with chosen as (
      select known.id, known.job_id from app.failed_jobs as known
      where known.job_id = any(numbers) and known.retried_at is null and known.told_at is not null
        and (whose is null or known.payload ->> 'tenant_id' = whose::text)
      order by known.job_id for update skip locked
    ), gone as (
      delete from graphile_worker._private_jobs as job using chosen
      where job.id = chosen.job_id and job.locked_by is null and job.attempts >= job.max_attempts
    ), ended as (
      delete from app.failed_jobs as known using chosen where known.id = chosen.id returning known.job_id
    ) select array_agg(job_id) into done from ended;
  elsif action = 'retry' then
    for failed in
      select known.id, known.job_id from app.failed_jobs as known
      where known.job_id = any(numbers) and known.retried_at is null
        and (whose is null or known.payload ->> 'tenant_id' = whose::text)
      order by known.job_id for update skip locked
    loop
      if app.retry_failed_job(failed.id) then done := array_append(done, failed.job_id); end if;
    end loop;
  end if;
  if done is null then return 0; end if;
  perform app.note_operation(who, action || '-jobs', jsonb_build_object(
    'tenant_id', app.current_tenant(), 'count', cardinality(done), 'jobs', to_jsonb(done[1:100]), 'at', at), why);
  return cardinality(done);
end $function$;
grant execute on function app.change_jobs to servicing_app;
grant execute on function app.change_jobs to servicing_worker;
revoke execute on function app.change_jobs from public;

CREATE OR REPLACE FUNCTION app.close_overdue_seconds()
 RETURNS numeric
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select coalesce(max(greatest(0, extract(epoch from
    clock_timestamp() - (
      (business_date + 1 + coalesce(settings ->> 'eod_cutoff_time', '00:00')::time) at time zone time_zone
    )
  ))), 0)
  from tenants where is_active
$function$;
grant execute on function app.close_overdue_seconds to servicing_worker;
revoke execute on function app.close_overdue_seconds from public;

CREATE OR REPLACE FUNCTION app.comes_in(target regclass, tenant uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN ((NOT (current_setting('app.coming_in'::text, true) IS DISTINCT FROM (tenant)::text)) AND app.is_owner_of(target));

CREATE OR REPLACE FUNCTION app.count_anew(counted text)
 RETURNS TABLE(tenant_id uuid, status text, is_archived boolean, rows bigint)
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform pg_advisory_xact_lock(hashtextextended('count anew ' || counted, 0));
  return query
    insert into kept_counts as kept (tenant_id, table_name, status, is_archived, rows)
    select wrong.tenant_id, counted, wrong.status, wrong.is_archived, wrong.there - wrong.kept
    from app.miscounted(counted) as wrong
    returning kept.tenant_id, kept.status, kept.is_archived, kept.rows;
end $function$;
revoke execute on function app.count_anew from public;

CREATE OR REPLACE FUNCTION app.count_borrowers()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      begin
        case tg_op
          when 'INSERT' then
            insert into kept_counts (table_name, rows, tenant_id, is_archived)
            select 'borrowers', count(*), tenant_id, is_archived from added group by tenant_id, is_archived;
          when 'DELETE' then
            insert into kept_counts (table_name, rows, tenant_id, is_archived)
            select 'borrowers', -count(*), tenant_id, is_archived from taken group by tenant_id, is_archived;
          when 'UPDATE' then
            insert into kept_counts (table_name, rows, tenant_id, is_archived)
            values ('borrowers', -1, old.tenant_id, old.is_archived), ('borrowers', 1, new.tenant_id, new.is_archived);
          else
            delete from kept_counts where table_name = 'borrowers';
        end case;
        -- Each of these is folded by somebody, and a list reads a few hundred at most.
        if random() < 1 / 64.0 then perform app.fold_counts('borrowers'); end if;
        return null;
      end $function$;

CREATE OR REPLACE FUNCTION app.count_loans()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      begin
        case tg_op
          when 'INSERT' then
            insert into kept_counts (table_name, rows, tenant_id, status, is_archived)
            select 'loans', count(*), tenant_id, status, is_archived from added group by tenant_id, status, is_archived;
          when 'DELETE' then
            insert into kept_counts (table_name, rows, tenant_id, status, is_archived)
            select 'loans', -count(*), tenant_id, status, is_archived from taken group by tenant_id, status, is_archived;
          when 'UPDATE' then
            insert into kept_counts (table_name, rows, tenant_id, status, is_archived)
            values ('loans', -1, old.tenant_id, old.status, old.is_archived), ('loans', 1, new.tenant_id, new.status, new.is_archived);
          else
            delete from kept_counts where table_name = 'loans';
        end case;
        -- Each of these is folded by somebody, and a list reads a few hundred at most.
        if random() < 1 / 64.0 then perform app.fold_counts('loans'); end if;
        return null;
      end $function$;

CREATE OR REPLACE FUNCTION app.create_tenant(slug text, name text, business_date date, domains text[])
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare created uuid;
begin
  insert into tenants (slug, name, business_date)
  values (create_tenant.slug, create_tenant.name, create_tenant.business_date)
  returning id into created;
  insert into tenant_domains (domain, tenant_id) select lower(domain), created from unnest(domains) as domain;
  return created;
end $function$;
grant execute on function app.create_tenant to servicing_worker;
revoke execute on function app.create_tenant from public;

CREATE OR REPLACE FUNCTION app.current_request()
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN NULLIF(current_setting('app.request_id'::text, true), ''::text);

CREATE OR REPLACE FUNCTION app.current_tenant()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid;

CREATE OR REPLACE FUNCTION app.current_valuation(item uuid)
 RETURNS valuations
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT valuation.*::valuations AS valuation
    FROM valuations valuation
   WHERE ((valuation.tenant_id = app.current_tenant()) AND (valuation.collateral_id = current_valuation.item) AND (COALESCE(valuation.effective_date, valuation.valuation_date) <= app.business_date()))
   ORDER BY COALESCE(valuation.effective_date, valuation.valuation_date) DESC, valuation.created_at DESC, valuation.id DESC
  LIMIT 1;
END;

CREATE OR REPLACE FUNCTION app.days_30_360(from_date date, to_date date)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((((((EXTRACT(year FROM to_date))::bigint - (EXTRACT(year FROM from_date))::bigint) * 360) + (((EXTRACT(month FROM to_date))::bigint - (EXTRACT(month FROM from_date))::bigint) * 30)) + CASE WHEN (app.is_february_end(from_date) AND app.is_february_end(to_date)) THEN (30)::bigint WHEN ((EXTRACT(day FROM to_date) = (31)::numeric) AND ((EXTRACT(day FROM from_date) >= (30)::numeric) OR app.is_february_end(from_date))) THEN (30)::bigint ELSE (EXTRACT(day FROM to_date))::bigint END) - CASE WHEN ((EXTRACT(day FROM from_date) = (31)::numeric) OR app.is_february_end(from_date)) THEN (30)::bigint ELSE (EXTRACT(day FROM from_date))::bigint END);

CREATE OR REPLACE FUNCTION app.days_past_due(oldest date, day date, pauses jsonb, grace integer)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((oldest IS NULL) OR (day <= (oldest + grace))) THEN 0 WHEN (pauses = '[]'::jsonb) THEN ((day - oldest) - grace) ELSE app.days_past_due_less_pauses(oldest, day, pauses, grace) END;

CREATE OR REPLACE FUNCTION app.days_past_due_less_pauses(oldest date, day date, pauses jsonb, grace integer)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN GREATEST(0, (((day - oldest) - grace) - (SELECT (COALESCE(sum((upper(span.span) - lower(span.span))), (0)::bigint))::integer AS "coalesce" FROM unnest(((SELECT range_agg(daterange(((pause.value ->> 'from'::text))::date, ((pause.value ->> 'to'::text))::date, '[]'::text)) AS range_agg FROM jsonb_array_elements(days_past_due_less_pauses.pauses) pause(value)) * datemultirange(daterange((days_past_due_less_pauses.oldest + 1), days_past_due_less_pauses.day, '[]'::text)))) span(span))));

CREATE OR REPLACE FUNCTION app.define_sub_pool(name text, tasks text[], who text, why text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select app.assert_sees_all();
  delete from app.sub_pools as known where known.name = define_sub_pool.name and known.task <> all(tasks);
  insert into app.sub_pools (task, name) select task, define_sub_pool.name from unnest(tasks) as task
  on conflict on constraint sub_pools_pkey do update set name = excluded.name;
  select app.note_operation(
    who, 'sub-pool', jsonb_build_object('sub_pool', define_sub_pool.name, 'tasks', to_jsonb(tasks)), why)
$function$;
grant execute on function app.define_sub_pool to servicing_app;
grant execute on function app.define_sub_pool to servicing_worker;
revoke execute on function app.define_sub_pool from public;

CREATE OR REPLACE FUNCTION app.delivery_job(tenant_id uuid, subscription_id uuid, delivery_id uuid, attempt integer, in_line boolean, comes_last boolean, run_at timestamp with time zone, request_id text)
 RETURNS graphile_worker.job_spec
 LANGUAGE sql
 STABLE
RETURN ROW('deliver-webhook'::text, json_strip_nulls(json_build_object('tenant_id', tenant_id, 'subscription_id', subscription_id, 'delivery_id', delivery_id, 'attempt', attempt, 'in_line', in_line, 'request_id', request_id)), CASE WHEN in_line THEN ('slow-receivers-'::text || ((abs((hashtext((subscription_id)::text))::bigint) + (abs((hashtext((delivery_id)::text))::bigint) % (4)::bigint)) % (24)::bigint)) ELSE NULL::text END, run_at, (5)::smallint, ((('deliver-webhook:'::text || delivery_id) || ':'::text) || attempt), (CASE WHEN (NOT in_line) THEN 0 WHEN comes_last THEN 20 ELSE 10 END)::smallint, NULL::text[])::graphile_worker.job_spec;
revoke execute on function app.delivery_job from public;

CREATE OR REPLACE FUNCTION app.ensure_accrual_month(day date)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  first date := date_trunc('month', day)::date;
  name text := 'interest_accruals_' || to_char(day, 'YYYYMM');
begin
  if to_regclass(name) is not null then return; end if;
  perform pg_advisory_xact_lock(hashtext(name));
  if exists (
    select from pg_class where relname = name and relnamespace = 'public'::regnamespace
  ) then return; end if;
  execute format('create table %I partition of interest_accruals for values from (%L) to (%L)
    with (autovacuum_vacuum_insert_scale_factor = 0.02)', name, first, (first + interval '1 month')::date);
  execute format('alter table %I enable row level security, force row level security', name);
end $function$;

CREATE OR REPLACE FUNCTION app.entry_balances()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare lines bigint; difference numeric;
begin
  select count(*), coalesce(sum(debit - credit), 0) into lines, difference
  from journal_lines where tenant_id = new.tenant_id and entry_id = new.id;
  if lines < 2 or difference <> 0 then
    raise exception 'Entry % has % lines and is unbalanced by %.', new.id, lines, difference
      using errcode = 'check_violation', constraint = 'journal_entries_balanced';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION app.entry_in_open_period()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare closed date;
begin
  if tg_op = 'INSERT' and app.comes_in(tg_relid, new.tenant_id) then
    return new;
  end if;
  -- Lines join an entry of their own transaction only, so nobody says when it was created.
  if tg_op = 'INSERT' then
    new.created_at := now();
  end if;
  perform from tenants where id = new.tenant_id for key share;
  select closed_through into closed from period_closings
  where tenant_id = new.tenant_id order by closed_through desc limit 1;
  if closed is null or new.entry_date > closed
    or (new.source = 'system' and new.reference_type = 'year_end') then
    return new;
  end if;
  if new.source = 'system' and tg_op = 'INSERT' then
    new.entry_date := closed + 1;
    return new;
  end if;
  raise exception 'The books are closed through %.', closed
    using errcode = 'check_violation', constraint = 'journal_entries_period_closed';
end $function$;

CREATE OR REPLACE FUNCTION app.entry_is_immutable()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION app.event_waits()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from tenants where id = new.tenant_id and door <> 'open') then return null; end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION app.exported_rows(name text, ids jsonb)
 RETURNS SETOF text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION app.fold_counts(counted text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with folded as (
    -- Found again by where they are: rows of this table stay there until they are deleted.
    delete from kept_counts as kept where kept.ctid = any (array(
      select ctid from kept_counts
      where tenant_id = app.current_tenant() and table_name = counted
      limit 1000 for update skip locked
    ))
    returning kept.tenant_id, kept.status, kept.is_archived, kept.rows
  )
  insert into kept_counts (tenant_id, table_name, status, is_archived, rows)
  select tenant_id, counted, status, is_archived, sum(rows) from folded
  group by tenant_id, status, is_archived having sum(rows) <> 0
$function$;
revoke execute on function app.fold_counts from public;

CREATE OR REPLACE FUNCTION app.forget_open_installments()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.open_installments := null;
  new.first_open_period := null;
  new.is_last_covered := null;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION app.half_even(amount numeric)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (abs(((amount * (100)::numeric) % (1)::numeric)) = 0.5) THEN round((round((amount * (50)::numeric)) / (50)::numeric), 2) ELSE round(amount, 2) END;

CREATE OR REPLACE FUNCTION app.interest_balance(loan loans, day date)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (app.accrued_cents(loan, day) - ((loan).interest_settled)::numeric);

CREATE OR REPLACE FUNCTION app.interest_owed(loan loans, day date)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN GREATEST((app.accrued_cents(loan, day) - ((loan).interest_settled)::numeric), (0)::numeric);

CREATE OR REPLACE FUNCTION app.is_february_end(d date)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((EXTRACT(month FROM d) = (2)::numeric) AND (EXTRACT(day FROM (d + 1)) = (1)::numeric));

CREATE OR REPLACE FUNCTION app.is_of_borrower(name text, ids jsonb)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION app.is_owner_of(target regclass)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'public', 'pg_temp'
RETURN (CURRENT_USER = (SELECT pg_get_userbyid(pg_class.relowner) AS pg_get_userbyid FROM pg_class WHERE (pg_class.oid = (is_owner_of.target)::oid)));

CREATE OR REPLACE FUNCTION app.is_redaction(target regclass, before jsonb, after jsonb)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select current_setting('app.redacting', true) = 'on'
    and current_user = (select pg_get_userbyid(relowner) from pg_class where oid = target)
    and before - personal.columns = after - personal.columns
  from (
    select array(
      select column_name from app.borrower_columns
      where table_name = target::text and becomes is not null
    ) || '{updated_at}' as columns
  ) as personal
$function$;

CREATE OR REPLACE FUNCTION app.is_shut()
 RETURNS boolean
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (EXISTS (SELECT FROM tenants WHERE ((tenants.id = app.current_tenant()) AND (tenants.door = ANY (ARRAY['closed'::text, 'exported'::text])))));

CREATE OR REPLACE PROCEDURE app.keep_counts(IN target regclass, IN columns text[])
 LANGUAGE plpgsql
AS $procedure$
declare
  counted text := (select relname from pg_class where oid = target);
  kinds text := array_to_string(array_prepend('tenant_id', columns), ', ');
  changes text := (
    select string_agg(format('old.%1$I is distinct from new.%1$I', name), ' or ') from unnest(columns) as name
  );
begin
  insert into app.counted_tables values (counted, columns);
  execute format(
    $function$
      create function app.count_%1$s() returns trigger
        language plpgsql security definer set search_path = public, pg_temp
      as $body$
      begin
        case tg_op
          when 'INSERT' then
            insert into kept_counts (table_name, rows, %2$s)
            select '%1$s', count(*), %2$s from added group by %2$s;
          when 'DELETE' then
            insert into kept_counts (table_name, rows, %2$s)
            select '%1$s', -count(*), %2$s from taken group by %2$s;
          when 'UPDATE' then
            insert into kept_counts (table_name, rows, %2$s)
            values ('%1$s', -1, %3$s), ('%1$s', 1, %4$s);
          else
            delete from kept_counts where table_name = '%1$s';
        end case;
        -- Each of these is folded by somebody, and a list reads a few hundred at most.
        if random() < 1 / 64.0 then perform app.fold_counts('%1$s'); end if;
        return null;
      end $body$
    $function$,
    counted, kinds,
    (select string_agg('old.' || name, ', ') from unnest(array_prepend('tenant_id', columns)) as name),
    (select string_agg('new.' || name, ', ') from unnest(array_prepend('tenant_id', columns)) as name)
  );
  execute format(
    $triggers$
      create trigger count_added after insert on %1$s referencing new table as added
        for each statement execute function app.count_%1$s();
      create trigger count_taken after delete on %1$s referencing old table as taken
        for each statement execute function app.count_%1$s();
      create trigger count_none after truncate on %1$s
        for each statement execute function app.count_%1$s();
    $triggers$,
    counted
  );
  if changes is not null then
    -- A statement that sets none of the columns does not ask, and a row whose values stay is not counted.
    execute format(
      'create trigger count_changed after update of %s on %s for each row when (%s)
         execute function app.count_%s()',
      array_to_string(columns, ', '), counted, changes, counted
    );
  end if;
end $procedure$;

CREATE OR REPLACE FUNCTION app.key_of(sealed text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (sealed ~~ 'v2:%'::text) THEN split_part(sealed, ':'::text, 2) WHEN (sealed ~~ 'v1:%'::text) THEN 'first'::text ELSE NULL::text END;

CREATE OR REPLACE FUNCTION app.kinds_for(worker text, task_ids integer[])
 RETURNS TABLE(id integer, task text, sub_pool text)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 10
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select task.id, task.identifier, sub_pool.name
  from graphile_worker._private_tasks as task
  left join app.sub_pools as sub_pool on sub_pool.task = task.identifier
  where task.id = any(task_ids)
    and case when worker like '%:%' then sub_pool.name = worker
      else sub_pool.name is null or not exists (
        select from app.worker_pools as other
        where other.name = sub_pool.name and other.heartbeat_at > now() - interval '30 seconds')
      end
$function$;
grant execute on function app.kinds_for to servicing_worker;
revoke execute on function app.kinds_for from public;

CREATE OR REPLACE FUNCTION app.lacks_account(role text)
 RETURNS uuid
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'The chart of accounts lacks the role %.', role;
end $function$;

CREATE OR REPLACE FUNCTION app.leap_year_days_before(d date)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (((((((EXTRACT(year FROM d))::bigint - 1) / 4) - (((EXTRACT(year FROM d))::bigint - 1) / 100)) + (((EXTRACT(year FROM d))::bigint - 1) / 400)) * 366) + CASE WHEN ((((EXTRACT(year FROM d))::bigint % (4)::bigint) = 0) AND ((((EXTRACT(year FROM d))::bigint % (100)::bigint) <> 0) OR (((EXTRACT(year FROM d))::bigint % (400)::bigint) = 0))) THEN ((EXTRACT(doy FROM d))::bigint - 1) ELSE (0)::bigint END);

CREATE OR REPLACE FUNCTION app.let_out_of_line(receiver uuid)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with
    in_line as materialized (
      select delivery.id, delivery.attempt
      from webhook_deliveries as delivery
      join webhook_subscriptions as subscription
        on subscription.tenant_id = delivery.tenant_id and subscription.id = delivery.subscription_id
        and not subscription.is_slow
      where delivery.tenant_id = app.current_tenant() and delivery.subscription_id = receiver
        and delivery.status = 'scheduled' and delivery.in_line
      order by delivery.id limit 5000
      for update of delivery skip locked
    ),
    waiting as materialized (
      select in_line.id, job.id as job_id
      from in_line
      cross join lateral (
        select own.id from graphile_worker._private_jobs as own
        where own.key = 'deliver-webhook:' || in_line.id || ':' || in_line.attempt
          and own.job_queue_id is not null and own.is_available
        for update skip locked
      ) as job
    ),
    come as (
      update webhook_deliveries as delivery set in_line = false
      from waiting where delivery.tenant_id = app.current_tenant() and delivery.id = waiting.id
    )
  update graphile_worker._private_jobs as job
  set job_queue_id = null, priority = 0,
      payload = (job.payload::jsonb || '{"in_line": false}')::json, updated_at = now()
  from waiting where job.id = waiting.job_id
$function$;
grant execute on function app.let_out_of_line to servicing_app;
revoke execute on function app.let_out_of_line from public;

CREATE OR REPLACE FUNCTION app.line_joins_new_entry()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare entry record;
begin
  if app.comes_in(tg_relid, new.tenant_id) then
    return new;
  end if;
  select status, entry_date, created_at = now() as is_new into entry
  from journal_entries where tenant_id = new.tenant_id and id = new.entry_id for share;
  if not found or not entry.is_new then
    raise exception 'Lines are written together with their entry.' using errcode = 'check_violation';
  end if;
  if entry.entry_date <> new.entry_date then
    raise exception 'A line has the date of its entry.' using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION app.lock_loan(loan uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare accrued boolean;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('close ' || app.current_tenant(), 0));
  perform from loans where id = loan for no key update;
  if not found then return null; end if;
  select chunk.is_accrued into accrued
  from cob_chunks as chunk
  where chunk.cob_date = app.business_date() and chunk.first_loan_id <= loan
    and (chunk.before_loan_id is null or loan < chunk.before_loan_id)
  for share;
  if accrued then
    insert into cob_written_loans (cob_date, loan_id) values (app.business_date(), loan) on conflict do nothing;
  end if;
  return coalesce(accrued, false);
end $function$;

CREATE OR REPLACE FUNCTION app.miscounted(counted text)
 RETURNS TABLE(tenant_id uuid, status text, is_archived boolean, kept bigint, there bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare kinds text[] := (select columns from app.counted_tables where table_name = counted);
begin
  return query execute format(
    $query$
      select tenant_id, status, is_archived, sum(kept)::bigint, sum(there)::bigint
      from (
        select tenant_id, %s::text as status, %s::boolean as is_archived, 0 as kept, count(*) as there
        from %I group by 1, 2, 3
        union all
        select tenant_id, status, is_archived, sum(rows), 0
        from kept_counts where table_name = %L group by 1, 2, 3
      ) as counted
      group by 1, 2, 3 having sum(kept) <> sum(there)
    $query$,
    case when 'status' = any(kinds) then 'status' else 'null' end,
    case when 'is_archived' = any(kinds) then 'is_archived' else 'null' end,
    counted, counted
  );
end $function$;

CREATE OR REPLACE FUNCTION app.name_operators(tenant_slug text, who text, why text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare named uuid := (select id from tenants where slug = tenant_slug);
begin
  if named is null then return false; end if;
  delete from app.operators where tenant_id <> named;
  insert into app.operators (tenant_id) values (named) on conflict do nothing;
  perform app.note_operation(who, 'operators', jsonb_build_object('tenant_id', named), why);
  return true;
end $function$;
grant execute on function app.name_operators to servicing_worker;
revoke execute on function app.name_operators from public;

CREATE OR REPLACE FUNCTION app.note_operation(who text, action text, details jsonb, why text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  insert into app.operations_log (who, action, details, why)
  values (who, action, jsonb_strip_nulls(details), why)
$function$;
grant execute on function app.note_operation to servicing_worker;
revoke execute on function app.note_operation from public;

CREATE OR REPLACE FUNCTION app.of_request(payload json)
 RETURNS json
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN CASE WHEN (app.current_request() IS NULL) THEN payload ELSE (((payload)::jsonb || jsonb_build_object('request_id', app.current_request())))::json END;

CREATE OR REPLACE FUNCTION app.open_session(tenant uuid, hash bytea)
 RETURNS TABLE(user_id uuid, csrf_token text, email text, first_name text, last_name text, tenant_role text, borrower_id uuid, session_id uuid, second_factor text)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select user_id, csrf_token, email, first_name, last_name, tenant_role, borrower_id, session_id,
         second_factor
  from app.open_session(tenant, hash, false)
$function$;

CREATE OR REPLACE FUNCTION app.open_session(tenant uuid, hash bytea, writes boolean)
 RETURNS TABLE(user_id uuid, csrf_token text, email text, first_name text, last_name text, tenant_role text, borrower_id uuid, session_id uuid, second_factor text, wrote_at timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update sessions as session set last_seen_at = now()
  where session.tenant_id = tenant and session.id_hash = hash and session.revoked_at is null
    and session.last_seen_at < now() - interval '1 minute'
    and session.last_seen_at > now() - make_interval(secs => session.idle_seconds);
  if writes then
    perform set_config('synchronous_commit', 'off', true);
    update sessions as session set wrote_at = now()
    where session.tenant_id = tenant and session.id_hash = hash and session.revoked_at is null
      and session.wrote_at < now() - interval '1 second';
  end if;
  return query
    select account.id, session.csrf_token, account.email, account.first_name, account.last_name,
           account.tenant_role, account.borrower_id, session.id, session.second_factor,
           session.wrote_at
    from sessions as session
    join users as account on account.tenant_id = session.tenant_id and account.id = session.user_id
    left join borrowers as borrower
      on borrower.tenant_id = account.tenant_id and borrower.id = account.borrower_id
    where session.tenant_id = tenant and session.id_hash = hash and session.revoked_at is null
      and session.last_seen_at > now() - make_interval(secs => session.idle_seconds)
      and session.absolute_expires_at > now()
      and session.epoch = account.session_epoch
      and account.is_active and not coalesce(borrower.is_archived, false);
end $function$;

CREATE OR REPLACE FUNCTION app.own_queue_status()
 RETURNS TABLE(task text, ready bigint, scheduled bigint, running bigint, failed bigint, oldest_ready timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select task.identifier,
    count(*) filter (where job.locked_at is null and job.attempts < job.max_attempts and job.run_at <= now()),
    count(*) filter (where job.locked_at is null and job.attempts < job.max_attempts and job.run_at > now()),
    count(*) filter (where job.locked_at is not null),
    count(*) filter (where job.attempts >= job.max_attempts and job.locked_at is null),
    min(job.run_at) filter (where job.locked_at is null and job.attempts < job.max_attempts and job.run_at <= now())
  from graphile_worker._private_jobs as job
  join graphile_worker._private_tasks as task on task.id = job.task_id
  where job.payload ->> 'tenant_id' = app.current_tenant()::text
  group by task.identifier
  order by task.identifier
$function$;
grant execute on function app.own_queue_status to servicing_app;
revoke execute on function app.own_queue_status from public;

CREATE OR REPLACE FUNCTION app.pause_work(pool text, task text, tenant_id uuid, who text, why text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select app.assert_sees_all();
  insert into app.pauses (pool, task, tenant_id, paused_by, reason)
  values (pool, task, tenant_id, who, why)
  on conflict on constraint pauses_pool_task_tenant_id_key do update
    set paused_by = excluded.paused_by, reason = excluded.reason;
  select app.note_operation(
    who, 'pause', jsonb_build_object('pool', pool, 'task', task, 'tenant_id', tenant_id), why)
$function$;
grant execute on function app.pause_work to servicing_app;
grant execute on function app.pause_work to servicing_worker;
revoke execute on function app.pause_work from public;

CREATE OR REPLACE FUNCTION app.prepayment_penalty(loan loans, day date)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (((loan).status <> 'active'::text) OR ((((loan).principal_balance)::numeric + ((loan).charge_off_balance)::numeric) = (0)::numeric) OR (day >= (loan).maturity_date) OR (day >= ((loan).disbursement_date + make_interval(months => (((loan).terms #>> '{prepayment_penalty,within_months}'::text[]))::integer)))) THEN 0.00 WHEN (((loan).terms #>> '{prepayment_penalty,calculation}'::text[]) = 'flat'::text) THEN COALESCE((((loan).terms #>> '{prepayment_penalty,amount}'::text[]))::numeric, 0.00) ELSE round(COALESCE(((((loan).terms #>> '{prepayment_penalty,percentage}'::text[]))::numeric * (((loan).principal_balance)::numeric + ((loan).charge_off_balance)::numeric)), (0)::numeric), 2) END;

CREATE OR REPLACE PROCEDURE app.protect(IN target regclass, IN rights text DEFAULT 'select, insert, update, delete'::text)
 LANGUAGE plpgsql
AS $procedure$
begin
  execute format('alter table %s enable row level security, force row level security', target);
  execute format(
    -- The select around the tenant makes it a constant of the query: read once and not for each row.
    'create policy tenant on %s to servicing_app
       using (tenant_id = (select app.current_tenant()))
       with check (tenant_id = (select app.current_tenant()))', target);
  execute format('create policy owner on %s to servicing_owner using (true) with check (true)', target);
  execute format('create policy auditor on %s for select to servicing_auditor using (true)', target);
  execute format('grant %s on %s to servicing_app', rights, target);
  execute format('grant select on %s to servicing_auditor', target);
  if exists (
    select from pg_attribute where attrelid = target and attname = 'updated_at' and not attisdropped
  ) then
    execute format('create trigger touch before update on %s for each row execute function app.touch()', target);
  end if;
end $procedure$;

CREATE OR REPLACE FUNCTION public.queue_depth(pool text, kinds text[])
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select count(*) from graphile_worker._private_jobs as job
  join graphile_worker._private_tasks as task on task.id = job.task_id
  left join app.sub_pools as sub_pool on sub_pool.task = task.identifier
  where task.identifier = any(kinds) and job.attempts < job.max_attempts and job.run_at <= now()
    and (job.locked_by is not null or not exists (
      select from app.pauses as pause
      where (pause.pool is null or pause.pool in (queue_depth.pool, sub_pool.name))
        and (pause.task is null or pause.task = task.identifier)
        and (pause.tenant_id is null or pause.tenant_id::text = app.tenant_of_job(job.payload))
    ) and app.tenant_of_job(job.payload) not in (
      select tenants.id::text from tenants where not tenants.is_active
    ))
$function$;

CREATE OR REPLACE FUNCTION app.queue_faults()
 RETURNS TABLE(rule text, subject text, message text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select 'jobs are held by living workers', job.id::text,
    format('Job %s (%s) is held by %s, which is not alive.', job.id, task.identifier, job.locked_by)
  from graphile_worker._private_jobs as job
  join graphile_worker._private_tasks as task on task.id = job.task_id
  left join app.worker_pools as pool on pool.pool_id = job.locked_by
  where job.locked_at < now() - interval '1 minute'
    and coalesce(pool.heartbeat_at, '-infinity') < now() - interval '1 minute'
  union all
  select 'failed jobs are visible', job.id::text,
    format('Job %s (%s) failed for good, and no record says so.', job.id, task.identifier)
  from graphile_worker._private_jobs as job
  join graphile_worker._private_tasks as task on task.id = job.task_id
  where job.attempts >= job.max_attempts and job.locked_at is null
    and job.updated_at < now() - interval '1 minute'
    and not exists (
      select from app.failed_jobs as failed where failed.job_id = job.id and failed.retried_at is null
    )
  union all
  select 'scheduled deliveries have their job', delivery.id::text,
    format('Delivery %s is scheduled for %s, and no job will make it.', delivery.id, delivery.next_attempt_at)
  from webhook_deliveries as delivery
  where delivery.status = 'scheduled' and not exists (
    select from graphile_worker._private_jobs as job
    where job.key = format('deliver-webhook:%s:%s', delivery.id, delivery.attempt)
  )
$function$;
grant execute on function app.queue_faults to servicing_auditor;
revoke execute on function app.queue_faults from public;

CREATE OR REPLACE FUNCTION app.queue_status()
 RETURNS TABLE(task text, ready bigint, scheduled bigint, running bigint, failed bigint, oldest_ready timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select task.identifier,
    count(*) filter (where job.locked_at is null and job.attempts < job.max_attempts and job.run_at <= now()),
    count(*) filter (where job.locked_at is null and job.attempts < job.max_attempts and job.run_at > now()),
    count(*) filter (where job.locked_at is not null),
    count(*) filter (where job.attempts >= job.max_attempts and job.locked_at is null),
    min(job.run_at) filter (where job.locked_at is null and job.attempts < job.max_attempts and job.run_at <= now())
  from graphile_worker._private_jobs as job
  join graphile_worker._private_tasks as task on task.id = job.task_id
  group by task.identifier
  order by task.identifier
$function$;
grant execute on function app.queue_status to servicing_auditor;
grant execute on function app.queue_status to servicing_worker;
revoke execute on function app.queue_status from public;

CREATE OR REPLACE FUNCTION app.record_failed_jobs()
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with recorded as (
    insert into app.failed_jobs as failed (job_id, task, payload, attempts, error)
    select job.id, task.identifier, job.payload, job.attempts,
      coalesce(job.last_error, 'The worker died during the last attempt.')
    from graphile_worker._private_jobs as job
    join graphile_worker._private_tasks as task on task.id = job.task_id
    where job.attempts >= job.max_attempts and job.locked_at is null
    on conflict (job_id) do update
      set error = excluded.error, attempts = excluded.attempts, payload = excluded.payload,
        failed_at = now(), retried_at = null, told_at = null
      where failed.retried_at is not null
    returning 1
  )
  select count(*)::integer from recorded
$function$;
grant execute on function app.record_failed_jobs to servicing_worker;
revoke execute on function app.record_failed_jobs from public;

CREATE OR REPLACE FUNCTION app.redact_borrower(borrower uuid, by_whom uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
end $function$;
grant execute on function app.redact_borrower to servicing_app;
revoke execute on function app.redact_borrower from public;

CREATE OR REPLACE FUNCTION app.redact_job_errors()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update app.job_errors set error = 'Redacted' where job_id = new.job_id;
  return null;
end $function$;
revoke execute on function app.redact_job_errors from public;

CREATE OR REPLACE FUNCTION app.redacted_changes(entity text, changes jsonb)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO 'public', 'pg_temp'
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION app.redacted_json(value jsonb, names text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION app.refuse_all_but_revocation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION app.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_level = 'ROW' and tg_op = 'UPDATE' then
    if app.is_redaction(tg_relid, to_jsonb(old), to_jsonb(new)) then return new; end if;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $function$;

CREATE OR REPLACE FUNCTION app.refuse_change_of_redacted()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if tg_op = 'UPDATE' then
    if old.redacted_at is null or app.is_redaction(tg_relid, to_jsonb(old), to_jsonb(new)) then
      return new;
    end if;
  elsif app.comes_in(tg_relid, new.tenant_id) or not exists (
    select from borrowers
    where tenant_id = new.tenant_id and id = new.borrower_id and redacted_at is not null
  ) then
    return new;
  end if;
  raise exception 'The borrower is redacted.'
    using errcode = 'check_violation', constraint = 'borrowers_redacted';
end $function$;

CREATE OR REPLACE FUNCTION app.refuse_other_day(supposed date)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  if supposed is not null and supposed is distinct from app.business_date() then
    raise exception 'Another day has begun.' using errcode = 'TODAY';
  end if;
end $function$;

CREATE OR REPLACE FUNCTION app.refuse_redaction_beside_borrower()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if exists (
    select from co_borrowers as party
    join loans as loan on loan.tenant_id = party.tenant_id and loan.id = party.loan_id
    join borrowers as person on person.tenant_id = loan.tenant_id and person.id = loan.borrower_id
    where party.tenant_id = new.tenant_id and party.borrower_id = new.id and person.redacted_at is null
  ) then
    raise exception 'Borrower % owes a loan beside somebody who is not redacted.', new.id
      using errcode = 'insufficient_privilege';
  end if;
  if exists (
    select from loans as loan
    join co_borrowers as party on party.tenant_id = loan.tenant_id and party.loan_id = loan.id
    join borrowers as person on person.tenant_id = party.tenant_id and person.id = party.borrower_id
    where loan.tenant_id = new.tenant_id and loan.borrower_id = new.id and person.is_on_legal_hold
  ) then
    raise exception 'Somebody who owes a loan of borrower % is on legal hold.', new.id
      using errcode = 'insufficient_privilege';
  end if;
  return new;
end $function$;
revoke execute on function app.refuse_redaction_beside_borrower from public;

CREATE OR REPLACE FUNCTION app.refuse_shut()
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  if app.is_shut() then
    raise exception 'The tenant is closed while it moves.' using errcode = 'TSHUT';
  end if;
end $function$;

CREATE OR REPLACE FUNCTION app.relay_events(batch integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare taken integer;
begin
  with
    waiting as materialized (
      select event.tenant_id, event.id
      from tenants as tenant
      cross join lateral (
        select own.tenant_id, own.id from events as own
        where own.tenant_id = tenant.id and own.relayed_at is null
        order by own.id limit batch
      ) as event
      where tenant.is_active
      order by event.id limit batch
    ),
    due as (
      select event.tenant_id, event.id, event.event_type, event.request_id
      from waiting
      join events as event on event.tenant_id = waiting.tenant_id and event.id = waiting.id
      where event.relayed_at is null
      for update of event skip locked
    ),
    marked as (
      update events as event set relayed_at = now() from due
      where event.tenant_id = due.tenant_id and event.id = due.id
      returning event.id
    ),
    deliveries as (
      insert into webhook_deliveries (tenant_id, subscription_id, event_id, next_attempt_at, in_line)
      select due.tenant_id, subscription.id, due.id, now(), subscription.is_slow
      from due
      join webhook_subscriptions as subscription
        on subscription.tenant_id = due.tenant_id and subscription.is_active and not subscription.is_deleted
        and (subscription.events ? due.event_type or subscription.events ? '*')
      on conflict do nothing
      returning tenant_id, id, subscription_id, in_line, event_id
    ),
    jobs as (
      select count(*) as enqueued from graphile_worker.add_jobs(array(
        select app.delivery_job(new.tenant_id, new.subscription_id, new.id, 1, new.in_line,
          subscription.failing_since is not null, now(), due.request_id)
        from deliveries as new
        join due on due.tenant_id = new.tenant_id and due.id = new.event_id
        join webhook_subscriptions as subscription
          on subscription.tenant_id = new.tenant_id and subscription.id = new.subscription_id
      ))
    )
  select (select count(*) from marked) + 0 * (select enqueued from jobs) into taken;
  return taken;
end $function$;
grant execute on function app.relay_events to servicing_worker;
revoke execute on function app.relay_events from public;

CREATE OR REPLACE FUNCTION app.repayment_foreseen(loan loans, day date)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN app.repayment_foreseen((((loan).principal_balance)::numeric + ((loan).outstanding_fees)::numeric), (loan).linear_until, ((loan).interest_ahead)::numeric, app.interest_balance(loan, day), day);

CREATE OR REPLACE FUNCTION app.repayment_foreseen(principal_and_fees numeric, linear_until date, interest_ahead numeric, interest numeric, day date)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN GREATEST((principal_and_fees + CASE WHEN ((day > linear_until) AND (interest_ahead IS NOT NULL)) THEN interest_ahead ELSE interest END), 0.00);

CREATE OR REPLACE FUNCTION app.repayment_owed(loan loans, day date)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN GREATEST(((((loan).principal_balance)::numeric + ((loan).outstanding_fees)::numeric) + app.interest_balance(loan, day)), 0.00);

CREATE OR REPLACE FUNCTION app.resume_work(pool text, task text, tenant_id uuid, who text, why text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform app.assert_sees_all();
  delete from app.pauses as pause
  where pause.pool is not distinct from resume_work.pool
    and pause.task is not distinct from resume_work.task
    and pause.tenant_id is not distinct from resume_work.tenant_id;
  if not found then return false; end if;
  perform app.note_operation(
    who, 'resume', jsonb_build_object('pool', pool, 'task', task, 'tenant_id', tenant_id), why);
  perform app.call_workers();
  return true;
end $function$;
grant execute on function app.resume_work to servicing_app;
grant execute on function app.resume_work to servicing_worker;
revoke execute on function app.resume_work from public;

CREATE OR REPLACE FUNCTION app.retire_secret_keys(ids text[])
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  update app.secret_keys set retired_at = now() where id = any(ids) and retired_at is null
$function$;
grant execute on function app.retire_secret_keys to servicing_worker;
revoke execute on function app.retire_secret_keys from public;

CREATE OR REPLACE FUNCTION app.retry_failed_job(failed_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare failed app.failed_jobs;
begin
  update app.failed_jobs set retried_at = now(), is_canceled = false
  where id = failed_id and retried_at is null
  returning * into failed;
  if not found then return false; end if;

  update graphile_worker._private_jobs
  set attempts = 0, run_at = now(), updated_at = now()
  where id = failed.job_id;
  if found then
    perform app.call_workers();
  else
    perform graphile_worker.add_job(
      identifier => failed.task, payload => failed.payload::json,
      max_attempts => greatest(failed.attempts, 2)
    );
  end if;
  return true;
end $function$;
grant execute on function app.retry_failed_job to servicing_worker;
revoke execute on function app.retry_failed_job from public;

CREATE OR REPLACE FUNCTION app.rules_of(tenant uuid, whom uuid)
 RETURNS TABLE(type text, action text, resource text, record jsonb, record_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select type, action, resource, record, record_id
  from (
    select 1 as source, created_at, id, 0::bigint as place,
           type, action, resource, record, null::uuid as record_id
    from user_permissions where tenant_id = tenant and user_id = whom
    union all
    select 2, held.created_at, held.id, rule.place,
           rule.said ->> 'type', rule.said ->> 'action', rule.said ->> 'resource',
           nullif(rule.said -> 'record', 'null'), null
    from permission_group_members as member
    join permission_groups as held
      on held.tenant_id = member.tenant_id and held.id = member.group_id
    cross join jsonb_array_elements(held.permissions) with ordinality as rule (said, place)
    where member.tenant_id = tenant and member.user_id = whom
    union all
    select 3, created_at, id, 0, 'allow', action, resource, null, record_id
    from object_grants where tenant_id = tenant and user_id = whom
  ) as rules
  order by source, created_at, id, place
$function$;

CREATE OR REPLACE FUNCTION app.seen_causes()
 RETURNS TABLE(kind text, cause text, jobs bigint, tenants bigint, first_at timestamp with time zone, last_at timestamp with time zone, example bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select failed.task, app.cause_of(failed.error), count(*), count(distinct failed.payload ->> 'tenant_id'),
    min(failed.failed_at), max(failed.failed_at), max(failed.job_id)
  from app.failed_jobs as failed
  where failed.retried_at is null
    and (app.seen_tenant(null) is null or failed.payload ->> 'tenant_id' = app.seen_tenant(null)::text)
  group by 1, 2 order by 3 desc, 1, 2 limit 200
$function$;
grant execute on function app.seen_causes to servicing_app;
grant execute on function app.seen_causes to servicing_worker;
revoke execute on function app.seen_causes from public;

CREATE OR REPLACE FUNCTION app.seen_changes(wanted integer)
 RETURNS SETOF app.operations_log
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select id, done_at,
    case when all_seen or action like '%-jobs' then who else 'an operator of the platform' end, action, details, why
  from app.operations_log cross join app.sees_all() as all_seen
  where all_seen or details ->> 'tenant_id' = app.current_tenant()::text
  order by done_at desc, id desc limit wanted
$function$;
grant execute on function app.seen_changes to servicing_app;
grant execute on function app.seen_changes to servicing_worker;
revoke execute on function app.seen_changes from public;

CREATE OR REPLACE FUNCTION app.seen_clock()
 RETURNS TABLE(task text, last_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$ select task, ticked_at from app.schedule_ticks $function$;
grant execute on function app.seen_clock to servicing_app;
grant execute on function app.seen_clock to servicing_worker;
revoke execute on function app.seen_clock from public;

CREATE OR REPLACE FUNCTION app.seen_closes()
 RETURNS TABLE(tenant text, cob_date date, status text, chunks_total integer, chunks_done integer, loans integer, set_aside integer, started_at timestamp with time zone, finished_at timestamp with time zone, seconds_left integer)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select tenants.slug, run.cob_date,
    case when run.status = 'running' and failed.is_so then 'failed' else run.status end,
    run.chunks_total, done.chunks, run.loans, run.parked, run.started_at, run.finished_at,
    case when run.finished_at is null and done.chunks > 0 and not failed.is_so then
      (extract(epoch from now() - run.started_at) / done.chunks * (run.chunks_total - done.chunks))::integer end
  from cob_runs as run
  join tenants on tenants.id = run.tenant_id
  cross join lateral (
    select count(*)::integer as chunks from cob_chunks as chunk
    where chunk.tenant_id = run.tenant_id and chunk.run_id = run.id and chunk.done_at is not null
  ) as done
  cross join lateral (
    select run.finished_at is null and exists (
      select from app.failed_jobs as job
      where job.retried_at is null and job.task = 'close-loans' and job.payload ->> 'run_id' = run.id::text
    ) as is_so
  ) as failed
  where (run.finished_at is null or run.started_at > now() - interval '2 days')
    and (app.seen_tenant(null) is null or run.tenant_id = app.seen_tenant(null))
  order by run.finished_at is not null, run.started_at desc limit 50
$function$;
grant execute on function app.seen_closes to servicing_app;
grant execute on function app.seen_closes to servicing_worker;
revoke execute on function app.seen_closes from public;

CREATE OR REPLACE FUNCTION app.seen_errors(wanted bigint)
 RETURNS TABLE(attempt integer, error text, failed_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select attempt, error, failed_at from app.job_errors
  where job_id = wanted and (app.seen_tenant(null) is null or tenant_id = app.seen_tenant(null))
  order by failed_at desc, id desc limit 100
$function$;
grant execute on function app.seen_errors to servicing_app;
grant execute on function app.seen_errors to servicing_worker;
revoke execute on function app.seen_errors from public;

CREATE OR REPLACE FUNCTION app.seen_job(wanted bigint)
 RETURNS TABLE(number bigint, state text, kind text, tenant_id text, payload jsonb, attempts integer, max_attempts integer, run_at timestamp with time zone, since timestamp with time zone, error text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select * from (
    select failed.job_id, 'failed', failed.task, app.tenant_of_job(failed.payload::json) as whose, failed.payload,
      failed.attempts, coalesce((
        select own.max_attempts::integer from graphile_worker._private_jobs as own where own.id = failed.job_id
      ), failed.attempts), null::timestamptz, failed.failed_at, failed.error
    from app.failed_jobs as failed
    where failed.job_id = wanted and failed.retried_at is null
    union all
    select job.id, case when job.locked_by is not null then 'running' when job.attempts >= job.max_attempts
        then 'failed' when job.run_at > now() then 'scheduled' else 'waiting' end,
      task.identifier, app.tenant_of_job(job.payload), job.payload::jsonb, job.attempts::integer,
      job.max_attempts::integer, job.run_at, coalesce(job.locked_at, job.run_at), job.last_error
    from graphile_worker._private_jobs as job
    join graphile_worker._private_tasks as task on task.id = job.task_id
    where job.id = wanted
  ) as job
  where app.seen_tenant(null) is null or whose = app.seen_tenant(null)::text
  limit 1
$function$;
grant execute on function app.seen_job to servicing_app;
grant execute on function app.seen_job to servicing_worker;
revoke execute on function app.seen_job from public;

CREATE OR REPLACE FUNCTION app.seen_jobs(state text, task text, tenant uuid, older_seconds integer, cause text, skipped integer, wanted integer)
 RETURNS TABLE(number bigint, kind text, tenant_id text, payload jsonb, attempts integer, max_attempts integer, run_at timestamp with time zone, since timestamp with time zone, error text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
 SET jit TO 'off'
AS $function$
declare
  whose uuid := app.seen_tenant(tenant);
  until timestamptz := now() - make_interval(secs => coalesce(older_seconds, 0));
begin
  if state in ('waiting', 'scheduled') then
    return query
      select job.id, job.kind, job.line, job.payload::jsonb, job.attempts::integer, job.max_attempts::integer,
        job.run_at, job.run_at, job.last_error
      from (
        select own.*, line.kind, line.line
        from app.waiting_lines(seen_jobs.task, whose) as line
        cross join lateral (
          select * from graphile_worker._private_jobs as free
          where free.is_available and free.job_queue_id is null and free.task_id = line.task_id
            and app.tenant_of_job(free.payload) = line.line
            and case when seen_jobs.state = 'waiting' then free.run_at <= until else free.run_at > now() end
          order by free.priority, free.run_at limit skipped + wanted
        ) as own
        union all
        select own.*, task.identifier, app.tenant_of_job(own.payload)
        from graphile_worker._private_job_queues as queue
        cross join lateral (
          select * from graphile_worker._private_jobs as queued
          where queued.is_available and queued.job_queue_id = queue.id
            and (seen_jobs.task is null or queued.task_id in (
              select known.id from graphile_worker._private_tasks as known where known.identifier = seen_jobs.task))
            and (whose is null or app.tenant_of_job(queued.payload) = whose::text)
            and case when seen_jobs.state = 'waiting' then queued.run_at <= until else queued.run_at > now() end
          order by queued.priority, queued.run_at limit skipped + wanted
        ) as own
        join graphile_worker._private_tasks as task on task.id = own.task_id
      ) as job
      order by job.run_at, job.id offset skipped limit wanted;
  elsif state = 'running' then
    return query
      select job.id, task.identifier, app.tenant_of_job(job.payload), job.payload::jsonb, job.attempts::integer,
        job.max_attempts::integer, job.run_at, job.locked_at, job.last_error
      from graphile_worker._private_jobs as job
      join graphile_worker._private_tasks as task on task.id = job.task_id
      where job.locked_by is not null and job.locked_at <= until
        and (seen_jobs.task is null or task.identifier = seen_jobs.task)
        and (whose is null or app.tenant_of_job(job.payload) = whose::text)
      order by job.locked_at, job.id offset skipped limit wanted;
  elsif state = 'failed' then
    return query
      select failed.job_id, failed.task, app.tenant_of_job(failed.payload::json), failed.payload, failed.attempts,
        coalesce((
          select own.max_attempts::integer from graphile_worker._private_jobs as own where own.id = failed.job_id
        ), failed.attempts), null::timestamptz, failed.failed_at, failed.error
      from app.failed_jobs as failed
      where failed.retried_at is null and failed.failed_at <= until
        and (seen_jobs.task is null or failed.task = seen_jobs.task)
        and (whose is null or failed.payload ->> 'tenant_id' = whose::text)
        and (seen_jobs.cause is null or app.cause_of(failed.error) = seen_jobs.cause)
      order by failed.failed_at, failed.job_id offset skipped limit wanted;
  end if;
end $function$;
grant execute on function app.seen_jobs to servicing_app;
grant execute on function app.seen_jobs to servicing_worker;
revoke execute on function app.seen_jobs from public;

CREATE OR REPLACE FUNCTION app.seen_kinds()
 RETURNS TABLE(kind text, waiting bigint, scheduled bigint, running bigint, failed bigint, oldest timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET jit TO 'off'
AS $function$
  with free as (
    select line.kind, sum(ready.jobs) as ready, sum(later.jobs) as later, min(first.run_at) as oldest
    from app.waiting_lines(null, app.seen_tenant(null)) as line
    cross join lateral (select count(*) as jobs from (
      select from graphile_worker._private_jobs as job
      where job.is_available and job.job_queue_id is null and job.task_id = line.task_id and app.tenant_of_job(job.payload) = line.line
        and job.run_at <= now() limit 100000) as counted) as ready
    cross join lateral (select count(*) as jobs from (
      select from graphile_worker._private_jobs as job
      where job.is_available and job.job_queue_id is null and job.task_id = line.task_id and app.tenant_of_job(job.payload) = line.line
        and job.run_at > now() limit 100000) as counted) as later
    left join lateral (
      select job.run_at from graphile_worker._private_jobs as job
      where job.is_available and job.job_queue_id is null and job.task_id = line.task_id and app.tenant_of_job(job.payload) = line.line
        and job.run_at <= now() order by job.priority, job.run_at limit 1) as first on true
    group by line.kind
  ), queued as (
    select task.identifier as kind, count(*) filter (where job.run_at <= now()) as ready,
      count(*) filter (where job.run_at > now()) as later, min(job.run_at) filter (where job.run_at <= now()) as oldest
    from (
      select own.task_id, own.run_at from graphile_worker._private_jobs as own
      where own.is_available and own.job_queue_id is not null
        and (app.seen_tenant(null) is null or app.tenant_of_job(own.payload) = app.seen_tenant(null)::text)
      limit 100000
    ) as job
    join graphile_worker._private_tasks as task on task.id = job.task_id
    group by 1
  ), waiting as (
    select kind, sum(ready) as ready, sum(later) as later, min(oldest) as oldest
    from (select * from free union all select * from queued) as both_kinds
    group by kind having sum(ready) + sum(later) > 0
  ), running as (
    select task.identifier as kind, count(*) as jobs from graphile_worker._private_jobs as job
    join graphile_worker._private_tasks as task on task.id = job.task_id
    where job.locked_by is not null
      and (app.seen_tenant(null) is null or app.tenant_of_job(job.payload) = app.seen_tenant(null)::text)
    group by 1
  ), failed as (
    select failed.task as kind, count(*) as jobs from app.failed_jobs as failed
    where failed.retried_at is null
      and (app.seen_tenant(null) is null or failed.payload ->> 'tenant_id' = app.seen_tenant(null)::text)
    group by 1
  )
  select kind, coalesce(waiting.ready, 0)::bigint, coalesce(waiting.later, 0)::bigint,
    coalesce(running.jobs, 0), coalesce(failed.jobs, 0), waiting.oldest
  from waiting full join running using (kind) full join failed using (kind)
  order by kind
$function$;
grant execute on function app.seen_kinds to servicing_app;
grant execute on function app.seen_kinds to servicing_worker;
revoke execute on function app.seen_kinds from public;

CREATE OR REPLACE FUNCTION app.seen_pauses()
 RETURNS TABLE(pool text, task text, tenant_id uuid, tenant text, reason text, paused_by text, paused_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select pause.pool, pause.task, pause.tenant_id, tenants.slug,
    case when all_seen or pause.tenant_id = app.current_tenant() then pause.reason end,
    case when all_seen then pause.paused_by end, pause.paused_at
  from app.pauses as pause
  cross join app.sees_all() as all_seen
  left join tenants on tenants.id = pause.tenant_id
  where all_seen or pause.tenant_id is null or pause.tenant_id = app.current_tenant()
  order by pause.paused_at, pause.id
$function$;
grant execute on function app.seen_pauses to servicing_app;
grant execute on function app.seen_pauses to servicing_worker;
revoke execute on function app.seen_pauses from public;

CREATE OR REPLACE FUNCTION app.seen_processes()
 RETURNS TABLE(pool_id text, name text, host text, pid integer, started_at timestamp with time zone, slots integer, heartbeat_seconds integer)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select case when all_seen then process.pool_id end, process.name, case when all_seen then process.host end,
    case when all_seen then process.pid end, case when all_seen then process.started_at end, process.slots,
    extract(epoch from now() - process.heartbeat_at)::integer
  from app.worker_pools as process cross join app.sees_all() as all_seen
  order by process.name, process.started_at
$function$;
grant execute on function app.seen_processes to servicing_app;
grant execute on function app.seen_processes to servicing_worker;
revoke execute on function app.seen_processes from public;

CREATE OR REPLACE FUNCTION app.seen_quarters(hours integer)
 RETURNS TABLE(quarter timestamp with time zone, pool text, runs bigint, failures bigint, seconds numeric, waits bigint[])
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select quarter, pool, sum(runs)::bigint, sum(failures)::bigint, sum(seconds), (
    select array_agg(total order by place) from (
      select place, sum(count)::bigint as total
      from app.job_quarters as own cross join unnest(own.waits) with ordinality as wait (count, place)
      where own.quarter = known.quarter and own.pool = known.pool group by place
    ) as summed)
  from app.job_quarters as known
  where app.sees_all() and quarter > now() - make_interval(hours => hours)
  group by quarter, pool order by quarter, pool
$function$;
grant execute on function app.seen_quarters to servicing_app;
grant execute on function app.seen_quarters to servicing_worker;
revoke execute on function app.seen_quarters from public;

CREATE OR REPLACE FUNCTION app.seen_tenant(wanted uuid)
 RETURNS uuid
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select case when app.sees_all() then wanted
    else coalesce(app.current_tenant(), '00000000-0000-0000-0000-000000000000') end
$function$;
revoke execute on function app.seen_tenant from public;

CREATE OR REPLACE FUNCTION app.seen_tenants()
 RETURNS TABLE(id uuid, slug text, is_active boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select tenants.id, tenants.slug, tenants.is_active from tenants
  where app.seen_tenant(null) is null or tenants.id = app.seen_tenant(null)
  order by tenants.slug
$function$;
grant execute on function app.seen_tenants to servicing_app;
grant execute on function app.seen_tenants to servicing_worker;
revoke execute on function app.seen_tenants from public;

CREATE OR REPLACE FUNCTION app.seen_webhooks()
 RETURNS TABLE(tenant text, subscription_id uuid, host text, is_active boolean, consecutive_failures integer, waiting bigint, last_error text, disabled_at timestamp with time zone, failing_since timestamp with time zone, is_slow boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select tenants.slug, hook.id, substring(hook.url from '^https?://(?:[^@/]*@)?([^/?#]+)'), hook.is_active,
    hook.consecutive_failures, (
      select count(*) from webhook_deliveries as delivery
      where delivery.tenant_id = hook.tenant_id and delivery.subscription_id = hook.id
        and delivery.status = 'scheduled'),
    left(coalesce(hook.last_error, hook.last_failure), 200), hook.disabled_at, hook.failing_since, hook.is_slow
  from webhook_subscriptions as hook
  join tenants on tenants.id = hook.tenant_id
  where not hook.is_deleted and (app.seen_tenant(null) is null or hook.tenant_id = app.seen_tenant(null))
  order by hook.is_active, hook.failing_since is null, hook.consecutive_failures desc, hook.id limit 200
$function$;
grant execute on function app.seen_webhooks to servicing_app;
grant execute on function app.seen_webhooks to servicing_worker;
revoke execute on function app.seen_webhooks from public;

CREATE OR REPLACE FUNCTION app.sees_all()
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select case when app.current_tenant() is null then pg_has_role(session_user, 'servicing_worker', 'member')
    else exists (select from app.operators where tenant_id = app.current_tenant()) end
$function$;
grant execute on function app.sees_all to servicing_app;
grant execute on function app.sees_all to servicing_worker;
revoke execute on function app.sees_all from public;

CREATE OR REPLACE FUNCTION app.send_deliveries(ids uuid[], put_aside boolean)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select from graphile_worker.add_jobs(array(
    select app.delivery_job(delivery.tenant_id, delivery.subscription_id, delivery.id, delivery.attempt,
      delivery.in_line, put_aside or subscription.failing_since is not null, delivery.next_attempt_at,
      event.request_id)
    from webhook_deliveries as delivery
    join webhook_subscriptions as subscription
      on subscription.tenant_id = delivery.tenant_id and subscription.id = delivery.subscription_id
    join events as event on event.tenant_id = delivery.tenant_id and event.id = delivery.event_id
    where delivery.tenant_id = app.current_tenant() and delivery.id = any(ids)
      and delivery.status = 'scheduled'
    order by delivery.id
  ))
$function$;
grant execute on function app.send_deliveries to servicing_app;
revoke execute on function app.send_deliveries from public;

CREATE OR REPLACE FUNCTION app.set_slots(pool text, slots integer, who text, why text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform app.assert_sees_all();
  if slots is null then
    delete from app.pool_slots as known where known.pool = set_slots.pool;
  else
    insert into app.pool_slots (pool, slots, set_by) values (pool, slots, who)
    on conflict on constraint pool_slots_pkey do update
      set slots = excluded.slots, set_by = excluded.set_by, set_at = now();
  end if;
  perform app.note_operation(
    who, 'slots', jsonb_build_object('pool', pool, 'slots', coalesce(slots::text, 'own')), why);
end $function$;
grant execute on function app.set_slots to servicing_app;
grant execute on function app.set_slots to servicing_worker;
revoke execute on function app.set_slots from public;

CREATE OR REPLACE FUNCTION app.sweep_dead_workers(silence interval, ended text[])
 RETURNS TABLE(dead_pool text, unlocked_jobs bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  for dead_pool in
    select pool.pool_id from app.worker_pools as pool
    where pool.heartbeat_at < now() - silence
      or (pool.pool_id = any(ended) and pool.heartbeat_at < now() - silence / 4)
    for update skip locked
  loop
    continue when not pg_try_advisory_xact_lock(app.worker_lock(dead_pool));
    unlocked_jobs := (select count(*) from graphile_worker._private_jobs as job where job.locked_by = dead_pool);
    perform graphile_worker.force_unlock_workers(array[dead_pool]);
    delete from app.worker_pools as pool where pool.pool_id = dead_pool;
    return next;
  end loop;

  -- Died before it could sign: nobody of that name is known, and its oldest lock is a minute old.
  for dead_pool, unlocked_jobs in
    select job.locked_by, count(*) from graphile_worker._private_jobs as job
    where job.locked_by is not null
      and not exists (select from app.worker_pools as pool where pool.pool_id = job.locked_by)
    group by job.locked_by
    having min(job.locked_at) < now() - 2 * silence
  loop
    continue when not pg_try_advisory_xact_lock(app.worker_lock(dead_pool));
    perform graphile_worker.force_unlock_workers(array[dead_pool]);
    return next;
  end loop;
end $function$;
grant execute on function app.sweep_dead_workers to servicing_worker;
revoke execute on function app.sweep_dead_workers from public;

CREATE OR REPLACE FUNCTION app.tables_to_analyze()
 RETURNS TABLE(name text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with known as (
    select class.oid, class.relkind, class.reltuples,
      stats.n_mod_since_analyze as changed,
      greatest(stats.last_analyze, stats.last_autoanalyze) as analyzed_at
    from pg_class as class
    join pg_stat_all_tables as stats on stats.relid = class.oid
    where class.relnamespace = 'public'::regnamespace and class.relkind in ('r', 'p')
      and pg_has_role(current_user, class.relowner, 'usage')
  )
  select known.oid::regclass::text from known
  where known.relkind = 'r'
    and case
      when known.analyzed_at is null then pg_relation_size(known.oid) > 0
      else known.changed > 1000 and known.changed > 0.02 * known.reltuples
    end
  union all
  select parent.oid::regclass::text from known as parent
  where parent.relkind = 'p' and exists (
    select from pg_inherits
    join known as part on part.oid = pg_inherits.inhrelid
    where pg_inherits.inhparent = parent.oid
      and part.analyzed_at > coalesce(parent.analyzed_at, '-infinity')
  )
$function$;
grant execute on function app.tables_to_analyze to servicing_app;
revoke execute on function app.tables_to_analyze from public;

CREATE OR REPLACE FUNCTION app.take_back_day(loans uuid[])
 RETURNS TABLE(loan_id uuid, first_delinquency_date date, times_delinquent_30 integer, times_delinquent_60 integer, times_delinquent_90 integer)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
#variable_conflict use_column
declare
  tenant uuid := app.current_tenant();
  today date := app.business_date();
  loan uuid;
begin
  foreach loan in array loans loop
    delete from cob_written_loans where tenant_id = tenant and cob_date = today and loan_id = loan;
    continue when not found;
    delete from loan_particulars where tenant_id = tenant and loan_id = loan and from_date = today;
    return query
      delete from loan_snapshots as kept
      where kept.tenant_id = tenant and kept.snapshot_date = today and kept.loan_id = loan
      returning kept.loan_id, kept.first_delinquency_date, kept.times_delinquent_30, kept.times_delinquent_60,
        kept.times_delinquent_90;
  end loop;
end $function$;
grant execute on function app.take_back_day to servicing_app;
revoke execute on function app.take_back_day from public;

CREATE OR REPLACE FUNCTION app.take_jobs(worker_id text, worker text, task_ids integer[], wanted integer)
 RETURNS SETOF graphile_worker._private_jobs
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
declare own_pool text := split_part(worker, ':', 1);
begin
  perform pg_advisory_xact_lock(hashtextextended('fetch:' || own_pool, 0));
  return query
    with recursive
    kind as materialized (select * from app.kinds_for(worker, task_ids)),
    -- Each tenant of each kind, by jumping in the index from one to the next.
    line (task_id, tenant) as (
      select kind.id, (
        select app.tenant_of_job(job.payload) from graphile_worker._private_jobs as job
        where job.is_available and job.job_queue_id is null and job.task_id = kind.id
        order by app.tenant_of_job(job.payload) limit 1)
      from kind
      union all
      select line.task_id, (
        select app.tenant_of_job(job.payload) from graphile_worker._private_jobs as job
        where job.is_available and job.job_queue_id is null and job.task_id = line.task_id
          and app.tenant_of_job(job.payload) > line.tenant
        order by app.tenant_of_job(job.payload) limit 1)
      from line where line.tenant is not null
    ),
    -- What may not be fetched: of a kind all jobs, or those of a tenant.
    closed as materialized (
      select kind.id as task_id, pause.tenant_id::text as tenant
      from app.pauses as pause
      join kind on (pause.pool is null or pause.pool in (own_pool, kind.sub_pool))
        and (pause.task is null or pause.task = kind.task)
      union all
      select kind.id, tenants.id::text from tenants cross join kind where not tenants.is_active
    ),
    open_line as materialized (
      select line.task_id, line.tenant from line
      -- A line whose jobs are all of later takes no share of those that are fetched.
      cross join lateral (
        select from graphile_worker._private_jobs as job
        where job.is_available and job.job_queue_id is null and job.task_id = line.task_id
          and app.tenant_of_job(job.payload) = line.tenant and job.run_at <= now()
        order by job.priority, job.run_at limit 1
      ) as due
      where line.tenant is not null
        and not exists (
          select from closed
          where closed.task_id = line.task_id and (closed.tenant is null or closed.tenant = line.tenant))
    ),
    -- The first job of each named queue in which none runs.
    queued as (
      select job.*
      from graphile_worker._private_job_queues as queue
      cross join lateral (
        select job.id, job.task_id, app.tenant_of_job(job.payload) as tenant, job.priority, job.run_at
        from graphile_worker._private_jobs as job
        where job.is_available and job.job_queue_id = queue.id and job.run_at <= now()
          and job.task_id in (select kind.id from kind)
          and not exists (
            select from closed
            where closed.task_id = job.task_id
              and (closed.tenant is null or closed.tenant = app.tenant_of_job(job.payload)))
        order by job.priority, job.run_at limit 1
      ) as job
      where queue.is_available
    ),
    free as (
      select job.id, open_line.task_id, open_line.tenant, job.priority, job.run_at
      from open_line
      cross join lateral (
        select job.id, job.priority, job.run_at from graphile_worker._private_jobs as job
        where job.is_available and job.job_queue_id is null and job.task_id = open_line.task_id
          and app.tenant_of_job(job.payload) = open_line.tenant and job.run_at <= now()
        order by job.priority, job.run_at
        limit ceil(wanted::numeric / (select count(*) from open_line))
      ) as job
    ),
    busy as materialized (
      select job.task_id, app.tenant_of_job(job.payload) as tenant, count(*) as jobs
      from graphile_worker._private_jobs as job
      where job.locked_by is not null and job.task_id = any(task_ids)
      group by 1, 2
    ),
    busy_tenant as (select busy.tenant, sum(busy.jobs) as jobs from busy group by 1),
    head as (
      select job.id, job.priority, random() as lot, job.tenant,
        coalesce(busy.jobs, 0) + row_number() over (
          partition by job.task_id, job.tenant order by job.priority, job.run_at
        ) as turn_of_kind
      from (select * from free union all select * from queued) as job
      left join busy on busy.task_id = job.task_id and busy.tenant = job.tenant
    ),
    turn as (
      select head.id, head.priority, head.lot,
        coalesce(busy_tenant.jobs, 0) + row_number() over (
          partition by head.tenant order by head.priority, head.turn_of_kind, head.lot
        ) as turn_of_tenant
      from head left join busy_tenant on busy_tenant.tenant = head.tenant
    ),
    -- A job that a transaction is changing at the moment is passed over.
    taken as (
      select job.id, job.job_queue_id
      from (select turn.id from turn order by turn.priority, turn.turn_of_tenant, turn.lot) as next
      cross join lateral (
        select waiting.id, waiting.job_queue_id from graphile_worker._private_jobs as waiting
        where waiting.id = next.id and waiting.is_available
        for update skip locked
      ) as job
      limit wanted
    ),
    held as (
      update graphile_worker._private_job_queues as queue
      set locked_by = worker_id, locked_at = now()
      from taken where queue.id = taken.job_queue_id and queue.is_available
      returning queue.id
    )
    update graphile_worker._private_jobs as job
    set attempts = job.attempts + 1, locked_by = worker_id, locked_at = now()
    where job.id = any(array(
      select taken.id from taken
      where taken.job_queue_id is null or taken.job_queue_id in (select held.id from held)))
    returning job.*;
end $function$;
grant execute on function app.take_jobs to servicing_worker;
revoke execute on function app.take_jobs from public;

CREATE OR REPLACE FUNCTION app.tenant_of_host(host text)
 RETURNS TABLE(id uuid, slug text, is_active boolean, door text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select tenant.id, tenant.slug, tenant.is_active, tenant.door
  from tenant_domains as domain join tenants as tenant on tenant.id = domain.tenant_id
  where domain.domain = host
$function$;

CREATE OR REPLACE FUNCTION app.tenant_of_job(payload json)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN COALESCE("left"((payload ->> 'tenant_id'::text), 36), ''::text);
grant execute on function app.tenant_of_job to servicing_app;
grant execute on function app.tenant_of_job to servicing_worker;
revoke execute on function app.tenant_of_job from public;

CREATE OR REPLACE FUNCTION app.tick_schedule(task text, minute timestamp with time zone, max_attempts integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare current timestamptz := clock_timestamp();
begin
  if minute > current then return false; end if;
  insert into app.schedule_ticks as known (task, ticked_at) values (tick_schedule.task, minute)
  on conflict on constraint schedule_ticks_pkey do update set ticked_at = excluded.ticked_at
    where known.ticked_at < excluded.ticked_at or known.ticked_at > current;
  if not found then return false; end if;
  perform graphile_worker.add_job(
    identifier => tick_schedule.task, payload => '{}'::json, run_at => current,
    max_attempts => tick_schedule.max_attempts, job_key => 'clock:' || tick_schedule.task, job_key_mode => 'replace'
  );
  return true;
end $function$;
grant execute on function app.tick_schedule to servicing_worker;
revoke execute on function app.tick_schedule from public;

CREATE OR REPLACE FUNCTION app.touch()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if current_setting('app.sealing', true) is distinct from 'on' then
    new.updated_at := now();
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION app.unpaid_since(loan loans, day date)
 RETURNS date
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN app.unpaid_since(loan, day, app.interest_balance(loan, day));

CREATE OR REPLACE FUNCTION app.unpaid_since(loan loans, day date, interest numeric)
 RETURNS date
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN app.unpaid_since((loan).status, ((((loan).principal_balance)::numeric + interest) + ((loan).outstanding_fees)::numeric), (loan).oldest_unpaid_due_date, (loan).maturity_date, day);

CREATE OR REPLACE FUNCTION app.unpaid_since(status text, repayment numeric, oldest_unpaid_due_date date, maturity_date date, day date)
 RETURNS date
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((status <> 'active'::text) OR (repayment <= (0)::numeric)) THEN NULL::date ELSE COALESCE(oldest_unpaid_due_date, CASE WHEN (day > maturity_date) THEN maturity_date ELSE NULL::date END) END;

CREATE OR REPLACE FUNCTION app.use_secret_keys(ids text[], check_values text[])
 RETURNS TABLE(id text, is_other boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  return query
    select key.id, given.id is not null
    from app.secret_keys as key
    left join unnest(ids, check_values) as given (id, check_value) on given.id = key.id
    where (given.id is null and key.retired_at is null) or given.check_value <> key.check_value
    order by key.id;
  if found then return; end if;
  insert into app.secret_keys as key (id, check_value) values (ids[1], check_values[1])
  on conflict on constraint secret_keys_pkey do update
    set retired_at = null, check_value = excluded.check_value
    where key.retired_at is not null or key.check_value is null;
  update app.secret_keys as key set check_value = given.check_value
  from unnest(ids, check_values) as given (id, check_value)
  where key.id = given.id and key.check_value is null;
end $function$;
grant execute on function app.use_secret_keys to servicing_app;
revoke execute on function app.use_secret_keys from public;

CREATE OR REPLACE FUNCTION app.waiting_lines(task text, tenant uuid)
 RETURNS TABLE(task_id integer, kind text, line text)
 LANGUAGE sql
 STABLE SECURITY DEFINER ROWS 100
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with recursive
  kind as (
    select id, identifier from graphile_worker._private_tasks
    where waiting_lines.task is null or identifier = waiting_lines.task
  ),
  line (task_id, kind, tenant) as (
    select kind.id, kind.identifier, case when waiting_lines.tenant is not null then waiting_lines.tenant::text
      else (
        select app.tenant_of_job(job.payload) from graphile_worker._private_jobs as job
        where job.is_available and job.job_queue_id is null and job.task_id = kind.id
        order by app.tenant_of_job(job.payload) limit 1) end
    from kind
    union all
    select line.task_id, line.kind, (
      select app.tenant_of_job(job.payload) from graphile_worker._private_jobs as job
      where job.is_available and job.job_queue_id is null and job.task_id = line.task_id
        and app.tenant_of_job(job.payload) > line.tenant
      order by app.tenant_of_job(job.payload) limit 1)
    from line where line.tenant is not null and waiting_lines.tenant is null
  )
  select line.task_id, line.kind, line.tenant from line where line.tenant is not null
$function$;
revoke execute on function app.waiting_lines from public;

CREATE OR REPLACE FUNCTION app.worker_lock(pool_id text)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN hashtextextended(('worker:'::text || pool_id), (0)::bigint);

CREATE OR REPLACE FUNCTION app.year_fraction(day_count text, from_date date, to_date date)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (to_date <= from_date) THEN (0)::numeric ELSE round(CASE day_count WHEN 'actual_365'::text THEN (((to_date - from_date))::numeric(40,30) / (365)::numeric) WHEN 'actual_360'::text THEN (((to_date - from_date))::numeric(40,30) / (360)::numeric) WHEN 'actual_364'::text THEN (((to_date - from_date))::numeric(40,30) / (364)::numeric) WHEN '30_360'::text THEN ((app.days_30_360(from_date, to_date))::numeric(40,30) / (360)::numeric) WHEN 'actual_actual'::text THEN ((((((to_date - from_date) - (app.leap_year_days_before(to_date) - app.leap_year_days_before(from_date))) * 366) + ((app.leap_year_days_before(to_date) - app.leap_year_days_before(from_date)) * 365)))::numeric(40,30) / (133590)::numeric) ELSE NULL::numeric END, 20) END;

create table addresses (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  address_type text not null default 'mailing'::text,
  street_line_1 text not null,
  street_line_2 text,
  city text not null,
  state text,
  postal_code text not null,
  country text not null default 'US'::text,
  is_primary boolean not null default false,
  address_indicator text,
  residence_code text,
  is_archived boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint addresses_pkey PRIMARY KEY (tenant_id, id),
  constraint addresses_tenant_id_borrower_id_fkey FOREIGN KEY (tenant_id, borrower_id) REFERENCES borrowers(tenant_id, id),
  constraint addresses_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX addresses_borrower ON public.addresses USING btree (tenant_id, borrower_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX addresses_one_primary ON public.addresses USING btree (tenant_id, borrower_id, address_type) WHERE (is_primary AND (NOT is_archived));
alter table addresses enable row level security, force row level security;
create policy auditor on addresses for select to servicing_auditor using true;
create policy owner on addresses for all to servicing_owner using true with check true;
create policy tenant on addresses for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER redacted BEFORE INSERT ON public.addresses FOR EACH ROW EXECUTE FUNCTION app.refuse_change_of_redacted();
CREATE TRIGGER touch BEFORE UPDATE ON public.addresses FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on addresses to servicing_app;
grant select on addresses to servicing_auditor;

create table app.borrower_columns (
  table_name text not null,
  column_name text not null,
  becomes text,
  kept_because text,
  is_secret boolean not null default false,
  constraint borrower_columns_check CHECK ((num_nonnulls(becomes, kept_because) = 1)),
  constraint borrower_columns_pkey PRIMARY KEY (table_name, column_name),
  constraint borrower_columns_table_name_fkey FOREIGN KEY (table_name) REFERENCES app.borrower_tables(table_name)
);
alter table app.borrower_columns disable row level security;
grant select on app.borrower_columns to servicing_app;
grant select on app.borrower_columns to servicing_auditor;

create table app.borrower_tables (
  table_name text not null,
  folder text,
  not_exported_because text,
  is_forgotten boolean not null default false,
  constraint borrower_tables_check CHECK ((num_nonnulls(folder, not_exported_because) = 1)),
  constraint borrower_tables_pkey PRIMARY KEY (table_name)
);
alter table app.borrower_tables disable row level security;
grant select on app.borrower_tables to servicing_app;
grant select on app.borrower_tables to servicing_auditor;

create table app.borrower_ties (
  table_name text not null,
  through text not null,
  parent text not null,
  constraint borrower_ties_pkey PRIMARY KEY (table_name, through, parent),
  constraint borrower_ties_table_name_fkey FOREIGN KEY (table_name) REFERENCES app.borrower_tables(table_name)
);
alter table app.borrower_ties disable row level security;
grant select on app.borrower_ties to servicing_app;
grant select on app.borrower_ties to servicing_auditor;

create table app.counted_tables (
  table_name text not null,
  columns text[] not null,
  constraint counted_tables_pkey PRIMARY KEY (table_name)
);
alter table app.counted_tables disable row level security;
grant select on app.counted_tables to servicing_auditor;

create table app.failed_jobs (
  id uuid not null default uuidv7(),
  job_id bigint not null,
  task text not null,
  payload jsonb not null,
  attempts integer not null,
  error text not null,
  failed_at timestamp with time zone not null default now(),
  retried_at timestamp with time zone,
  told_at timestamp with time zone,
  is_canceled boolean not null default false,
  constraint failed_jobs_job_id_key UNIQUE (job_id),
  constraint failed_jobs_pkey PRIMARY KEY (id)
);
CREATE INDEX failed_jobs_open ON app.failed_jobs USING btree (failed_at, job_id) WHERE (retried_at IS NULL);
CREATE INDEX failed_jobs_untold ON app.failed_jobs USING btree (failed_at) WHERE (told_at IS NULL);
alter table app.failed_jobs enable row level security;
create policy auditor on app.failed_jobs for select to servicing_auditor using true;
create policy operators on app.failed_jobs for select to servicing_app using ( SELECT app.sees_all() AS sees_all);
create policy tenant on app.failed_jobs for select to servicing_app using ((payload ->> 'tenant_id'::text) = (( SELECT app.current_tenant() AS current_tenant))::text);
create policy worker on app.failed_jobs for all to servicing_worker using true with check true;
CREATE TRIGGER redact_attempts AFTER UPDATE OF error ON app.failed_jobs FOR EACH ROW WHEN ((new.error = 'Redacted'::text)) EXECUTE FUNCTION app.redact_job_errors();
grant select on app.failed_jobs to servicing_app;
grant select on app.failed_jobs to servicing_auditor;
grant delete, insert, select, update on app.failed_jobs to servicing_worker;

create table app.job_errors (
  id uuid not null default uuidv7(),
  job_id bigint not null,
  task text not null,
  tenant_id uuid,
  attempt integer not null,
  error text not null,
  failed_at timestamp with time zone not null default now(),
  constraint job_errors_error_check CHECK ((length(error) <= 2000)),
  constraint job_errors_pkey PRIMARY KEY (id)
);
CREATE INDEX job_errors_of_job ON app.job_errors USING btree (job_id, failed_at);
CREATE INDEX job_errors_oldest ON app.job_errors USING btree (failed_at);
alter table app.job_errors disable row level security;
grant select on app.job_errors to servicing_auditor;
grant delete, insert, select, update on app.job_errors to servicing_worker;

create table app.job_quarters (
  task text not null,
  pool text not null,
  quarter timestamp with time zone not null,
  runs bigint not null,
  failures bigint not null,
  seconds numeric(14,3) not null,
  waits bigint[] not null,
  constraint job_quarters_pkey PRIMARY KEY (quarter, task, pool)
);
alter table app.job_quarters disable row level security;
grant select on app.job_quarters to servicing_auditor;
grant delete, insert, select, update on app.job_quarters to servicing_worker;

create table app.job_runs (
  task text not null,
  pool text not null,
  day date not null default CURRENT_DATE,
  runs bigint not null default 0,
  failures bigint not null default 0,
  seconds numeric(14,3) not null default 0,
  constraint job_runs_pkey PRIMARY KEY (task, pool, day)
);
alter table app.job_runs enable row level security;
create policy auditor on app.job_runs for select to servicing_auditor using true;
create policy operators on app.job_runs for select to servicing_app using ( SELECT app.sees_all() AS sees_all);
create policy worker on app.job_runs for all to servicing_worker using true with check true;
grant select on app.job_runs to servicing_app;
grant select on app.job_runs to servicing_auditor;
grant delete, insert, select, update on app.job_runs to servicing_worker;

create table app.operations_log (
  id uuid not null default uuidv7(),
  done_at timestamp with time zone not null default now(),
  who text not null,
  action text not null,
  details jsonb not null,
  why text not null,
  constraint operations_log_action_check CHECK ((action ~ '^[a-z][a-z-]{0,59}$'::text)),
  constraint operations_log_details_check CHECK ((jsonb_typeof(details) = 'object'::text)),
  constraint operations_log_pkey PRIMARY KEY (id),
  constraint operations_log_who_check CHECK (((length(who) >= 1) AND (length(who) <= 200))),
  constraint operations_log_why_check CHECK (((length(why) >= 1) AND (length(why) <= 500)))
);
CREATE INDEX operations_log_newest ON app.operations_log USING btree (done_at DESC, id DESC);
alter table app.operations_log enable row level security;
create policy auditor on app.operations_log for select to servicing_auditor using true;
create policy operators on app.operations_log for select to servicing_app using ( SELECT app.sees_all() AS sees_all);
create policy worker on app.operations_log for all to servicing_worker using true with check true;
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON app.operations_log FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER append_only_all BEFORE TRUNCATE ON app.operations_log FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
grant select on app.operations_log to servicing_app;
grant select on app.operations_log to servicing_auditor;
grant select on app.operations_log to servicing_worker;

create table app.operators (
  tenant_id uuid not null,
  named_at timestamp with time zone not null default now(),
  constraint operators_pkey PRIMARY KEY (tenant_id),
  constraint operators_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
alter table app.operators enable row level security;
create policy auditor on app.operators for select to servicing_auditor using true;
create policy operators on app.operators for select to servicing_app using ( SELECT app.sees_all() AS sees_all);
create policy worker on app.operators for all to servicing_worker using true with check true;
grant select on app.operators to servicing_app;
grant select on app.operators to servicing_auditor;
grant select on app.operators to servicing_worker;

create table app.pauses (
  id uuid not null default uuidv7(),
  pool text,
  task text,
  tenant_id uuid,
  paused_by text not null,
  paused_at timestamp with time zone not null default now(),
  reason text not null,
  constraint pauses_check CHECK ((num_nonnulls(pool, task, tenant_id) > 0)),
  constraint pauses_pkey PRIMARY KEY (id),
  constraint pauses_pool_task_tenant_id_key UNIQUE NULLS NOT DISTINCT (pool, task, tenant_id),
  constraint pauses_tenant_id_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
alter table app.pauses enable row level security;
create policy auditor on app.pauses for select to servicing_auditor using true;
create policy operators on app.pauses for select to servicing_app using ( SELECT app.sees_all() AS sees_all);
create policy tenant on app.pauses for select to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
create policy worker on app.pauses for all to servicing_worker using true with check true;
grant select on app.pauses to servicing_app;
grant select on app.pauses to servicing_auditor;
grant select on app.pauses to servicing_worker;

create table app.pool_slots (
  pool text not null,
  slots integer not null,
  set_by text not null,
  set_at timestamp with time zone not null default now(),
  constraint pool_slots_pkey PRIMARY KEY (pool),
  constraint pool_slots_slots_check CHECK (((slots >= 1) AND (slots <= 200)))
);
alter table app.pool_slots enable row level security;
create policy auditor on app.pool_slots for select to servicing_auditor using true;
create policy operators on app.pool_slots for select to servicing_app using ( SELECT app.sees_all() AS sees_all);
create policy worker on app.pool_slots for all to servicing_worker using true with check true;
grant select on app.pool_slots to servicing_app;
grant select on app.pool_slots to servicing_auditor;
grant select on app.pool_slots to servicing_worker;

create table app.schedule_ticks (
  task text not null,
  ticked_at timestamp with time zone not null,
  constraint schedule_ticks_pkey PRIMARY KEY (task)
);
alter table app.schedule_ticks disable row level security;

create table app.secret_keys (
  id text not null,
  check_value text,
  first_used_at timestamp with time zone not null default now(),
  retired_at timestamp with time zone,
  constraint secret_keys_pkey PRIMARY KEY (id)
);
alter table app.secret_keys disable row level security;
grant select on app.secret_keys to servicing_auditor;
grant select on app.secret_keys to servicing_worker;

create table app.sub_pools (
  task text not null,
  name text not null,
  constraint sub_pools_name_check CHECK ((name ~ '^[a-z]{1,20}:[a-z0-9-]{1,30}$'::text)),
  constraint sub_pools_pkey PRIMARY KEY (task)
);
CREATE INDEX sub_pools_name ON app.sub_pools USING btree (name);
alter table app.sub_pools enable row level security;
create policy auditor on app.sub_pools for select to servicing_auditor using true;
create policy operators on app.sub_pools for select to servicing_app using ( SELECT app.sees_all() AS sees_all);
create policy worker on app.sub_pools for all to servicing_worker using true with check true;
grant select on app.sub_pools to servicing_app;
grant select on app.sub_pools to servicing_auditor;
grant select on app.sub_pools to servicing_worker;

create table app.worker_pauses (
  kind text not null,
  name text not null,
  reason text not null default ''::text,
  paused_at timestamp with time zone not null default now(),
  constraint worker_pauses_kind_check CHECK ((kind = ANY (ARRAY['pool'::text, 'task'::text]))),
  constraint worker_pauses_pkey PRIMARY KEY (kind, name)
);
alter table app.worker_pauses enable row level security;
create policy auditor on app.worker_pauses for select to servicing_auditor using true;
create policy operators on app.worker_pauses for select to servicing_app using ( SELECT app.sees_all() AS sees_all);
create policy worker on app.worker_pauses for all to servicing_worker using true with check true;
grant select on app.worker_pauses to servicing_app;
grant select on app.worker_pauses to servicing_auditor;
grant delete, insert, select, update on app.worker_pauses to servicing_worker;

create table app.worker_pools (
  pool_id text not null,
  name text not null,
  host text not null,
  pid integer not null,
  started_at timestamp with time zone not null default now(),
  heartbeat_at timestamp with time zone not null default now(),
  slots integer,
  constraint worker_pools_pkey PRIMARY KEY (pool_id)
);
alter table app.worker_pools enable row level security;
create policy auditor on app.worker_pools for select to servicing_auditor using true;
create policy operators on app.worker_pools for select to servicing_app using ( SELECT app.sees_all() AS sees_all);
create policy worker on app.worker_pools for all to servicing_worker using true with check true;
grant select on app.worker_pools to servicing_app;
grant select on app.worker_pools to servicing_auditor;
grant delete, insert, select, update on app.worker_pools to servicing_worker;

create table approvals (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  kind text not null,
  endpoint text not null,
  params jsonb not null,
  body jsonb,
  if_match jsonb,
  status text not null default 'pending'::text,
  reason text,
  requested_by uuid not null,
  requested_by_email text not null,
  decided_by uuid,
  decided_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  content jsonb,
  content_fingerprint text,
  changed_fields jsonb,
  secrets_sealed text,
  constraint approvals_check CHECK (((status = 'pending'::text) = (decided_at IS NULL))),
  constraint approvals_check1 CHECK (((status <> ALL (ARRAY['approved'::text, 'rejected'::text])) OR (decided_by <> requested_by))),
  constraint approvals_kind_check CHECK ((kind = ANY (ARRAY['disbursements'::text, 'reversals'::text, 'refunds'::text, 'suspense'::text, 'invitations'::text, 'redactions'::text, 'destinations'::text, 'settings'::text]))),
  constraint approvals_pkey PRIMARY KEY (tenant_id, id),
  constraint approvals_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'canceled'::text, 'outdated'::text]))),
  constraint approvals_tenant_id_decided_by_fkey FOREIGN KEY (tenant_id, decided_by) REFERENCES users(tenant_id, id),
  constraint approvals_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint approvals_tenant_id_requested_by_fkey FOREIGN KEY (tenant_id, requested_by) REFERENCES users(tenant_id, id)
);
CREATE INDEX approvals_created ON public.approvals USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX approvals_pending ON public.approvals USING btree (tenant_id, created_at DESC, id DESC) WHERE (status = 'pending'::text);
alter table approvals enable row level security, force row level security;
create policy auditor on approvals for select to servicing_auditor using true;
create policy owner on approvals for all to servicing_owner using true with check true;
create policy tenant on approvals for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.approvals FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on approvals to servicing_app;
grant select on approvals to servicing_auditor;

create table audit_log (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  entity_type text not null,
  entity_id uuid not null,
  borrower_id uuid,
  loan_id uuid,
  action text not null,
  actor_type text not null,
  actor_id uuid,
  actor_email text,
  changes jsonb not null,
  reason text,
  request_id text,
  ip_address text,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint audit_log_actor_type_check CHECK ((actor_type = ANY (ARRAY['user'::text, 'borrower'::text, 'system'::text, 'provider'::text]))),
  constraint audit_log_pkey PRIMARY KEY (tenant_id, id),
  constraint audit_log_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX audit_log_borrower ON public.audit_log USING btree (tenant_id, borrower_id, created_at DESC, id DESC);
CREATE INDEX audit_log_entity ON public.audit_log USING btree (tenant_id, entity_id, created_at DESC, id DESC);
CREATE INDEX audit_log_loan ON public.audit_log USING btree (tenant_id, loan_id, created_at DESC, id DESC);
alter table audit_log enable row level security, force row level security;
create policy auditor on audit_log for select to servicing_auditor using true;
create policy owner on audit_log for all to servicing_owner using true with check true;
create policy tenant on audit_log for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER append_only_all BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
grant insert, select on audit_log to servicing_app;
grant select on audit_log to servicing_auditor;

create table auto_responses (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  name text not null,
  channel text not null,
  match_type text not null,
  keywords jsonb not null default '[]'::jsonb,
  response_template_id uuid,
  response_subject text,
  response_body text,
  action text not null default 'reply'::text,
  priority integer not null default 100,
  language text,
  is_active boolean not null default true,
  cooldown_minutes integer not null default 60,
  program_id uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  pattern text,
  forward_to text,
  constraint auto_responses_pkey PRIMARY KEY (tenant_id, id),
  constraint auto_responses_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint auto_responses_tenant_id_program_id_fkey FOREIGN KEY (tenant_id, program_id) REFERENCES programs(tenant_id, id),
  constraint auto_responses_tenant_id_response_template_id_fkey FOREIGN KEY (tenant_id, response_template_id) REFERENCES communication_templates(tenant_id, id)
);
CREATE INDEX auto_responses_created ON public.auto_responses USING btree (tenant_id, created_at DESC, id DESC);
alter table auto_responses enable row level security, force row level security;
create policy auditor on auto_responses for select to servicing_auditor using true;
create policy owner on auto_responses for all to servicing_owner using true with check true;
create policy tenant on auto_responses for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.auto_responses FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on auto_responses to servicing_app;
grant select on auto_responses to servicing_auditor;

create table autopay_draws (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  autopay_plan_id uuid not null,
  loan_id uuid not null,
  due_date date not null,
  run_date date not null,
  amount app.money not null default 0,
  payment_id uuid,
  status text not null,
  reason text,
  attempts integer not null default 0,
  retry_on date,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint autopay_draws_once UNIQUE (tenant_id, autopay_plan_id, due_date),
  constraint autopay_draws_pkey PRIMARY KEY (tenant_id, id),
  constraint autopay_draws_status_check CHECK ((status = ANY (ARRAY['drawn'::text, 'skipped'::text, 'retrying'::text, 'returned'::text, 'failed'::text]))),
  constraint autopay_draws_tenant_id_autopay_plan_id_fkey FOREIGN KEY (tenant_id, autopay_plan_id) REFERENCES autopay_plans(tenant_id, id),
  constraint autopay_draws_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint autopay_draws_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id),
  constraint autopay_draws_tenant_id_payment_id_fkey FOREIGN KEY (tenant_id, payment_id) REFERENCES payments(tenant_id, id)
);
CREATE INDEX autopay_draws_payment ON public.autopay_draws USING btree (tenant_id, payment_id);
CREATE INDEX autopay_draws_plan ON public.autopay_draws USING btree (tenant_id, autopay_plan_id, created_at DESC, id DESC);
CREATE INDEX autopay_draws_retry ON public.autopay_draws USING btree (tenant_id, retry_on) WHERE (status = 'retrying'::text);
alter table autopay_draws enable row level security, force row level security;
create policy auditor on autopay_draws for select to servicing_auditor using true;
create policy owner on autopay_draws for all to servicing_owner using true with check true;
create policy tenant on autopay_draws for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.autopay_draws FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on autopay_draws to servicing_app;
grant select on autopay_draws to servicing_auditor;

create table autopay_plans (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  loan_id uuid not null,
  payment_instrument_id uuid not null,
  backup_payment_instrument_id uuid,
  amount_type text not null default 'minimum_due'::text,
  fixed_amount app.money,
  extra_amount app.money,
  extra_toward text not null default 'principal'::text,
  frequency text not null default 'on_due_date'::text,
  days_before_due integer not null default 0,
  day_of_month integer,
  start_date date not null,
  end_date date,
  next_due_date date,
  next_run_date date,
  drawn_through date not null,
  status text not null default 'active'::text,
  is_enabled boolean not null default true,
  retry_count integer not null default 2,
  retry_interval_days integer not null default 3,
  consecutive_failures integer not null default 0,
  canceled_at timestamp with time zone,
  cancel_reason text,
  consent_id uuid,
  last_payment_id uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint autopay_plans_day_of_month_check CHECK (((day_of_month >= 1) AND (day_of_month <= 31))),
  constraint autopay_plans_days_before_due_check CHECK (((days_before_due >= 0) AND (days_before_due <= 30))),
  constraint autopay_plans_pkey PRIMARY KEY (tenant_id, id),
  constraint autopay_plans_retry_count_check CHECK (((retry_count >= 0) AND (retry_count <= 2))),
  constraint autopay_plans_retry_interval_days_check CHECK (((retry_interval_days >= 1) AND (retry_interval_days <= 30))),
  constraint autopay_plans_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text, 'canceled'::text, 'completed'::text, 'failed'::text]))),
  constraint autopay_plans_tenant_id_backup_payment_instrument_id_fkey FOREIGN KEY (tenant_id, backup_payment_instrument_id) REFERENCES payment_instruments(tenant_id, id),
  constraint autopay_plans_tenant_id_borrower_id_fkey FOREIGN KEY (tenant_id, borrower_id) REFERENCES borrowers(tenant_id, id),
  constraint autopay_plans_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint autopay_plans_tenant_id_last_payment_id_fkey FOREIGN KEY (tenant_id, last_payment_id) REFERENCES payments(tenant_id, id) DEFERRABLE,
  constraint autopay_plans_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id),
  constraint autopay_plans_tenant_id_payment_instrument_id_fkey FOREIGN KEY (tenant_id, payment_instrument_id) REFERENCES payment_instruments(tenant_id, id)
);
CREATE INDEX autopay_plans_borrower ON public.autopay_plans USING btree (tenant_id, borrower_id, created_at DESC, id DESC);
CREATE INDEX autopay_plans_instrument ON public.autopay_plans USING btree (tenant_id, payment_instrument_id);
CREATE INDEX autopay_plans_loan ON public.autopay_plans USING btree (tenant_id, loan_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX autopay_plans_one_open ON public.autopay_plans USING btree (tenant_id, loan_id) WHERE (status = ANY (ARRAY['active'::text, 'paused'::text]));
alter table autopay_plans enable row level security, force row level security;
create policy auditor on autopay_plans for select to servicing_auditor using true;
create policy owner on autopay_plans for all to servicing_owner using true with check true;
create policy tenant on autopay_plans for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.autopay_plans FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on autopay_plans to servicing_app;
grant select on autopay_plans to servicing_auditor;

create table borrower_consents (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  consent_type text not null,
  channel text,
  granted_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone,
  source text not null,
  consent_text text,
  document_id uuid,
  document_version text,
  ip_address text,
  user_agent text,
  contact_value text,
  revoked_at timestamp with time zone,
  revocation_method text,
  revocation_reason text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint borrower_consents_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text, 'letter'::text, 'in_app'::text]))),
  constraint borrower_consents_check CHECK ((expires_at > granted_at)),
  constraint borrower_consents_check1 CHECK ((revoked_at >= granted_at)),
  constraint borrower_consents_check2 CHECK (((revoked_at IS NULL) = (revocation_method IS NULL))),
  constraint borrower_consents_consent_type_check CHECK ((consent_type = ANY (ARRAY['esign'::text, 'tcpa_sms'::text, 'tcpa_call'::text, 'email'::text, 'marketing'::text, 'credit_pull'::text, 'autopay'::text, 'data_sharing'::text, 'privacy_policy'::text, 'terms'::text]))),
  constraint borrower_consents_pkey PRIMARY KEY (tenant_id, id),
  constraint borrower_consents_revocation_method_check CHECK ((revocation_method = ANY (ARRAY['portal'::text, 'sms_keyword'::text, 'agent'::text, 'email'::text, 'letter'::text, 'provider'::text, 'bank_return'::text]))),
  constraint borrower_consents_source_check CHECK ((source = ANY (ARRAY['portal'::text, 'agent'::text, 'api'::text, 'import'::text, 'paper'::text, 'sms_keyword'::text, 'email'::text]))),
  constraint borrower_consents_tenant_id_borrower_id_fkey FOREIGN KEY (tenant_id, borrower_id) REFERENCES borrowers(tenant_id, id),
  constraint borrower_consents_tenant_id_document_id_fkey FOREIGN KEY (tenant_id, document_id) REFERENCES documents(tenant_id, id),
  constraint borrower_consents_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX borrower_consents_borrower ON public.borrower_consents USING btree (tenant_id, borrower_id, created_at DESC, id DESC);
alter table borrower_consents enable row level security, force row level security;
create policy auditor on borrower_consents for select to servicing_auditor using true;
create policy owner on borrower_consents for all to servicing_owner using true with check true;
create policy tenant on borrower_consents for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER append_only BEFORE DELETE ON public.borrower_consents FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER append_only_all BEFORE TRUNCATE ON public.borrower_consents FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER evidence BEFORE UPDATE ON public.borrower_consents FOR EACH ROW EXECUTE FUNCTION app.refuse_all_but_revocation();
CREATE TRIGGER redacted BEFORE INSERT ON public.borrower_consents FOR EACH ROW EXECUTE FUNCTION app.refuse_change_of_redacted();
CREATE TRIGGER touch BEFORE UPDATE ON public.borrower_consents FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on borrower_consents to servicing_app;
grant select on borrower_consents to servicing_auditor;

create table borrower_exports (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  status text not null default 'pending'::text,
  requested_by uuid,
  documents_total integer,
  documents_done integer not null default 0,
  storage_key text not null,
  file_size bigint,
  sha256_hash text,
  failure_reason text,
  completed_at timestamp with time zone,
  expires_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint borrower_exports_pkey PRIMARY KEY (tenant_id, id),
  constraint borrower_exports_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'completed'::text, 'failed'::text, 'expired'::text]))),
  constraint borrower_exports_tenant_id_borrower_id_fkey FOREIGN KEY (tenant_id, borrower_id) REFERENCES borrowers(tenant_id, id),
  constraint borrower_exports_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint borrower_exports_tenant_id_requested_by_fkey FOREIGN KEY (tenant_id, requested_by) REFERENCES users(tenant_id, id)
);
CREATE INDEX borrower_exports_borrower ON public.borrower_exports USING btree (tenant_id, borrower_id, created_at DESC, id DESC);
CREATE INDEX borrower_exports_expiring ON public.borrower_exports USING btree (tenant_id, expires_at) WHERE (status = 'completed'::text);
CREATE UNIQUE INDEX borrower_exports_one_pending ON public.borrower_exports USING btree (tenant_id, borrower_id) WHERE (status = 'pending'::text);
alter table borrower_exports enable row level security, force row level security;
create policy auditor on borrower_exports for select to servicing_auditor using true;
create policy owner on borrower_exports for all to servicing_owner using true with check true;
create policy tenant on borrower_exports for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER redacted BEFORE INSERT ON public.borrower_exports FOR EACH ROW EXECUTE FUNCTION app.refuse_change_of_redacted();
CREATE TRIGGER touch BEFORE UPDATE ON public.borrower_exports FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on borrower_exports to servicing_app;
grant select on borrower_exports to servicing_auditor;

create table borrower_identities (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  identity_type text not null,
  identifier_sealed text,
  identifier_index text,
  identifier_last_four text not null,
  issuing_authority text,
  issuing_state text,
  issuing_country text,
  issue_date date,
  expiration_date date,
  verification_status text not null default 'unverified'::text,
  verified_at timestamp with time zone,
  verified_by uuid,
  verification_method text,
  document_id uuid,
  is_archived boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint borrower_identities_check CHECK (((identifier_sealed IS NULL) = (identifier_index IS NULL))),
  constraint borrower_identities_identity_type_check CHECK ((identity_type = ANY (ARRAY['ssn'::text, 'itin'::text, 'ein'::text, 'drivers_license'::text, 'passport'::text, 'state_id'::text, 'military_id'::text, 'other'::text]))),
  constraint borrower_identities_pkey PRIMARY KEY (tenant_id, id),
  constraint borrower_identities_tenant_id_borrower_id_fkey FOREIGN KEY (tenant_id, borrower_id) REFERENCES borrowers(tenant_id, id),
  constraint borrower_identities_tenant_id_document_id_fkey FOREIGN KEY (tenant_id, document_id) REFERENCES documents(tenant_id, id),
  constraint borrower_identities_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint borrower_identities_tenant_id_verified_by_fkey FOREIGN KEY (tenant_id, verified_by) REFERENCES users(tenant_id, id),
  constraint borrower_identities_verification_method_check CHECK ((verification_method = ANY (ARRAY['document'::text, 'database'::text, 'biometric'::text, 'manual'::text]))),
  constraint borrower_identities_verification_status_check CHECK ((verification_status = ANY (ARRAY['unverified'::text, 'pending'::text, 'verified'::text, 'failed'::text, 'expired'::text])))
);
CREATE INDEX borrower_identities_borrower ON public.borrower_identities USING btree (tenant_id, borrower_id, created_at DESC, id DESC);
CREATE INDEX borrower_identities_identifier ON public.borrower_identities USING btree (tenant_id, identifier_index) WHERE (identifier_index IS NOT NULL);
alter table borrower_identities enable row level security, force row level security;
create policy auditor on borrower_identities for select to servicing_auditor using true;
create policy owner on borrower_identities for all to servicing_owner using true with check true;
create policy tenant on borrower_identities for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER redacted BEFORE INSERT ON public.borrower_identities FOR EACH ROW EXECUTE FUNCTION app.refuse_change_of_redacted();
CREATE TRIGGER touch BEFORE UPDATE ON public.borrower_identities FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on borrower_identities to servicing_app;
grant select on borrower_identities to servicing_auditor;

create table borrowers (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  borrower_type text not null default 'individual'::text,
  first_name text not null,
  middle_name text,
  last_name text not null,
  suffix text,
  date_of_birth date,
  ssn_last_four text,
  language_preference text not null default 'en'::text,
  preferred_channel text,
  time_zone text,
  do_not_contact boolean not null default false,
  is_deceased boolean not null default false,
  bankruptcy_status text,
  military_status text,
  external_id text,
  metadata jsonb not null default '{}'::jsonb,
  email_enabled boolean not null default true,
  sms_enabled boolean not null default true,
  letter_enabled boolean not null default true,
  marketing_enabled boolean not null default true,
  is_archived boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  cease_and_desist_date date,
  is_on_legal_hold boolean not null default false,
  legal_hold_reason text,
  redacted_at timestamp with time zone,
  redacted_by uuid,
  constraint borrowers_check CHECK ((is_on_legal_hold = (legal_hold_reason IS NOT NULL))),
  constraint borrowers_check1 CHECK (((redacted_at IS NULL) = (redacted_by IS NULL))),
  constraint borrowers_pkey PRIMARY KEY (tenant_id, id),
  constraint borrowers_ssn_last_four_check CHECK ((ssn_last_four ~ '^\d{4}$'::text)),
  constraint borrowers_tenant_id_external_id_key UNIQUE (tenant_id, external_id),
  constraint borrowers_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint borrowers_tenant_id_redacted_by_fkey FOREIGN KEY (tenant_id, redacted_by) REFERENCES users(tenant_id, id) DEFERRABLE
);
CREATE INDEX borrowers_created ON public.borrowers USING btree (tenant_id, created_at DESC, id DESC) INCLUDE (is_archived);
CREATE INDEX borrowers_last_name_begins ON public.borrowers USING btree (tenant_id, lower(last_name) text_pattern_ops) INCLUDE (id);
CREATE INDEX borrowers_name ON public.borrowers USING btree (tenant_id, last_name, first_name, id);
CREATE INDEX borrowers_name_begins ON public.borrowers USING btree (tenant_id, lower(((first_name || ' '::text) || last_name)) text_pattern_ops) INCLUDE (id);
CREATE INDEX borrowers_search ON public.borrowers USING gin (tenant_id, (((first_name || ' '::text) || last_name)) gin_trgm_ops);
alter table borrowers enable row level security, force row level security;
create policy auditor on borrowers for select to servicing_auditor using true;
create policy owner on borrowers for all to servicing_owner using true with check true;
create policy tenant on borrowers for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER count_added AFTER INSERT ON public.borrowers REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app.count_borrowers();
CREATE TRIGGER count_changed AFTER UPDATE OF is_archived ON public.borrowers FOR EACH ROW WHEN ((old.is_archived IS DISTINCT FROM new.is_archived)) EXECUTE FUNCTION app.count_borrowers();
CREATE TRIGGER count_none AFTER TRUNCATE ON public.borrowers FOR EACH STATEMENT EXECUTE FUNCTION app.count_borrowers();
CREATE TRIGGER count_taken AFTER DELETE ON public.borrowers REFERENCING OLD TABLE AS taken FOR EACH STATEMENT EXECUTE FUNCTION app.count_borrowers();
CREATE TRIGGER redacted BEFORE UPDATE ON public.borrowers FOR EACH ROW EXECUTE FUNCTION app.refuse_change_of_redacted();
CREATE TRIGGER refuse_redaction_beside_borrower BEFORE UPDATE ON public.borrowers FOR EACH ROW WHEN (((new.redacted_at IS NOT NULL) AND (old.redacted_at IS NULL))) EXECUTE FUNCTION app.refuse_redaction_beside_borrower();
CREATE TRIGGER touch BEFORE UPDATE ON public.borrowers FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on borrowers to servicing_app;
grant select on borrowers to servicing_auditor;

create table business_details (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  legal_name text not null,
  dba_name text,
  ein_last_four text,
  entity_type text not null,
  formation_date date,
  formation_state text,
  naics_code text,
  industry text,
  annual_revenue app.money,
  employee_count integer,
  website text,
  phone text,
  contact_name text,
  contact_title text,
  beneficial_owners jsonb not null default '[]'::jsonb,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint business_details_ein_last_four_check CHECK ((ein_last_four ~ '^\d{4}$'::text)),
  constraint business_details_employee_count_check CHECK ((employee_count >= 0)),
  constraint business_details_entity_type_check CHECK ((entity_type = ANY (ARRAY['sole_proprietorship'::text, 'llc'::text, 'corporation'::text, 's_corporation'::text, 'partnership'::text, 'nonprofit'::text, 'trust'::text, 'other'::text]))),
  constraint business_details_naics_code_check CHECK ((naics_code ~ '^\d{6}$'::text)),
  constraint business_details_one UNIQUE (tenant_id, borrower_id),
  constraint business_details_pkey PRIMARY KEY (tenant_id, id),
  constraint business_details_tenant_id_borrower_id_fkey FOREIGN KEY (tenant_id, borrower_id) REFERENCES borrowers(tenant_id, id),
  constraint business_details_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
alter table business_details enable row level security, force row level security;
create policy auditor on business_details for select to servicing_auditor using true;
create policy owner on business_details for all to servicing_owner using true with check true;
create policy tenant on business_details for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER redacted BEFORE INSERT ON public.business_details FOR EACH ROW EXECUTE FUNCTION app.refuse_change_of_redacted();
CREATE TRIGGER touch BEFORE UPDATE ON public.business_details FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on business_details to servicing_app;
grant select on business_details to servicing_auditor;

create table case_number_sequences (
  tenant_id uuid not null default app.current_tenant(),
  year integer not null,
  last_number bigint not null,
  constraint case_number_sequences_pkey PRIMARY KEY (tenant_id, year),
  constraint case_number_sequences_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
alter table case_number_sequences enable row level security, force row level security;
create policy auditor on case_number_sequences for select to servicing_auditor using true;
create policy owner on case_number_sequences for all to servicing_owner using true with check true;
create policy tenant on case_number_sequences for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant delete, insert, select, update on case_number_sequences to servicing_app;
grant select on case_number_sequences to servicing_auditor;

create table change_notices (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  nacha_entry_id uuid not null,
  payment_instrument_id uuid not null,
  borrower_id uuid not null,
  loan_id uuid not null,
  code text not null,
  trace_number text not null,
  received_on date not null,
  due_date date not null,
  corrected_routing_number text,
  corrected_account_number_sealed text,
  corrected_account_number_last_four text,
  corrected_account_type text,
  status text not null default 'pending'::text,
  decided_at timestamp with time zone,
  decided_by uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint change_notices_code_check CHECK ((code ~ '^C\d{2}$'::text)),
  constraint change_notices_corrected_account_number_last_four_check CHECK ((corrected_account_number_last_four ~ '^\d{4}$'::text)),
  constraint change_notices_corrected_account_type_check CHECK ((corrected_account_type = ANY (ARRAY['checking'::text, 'savings'::text]))),
  constraint change_notices_corrected_routing_number_check CHECK ((corrected_routing_number ~ '^\d{9}$'::text)),
  constraint change_notices_pkey PRIMARY KEY (tenant_id, id),
  constraint change_notices_reported UNIQUE (tenant_id, nacha_entry_id, code, trace_number),
  constraint change_notices_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'applied'::text, 'dismissed'::text]))),
  constraint change_notices_tenant_id_borrower_id_fkey FOREIGN KEY (tenant_id, borrower_id) REFERENCES borrowers(tenant_id, id),
  constraint change_notices_tenant_id_decided_by_fkey FOREIGN KEY (tenant_id, decided_by) REFERENCES users(tenant_id, id),
  constraint change_notices_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint change_notices_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id),
  constraint change_notices_tenant_id_nacha_entry_id_fkey FOREIGN KEY (tenant_id, nacha_entry_id) REFERENCES nacha_entries(tenant_id, id),
  constraint change_notices_tenant_id_payment_instrument_id_fkey FOREIGN KEY (tenant_id, payment_instrument_id) REFERENCES payment_instruments(tenant_id, id)
);
CREATE INDEX change_notices_created ON public.change_notices USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX change_notices_instrument ON public.change_notices USING btree (tenant_id, payment_instrument_id, created_at DESC, id DESC);
alter table change_notices enable row level security, force row level security;
create policy auditor on change_notices for select to servicing_auditor using true;
create policy owner on change_notices for all to servicing_owner using true with check true;
create policy tenant on change_notices for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.change_notices FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on change_notices to servicing_app;
grant select on change_notices to servicing_auditor;

create table co_borrowers (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  borrower_id uuid not null,
  role text not null,
  liable_from date not null,
  released_on date,
  release_reason text,
  release_notes text,
  released_by uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint co_borrowers_check CHECK ((released_on >= liable_from)),
  constraint co_borrowers_check1 CHECK (((released_on IS NULL) = (release_reason IS NULL))),
  constraint co_borrowers_pkey PRIMARY KEY (tenant_id, id),
  constraint co_borrowers_role_check CHECK ((role = ANY (ARRAY['co_borrower'::text, 'co_signer'::text, 'guarantor'::text]))),
  constraint co_borrowers_tenant_id_borrower_id_fkey FOREIGN KEY (tenant_id, borrower_id) REFERENCES borrowers(tenant_id, id),
  constraint co_borrowers_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint co_borrowers_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id),
  constraint co_borrowers_tenant_id_released_by_fkey FOREIGN KEY (tenant_id, released_by) REFERENCES users(tenant_id, id)
);
CREATE INDEX co_borrowers_borrower ON public.co_borrowers USING btree (tenant_id, borrower_id, created_at DESC, id DESC);
CREATE INDEX co_borrowers_created ON public.co_borrowers USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX co_borrowers_loan ON public.co_borrowers USING btree (tenant_id, loan_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX co_borrowers_once ON public.co_borrowers USING btree (tenant_id, loan_id, borrower_id) WHERE (released_on IS NULL);
alter table co_borrowers enable row level security, force row level security;
create policy auditor on co_borrowers for select to servicing_auditor using true;
create policy owner on co_borrowers for all to servicing_owner using true with check true;
create policy tenant on co_borrowers for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.co_borrowers FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on co_borrowers to servicing_app;
grant select on co_borrowers to servicing_auditor;

create table cob_chunks (
  tenant_id uuid not null default app.current_tenant(),
  run_id uuid not null,
  chunk integer not null,
  cob_date date not null,
  first_loan_id uuid not null,
  before_loan_id uuid,
  is_accrued boolean not null default false,
  loans integer not null default 0,
  interest app.money not null default 0,
  done_at timestamp with time zone,
  unbilled_month date,
  constraint cob_chunks_pkey PRIMARY KEY (tenant_id, run_id, chunk),
  constraint cob_chunks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint cob_chunks_tenant_id_run_id_fkey FOREIGN KEY (tenant_id, run_id) REFERENCES cob_runs(tenant_id, id)
);
CREATE INDEX cob_chunks_day ON public.cob_chunks USING btree (tenant_id, cob_date, first_loan_id);
CREATE INDEX cob_chunks_unbilled ON public.cob_chunks USING btree (tenant_id, cob_date) WHERE (unbilled_month IS NOT NULL);
alter table cob_chunks enable row level security, force row level security;
create policy auditor on cob_chunks for select to servicing_auditor using true;
create policy owner on cob_chunks for all to servicing_owner using true with check true;
create policy tenant on cob_chunks for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant insert, select, update on cob_chunks to servicing_app;
grant select on cob_chunks to servicing_auditor;

create table cob_loan_errors (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  run_id uuid not null,
  loan_id uuid not null,
  step text not null,
  error text not null,
  resolved_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  constraint cob_loan_errors_once UNIQUE (tenant_id, run_id, loan_id, step),
  constraint cob_loan_errors_pkey PRIMARY KEY (tenant_id, id),
  constraint cob_loan_errors_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint cob_loan_errors_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id),
  constraint cob_loan_errors_tenant_id_run_id_fkey FOREIGN KEY (tenant_id, run_id) REFERENCES cob_runs(tenant_id, id)
);
alter table cob_loan_errors enable row level security, force row level security;
create policy auditor on cob_loan_errors for select to servicing_auditor using true;
create policy owner on cob_loan_errors for all to servicing_owner using true with check true;
create policy tenant on cob_loan_errors for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant insert, select, update on cob_loan_errors to servicing_app;
grant select on cob_loan_errors to servicing_auditor;

create table cob_runs (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  cob_date date not null,
  through_date date not null,
  status text not null default 'running'::text,
  chunks_total integer not null,
  chunks_done integer not null default 0,
  loans integer not null default 0,
  interest app.money not null default 0,
  parked integer not null default 0,
  started_at timestamp with time zone not null default now(),
  finished_at timestamp with time zone,
  constraint cob_runs_day UNIQUE (tenant_id, cob_date),
  constraint cob_runs_pkey PRIMARY KEY (tenant_id, id),
  constraint cob_runs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'finished'::text]))),
  constraint cob_runs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
alter table cob_runs enable row level security, force row level security;
create policy auditor on cob_runs for select to servicing_auditor using true;
create policy owner on cob_runs for all to servicing_owner using true with check true;
create policy tenant on cob_runs for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant insert, select, update on cob_runs to servicing_app;
grant select on cob_runs to servicing_auditor;

create table cob_written_loans (
  tenant_id uuid not null default app.current_tenant(),
  cob_date date not null,
  loan_id uuid not null,
  constraint cob_written_loans_pkey PRIMARY KEY (tenant_id, cob_date, loan_id),
  constraint cob_written_loans_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint cob_written_loans_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
alter table cob_written_loans enable row level security, force row level security;
create policy auditor on cob_written_loans for select to servicing_auditor using true;
create policy owner on cob_written_loans for all to servicing_owner using true with check true;
create policy tenant on cob_written_loans for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant insert, select on cob_written_loans to servicing_app;
grant select on cob_written_loans to servicing_auditor;

create table collateral_items (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  collateral_type text not null,
  description text,
  estimated_value app.money,
  metadata jsonb not null default '{}'::jsonb,
  status text not null default 'active'::text,
  insured_until date,
  is_archived boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint collateral_items_pkey PRIMARY KEY (tenant_id, id),
  constraint collateral_items_status_check CHECK ((status = ANY (ARRAY['active'::text, 'released'::text, 'liquidated'::text, 'repossessed'::text]))),
  constraint collateral_items_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint collateral_items_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
CREATE INDEX collateral_items_created ON public.collateral_items USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX collateral_items_loan ON public.collateral_items USING btree (tenant_id, loan_id, created_at DESC, id DESC);
alter table collateral_items enable row level security, force row level security;
create policy auditor on collateral_items for select to servicing_auditor using true;
create policy owner on collateral_items for all to servicing_owner using true with check true;
create policy tenant on collateral_items for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.collateral_items FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on collateral_items to servicing_app;
grant select on collateral_items to servicing_auditor;

create table communication_logs (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  template_id uuid,
  template_type text,
  borrower_id uuid,
  loan_id uuid,
  batch_id uuid,
  direction text not null default 'outbound'::text,
  channel text not null,
  recipient text,
  sender text,
  subject text,
  body text,
  status text not null,
  provider text,
  provider_message_id text,
  error_code text,
  error_message text,
  attempts integer not null default 0,
  queued_at timestamp with time zone,
  sent_at timestamp with time zone,
  delivered_at timestamp with time zone,
  opened_at timestamp with time zone,
  clicked_at timestamp with time zone,
  failed_at timestamp with time zone,
  received_at timestamp with time zone,
  triggered_by text not null default 'user'::text,
  sent_by_id uuid,
  in_reply_to_id uuid,
  document_id uuid,
  blocked_reasons jsonb not null default '[]'::jsonb,
  metadata jsonb not null default '{}'::jsonb,
  business_date date not null default app.business_date(),
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  figures jsonb,
  constraint communication_logs_pkey PRIMARY KEY (tenant_id, id),
  constraint communication_logs_tenant_id_borrower_id_fkey FOREIGN KEY (tenant_id, borrower_id) REFERENCES borrowers(tenant_id, id),
  constraint communication_logs_tenant_id_document_id_fkey FOREIGN KEY (tenant_id, document_id) REFERENCES documents(tenant_id, id),
  constraint communication_logs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint communication_logs_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id),
  constraint communication_logs_tenant_id_template_id_fkey FOREIGN KEY (tenant_id, template_id) REFERENCES communication_templates(tenant_id, id)
);
CREATE INDEX communication_logs_borrower ON public.communication_logs USING btree (tenant_id, borrower_id, created_at DESC, id DESC);
CREATE INDEX communication_logs_created ON public.communication_logs USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX communication_logs_loan ON public.communication_logs USING btree (tenant_id, loan_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX communication_logs_message ON public.communication_logs USING btree (tenant_id, provider_message_id, provider) WHERE (provider_message_id IS NOT NULL);
CREATE INDEX communication_logs_waiting ON public.communication_logs USING btree (tenant_id, document_id) WHERE ((status = 'queued'::text) AND (document_id IS NOT NULL));
alter table communication_logs enable row level security, force row level security;
create policy auditor on communication_logs for select to servicing_auditor using true;
create policy owner on communication_logs for all to servicing_owner using true with check true;
create policy tenant on communication_logs for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.communication_logs FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on communication_logs to servicing_app;
grant select on communication_logs to servicing_auditor;

create table communication_providers (
  tenant_id uuid not null default app.current_tenant(),
  channel text not null,
  name text not null,
  account_id text,
  secret_sealed text not null,
  previous_secret_sealed text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  subscribe_url text,
  constraint communication_providers_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text]))),
  constraint communication_providers_pkey PRIMARY KEY (tenant_id, channel),
  constraint communication_providers_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
alter table communication_providers enable row level security, force row level security;
create policy auditor on communication_providers for select to servicing_auditor using true;
create policy owner on communication_providers for all to servicing_owner using true with check true;
create policy tenant on communication_providers for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.communication_providers FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on communication_providers to servicing_app;
grant select on communication_providers to servicing_auditor;

create table communication_templates (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  name text not null,
  template_type text not null,
  channel text not null,
  language text not null default 'en'::text,
  program_id uuid,
  subject text,
  body text not null,
  description text,
  version integer not null default 1,
  is_active boolean not null default true,
  is_archived boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint communication_templates_pkey PRIMARY KEY (tenant_id, id),
  constraint communication_templates_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint communication_templates_tenant_id_program_id_fkey FOREIGN KEY (tenant_id, program_id) REFERENCES programs(tenant_id, id)
);
CREATE INDEX communication_templates_created ON public.communication_templates USING btree (tenant_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX communication_templates_one_of_a_kind ON public.communication_templates USING btree (tenant_id, program_id, template_type, channel, language) NULLS NOT DISTINCT WHERE ((NOT is_archived) AND (template_type <> 'custom'::text));
CREATE UNIQUE INDEX communication_templates_tenant_id_name_key ON public.communication_templates USING btree (tenant_id, program_id, channel, language, name) NULLS NOT DISTINCT WHERE ((NOT is_archived) AND (template_type = 'custom'::text));
alter table communication_templates enable row level security, force row level security;
create policy auditor on communication_templates for select to servicing_auditor using true;
create policy owner on communication_templates for all to servicing_owner using true with check true;
create policy tenant on communication_templates for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.communication_templates FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on communication_templates to servicing_app;
grant select on communication_templates to servicing_auditor;

create table compliance_runs (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  passed boolean not null,
  checks jsonb not null,
  run_at timestamp with time zone not null default now(),
  constraint compliance_runs_pkey PRIMARY KEY (tenant_id, id),
  constraint compliance_runs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint compliance_runs_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
CREATE INDEX compliance_runs_loan ON public.compliance_runs USING btree (tenant_id, loan_id, run_at DESC);
alter table compliance_runs enable row level security, force row level security;
create policy auditor on compliance_runs for select to servicing_auditor using true;
create policy owner on compliance_runs for all to servicing_owner using true with check true;
create policy tenant on compliance_runs for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant insert, select on compliance_runs to servicing_app;
grant select on compliance_runs to servicing_auditor;

create table credit_disputes (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  dispute_number text not null,
  dispute_source text not null,
  bureau text,
  acdv_control_number text,
  received_date date not null,
  due_date date not null,
  is_extended boolean not null default false,
  dispute_codes jsonb not null,
  fcra_relevant_information text,
  disputed_fields jsonb not null default '[]'::jsonb,
  consumer_statement text,
  document_ids jsonb not null default '[]'::jsonb,
  assigned_to uuid,
  investigation_notes text,
  findings text,
  response_code text,
  corrected_values jsonb not null default '{}'::jsonb,
  compliance_condition_code text,
  status text not null default 'received'::text,
  responded_at timestamp with time zone,
  resolved_at timestamp with time zone,
  resolution_letter_document_id uuid,
  is_frivolous boolean not null default false,
  frivolous_notice_sent_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint credit_disputes_dispute_number UNIQUE (tenant_id, dispute_number),
  constraint credit_disputes_pkey PRIMARY KEY (tenant_id, id),
  constraint credit_disputes_status_check CHECK ((status = ANY (ARRAY['received'::text, 'investigating'::text, 'responded'::text, 'closed'::text, 'frivolous'::text, 'withdrawn'::text]))),
  constraint credit_disputes_tenant_id_assigned_to_fkey FOREIGN KEY (tenant_id, assigned_to) REFERENCES users(tenant_id, id),
  constraint credit_disputes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint credit_disputes_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id),
  constraint credit_disputes_tenant_id_resolution_letter_document_id_fkey FOREIGN KEY (tenant_id, resolution_letter_document_id) REFERENCES documents(tenant_id, id)
);
CREATE INDEX credit_disputes_loan ON public.credit_disputes USING btree (tenant_id, loan_id, created_at DESC, id DESC);
CREATE INDEX credit_disputes_open ON public.credit_disputes USING btree (tenant_id, received_date) WHERE (status = ANY (ARRAY['received'::text, 'investigating'::text]));
alter table credit_disputes enable row level security, force row level security;
create policy auditor on credit_disputes for select to servicing_auditor using true;
create policy owner on credit_disputes for all to servicing_owner using true with check true;
create policy tenant on credit_disputes for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.credit_disputes FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on credit_disputes to servicing_app;
grant select on credit_disputes to servicing_auditor;

create table credit_reporting_files (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  reporting_period date not null,
  record_count integer not null,
  reporter jsonb not null,
  status text not null default 'pending'::text,
  filename text not null,
  storage_key text not null,
  file_size integer,
  sha256_hash text,
  created_by uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint credit_reporting_files_filename UNIQUE (tenant_id, filename),
  constraint credit_reporting_files_pkey PRIMARY KEY (tenant_id, id),
  constraint credit_reporting_files_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'completed'::text]))),
  constraint credit_reporting_files_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX credit_reporting_files_created ON public.credit_reporting_files USING btree (tenant_id, created_at DESC, id DESC);
alter table credit_reporting_files enable row level security, force row level security;
create policy auditor on credit_reporting_files for select to servicing_auditor using true;
create policy owner on credit_reporting_files for all to servicing_owner using true with check true;
create policy tenant on credit_reporting_files for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.credit_reporting_files FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on credit_reporting_files to servicing_app;
grant select on credit_reporting_files to servicing_auditor;

create table credit_reporting_records (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  reporting_period date not null,
  bureaus jsonb not null,
  consumer_account_number text not null,
  portfolio_type text not null,
  account_type text not null,
  date_opened date not null,
  date_closed date,
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
  payment_history_profile text not null,
  special_comment text,
  compliance_condition_code text,
  consumer_information_indicator text,
  ecoa_code text not null,
  interest_type_indicator text not null,
  consumer jsonb not null,
  status text not null,
  rejection_reason text,
  suppression_reason text,
  file_id uuid,
  reported_at timestamp with time zone,
  correction_indicator integer not null default 0,
  credit_dispute_id uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  co_consumers jsonb not null default '[]'::jsonb,
  constraint credit_reporting_records_correction_indicator_check CHECK ((correction_indicator = ANY (ARRAY[0, 1]))),
  constraint credit_reporting_records_payment_history_profile_check CHECK ((length(payment_history_profile) = 24)),
  constraint credit_reporting_records_pkey PRIMARY KEY (tenant_id, id),
  constraint credit_reporting_records_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'queued'::text, 'reported'::text, 'rejected'::text, 'suppressed'::text]))),
  constraint credit_reporting_records_tenant_id_credit_dispute_id_fkey FOREIGN KEY (tenant_id, credit_dispute_id) REFERENCES credit_disputes(tenant_id, id),
  constraint credit_reporting_records_tenant_id_file_id_fkey FOREIGN KEY (tenant_id, file_id) REFERENCES credit_reporting_files(tenant_id, id),
  constraint credit_reporting_records_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint credit_reporting_records_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
CREATE INDEX credit_reporting_records_file ON public.credit_reporting_records USING btree (tenant_id, file_id, reporting_period DESC, id DESC);
CREATE INDEX credit_reporting_records_loan ON public.credit_reporting_records USING btree (tenant_id, loan_id, reporting_period DESC, id DESC);
CREATE UNIQUE INDEX credit_reporting_records_once ON public.credit_reporting_records USING btree (tenant_id, loan_id, reporting_period) WHERE (correction_indicator = 0);
CREATE INDEX credit_reporting_records_queued ON public.credit_reporting_records USING btree (tenant_id, reporting_period, id) WHERE (status = 'queued'::text);
alter table credit_reporting_records enable row level security, force row level security;
create policy auditor on credit_reporting_records for select to servicing_auditor using true;
create policy owner on credit_reporting_records for all to servicing_owner using true with check true;
create policy tenant on credit_reporting_records for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.credit_reporting_records FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select on credit_reporting_records to servicing_app;
grant update (file_id) on credit_reporting_records to servicing_app;
grant update (rejection_reason) on credit_reporting_records to servicing_app;
grant update (reported_at) on credit_reporting_records to servicing_app;
grant update (status) on credit_reporting_records to servicing_app;
grant update (suppression_reason) on credit_reporting_records to servicing_app;
grant select on credit_reporting_records to servicing_auditor;

create table dead_letters (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  subscription_id uuid not null,
  delivery_id uuid not null,
  event_id uuid not null,
  response_status integer,
  response_body text,
  error text,
  attempted_at timestamp with time zone not null,
  retry_count integer not null,
  status text not null default 'dead'::text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint dead_letters_pkey PRIMARY KEY (tenant_id, id),
  constraint dead_letters_status_check CHECK ((status = ANY (ARRAY['dead'::text, 'retried'::text, 'resolved'::text]))),
  constraint dead_letters_tenant_id_delivery_id_fkey FOREIGN KEY (tenant_id, delivery_id) REFERENCES webhook_deliveries(tenant_id, id),
  constraint dead_letters_tenant_id_event_id_fkey FOREIGN KEY (tenant_id, event_id) REFERENCES events(tenant_id, id),
  constraint dead_letters_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint dead_letters_tenant_id_subscription_id_fkey FOREIGN KEY (tenant_id, subscription_id) REFERENCES webhook_subscriptions(tenant_id, id)
);
CREATE INDEX dead_letters_answers ON public.dead_letters USING btree (tenant_id, attempted_at) WHERE (response_body IS NOT NULL);
CREATE INDEX dead_letters_delivery ON public.dead_letters USING btree (tenant_id, delivery_id);
CREATE INDEX dead_letters_subscription ON public.dead_letters USING btree (tenant_id, subscription_id, created_at DESC, id DESC);
alter table dead_letters enable row level security, force row level security;
create policy auditor on dead_letters for select to servicing_auditor using true;
create policy owner on dead_letters for all to servicing_owner using true with check true;
create policy tenant on dead_letters for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.dead_letters FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on dead_letters to servicing_app;
grant select on dead_letters to servicing_auditor;

create table deferments (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  deferment_type text not null,
  periods integer not null,
  start_date date not null,
  end_date date,
  start_installment integer,
  interest_treatment text not null,
  extend_maturity boolean not null,
  fee_amount app.money not null default 0,
  reason text not null,
  notes text,
  status text not null default 'scheduled'::text,
  event_ids jsonb not null default '[]'::jsonb,
  created_by uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint deferments_periods_check CHECK ((periods > 0)),
  constraint deferments_pkey PRIMARY KEY (tenant_id, id),
  constraint deferments_status_check CHECK ((status = ANY (ARRAY['scheduled'::text, 'active'::text, 'completed'::text, 'canceled'::text, 'broken'::text]))),
  constraint deferments_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint deferments_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
CREATE INDEX deferments_loan ON public.deferments USING btree (tenant_id, loan_id, created_at DESC, id DESC);
CREATE INDEX deferments_open ON public.deferments USING btree (tenant_id, loan_id) WHERE (status = ANY (ARRAY['scheduled'::text, 'active'::text]));
alter table deferments enable row level security, force row level security;
create policy auditor on deferments for select to servicing_auditor using true;
create policy owner on deferments for all to servicing_owner using true with check true;
create policy tenant on deferments for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.deferments FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on deferments to servicing_app;
grant select on deferments to servicing_auditor;

create table disbursements (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  amount app.money not null,
  disbursement_date date not null,
  method text not null default 'external'::text,
  payment_instrument_id uuid,
  payee_name text,
  payee_type text not null default 'borrower'::text,
  reference_number text,
  fee_deducted app.money not null default 0,
  net_amount app.money not null,
  status text not null default 'completed'::text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  send_by date,
  constraint disbursements_amount_check CHECK (((amount)::numeric > (0)::numeric)),
  constraint disbursements_pkey PRIMARY KEY (tenant_id, id),
  constraint disbursements_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint disbursements_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id),
  constraint disbursements_tenant_id_payment_instrument_id_fkey FOREIGN KEY (tenant_id, payment_instrument_id) REFERENCES payment_instruments(tenant_id, id)
);
CREATE INDEX disbursements_loan ON public.disbursements USING btree (tenant_id, loan_id, created_at DESC, id DESC);
CREATE INDEX disbursements_send_by ON public.disbursements USING btree (tenant_id, send_by) WHERE (send_by IS NOT NULL);
alter table disbursements enable row level security, force row level security;
create policy auditor on disbursements for select to servicing_auditor using true;
create policy owner on disbursements for all to servicing_owner using true with check true;
create policy tenant on disbursements for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.disbursements FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on disbursements to servicing_app;
grant select on disbursements to servicing_auditor;

create table document_wordings (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  document_type text not null,
  language text not null,
  opening text,
  closing text,
  version integer not null default 1,
  is_active boolean not null default true,
  is_archived boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint document_wordings_pkey PRIMARY KEY (tenant_id, id),
  constraint document_wordings_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX document_wordings_created ON public.document_wordings USING btree (tenant_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX document_wordings_one_of_a_kind ON public.document_wordings USING btree (tenant_id, document_type, language) WHERE (NOT is_archived);
alter table document_wordings enable row level security, force row level security;
create policy auditor on document_wordings for select to servicing_auditor using true;
create policy owner on document_wordings for all to servicing_owner using true with check true;
create policy tenant on document_wordings for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.document_wordings FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on document_wordings to servicing_app;
grant select on document_wordings to servicing_auditor;

create table documents (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid,
  borrower_id uuid,
  document_type text not null,
  filename text not null,
  content_type text not null,
  file_size bigint,
  sha256_hash text,
  status text not null default 'pending'::text,
  source text not null,
  storage_key text not null,
  language text,
  page_count integer,
  uploaded_by uuid,
  uploaded_at timestamp with time zone,
  expires_at timestamp with time zone,
  verified_by text,
  verified_at timestamp with time zone,
  verification_notes text,
  rejected_by uuid,
  rejected_at timestamp with time zone,
  rejection_reason text,
  template text,
  template_data jsonb,
  is_visible_to_borrower boolean not null default true,
  is_archived boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  metadata jsonb not null default '{}'::jsonb,
  removed_at timestamp with time zone,
  removed_from text,
  file_gone_at timestamp with time zone,
  constraint documents_pkey PRIMARY KEY (tenant_id, id),
  constraint documents_sha256_hash_check CHECK ((sha256_hash ~ '^[0-9a-f]{64}$'::text)),
  constraint documents_storage_key UNIQUE (tenant_id, storage_key),
  constraint documents_tenant_id_borrower_id_fkey FOREIGN KEY (tenant_id, borrower_id) REFERENCES borrowers(tenant_id, id),
  constraint documents_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint documents_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
CREATE INDEX documents_borrower ON public.documents USING btree (tenant_id, borrower_id, created_at DESC, id DESC);
CREATE INDEX documents_created ON public.documents USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX documents_links ON public.documents USING btree (tenant_id, expires_at) WHERE ((expires_at IS NOT NULL) AND (status <> 'expired'::text));
CREATE INDEX documents_loan ON public.documents USING btree (tenant_id, loan_id, created_at DESC, id DESC);
CREATE INDEX documents_to_remove ON public.documents USING btree (tenant_id, id) WHERE ((status = 'removed'::text) AND (file_gone_at IS NULL));
alter table documents enable row level security, force row level security;
create policy auditor on documents for select to servicing_auditor using true;
create policy owner on documents for all to servicing_owner using true with check true;
create policy tenant on documents for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.documents FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on documents to servicing_app;
grant select on documents to servicing_auditor;

create table draws (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  draw_number integer not null,
  amount app.money not null,
  draw_date date not null,
  purpose text,
  payment_instrument_id uuid,
  external_id text,
  fee_amount app.money not null default 0,
  status text not null default 'completed'::text,
  outstanding_principal app.money not null,
  interest_rate app.rate not null,
  available_credit_after app.money not null,
  created_by uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  send_by date,
  constraint draws_amount_check CHECK (((amount)::numeric > (0)::numeric)),
  constraint draws_draw_number UNIQUE (tenant_id, loan_id, draw_number),
  constraint draws_pkey PRIMARY KEY (tenant_id, id),
  constraint draws_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'completed'::text, 'failed'::text, 'reversed'::text]))),
  constraint draws_tenant_id_external_id_key UNIQUE (tenant_id, external_id),
  constraint draws_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint draws_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id),
  constraint draws_tenant_id_payment_instrument_id_fkey FOREIGN KEY (tenant_id, payment_instrument_id) REFERENCES payment_instruments(tenant_id, id)
);
CREATE INDEX draws_loan ON public.draws USING btree (tenant_id, loan_id, created_at DESC, id DESC);
CREATE INDEX draws_send_by ON public.draws USING btree (tenant_id, send_by) WHERE (send_by IS NOT NULL);
alter table draws enable row level security, force row level security;
create policy auditor on draws for select to servicing_auditor using true;
create policy owner on draws for all to servicing_owner using true with check true;
create policy tenant on draws for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.draws FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on draws to servicing_app;
grant select on draws to servicing_auditor;

create table emails (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  email text not null,
  email_type text not null default 'personal'::text,
  is_primary boolean not null default false,
  is_verified boolean not null default false,
  verified_at timestamp with time zone,
  status text not null default 'active'::text,
  last_bounce_at timestamp with time zone,
  is_archived boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint emails_email_check CHECK ((email = lower(email))),
  constraint emails_pkey PRIMARY KEY (tenant_id, id),
  constraint emails_tenant_id_borrower_id_fkey FOREIGN KEY (tenant_id, borrower_id) REFERENCES borrowers(tenant_id, id),
  constraint emails_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX emails_borrower ON public.emails USING btree (tenant_id, borrower_id, created_at DESC, id DESC);
CREATE INDEX emails_email ON public.emails USING btree (tenant_id, email text_pattern_ops) INCLUDE (borrower_id, is_archived);
CREATE UNIQUE INDEX emails_one_primary ON public.emails USING btree (tenant_id, borrower_id) WHERE (is_primary AND (NOT is_archived));
CREATE INDEX emails_search ON public.emails USING gin (tenant_id, email gin_trgm_ops) WHERE (NOT is_archived);
alter table emails enable row level security, force row level security;
create policy auditor on emails for select to servicing_auditor using true;
create policy owner on emails for all to servicing_owner using true with check true;
create policy tenant on emails for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER redacted BEFORE INSERT ON public.emails FOR EACH ROW EXECUTE FUNCTION app.refuse_change_of_redacted();
CREATE TRIGGER touch BEFORE UPDATE ON public.emails FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on emails to servicing_app;
grant select on emails to servicing_auditor;

create table events (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  event_type text not null,
  loan_id uuid,
  body text not null,
  created_at timestamp with time zone not null default now(),
  relayed_at timestamp with time zone,
  request_id text default app.current_request(),
  constraint events_pkey PRIMARY KEY (tenant_id, id),
  constraint events_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX events_loan ON public.events USING btree (tenant_id, loan_id, id);
CREATE INDEX events_waiting ON public.events USING btree (tenant_id, id) WHERE (relayed_at IS NULL);
alter table events enable row level security, force row level security;
create policy auditor on events for select to servicing_auditor using true;
create policy owner on events for all to servicing_owner using true with check true;
create policy tenant on events for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER waits BEFORE UPDATE OF relayed_at ON public.events FOR EACH ROW WHEN ((old.relayed_at IS NULL)) EXECUTE FUNCTION app.event_waits();
grant insert, select on events to servicing_app;
grant select on events to servicing_auditor;

create table fees (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  fee_type text not null,
  description text,
  amount app.money not null,
  amount_paid app.money not null default 0,
  amount_waived app.money not null default 0,
  amount_moved app.money not null default 0,
  assessed_date date not null,
  effective_date date not null,
  due_date date,
  installment_number integer,
  payment_id uuid,
  fee_rule_id uuid,
  treatment text not null default 'upfront'::text,
  status text not null default 'assessed'::text,
  waived_at timestamp with time zone,
  waived_by uuid,
  waive_reason text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  draw_id uuid,
  constraint fees_amount_check CHECK (((amount)::numeric > (0)::numeric)),
  constraint fees_pkey PRIMARY KEY (tenant_id, id),
  constraint fees_tenant_id_draw_id_fkey FOREIGN KEY (tenant_id, draw_id) REFERENCES draws(tenant_id, id) DEFERRABLE INITIALLY DEFERRED,
  constraint fees_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id),
  constraint fees_tenant_id_payment_id_fkey FOREIGN KEY (tenant_id, payment_id) REFERENCES payments(tenant_id, id)
);
CREATE INDEX fees_draw ON public.fees USING btree (tenant_id, draw_id) WHERE (draw_id IS NOT NULL);
CREATE INDEX fees_loan ON public.fees USING btree (tenant_id, loan_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX fees_one_late_fee ON public.fees USING btree (tenant_id, loan_id, installment_number) WHERE ((fee_type = 'late'::text) AND (status <> 'reversed'::text));
CREATE UNIQUE INDEX fees_one_return_fee ON public.fees USING btree (tenant_id, payment_id) WHERE ((fee_type = 'returned_payment'::text) AND (status <> 'reversed'::text));
alter table fees enable row level security, force row level security;
create policy auditor on fees for select to servicing_auditor using true;
create policy owner on fees for all to servicing_owner using true with check true;
create policy tenant on fees for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.fees FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on fees to servicing_app;
grant select on fees to servicing_auditor;

create table forbearances (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  forbearance_type text not null,
  start_date date not null,
  end_date date not null,
  reason text not null,
  reduced_payment_amount app.money,
  interest_accrues boolean not null,
  suspend_late_fees boolean not null,
  suspend_delinquency boolean not null,
  suspend_credit_reporting boolean not null,
  end_treatment text not null,
  hardship_application_id uuid,
  notes text,
  status text not null default 'scheduled'::text,
  event_ids jsonb not null default '[]'::jsonb,
  created_by uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint forbearances_check CHECK ((end_date >= start_date)),
  constraint forbearances_pkey PRIMARY KEY (tenant_id, id),
  constraint forbearances_status_check CHECK ((status = ANY (ARRAY['scheduled'::text, 'active'::text, 'completed'::text, 'canceled'::text, 'broken'::text]))),
  constraint forbearances_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint forbearances_tenant_id_hardship_application_id_fkey FOREIGN KEY (tenant_id, hardship_application_id) REFERENCES hardship_applications(tenant_id, id) NOT VALID,
  constraint forbearances_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
CREATE INDEX forbearances_loan ON public.forbearances USING btree (tenant_id, loan_id, created_at DESC, id DESC);
CREATE INDEX forbearances_open ON public.forbearances USING btree (tenant_id, loan_id) WHERE (status = ANY (ARRAY['scheduled'::text, 'active'::text]));
alter table forbearances enable row level security, force row level security;
create policy auditor on forbearances for select to servicing_auditor using true;
create policy owner on forbearances for all to servicing_owner using true with check true;
create policy tenant on forbearances for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.forbearances FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on forbearances to servicing_app;
grant select on forbearances to servicing_auditor;

create table forms_1099c (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  form_number text not null,
  tax_year integer not null,
  status text not null default 'generated'::text,
  is_corrected boolean not null default false,
  corrects_form_id uuid,
  source text not null,
  creditor_name text not null,
  creditor_tin_last_four text not null,
  creditor_address text not null,
  creditor_phone text,
  debtor_name text not null,
  debtor_tin_last_four text not null,
  debtor_address text not null,
  account_number text not null,
  identifiable_event_date date not null,
  amount_discharged app.money not null,
  interest_included app.money not null default 0,
  debt_description text not null,
  personally_liable boolean not null,
  identifiable_event_code text not null,
  fair_market_value app.money,
  notes text,
  document_id uuid,
  created_by uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint forms_1099c_amount_discharged_check CHECK ((((amount_discharged)::numeric > (0)::numeric) OR (((amount_discharged)::numeric = (0)::numeric) AND is_corrected))),
  constraint forms_1099c_form_number UNIQUE (tenant_id, form_number),
  constraint forms_1099c_identifiable_event_code_check CHECK ((identifiable_event_code ~ '^[A-H]$'::text)),
  constraint forms_1099c_pkey PRIMARY KEY (tenant_id, id),
  constraint forms_1099c_source_check CHECK ((source = ANY (ARRAY['manual'::text, 'system'::text]))),
  constraint forms_1099c_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'generated'::text, 'furnished'::text, 'filed'::text, 'corrected'::text, 'void'::text]))),
  constraint forms_1099c_tenant_id_corrects_form_id_fkey FOREIGN KEY (tenant_id, corrects_form_id) REFERENCES forms_1099c(tenant_id, id),
  constraint forms_1099c_tenant_id_document_id_fkey FOREIGN KEY (tenant_id, document_id) REFERENCES documents(tenant_id, id),
  constraint forms_1099c_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint forms_1099c_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
CREATE INDEX forms_1099c_loan ON public.forms_1099c USING btree (tenant_id, loan_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX forms_1099c_one ON public.forms_1099c USING btree (tenant_id, loan_id, identifiable_event_code, tax_year) WHERE (status <> ALL (ARRAY['void'::text, 'corrected'::text]));
alter table forms_1099c enable row level security, force row level security;
create policy auditor on forms_1099c for select to servicing_auditor using true;
create policy owner on forms_1099c for all to servicing_owner using true with check true;
create policy tenant on forms_1099c for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.forms_1099c FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on forms_1099c to servicing_app;
grant select on forms_1099c to servicing_auditor;

create table hardship_applications (
  tenant_id uuid not null default app.current_tenant(),
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
  document_ids jsonb not null default '[]'::jsonb,
  status text not null default 'submitted'::text,
  source text not null,
  decision text,
  decision_reason text,
  decided_by uuid,
  decided_at timestamp with time zone,
  resulting_type text,
  resulting_id uuid,
  contacts_paused_until date not null,
  submitted_at timestamp with time zone not null default now(),
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint hardship_applications_application_number UNIQUE (tenant_id, application_number),
  constraint hardship_applications_check CHECK (((resulting_type IS NULL) = (resulting_id IS NULL))),
  constraint hardship_applications_check1 CHECK (((decision IS NULL) = (status <> ALL (ARRAY['approved'::text, 'denied'::text])))),
  constraint hardship_applications_decision_check CHECK ((decision = ANY (ARRAY['approved'::text, 'denied'::text]))),
  constraint hardship_applications_pkey PRIMARY KEY (tenant_id, id),
  constraint hardship_applications_resulting_type_check CHECK ((resulting_type = ANY (ARRAY['forbearance'::text, 'deferment'::text, 'modification'::text, 'payment_plan'::text]))),
  constraint hardship_applications_source_check CHECK ((source = ANY (ARRAY['portal'::text, 'agent'::text]))),
  constraint hardship_applications_status_check CHECK ((status = ANY (ARRAY['submitted'::text, 'under_review'::text, 'more_info_needed'::text, 'approved'::text, 'denied'::text, 'withdrawn'::text]))),
  constraint hardship_applications_tenant_id_borrower_id_fkey FOREIGN KEY (tenant_id, borrower_id) REFERENCES borrowers(tenant_id, id),
  constraint hardship_applications_tenant_id_case_id_fkey FOREIGN KEY (tenant_id, case_id) REFERENCES support_cases(tenant_id, id),
  constraint hardship_applications_tenant_id_decided_by_fkey FOREIGN KEY (tenant_id, decided_by) REFERENCES users(tenant_id, id),
  constraint hardship_applications_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint hardship_applications_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
CREATE INDEX hardship_applications_borrower ON public.hardship_applications USING btree (tenant_id, borrower_id, created_at DESC, id DESC);
CREATE INDEX hardship_applications_case ON public.hardship_applications USING btree (tenant_id, case_id);
CREATE INDEX hardship_applications_created ON public.hardship_applications USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX hardship_applications_loan ON public.hardship_applications USING btree (tenant_id, loan_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX hardship_applications_one_open ON public.hardship_applications USING btree (tenant_id, loan_id) WHERE (status = ANY (ARRAY['submitted'::text, 'under_review'::text, 'more_info_needed'::text]));
alter table hardship_applications enable row level security, force row level security;
create policy auditor on hardship_applications for select to servicing_auditor using true;
create policy owner on hardship_applications for all to servicing_owner using true with check true;
create policy tenant on hardship_applications for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER redacted BEFORE INSERT ON public.hardship_applications FOR EACH ROW EXECUTE FUNCTION app.refuse_change_of_redacted();
CREATE TRIGGER touch BEFORE UPDATE ON public.hardship_applications FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on hardship_applications to servicing_app;
grant select on hardship_applications to servicing_auditor;

create table idempotency_keys (
  tenant_id uuid not null default app.current_tenant(),
  user_id uuid not null,
  method text not null,
  path text not null,
  key text not null,
  request_hash bytea not null,
  status integer,
  body jsonb,
  created_at timestamp with time zone not null default now(),
  constraint idempotency_keys_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255))),
  constraint idempotency_keys_pkey PRIMARY KEY (tenant_id, user_id, method, path, key),
  constraint idempotency_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX idempotency_keys_age ON public.idempotency_keys USING btree (tenant_id, created_at);
alter table idempotency_keys enable row level security, force row level security;
create policy auditor on idempotency_keys for select to servicing_auditor using true;
create policy owner on idempotency_keys for all to servicing_owner using true with check true;
create policy tenant on idempotency_keys for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant delete, insert, select, update on idempotency_keys to servicing_app;
grant select on idempotency_keys to servicing_auditor;

create table identity_providers (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  name text not null,
  issuer_url text not null,
  client_id text not null,
  client_secret_sealed text not null,
  redirect_url text not null,
  role_claim text,
  roles jsonb not null default '{}'::jsonb,
  adds_users boolean not null default false,
  is_active boolean not null default true,
  authorization_url text,
  read_at timestamp with time zone,
  last_error text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  trusts_amr boolean not null default false,
  constraint identity_providers_pkey PRIMARY KEY (tenant_id, id),
  constraint identity_providers_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint identity_providers_tenant_id_issuer_url_key UNIQUE (tenant_id, issuer_url)
);
CREATE INDEX identity_providers_created ON public.identity_providers USING btree (tenant_id, created_at DESC, id DESC);
alter table identity_providers enable row level security, force row level security;
create policy auditor on identity_providers for select to servicing_auditor using true;
create policy owner on identity_providers for all to servicing_owner using true with check true;
create policy tenant on identity_providers for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.identity_providers FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on identity_providers to servicing_app;
grant select on identity_providers to servicing_auditor;

create table installments (
  tenant_id uuid not null default app.current_tenant(),
  loan_id uuid not null,
  version integer not null,
  period_number integer not null,
  due_date date not null,
  payment_amount app.money not null,
  principal_amount app.money not null,
  interest_amount app.money not null,
  fees_amount app.money not null default 0,
  beginning_balance app.money not null,
  ending_balance app.money not null,
  days_in_period integer not null,
  paid_amount app.money not null default 0,
  paid_date date,
  is_canceled boolean not null default false,
  reason text,
  created_at timestamp with time zone not null default now(),
  constraint installments_pkey PRIMARY KEY (tenant_id, loan_id, version, period_number),
  constraint installments_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
alter table installments enable row level security, force row level security;
create policy auditor on installments for select to servicing_auditor using true;
create policy owner on installments for all to servicing_owner using true with check true;
create policy tenant on installments for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant insert, select on installments to servicing_app;
grant update (is_canceled) on installments to servicing_app;
grant update (paid_amount) on installments to servicing_app;
grant update (paid_date) on installments to servicing_app;
grant select on installments to servicing_auditor;

create table interest_accruals (
  tenant_id uuid not null default app.current_tenant(),
  accrual_date date not null,
  loan_id uuid not null,
  sequence smallint not null default 0,
  amount app.money not null,
  entry_id uuid not null,
  constraint interest_accruals_pkey PRIMARY KEY (tenant_id, accrual_date, loan_id, sequence)
) partition by RANGE (accrual_date);
alter table interest_accruals enable row level security, force row level security;
create policy auditor on interest_accruals for select to servicing_auditor using true;
create policy owner on interest_accruals for all to servicing_owner using true with check true;
create policy tenant on interest_accruals for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.interest_accruals FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
grant insert, select on interest_accruals to servicing_app;
grant select on interest_accruals to servicing_auditor;

create table investors (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  name text not null,
  investor_type text not null default 'institutional'::text,
  legal_name text,
  tax_id_last_four text,
  contact_name text,
  contact_email text,
  contact_phone text,
  address jsonb not null default '{}'::jsonb,
  remittance_type text not null default 'actual_actual'::text,
  remittance_frequency text not null default 'monthly'::text,
  remittance_day integer,
  servicing_fee_rate app.rate not null default 0.005,
  is_active boolean not null default true,
  external_id text,
  notes text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint investors_pkey PRIMARY KEY (tenant_id, id),
  constraint investors_remittance_day_check CHECK (((remittance_day >= 1) AND (remittance_day <= 31))),
  constraint investors_tax_id_last_four_check CHECK ((tax_id_last_four ~ '^\d{4}$'::text)),
  constraint investors_tenant_id_external_id_key UNIQUE (tenant_id, external_id),
  constraint investors_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint investors_tenant_id_name_key UNIQUE (tenant_id, name)
);
CREATE INDEX investors_created ON public.investors USING btree (tenant_id, created_at DESC, id DESC);
alter table investors enable row level security, force row level security;
create policy auditor on investors for select to servicing_auditor using true;
create policy owner on investors for all to servicing_owner using true with check true;
create policy tenant on investors for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.investors FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on investors to servicing_app;
grant select on investors to servicing_auditor;

create table journal_entries (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  entry_date date not null,
  effective_date date not null,
  description text,
  reference_type text not null,
  reference_id uuid,
  purpose text not null default ''::text,
  loan_id uuid,
  source text not null,
  status text not null,
  posted_at timestamp with time zone,
  posted_by uuid,
  reversal_of_entry_id uuid,
  reversal_reason text,
  is_archived boolean not null default false,
  created_by uuid,
  created_at timestamp with time zone not null default now(),
  constraint journal_entries_pkey PRIMARY KEY (tenant_id, id),
  constraint journal_entries_posted_once UNIQUE (tenant_id, reference_type, reference_id, purpose),
  constraint journal_entries_reversed_once UNIQUE (tenant_id, reversal_of_entry_id),
  constraint journal_entries_source_check CHECK ((source = ANY (ARRAY['system'::text, 'manual'::text]))),
  constraint journal_entries_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'posted'::text]))),
  constraint journal_entries_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint journal_entries_tenant_id_reversal_of_entry_id_fkey FOREIGN KEY (tenant_id, reversal_of_entry_id) REFERENCES journal_entries(tenant_id, id)
);
CREATE INDEX journal_entries_created ON public.journal_entries USING btree (tenant_id, created_at DESC, id DESC) INCLUDE (is_archived);
CREATE INDEX journal_entries_date ON public.journal_entries USING btree (tenant_id, entry_date DESC, id DESC);
CREATE INDEX journal_entries_drafts ON public.journal_entries USING btree (tenant_id, id) WHERE (status = 'draft'::text);
CREATE INDEX journal_entries_loan ON public.journal_entries USING btree (tenant_id, loan_id, entry_date, id) WHERE (loan_id IS NOT NULL);
CREATE INDEX journal_entries_reference ON public.journal_entries USING btree (tenant_id, reference_id) WHERE (reference_id IS NOT NULL);
alter table journal_entries enable row level security, force row level security;
create policy auditor on journal_entries for select to servicing_auditor using true;
create policy owner on journal_entries for all to servicing_owner using true with check true;
create policy tenant on journal_entries for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER append_only_all BEFORE TRUNCATE ON public.journal_entries FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
CREATE CONSTRAINT TRIGGER balances AFTER INSERT OR UPDATE ON public.journal_entries DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.entry_balances();
CREATE TRIGGER immutable BEFORE DELETE OR UPDATE ON public.journal_entries FOR EACH ROW EXECUTE FUNCTION app.entry_is_immutable();
CREATE TRIGGER in_open_period BEFORE INSERT ON public.journal_entries FOR EACH ROW EXECUTE FUNCTION app.entry_in_open_period();
CREATE TRIGGER in_open_period_when_posted BEFORE UPDATE OF status ON public.journal_entries FOR EACH ROW WHEN ((new.status = 'posted'::text)) EXECUTE FUNCTION app.entry_in_open_period();
grant insert, select on journal_entries to servicing_app;
grant update (is_archived) on journal_entries to servicing_app;
grant update (posted_at) on journal_entries to servicing_app;
grant update (posted_by) on journal_entries to servicing_app;
grant update (status) on journal_entries to servicing_app;
grant select on journal_entries to servicing_auditor;

create table journal_lines (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  entry_id uuid not null,
  entry_date date not null,
  account_id uuid not null,
  role text,
  position integer not null,
  debit app.money not null default 0,
  credit app.money not null default 0,
  description text,
  constraint journal_lines_check CHECK ((((debit)::numeric >= (0)::numeric) AND ((credit)::numeric >= (0)::numeric))),
  constraint journal_lines_check1 CHECK ((((debit)::numeric = (0)::numeric) <> ((credit)::numeric = (0)::numeric))),
  constraint journal_lines_pkey PRIMARY KEY (tenant_id, id),
  constraint journal_lines_tenant_id_account_id_fkey FOREIGN KEY (tenant_id, account_id) REFERENCES ledger_accounts(tenant_id, id),
  constraint journal_lines_tenant_id_entry_id_fkey FOREIGN KEY (tenant_id, entry_id) REFERENCES journal_entries(tenant_id, id)
);
CREATE INDEX journal_lines_balance ON public.journal_lines USING btree (tenant_id, account_id, entry_date) INCLUDE (debit, credit, entry_id);
CREATE INDEX journal_lines_entry ON public.journal_lines USING btree (tenant_id, entry_id);
alter table journal_lines enable row level security, force row level security;
create policy auditor on journal_lines for select to servicing_auditor using true;
create policy owner on journal_lines for all to servicing_owner using true with check true;
create policy tenant on journal_lines for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.journal_lines FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER append_only_all BEFORE TRUNCATE ON public.journal_lines FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER joins_new_entry BEFORE INSERT ON public.journal_lines FOR EACH ROW EXECUTE FUNCTION app.line_joins_new_entry();
grant insert, select on journal_lines to servicing_app;
grant select on journal_lines to servicing_auditor;

create table kept_counts (
  tenant_id uuid not null default app.current_tenant(),
  table_name text not null,
  id uuid not null default uuidv7(),
  status text,
  is_archived boolean,
  rows bigint not null,
  constraint kept_counts_pkey PRIMARY KEY (tenant_id, table_name, id)
);
alter table kept_counts enable row level security, force row level security;
create policy auditor on kept_counts for select to servicing_auditor using true;
create policy owner on kept_counts for all to servicing_owner using true with check true;
create policy tenant on kept_counts for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant select on kept_counts to servicing_app;
grant select on kept_counts to servicing_auditor;

create table ledger_accounts (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  code text not null,
  name text not null,
  account_type text not null,
  parent_id uuid,
  description text,
  is_header boolean not null default false,
  is_active boolean not null default true,
  role text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint ledger_accounts_account_type_check CHECK ((account_type = ANY (ARRAY['asset'::text, 'liability'::text, 'equity'::text, 'revenue'::text, 'expense'::text]))),
  constraint ledger_accounts_check CHECK ((parent_id <> id)),
  constraint ledger_accounts_pkey PRIMARY KEY (tenant_id, id),
  constraint ledger_accounts_tenant_id_code_key UNIQUE (tenant_id, code),
  constraint ledger_accounts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint ledger_accounts_tenant_id_parent_id_fkey FOREIGN KEY (tenant_id, parent_id) REFERENCES ledger_accounts(tenant_id, id),
  constraint ledger_accounts_tenant_id_role_key UNIQUE (tenant_id, role)
);
CREATE INDEX ledger_accounts_parent ON public.ledger_accounts USING btree (tenant_id, parent_id) WHERE (parent_id IS NOT NULL);
alter table ledger_accounts enable row level security, force row level security;
create policy auditor on ledger_accounts for select to servicing_auditor using true;
create policy owner on ledger_accounts for all to servicing_owner using true with check true;
create policy tenant on ledger_accounts for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.ledger_accounts FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on ledger_accounts to servicing_app;
grant select on ledger_accounts to servicing_auditor;

create table legal_reps (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  representative_type text not null,
  first_name text not null,
  last_name text not null,
  firm_name text,
  email text,
  phone text,
  street_line_1 text,
  street_line_2 text,
  city text,
  state text,
  postal_code text,
  country text,
  bar_number text,
  effective_date date not null,
  end_date date,
  authorization_document_id uuid,
  contact_through_representative boolean not null,
  is_active boolean not null default true,
  is_archived boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint legal_reps_check CHECK ((end_date >= effective_date)),
  constraint legal_reps_pkey PRIMARY KEY (tenant_id, id),
  constraint legal_reps_representative_type_check CHECK ((representative_type = ANY (ARRAY['attorney'::text, 'power_of_attorney'::text, 'guardian'::text, 'executor'::text, 'bankruptcy_trustee'::text, 'debt_settlement'::text, 'other'::text]))),
  constraint legal_reps_tenant_id_authorization_document_id_fkey FOREIGN KEY (tenant_id, authorization_document_id) REFERENCES documents(tenant_id, id),
  constraint legal_reps_tenant_id_borrower_id_fkey FOREIGN KEY (tenant_id, borrower_id) REFERENCES borrowers(tenant_id, id),
  constraint legal_reps_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX legal_reps_borrower ON public.legal_reps USING btree (tenant_id, borrower_id, created_at DESC, id DESC);
alter table legal_reps enable row level security, force row level security;
create policy auditor on legal_reps for select to servicing_auditor using true;
create policy owner on legal_reps for all to servicing_owner using true with check true;
create policy tenant on legal_reps for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER redacted BEFORE INSERT ON public.legal_reps FOR EACH ROW EXECUTE FUNCTION app.refuse_change_of_redacted();
CREATE TRIGGER touch BEFORE UPDATE ON public.legal_reps FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on legal_reps to servicing_app;
grant select on legal_reps to servicing_auditor;

create table lien_alerts (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  lien_id uuid not null,
  loan_id uuid not null,
  expiration_date date not null,
  severity integer not null,
  status text not null default 'open'::text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint lien_alerts_once UNIQUE (tenant_id, lien_id, expiration_date),
  constraint lien_alerts_pkey PRIMARY KEY (tenant_id, id),
  constraint lien_alerts_status_check CHECK ((status = ANY (ARRAY['open'::text, 'acknowledged'::text, 'resolved'::text]))),
  constraint lien_alerts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint lien_alerts_tenant_id_lien_id_fkey FOREIGN KEY (tenant_id, lien_id) REFERENCES liens(tenant_id, id),
  constraint lien_alerts_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
CREATE INDEX lien_alerts_created ON public.lien_alerts USING btree (tenant_id, created_at DESC, id DESC);
alter table lien_alerts enable row level security, force row level security;
create policy auditor on lien_alerts for select to servicing_auditor using true;
create policy owner on lien_alerts for all to servicing_owner using true with check true;
create policy tenant on lien_alerts for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.lien_alerts FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on lien_alerts to servicing_app;
grant select on lien_alerts to servicing_auditor;

create table liens (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  collateral_id uuid not null,
  lien_type text not null,
  filing_number text,
  filing_date date,
  expiration_date date,
  filing_jurisdiction text,
  lien_position integer not null default 1,
  status text not null default 'active'::text,
  released_at timestamp with time zone,
  released_by uuid,
  release_date date,
  release_reason text,
  release_filing_number text,
  release_notes text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint liens_lien_position_check CHECK ((lien_position >= 1)),
  constraint liens_pkey PRIMARY KEY (tenant_id, id),
  constraint liens_status_check CHECK ((status = ANY (ARRAY['active'::text, 'released'::text, 'expired'::text, 'terminated'::text]))),
  constraint liens_tenant_id_collateral_id_fkey FOREIGN KEY (tenant_id, collateral_id) REFERENCES collateral_items(tenant_id, id),
  constraint liens_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX liens_collateral ON public.liens USING btree (tenant_id, collateral_id, created_at DESC, id DESC);
CREATE INDEX liens_created ON public.liens USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX liens_expiry ON public.liens USING btree (tenant_id, expiration_date) WHERE (status = 'active'::text);
CREATE UNIQUE INDEX liens_tenant_id_lien_position_key ON public.liens USING btree (tenant_id, collateral_id, lien_position) WHERE (status = 'active'::text);
alter table liens enable row level security, force row level security;
create policy auditor on liens for select to servicing_auditor using true;
create policy owner on liens for all to servicing_owner using true with check true;
create policy tenant on liens for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.liens FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on liens to servicing_app;
grant select on liens to servicing_auditor;

create table liquidations (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  collateral_id uuid not null,
  loan_id uuid not null,
  sale_date date not null,
  sale_price app.money not null,
  sale_expenses app.money not null,
  net_proceeds app.money not null,
  notes text,
  fee_id uuid,
  outstanding_before app.money not null,
  applied_principal app.money not null default 0,
  applied_interest app.money not null default 0,
  applied_fees app.money not null default 0,
  recovered app.money not null default 0,
  surplus app.money not null default 0,
  liens_released jsonb not null default '[]'::jsonb,
  status_before text not null,
  status text not null default 'applied'::text,
  created_by uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint liquidations_check CHECK (((net_proceeds)::numeric = GREATEST(((sale_price)::numeric - (sale_expenses)::numeric), (0)::numeric))),
  constraint liquidations_pkey PRIMARY KEY (tenant_id, id),
  constraint liquidations_sale_expenses_check CHECK (((sale_expenses)::numeric >= (0)::numeric)),
  constraint liquidations_sale_price_check CHECK (((sale_price)::numeric >= (0)::numeric)),
  constraint liquidations_status_check CHECK ((status = ANY (ARRAY['applied'::text, 'reversed'::text]))),
  constraint liquidations_tenant_id_collateral_id_fkey FOREIGN KEY (tenant_id, collateral_id) REFERENCES collateral_items(tenant_id, id),
  constraint liquidations_tenant_id_created_by_fkey FOREIGN KEY (tenant_id, created_by) REFERENCES users(tenant_id, id),
  constraint liquidations_tenant_id_fee_id_fkey FOREIGN KEY (tenant_id, fee_id) REFERENCES fees(tenant_id, id),
  constraint liquidations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint liquidations_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
CREATE UNIQUE INDEX liquidations_in_force ON public.liquidations USING btree (tenant_id, collateral_id) WHERE (status = 'applied'::text);
CREATE INDEX liquidations_loan ON public.liquidations USING btree (tenant_id, loan_id);
alter table liquidations enable row level security, force row level security;
create policy auditor on liquidations for select to servicing_auditor using true;
create policy owner on liquidations for all to servicing_owner using true with check true;
create policy tenant on liquidations for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.liquidations FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on liquidations to servicing_app;
grant select on liquidations to servicing_auditor;

create table loan_assignments (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  investor_id uuid not null,
  loan_id uuid not null,
  portfolio_id uuid,
  ownership_percentage numeric(5,4) not null default 1,
  assignment_type text not null default 'whole_loan_sale'::text,
  effective_date date not null,
  settlement_date date,
  end_date date,
  purchase_price app.money,
  purchase_price_ratio app.rate,
  servicing_fee_rate app.rate,
  recourse boolean not null default false,
  status text not null default 'pending'::text,
  settlement_instrument_id uuid,
  journal_entry_ids jsonb not null default '[]'::jsonb,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  agreed_status text,
  decline_reason text,
  is_booked boolean not null default false,
  constraint loan_assignments_decline_reason_check CHECK ((decline_reason = ANY (ARRAY['paid_off'::text, 'settled'::text, 'charged_off'::text, 'reinstated'::text, 'transferred'::text, 'canceled'::text, 'nothing_owed'::text]))),
  constraint loan_assignments_ownership_percentage_check CHECK (((ownership_percentage > (0)::numeric) AND (ownership_percentage <= (1)::numeric))),
  constraint loan_assignments_pkey PRIMARY KEY (tenant_id, id),
  constraint loan_assignments_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'declined'::text, 'canceled'::text, 'bought_back'::text, 'ended'::text]))),
  constraint loan_assignments_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint loan_assignments_tenant_id_investor_id_fkey FOREIGN KEY (tenant_id, investor_id) REFERENCES investors(tenant_id, id),
  constraint loan_assignments_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id),
  constraint loan_assignments_tenant_id_portfolio_id_fkey FOREIGN KEY (tenant_id, portfolio_id) REFERENCES portfolios(tenant_id, id),
  constraint loan_assignments_tenant_id_settlement_instrument_id_fkey FOREIGN KEY (tenant_id, settlement_instrument_id) REFERENCES settlement_instruments(tenant_id, id)
);
CREATE INDEX loan_assignments_investor ON public.loan_assignments USING btree (tenant_id, investor_id, created_at DESC, id DESC);
CREATE INDEX loan_assignments_loan ON public.loan_assignments USING btree (tenant_id, loan_id) WHERE (status = ANY (ARRAY['pending'::text, 'active'::text]));
CREATE INDEX loan_assignments_portfolio ON public.loan_assignments USING btree (tenant_id, portfolio_id) WHERE (portfolio_id IS NOT NULL);
CREATE INDEX loan_assignments_settlement ON public.loan_assignments USING btree (tenant_id, settlement_date) WHERE (status = 'pending'::text);
alter table loan_assignments enable row level security, force row level security;
create policy auditor on loan_assignments for select to servicing_auditor using true;
create policy owner on loan_assignments for all to servicing_owner using true with check true;
create policy tenant on loan_assignments for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.loan_assignments FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on loan_assignments to servicing_app;
grant select on loan_assignments to servicing_auditor;

create table loan_events (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  kind text not null,
  effective_date date not null,
  details jsonb not null default '{}'::jsonb,
  recorded_on date not null default app.business_date(),
  recorded_at timestamp with time zone not null default now(),
  constraint loan_events_pkey PRIMARY KEY (tenant_id, id),
  constraint loan_events_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
CREATE INDEX loan_events_loan ON public.loan_events USING btree (tenant_id, loan_id, effective_date, id);
CREATE INDEX loan_events_modifications ON public.loan_events USING btree (tenant_id, loan_id, effective_date) WHERE (kind = ANY (ARRAY['rate_change'::text, 'capitalization'::text, 'forgiveness'::text, 'plan_agreed'::text]));
alter table loan_events enable row level security, force row level security;
create policy auditor on loan_events for select to servicing_auditor using true;
create policy owner on loan_events for all to servicing_owner using true with check true;
create policy tenant on loan_events for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.loan_events FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER append_only_all BEFORE TRUNCATE ON public.loan_events FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
grant insert, select on loan_events to servicing_app;
grant select on loan_events to servicing_auditor;

create table loan_number_sequences (
  tenant_id uuid not null default app.current_tenant(),
  year integer not null,
  last_number bigint not null,
  constraint loan_number_sequences_pkey PRIMARY KEY (tenant_id, year),
  constraint loan_number_sequences_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
alter table loan_number_sequences enable row level security, force row level security;
create policy auditor on loan_number_sequences for select to servicing_auditor using true;
create policy owner on loan_number_sequences for all to servicing_owner using true with check true;
create policy tenant on loan_number_sequences for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant delete, insert, select, update on loan_number_sequences to servicing_app;
grant select on loan_number_sequences to servicing_auditor;

create table loan_particulars (
  tenant_id uuid not null default app.current_tenant(),
  loan_id uuid not null,
  from_date date not null,
  external_id text,
  borrower_name text,
  borrower_state text,
  borrower_zip text,
  program text not null,
  product text not null,
  origination_date date,
  first_payment_date date,
  apr app.rate,
  term_months integer not null,
  payment_amount app.money,
  payment_frequency text not null,
  modification_count integer not null,
  charge_off_date date,
  charge_off_amount app.money,
  recovery_amount app.money,
  collateral_type text,
  collateral_value app.money,
  lien_position integer,
  investor text,
  portfolio text,
  credit_score_origination text,
  constraint loan_particulars_pkey PRIMARY KEY (tenant_id, loan_id, from_date)
);
alter table loan_particulars enable row level security, force row level security;
create policy auditor on loan_particulars for select to servicing_auditor using true;
create policy owner on loan_particulars for all to servicing_owner using true with check true;
create policy tenant on loan_particulars for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant insert, select on loan_particulars to servicing_app;
grant select on loan_particulars to servicing_auditor;

create table loan_promotions (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  name text not null,
  promo_type text not null,
  promo_rate app.rate,
  start_date date not null,
  end_date date not null,
  conditions jsonb not null default '{}'::jsonb,
  promo_program_id uuid,
  event_id uuid,
  is_over boolean not null default false,
  broken_on date,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint loan_promotions_check CHECK ((end_date >= start_date)),
  constraint loan_promotions_pkey PRIMARY KEY (tenant_id, id),
  constraint loan_promotions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint loan_promotions_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
CREATE INDEX loan_promotions_loan ON public.loan_promotions USING btree (tenant_id, loan_id, created_at DESC, id DESC);
CREATE INDEX loan_promotions_open ON public.loan_promotions USING btree (tenant_id, start_date) WHERE (NOT is_over);
alter table loan_promotions enable row level security, force row level security;
create policy auditor on loan_promotions for select to servicing_auditor using true;
create policy owner on loan_promotions for all to servicing_owner using true with check true;
create policy tenant on loan_promotions for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.loan_promotions FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on loan_promotions to servicing_app;
grant select on loan_promotions to servicing_auditor;

create table loan_snapshots (
  tenant_id uuid not null default app.current_tenant(),
  snapshot_date date not null,
  loan_id uuid not null,
  id uuid not null default uuidv7(),
  status text not null,
  sub_status text,
  principal_balance app.money not null,
  accrued_interest app.money not null,
  outstanding_fees app.money not null,
  total_balance app.money not null,
  suspense_balance app.money not null,
  payoff_amount app.money not null,
  per_diem app.money not null,
  interest_accrued_today app.money not null,
  past_due_amount app.money not null,
  past_due_principal app.money not null default 0,
  past_due_interest app.money not null default 0,
  past_due_fees app.money not null default 0,
  past_due_30_amount app.money not null default 0,
  days_past_due integer not null,
  delinquency_bucket text not null,
  first_delinquency_date date,
  times_delinquent_30 integer not null default 0,
  times_delinquent_60 integer not null default 0,
  times_delinquent_90 integer not null default 0,
  next_payment_date date,
  next_payment_amount app.money,
  last_payment_date date,
  last_payment_amount app.money,
  total_paid_principal app.money not null,
  total_paid_interest app.money not null,
  total_paid_fees app.money not null,
  interest_rate app.rate not null,
  remaining_term integer not null,
  payments_remaining integer not null default 0,
  maturity_date date,
  final_payment_amount app.money,
  credit_limit app.money,
  available_credit app.money,
  is_frozen boolean not null,
  is_accelerated boolean not null,
  is_non_accrual boolean not null,
  charge_off_balance app.money not null,
  net_charge_off app.money not null default 0,
  portfolio_id uuid,
  investor_id uuid,
  loan_officer_id uuid,
  labels jsonb not null,
  created_at timestamp with time zone not null default now(),
  schedule_version integer,
  interest_free_balance app.money not null default 0,
  is_in_disaster boolean,
  term integer,
  constraint loan_snapshots_pkey PRIMARY KEY (tenant_id, snapshot_date, loan_id)
);
CREATE INDEX loan_snapshots_portfolio ON public.loan_snapshots USING btree (tenant_id, portfolio_id, snapshot_date);
alter table loan_snapshots enable row level security, force row level security;
create policy auditor on loan_snapshots for select to servicing_auditor using true;
create policy owner on loan_snapshots for all to servicing_owner using true with check true;
create policy tenant on loan_snapshots for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant insert, select on loan_snapshots to servicing_app;
grant select on loan_snapshots to servicing_auditor;

create table loan_tape_configs (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  name text not null,
  portfolio_id uuid,
  format text not null default 'csv'::text,
  columns jsonb not null,
  filters jsonb not null default '{}'::jsonb,
  schedule text not null default 'none'::text,
  include_header boolean not null default true,
  is_active boolean not null default true,
  delivery text not null default 'document'::text,
  last_generated_at timestamp with time zone,
  next_run_at date,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  recipients jsonb not null default '[]'::jsonb,
  attach_file boolean not null default false,
  sftp_server_id uuid,
  constraint loan_tape_configs_delivery_check CHECK (((delivery = 'document'::text) OR ((delivery = 'email'::text) AND (recipients <> '[]'::jsonb)) OR ((delivery = 'sftp'::text) AND (sftp_server_id IS NOT NULL)))),
  constraint loan_tape_configs_format_check CHECK ((format = ANY (ARRAY['csv'::text, 'json'::text, 'xlsx'::text]))),
  constraint loan_tape_configs_pkey PRIMARY KEY (tenant_id, id),
  constraint loan_tape_configs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint loan_tape_configs_tenant_id_portfolio_id_fkey FOREIGN KEY (tenant_id, portfolio_id) REFERENCES portfolios(tenant_id, id),
  constraint loan_tape_configs_tenant_id_sftp_server_id_fkey FOREIGN KEY (tenant_id, sftp_server_id) REFERENCES sftp_servers(tenant_id, id)
);
CREATE INDEX loan_tape_configs_created ON public.loan_tape_configs USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX loan_tape_configs_due ON public.loan_tape_configs USING btree (tenant_id, next_run_at) WHERE (is_active AND (next_run_at IS NOT NULL));
alter table loan_tape_configs enable row level security, force row level security;
create policy auditor on loan_tape_configs for select to servicing_auditor using true;
create policy owner on loan_tape_configs for all to servicing_owner using true with check true;
create policy tenant on loan_tape_configs for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.loan_tape_configs FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on loan_tape_configs to servicing_app;
grant select on loan_tape_configs to servicing_auditor;

create table loan_tapes (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_tape_config_id uuid not null,
  portfolio_id uuid,
  as_of_date date not null,
  format text not null,
  columns jsonb not null,
  filters jsonb not null,
  include_header boolean not null,
  status text not null default 'pending'::text,
  filename text not null,
  row_count integer,
  document_id uuid,
  checksum text,
  totals jsonb not null default '{}'::jsonb,
  warnings jsonb not null default '[]'::jsonb,
  generated_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  failure_reason text,
  constraint loan_tapes_pkey PRIMARY KEY (tenant_id, id),
  constraint loan_tapes_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'completed'::text, 'failed'::text]))),
  constraint loan_tapes_tenant_id_document_id_fkey FOREIGN KEY (tenant_id, document_id) REFERENCES documents(tenant_id, id),
  constraint loan_tapes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint loan_tapes_tenant_id_loan_tape_config_id_fkey FOREIGN KEY (tenant_id, loan_tape_config_id) REFERENCES loan_tape_configs(tenant_id, id),
  constraint loan_tapes_tenant_id_portfolio_id_fkey FOREIGN KEY (tenant_id, portfolio_id) REFERENCES portfolios(tenant_id, id)
);
CREATE INDEX loan_tapes_config ON public.loan_tapes USING btree (tenant_id, loan_tape_config_id, created_at DESC, id DESC);
CREATE INDEX loan_tapes_created ON public.loan_tapes USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX loan_tapes_document ON public.loan_tapes USING btree (tenant_id, document_id) WHERE (document_id IS NOT NULL);
alter table loan_tapes enable row level security, force row level security;
create policy auditor on loan_tapes for select to servicing_auditor using true;
create policy owner on loan_tapes for all to servicing_owner using true with check true;
create policy tenant on loan_tapes for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.loan_tapes FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on loan_tapes to servicing_app;
grant select on loan_tapes to servicing_auditor;

create table loans (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_number text not null,
  borrower_id uuid not null,
  program_id uuid not null,
  product_id uuid not null,
  portfolio_id uuid,
  loan_officer_id uuid,
  external_id text,
  status text not null default 'pending'::text,
  sub_status text,
  loan_type text not null default 'installment'::text,
  principal_amount app.money not null,
  interest_rate app.rate not null,
  term_months integer not null,
  payment_day integer,
  payment_frequency text not null,
  payment_amount app.money,
  day_count text not null,
  interest_method text not null,
  terms jsonb not null default '{}'::jsonb,
  credit_limit app.money,
  apr app.rate,
  first_payment_date date,
  maturity_date date,
  origination_date date,
  disbursement_date date,
  is_frozen boolean not null default false,
  frozen_at timestamp with time zone,
  freeze_reason text,
  freeze_until date,
  is_accelerated boolean not null default false,
  accelerated_at timestamp with time zone,
  is_non_accrual boolean not null default false,
  non_accrual_since date,
  approved_at timestamp with time zone,
  approved_on date,
  approved_by uuid,
  denied_at timestamp with time zone,
  denial_reasons jsonb not null default '[]'::jsonb,
  canceled_at timestamp with time zone,
  cancel_reason text,
  paid_off_at timestamp with time zone,
  charged_off_at timestamp with time zone,
  charge_off_reason text,
  charge_off_amount app.money,
  labels jsonb not null default '[]'::jsonb,
  metadata jsonb not null default '{}'::jsonb,
  disbursed_amount app.money not null default 0,
  principal_balance app.money not null default 0,
  accrual_since date,
  accrual_balance app.money not null default 0,
  accrual_rate app.rate not null default 0,
  accrual_period_days integer,
  is_accruing boolean not null default false,
  linear_until date,
  interest_accrued numeric(22,10) not null default 0,
  interest_settled app.money not null default 0,
  off_books_interest app.money not null default 0,
  outstanding_fees app.money not null default 0,
  suspense_balance app.money not null default 0,
  charge_off_balance app.money not null default 0,
  recovered_amount app.money not null default 0,
  deficiency_balance app.money not null default 0,
  oldest_unpaid_due_date date,
  satisfied_tolerance app.money not null default 0,
  rounding_mode text not null generated always as (COALESCE((terms ->> 'rounding_mode'::text), 'half_up'::text)),
  delinquency_grace_days integer not null generated always as (COALESCE(((terms ->> 'delinquency_grace_days'::text))::integer, 0)),
  first_delinquency_date date,
  last_payment_date date,
  last_payment_amount app.money,
  paid_principal app.money not null default 0,
  paid_interest app.money not null default 0,
  paid_fees app.money not null default 0,
  delinquency_pauses jsonb not null default '[]'::jsonb,
  delinquency_bucket text not null default 'current'::text,
  times_delinquent_30 integer not null default 0,
  times_delinquent_60 integer not null default 0,
  times_delinquent_90 integer not null default 0,
  delinquency_counted integer not null default 0,
  payment_history_profile text,
  schedule_version integer not null default 0,
  is_archived boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  expected_disbursement_date date,
  agreed_first_payment_date date,
  final_payment_amount app.money,
  cycle_start_date date,
  cycle_end_date date,
  cycle_outlook jsonb,
  accrual_period_interest numeric(22,10),
  rescission_ends date,
  interest_ahead app.money,
  interest_free_balance app.money not null default 0,
  open_installments integer,
  first_open_period integer,
  is_last_covered boolean,
  coverage_revision integer not null default 0,
  original_term_months integer,
  constraint loans_check CHECK ((((interest_free_balance)::numeric >= (0)::numeric) AND ((interest_free_balance)::numeric <= (principal_balance)::numeric))),
  constraint loans_original_term_months_check CHECK ((original_term_months > 0)),
  constraint loans_outstanding_fees_check CHECK (((outstanding_fees)::numeric >= (0)::numeric)),
  constraint loans_payment_day_check CHECK (((payment_day >= 1) AND (payment_day <= 31))),
  constraint loans_payment_history_profile_check CHECK ((payment_history_profile ~ '^[0-6BDEGHJKLZ]{24}$'::text)),
  constraint loans_pkey PRIMARY KEY (tenant_id, id),
  constraint loans_principal_amount_check CHECK (((principal_amount)::numeric > (0)::numeric)),
  constraint loans_principal_balance_check CHECK (((principal_balance)::numeric >= (0)::numeric)),
  constraint loans_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'denied'::text, 'canceled'::text, 'active'::text, 'paid_off'::text, 'charged_off'::text, 'settled'::text, 'transferred'::text]))),
  constraint loans_tenant_id_borrower_id_fkey FOREIGN KEY (tenant_id, borrower_id) REFERENCES borrowers(tenant_id, id),
  constraint loans_tenant_id_external_id_key UNIQUE (tenant_id, external_id),
  constraint loans_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint loans_tenant_id_loan_number_key UNIQUE (tenant_id, loan_number),
  constraint loans_tenant_id_loan_officer_id_fkey FOREIGN KEY (tenant_id, loan_officer_id) REFERENCES users(tenant_id, id),
  constraint loans_tenant_id_portfolio_id_fkey FOREIGN KEY (tenant_id, portfolio_id) REFERENCES portfolios(tenant_id, id),
  constraint loans_tenant_id_product_id_fkey FOREIGN KEY (tenant_id, product_id) REFERENCES products(tenant_id, id),
  constraint loans_tenant_id_program_id_fkey FOREIGN KEY (tenant_id, program_id) REFERENCES programs(tenant_id, id),
  constraint loans_term_months_check CHECK ((term_months > 0))
) with (fillfactor=80);
CREATE INDEX loans_borrower ON public.loans USING btree (tenant_id, borrower_id, created_at DESC, id DESC);
CREATE INDEX loans_bucket ON public.loans USING btree (tenant_id, delinquency_bucket, created_at DESC, id DESC);
CREATE INDEX loans_created ON public.loans USING btree (tenant_id, created_at DESC, id DESC) INCLUDE (is_archived);
CREATE INDEX loans_cycle_ends ON public.loans USING btree (tenant_id, cycle_end_date) WHERE (cycle_end_date IS NOT NULL);
CREATE INDEX loans_cycle_starts ON public.loans USING btree (tenant_id, cycle_start_date) WHERE (cycle_start_date IS NOT NULL);
CREATE INDEX loans_freeze_ends ON public.loans USING btree (tenant_id, freeze_until) WHERE (freeze_until IS NOT NULL);
CREATE INDEX loans_number_search ON public.loans USING gin (loan_number gin_trgm_ops);
CREATE INDEX loans_officer ON public.loans USING btree (tenant_id, loan_officer_id) WHERE (loan_officer_id IS NOT NULL);
CREATE INDEX loans_portfolio ON public.loans USING btree (tenant_id, portfolio_id) WHERE (portfolio_id IS NOT NULL);
CREATE INDEX loans_product ON public.loans USING btree (tenant_id, product_id);
CREATE INDEX loans_program ON public.loans USING btree (tenant_id, program_id);
CREATE INDEX loans_refold ON public.loans USING btree (tenant_id, linear_until) WHERE (linear_until IS NOT NULL);
CREATE INDEX loans_status ON public.loans USING btree (tenant_id, status, created_at DESC, id DESC);
alter table loans enable row level security, force row level security;
create policy auditor on loans for select to servicing_auditor using true;
create policy owner on loans for all to servicing_owner using true with check true;
create policy tenant on loans for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER count_added AFTER INSERT ON public.loans REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app.count_loans();
CREATE TRIGGER count_changed AFTER UPDATE OF status, is_archived ON public.loans FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) OR (old.is_archived IS DISTINCT FROM new.is_archived))) EXECUTE FUNCTION app.count_loans();
CREATE TRIGGER count_none AFTER TRUNCATE ON public.loans FOR EACH STATEMENT EXECUTE FUNCTION app.count_loans();
CREATE TRIGGER count_taken AFTER DELETE ON public.loans REFERENCING OLD TABLE AS taken FOR EACH STATEMENT EXECUTE FUNCTION app.count_loans();
CREATE TRIGGER forget_open_installments BEFORE UPDATE OF oldest_unpaid_due_date ON public.loans FOR EACH ROW WHEN ((new.coverage_revision = old.coverage_revision)) EXECUTE FUNCTION app.forget_open_installments();
CREATE TRIGGER touch BEFORE UPDATE ON public.loans FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on loans to servicing_app;
grant select on loans to servicing_auditor;

create table logos (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  url text not null,
  status text not null default 'pending'::text,
  problem text,
  content_type text,
  width integer,
  height integer,
  sha256_hash text,
  image text,
  created_at timestamp with time zone not null default now(),
  constraint logos_check1 CHECK (((status = 'failed'::text) = (problem IS NOT NULL))),
  constraint logos_content_type_check CHECK ((content_type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/svg+xml'::text]))),
  constraint logos_picture CHECK (
CASE status
    WHEN 'ready'::text THEN ((image IS NOT NULL) AND (content_type IS NOT NULL))
    WHEN 'pending'::text THEN ((image IS NULL) = (content_type IS NULL))
    ELSE (image IS NULL)
END),
  constraint logos_pkey PRIMARY KEY (tenant_id, id),
  constraint logos_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'ready'::text, 'failed'::text]))),
  constraint logos_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX logos_url ON public.logos USING btree (tenant_id, url, id DESC);
alter table logos enable row level security, force row level security;
create policy auditor on logos for select to servicing_auditor using true;
create policy owner on logos for all to servicing_owner using true with check true;
create policy tenant on logos for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant delete, insert, select, update on logos to servicing_app;
grant select on logos to servicing_auditor;

create table mail_batch_files (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  mail_batch_id uuid not null,
  position integer not null,
  kind text not null,
  filename text not null,
  pages_each integer,
  letter_count integer not null default 0,
  page_count integer not null default 0,
  storage_key text,
  file_size integer,
  sha256_hash text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  file_gone_at timestamp with time zone,
  constraint mail_batch_files_kind_check CHECK ((kind = ANY (ARRAY['letters'::text, 'manifest'::text]))),
  constraint mail_batch_files_pkey PRIMARY KEY (tenant_id, id),
  constraint mail_batch_files_position UNIQUE (tenant_id, mail_batch_id, "position"),
  constraint mail_batch_files_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint mail_batch_files_tenant_id_mail_batch_id_fkey FOREIGN KEY (tenant_id, mail_batch_id) REFERENCES mail_batches(tenant_id, id)
);
alter table mail_batch_files enable row level security, force row level security;
create policy auditor on mail_batch_files for select to servicing_auditor using true;
create policy owner on mail_batch_files for all to servicing_owner using true with check true;
create policy tenant on mail_batch_files for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.mail_batch_files FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on mail_batch_files to servicing_app;
grant select on mail_batch_files to servicing_auditor;

create table mail_batches (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  number integer not null,
  business_date date not null,
  from_date date not null,
  status text not null default 'making'::text,
  failure_reason text,
  letter_count integer not null default 0,
  page_count integer not null default 0,
  sheet_count integer not null default 0,
  held_count integer not null default 0,
  handed_over_at timestamp with time zone,
  files_removed_at timestamp with time zone,
  created_by uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint mail_batches_number UNIQUE (tenant_id, number),
  constraint mail_batches_number_check CHECK ((number > 0)),
  constraint mail_batches_pkey PRIMARY KEY (tenant_id, id),
  constraint mail_batches_status_check CHECK ((status = ANY (ARRAY['making'::text, 'ready'::text, 'failed'::text, 'cancelled'::text]))),
  constraint mail_batches_tenant_id_created_by_fkey FOREIGN KEY (tenant_id, created_by) REFERENCES users(tenant_id, id),
  constraint mail_batches_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX mail_batches_created ON public.mail_batches USING btree (tenant_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX mail_batches_of_day ON public.mail_batches USING btree (tenant_id, business_date) WHERE (created_by IS NULL);
alter table mail_batches enable row level security, force row level security;
create policy auditor on mail_batches for select to servicing_auditor using true;
create policy owner on mail_batches for all to servicing_owner using true with check true;
create policy tenant on mail_batches for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.mail_batches FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on mail_batches to servicing_app;
grant select on mail_batches to servicing_auditor;

create table mail_deliveries (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  mail_batch_id uuid not null,
  sftp_server_id uuid not null,
  recipient text not null,
  status text not null default 'pending'::text,
  files_sent integer not null default 0,
  attempts integer not null default 0,
  attempts_before integer not null default 0,
  error text,
  sent_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint mail_deliveries_once UNIQUE (tenant_id, mail_batch_id, sftp_server_id),
  constraint mail_deliveries_pkey PRIMARY KEY (tenant_id, id),
  constraint mail_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'sent'::text, 'failed'::text]))),
  constraint mail_deliveries_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint mail_deliveries_tenant_id_mail_batch_id_fkey FOREIGN KEY (tenant_id, mail_batch_id) REFERENCES mail_batches(tenant_id, id),
  constraint mail_deliveries_tenant_id_sftp_server_id_fkey FOREIGN KEY (tenant_id, sftp_server_id) REFERENCES sftp_servers(tenant_id, id)
);
alter table mail_deliveries enable row level security, force row level security;
create policy auditor on mail_deliveries for select to servicing_auditor using true;
create policy owner on mail_deliveries for all to servicing_owner using true with check true;
create policy tenant on mail_deliveries for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.mail_deliveries FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on mail_deliveries to servicing_app;
grant select on mail_deliveries to servicing_auditor;

create table mail_letters (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null,
  borrower_id uuid not null,
  document_id uuid not null,
  posted_on date not null default app.business_date(),
  status text not null default 'waiting'::text,
  hold_reasons jsonb not null default '[]'::jsonb,
  note text,
  mail_batch_id uuid,
  mail_batch_file_id uuid,
  position integer,
  first_page integer,
  page_count integer not null,
  returned_on date,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint mail_letters_check CHECK ((num_nonnulls(mail_batch_id, mail_batch_file_id, "position", first_page) =
CASE status
    WHEN 'batched'::text THEN 4
    ELSE 0
END)),
  constraint mail_letters_check1 CHECK (((status = 'held'::text) = (hold_reasons <> '[]'::jsonb))),
  constraint mail_letters_page_count_check CHECK ((page_count > 0)),
  constraint mail_letters_pkey PRIMARY KEY (tenant_id, id),
  constraint mail_letters_place UNIQUE (tenant_id, mail_batch_id, "position"),
  constraint mail_letters_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'held'::text, 'batched'::text, 'withdrawn'::text]))),
  constraint mail_letters_tenant_id_borrower_id_fkey FOREIGN KEY (tenant_id, borrower_id) REFERENCES borrowers(tenant_id, id),
  constraint mail_letters_tenant_id_document_id_fkey FOREIGN KEY (tenant_id, document_id) REFERENCES documents(tenant_id, id),
  constraint mail_letters_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint mail_letters_tenant_id_id_fkey FOREIGN KEY (tenant_id, id) REFERENCES communication_logs(tenant_id, id),
  constraint mail_letters_tenant_id_mail_batch_file_id_fkey FOREIGN KEY (tenant_id, mail_batch_file_id) REFERENCES mail_batch_files(tenant_id, id),
  constraint mail_letters_tenant_id_mail_batch_id_fkey FOREIGN KEY (tenant_id, mail_batch_id) REFERENCES mail_batches(tenant_id, id)
);
CREATE INDEX mail_letters_batch ON public.mail_letters USING btree (tenant_id, mail_batch_id, created_at DESC, id DESC);
CREATE INDEX mail_letters_borrower ON public.mail_letters USING btree (tenant_id, borrower_id);
CREATE INDEX mail_letters_created ON public.mail_letters USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX mail_letters_waiting ON public.mail_letters USING btree (tenant_id, id) WHERE (status = ANY (ARRAY['waiting'::text, 'held'::text]));
alter table mail_letters enable row level security, force row level security;
create policy auditor on mail_letters for select to servicing_auditor using true;
create policy owner on mail_letters for all to servicing_owner using true with check true;
create policy tenant on mail_letters for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.mail_letters FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on mail_letters to servicing_app;
grant select on mail_letters to servicing_auditor;

create table modifications (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  modification_type text not null,
  effective_date date not null,
  reason text not null,
  reason_comment text,
  new_interest_rate app.rate,
  new_term_months integer,
  extend_months integer,
  new_payment_amount app.money,
  new_payment_day integer,
  new_maturity_date date,
  principal_forgiven app.money not null default 0,
  capitalize_interest boolean not null,
  capitalize_fees boolean not null,
  capitalized_amount app.money not null default 0,
  interest_treatment text not null,
  fee_treatment text not null,
  apply_immediately boolean not null,
  status text not null,
  previous_terms jsonb not null default '{}'::jsonb,
  new_terms jsonb not null default '{}'::jsonb,
  event_ids jsonb not null default '[]'::jsonb,
  requested_by uuid,
  approved_by uuid,
  applied_at timestamp with time zone,
  document_id uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint modifications_pkey PRIMARY KEY (tenant_id, id),
  constraint modifications_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'completed'::text, 'rejected'::text, 'reversed'::text, 'canceled'::text]))),
  constraint modifications_tenant_id_document_id_fkey FOREIGN KEY (tenant_id, document_id) REFERENCES documents(tenant_id, id),
  constraint modifications_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint modifications_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
CREATE INDEX modifications_approved ON public.modifications USING btree (tenant_id, effective_date) WHERE (status = 'approved'::text);
CREATE INDEX modifications_loan ON public.modifications USING btree (tenant_id, loan_id, created_at DESC, id DESC);
alter table modifications enable row level security, force row level security;
create policy auditor on modifications for select to servicing_auditor using true;
create policy owner on modifications for all to servicing_owner using true with check true;
create policy tenant on modifications for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.modifications FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on modifications to servicing_app;
grant select on modifications to servicing_auditor;

create table nacha_entries (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  nacha_file_id uuid not null,
  payment_id uuid,
  disbursement_id uuid,
  batch text not null,
  transaction_code text not null,
  routing_number text not null,
  account_number_sealed text not null,
  amount app.money not null,
  individual_id text not null,
  individual_name text not null,
  trace_number text not null,
  return_code text,
  returned_on date,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  draw_id uuid,
  clearing_account_id uuid,
  settled_on date,
  constraint nacha_entries_amount_check CHECK (((amount)::numeric > (0)::numeric)),
  constraint nacha_entries_check CHECK ((num_nonnulls(payment_id, disbursement_id, draw_id) = 1)),
  constraint nacha_entries_disbursement UNIQUE (tenant_id, disbursement_id),
  constraint nacha_entries_draw UNIQUE (tenant_id, draw_id),
  constraint nacha_entries_payment UNIQUE (tenant_id, payment_id),
  constraint nacha_entries_pkey PRIMARY KEY (tenant_id, id),
  constraint nacha_entries_tenant_id_clearing_account_id_fkey FOREIGN KEY (tenant_id, clearing_account_id) REFERENCES ledger_accounts(tenant_id, id),
  constraint nacha_entries_tenant_id_disbursement_id_fkey FOREIGN KEY (tenant_id, disbursement_id) REFERENCES disbursements(tenant_id, id),
  constraint nacha_entries_tenant_id_draw_id_fkey FOREIGN KEY (tenant_id, draw_id) REFERENCES draws(tenant_id, id),
  constraint nacha_entries_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint nacha_entries_tenant_id_nacha_file_id_fkey FOREIGN KEY (tenant_id, nacha_file_id) REFERENCES nacha_files(tenant_id, id),
  constraint nacha_entries_tenant_id_payment_id_fkey FOREIGN KEY (tenant_id, payment_id) REFERENCES payments(tenant_id, id),
  constraint nacha_entries_trace_number UNIQUE (tenant_id, trace_number),
  constraint nacha_entries_trace_number_check CHECK ((trace_number ~ '^\d{15}$'::text))
);
CREATE INDEX nacha_entries_created ON public.nacha_entries USING btree (tenant_id, nacha_file_id, created_at DESC, id DESC);
CREATE INDEX nacha_entries_file ON public.nacha_entries USING btree (tenant_id, nacha_file_id, trace_number);
CREATE INDEX nacha_entries_in_transit ON public.nacha_entries USING btree (tenant_id, nacha_file_id) WHERE ((settled_on IS NULL) AND (return_code IS NULL) AND (clearing_account_id IS NOT NULL));
alter table nacha_entries enable row level security, force row level security;
create policy auditor on nacha_entries for select to servicing_auditor using true;
create policy owner on nacha_entries for all to servicing_owner using true with check true;
create policy tenant on nacha_entries for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.nacha_entries FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on nacha_entries to servicing_app;
grant select on nacha_entries to servicing_auditor;

create table nacha_files (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  file_date date not null,
  file_id_modifier text not null,
  effective_entry_date date not null,
  originator jsonb not null,
  entry_count integer not null,
  debit_total app.money not null,
  credit_total app.money not null,
  status text not null default 'pending'::text,
  filename text not null,
  storage_key text not null,
  file_size integer,
  sha256_hash text,
  created_by uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint nacha_files_file_id_modifier_check CHECK ((file_id_modifier ~ '^[A-Z0-9]$'::text)),
  constraint nacha_files_modifier UNIQUE (tenant_id, file_date, file_id_modifier),
  constraint nacha_files_pkey PRIMARY KEY (tenant_id, id),
  constraint nacha_files_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'completed'::text]))),
  constraint nacha_files_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX nacha_files_created ON public.nacha_files USING btree (tenant_id, created_at DESC, id DESC);
alter table nacha_files enable row level security, force row level security;
create policy auditor on nacha_files for select to servicing_auditor using true;
create policy owner on nacha_files for all to servicing_owner using true with check true;
create policy tenant on nacha_files for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.nacha_files FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on nacha_files to servicing_app;
grant select on nacha_files to servicing_auditor;

create table notes (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  loan_id uuid,
  subject text,
  body text not null,
  category text not null default 'general'::text,
  visibility text not null default 'internal'::text,
  is_pinned boolean not null default false,
  author_id uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint notes_category_check CHECK ((category = ANY (ARRAY['general'::text, 'call'::text, 'collections'::text, 'legal'::text, 'servicing'::text, 'complaint'::text]))),
  constraint notes_pkey PRIMARY KEY (tenant_id, id),
  constraint notes_tenant_id_author_id_fkey FOREIGN KEY (tenant_id, author_id) REFERENCES users(tenant_id, id),
  constraint notes_tenant_id_borrower_id_fkey FOREIGN KEY (tenant_id, borrower_id) REFERENCES borrowers(tenant_id, id),
  constraint notes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint notes_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id),
  constraint notes_visibility_check CHECK ((visibility = ANY (ARRAY['internal'::text, 'borrower'::text])))
);
CREATE INDEX notes_borrower ON public.notes USING btree (tenant_id, borrower_id, created_at DESC, id DESC);
alter table notes enable row level security, force row level security;
create policy auditor on notes for select to servicing_auditor using true;
create policy owner on notes for all to servicing_owner using true with check true;
create policy tenant on notes for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER redacted BEFORE INSERT ON public.notes FOR EACH ROW EXECUTE FUNCTION app.refuse_change_of_redacted();
CREATE TRIGGER touch BEFORE UPDATE ON public.notes FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select on notes to servicing_app;
grant select on notes to servicing_auditor;

create table object_grants (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  user_id uuid not null,
  action text not null,
  resource text not null,
  record_id uuid not null,
  created_at timestamp with time zone not null default now(),
  constraint object_grants_pkey PRIMARY KEY (tenant_id, id),
  constraint object_grants_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint object_grants_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id)
);
CREATE INDEX object_grants_created ON public.object_grants USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX object_grants_user ON public.object_grants USING btree (tenant_id, user_id, created_at, id);
alter table object_grants enable row level security, force row level security;
create policy auditor on object_grants for select to servicing_auditor using true;
create policy owner on object_grants for all to servicing_owner using true with check true;
create policy tenant on object_grants for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant delete, insert, select, update on object_grants to servicing_app;
grant select on object_grants to servicing_auditor;

create table one_time_tokens (
  tenant_id uuid not null default app.current_tenant(),
  token_hash bytea not null,
  user_id uuid not null,
  purpose text not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  constraint one_time_tokens_pkey PRIMARY KEY (tenant_id, token_hash),
  constraint one_time_tokens_purpose_check CHECK ((purpose = ANY (ARRAY['password_reset'::text, 'invitation'::text]))),
  constraint one_time_tokens_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint one_time_tokens_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id)
);
CREATE INDEX one_time_tokens_user ON public.one_time_tokens USING btree (tenant_id, user_id);
alter table one_time_tokens enable row level security, force row level security;
create policy auditor on one_time_tokens for select to servicing_auditor using true;
create policy owner on one_time_tokens for all to servicing_owner using true with check true;
create policy tenant on one_time_tokens for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant delete, insert, select, update on one_time_tokens to servicing_app;
grant select on one_time_tokens to servicing_auditor;

create table opt_outs (
  tenant_id uuid not null default app.current_tenant(),
  channel text not null,
  contact_value text not null,
  said text not null,
  created_at timestamp with time zone not null default now(),
  constraint opt_outs_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text]))),
  constraint opt_outs_pkey PRIMARY KEY (tenant_id, channel, contact_value),
  constraint opt_outs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
alter table opt_outs enable row level security, force row level security;
create policy auditor on opt_outs for select to servicing_auditor using true;
create policy owner on opt_outs for all to servicing_owner using true with check true;
create policy tenant on opt_outs for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant delete, insert, select on opt_outs to servicing_app;
grant select on opt_outs to servicing_auditor;

create table order_accounts (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  payment_id uuid,
  disbursement_id uuid,
  draw_id uuid,
  payment_instrument_id uuid not null,
  individual_name text not null,
  bank_name text,
  account_type text,
  routing_number text not null,
  account_number_sealed text not null,
  account_number_last_four text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint order_accounts_check CHECK ((num_nonnulls(payment_id, disbursement_id, draw_id) = 1)),
  constraint order_accounts_disbursement UNIQUE (tenant_id, disbursement_id),
  constraint order_accounts_draw UNIQUE (tenant_id, draw_id),
  constraint order_accounts_payment UNIQUE (tenant_id, payment_id),
  constraint order_accounts_pkey PRIMARY KEY (tenant_id, id),
  constraint order_accounts_tenant_id_disbursement_id_fkey FOREIGN KEY (tenant_id, disbursement_id) REFERENCES disbursements(tenant_id, id),
  constraint order_accounts_tenant_id_draw_id_fkey FOREIGN KEY (tenant_id, draw_id) REFERENCES draws(tenant_id, id),
  constraint order_accounts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint order_accounts_tenant_id_payment_id_fkey FOREIGN KEY (tenant_id, payment_id) REFERENCES payments(tenant_id, id) DEFERRABLE INITIALLY DEFERRED,
  constraint order_accounts_tenant_id_payment_instrument_id_fkey FOREIGN KEY (tenant_id, payment_instrument_id) REFERENCES payment_instruments(tenant_id, id)
);
CREATE INDEX order_accounts_instrument ON public.order_accounts USING btree (tenant_id, payment_instrument_id);
alter table order_accounts enable row level security, force row level security;
create policy auditor on order_accounts for select to servicing_auditor using true;
create policy owner on order_accounts for all to servicing_owner using true with check true;
create policy tenant on order_accounts for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.order_accounts FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on order_accounts to servicing_app;
grant select on order_accounts to servicing_auditor;

create table passkey_challenges (
  tenant_id uuid not null default app.current_tenant(),
  challenge text not null,
  user_id uuid not null,
  purpose text not null,
  expires_at timestamp with time zone not null,
  constraint passkey_challenges_pkey PRIMARY KEY (tenant_id, challenge),
  constraint passkey_challenges_purpose_check CHECK ((purpose = ANY (ARRAY['enrollment'::text, 'proof'::text]))),
  constraint passkey_challenges_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint passkey_challenges_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id)
);
CREATE INDEX passkey_challenges_user ON public.passkey_challenges USING btree (tenant_id, user_id);
alter table passkey_challenges enable row level security, force row level security;
create policy auditor on passkey_challenges for select to servicing_auditor using true;
create policy owner on passkey_challenges for all to servicing_owner using true with check true;
create policy tenant on passkey_challenges for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant delete, insert, select, update on passkey_challenges to servicing_app;
grant select on passkey_challenges to servicing_auditor;

create table payment_instruments (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  instrument_type text not null default 'bank_account'::text,
  account_holder_name text,
  bank_name text,
  routing_number text,
  account_number_sealed text,
  account_number_last_four text,
  account_type text,
  card_brand text,
  card_exp_month integer,
  card_exp_year integer,
  token_sealed text,
  is_default boolean not null default false,
  is_verified boolean not null default false,
  verified_at timestamp with time zone,
  verification_method text not null default 'none'::text,
  status text not null default 'active'::text,
  last_return_code text,
  is_archived boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  block_code text,
  constraint payment_instruments_account_number_last_four_check CHECK ((account_number_last_four ~ '^\d{4}$'::text)),
  constraint payment_instruments_block_code_check CHECK ((block_code ~ '^R\d{2}$'::text)),
  constraint payment_instruments_card_exp_month_check CHECK (((card_exp_month >= 1) AND (card_exp_month <= 12))),
  constraint payment_instruments_pkey PRIMARY KEY (tenant_id, id),
  constraint payment_instruments_routing_number_check CHECK ((routing_number ~ '^\d{9}$'::text)),
  constraint payment_instruments_status_check CHECK ((status = ANY (ARRAY['active'::text, 'inactive'::text, 'blocked'::text]))),
  constraint payment_instruments_tenant_id_borrower_id_fkey FOREIGN KEY (tenant_id, borrower_id) REFERENCES borrowers(tenant_id, id),
  constraint payment_instruments_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX payment_instruments_borrower ON public.payment_instruments USING btree (tenant_id, borrower_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX payment_instruments_one_default ON public.payment_instruments USING btree (tenant_id, borrower_id) WHERE (is_default AND (NOT is_archived));
alter table payment_instruments enable row level security, force row level security;
create policy auditor on payment_instruments for select to servicing_auditor using true;
create policy owner on payment_instruments for all to servicing_owner using true with check true;
create policy tenant on payment_instruments for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER redacted BEFORE INSERT ON public.payment_instruments FOR EACH ROW EXECUTE FUNCTION app.refuse_change_of_redacted();
CREATE TRIGGER touch BEFORE UPDATE ON public.payment_instruments FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on payment_instruments to servicing_app;
grant select on payment_instruments to servicing_auditor;

create table payment_plans (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  plan_type text not null,
  agreed_on date not null default app.business_date(),
  total_amount app.money not null,
  installments jsonb not null,
  start_date date,
  frequency text,
  number_of_payments integer,
  amount app.money,
  settlement_amount app.money,
  waive_remaining boolean not null,
  grace_days integer not null,
  payment_instrument_id uuid,
  auto_collect boolean not null,
  notes text,
  status text not null,
  paid_amount app.money not null default 0,
  completed_at timestamp with time zone,
  broken_at timestamp with time zone,
  created_by uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint payment_plans_grace_days_check CHECK ((grace_days >= 0)),
  constraint payment_plans_pkey PRIMARY KEY (tenant_id, id),
  constraint payment_plans_plan_type_check CHECK ((plan_type = ANY (ARRAY['repayment'::text, 'settlement'::text, 'catch_up'::text]))),
  constraint payment_plans_status_check CHECK ((status = ANY (ARRAY['proposed'::text, 'active'::text, 'completed'::text, 'broken'::text, 'canceled'::text]))),
  constraint payment_plans_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint payment_plans_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id),
  constraint payment_plans_tenant_id_payment_instrument_id_fkey FOREIGN KEY (tenant_id, payment_instrument_id) REFERENCES payment_instruments(tenant_id, id),
  constraint payment_plans_total_amount_check CHECK (((total_amount)::numeric > (0)::numeric))
);
CREATE INDEX payment_plans_loan ON public.payment_plans USING btree (tenant_id, loan_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX payment_plans_one_active ON public.payment_plans USING btree (tenant_id, loan_id) WHERE (status = 'active'::text);
alter table payment_plans enable row level security, force row level security;
create policy auditor on payment_plans for select to servicing_auditor using true;
create policy owner on payment_plans for all to servicing_owner using true with check true;
create policy tenant on payment_plans for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.payment_plans FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on payment_plans to servicing_app;
grant select on payment_plans to servicing_auditor;

create table payments (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  borrower_id uuid not null,
  receipt_number text not null,
  amount app.money not null,
  payment_date date not null,
  effective_date date not null,
  payment_method text not null,
  payment_type text not null default 'regular'::text,
  payment_instrument_id uuid,
  allocation_override jsonb,
  external_id text,
  reference_number text,
  notes text,
  status text not null,
  source text not null default 'staff'::text,
  autopay_plan_id uuid,
  principal_applied app.money not null default 0,
  interest_applied app.money not null default 0,
  fees_applied app.money not null default 0,
  suspense_applied app.money not null default 0,
  remaining_balance app.money not null default 0,
  allocations jsonb not null default '[]'::jsonb,
  coverage jsonb not null default '[]'::jsonb,
  posted_at timestamp with time zone,
  settled_at timestamp with time zone,
  failed_at timestamp with time zone,
  failure_reason text,
  return_code text,
  reversed_at timestamp with time zone,
  reversed_by uuid,
  reversal_reason text,
  reversal_effective_date date,
  reverses_payment_id uuid,
  hold_until date,
  waive_returned_fee boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  payment_plan_id uuid,
  send_by date,
  constraint payments_amount_check CHECK (((amount)::numeric > (0)::numeric)),
  constraint payments_check CHECK (((status = ANY (ARRAY['scheduled'::text, 'canceled'::text, 'pending'::text, 'failed'::text])) OR (((((principal_applied)::numeric + (interest_applied)::numeric) + (fees_applied)::numeric) + (suspense_applied)::numeric) =
CASE payment_type
    WHEN 'reimbursement'::text THEN (- (amount)::numeric)
    ELSE (amount)::numeric
END))),
  constraint payments_pkey PRIMARY KEY (tenant_id, id),
  constraint payments_tenant_id_autopay_plan_id_fkey FOREIGN KEY (tenant_id, autopay_plan_id) REFERENCES autopay_plans(tenant_id, id),
  constraint payments_tenant_id_borrower_id_fkey FOREIGN KEY (tenant_id, borrower_id) REFERENCES borrowers(tenant_id, id),
  constraint payments_tenant_id_external_id_key UNIQUE (tenant_id, external_id),
  constraint payments_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id),
  constraint payments_tenant_id_payment_instrument_id_fkey FOREIGN KEY (tenant_id, payment_instrument_id) REFERENCES payment_instruments(tenant_id, id),
  constraint payments_tenant_id_payment_plan_id_fkey FOREIGN KEY (tenant_id, payment_plan_id) REFERENCES payment_plans(tenant_id, id)
);
CREATE INDEX payments_autopay ON public.payments USING btree (tenant_id, autopay_plan_id) WHERE (autopay_plan_id IS NOT NULL);
CREATE INDEX payments_created ON public.payments USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX payments_held ON public.payments USING btree (tenant_id, hold_until) WHERE ((status = 'completed'::text) AND (hold_until IS NOT NULL));
CREATE INDEX payments_loan ON public.payments USING btree (tenant_id, loan_id, created_at DESC, id DESC);
CREATE INDEX payments_ordered ON public.payments USING btree (tenant_id, payment_plan_id) WHERE (payment_plan_id IS NOT NULL);
CREATE INDEX payments_scheduled ON public.payments USING btree (tenant_id, payment_date) WHERE (status = 'scheduled'::text);
CREATE INDEX payments_send_by ON public.payments USING btree (tenant_id, send_by) WHERE (send_by IS NOT NULL);
alter table payments enable row level security, force row level security;
create policy auditor on payments for select to servicing_auditor using true;
create policy owner on payments for all to servicing_owner using true with check true;
create policy tenant on payments for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.payments FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on payments to servicing_app;
grant select on payments to servicing_auditor;

create table payoff_quotes (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  quote_number text not null,
  quote_date date not null default app.business_date(),
  payoff_date date not null,
  good_through_date date not null,
  principal_amount app.money not null,
  accrued_interest app.money not null,
  per_diem app.money not null,
  fees_amount app.money not null,
  unbilled_fees app.money not null default 0,
  prepayment_penalty app.money not null,
  credits_amount app.money not null,
  payoff_amount app.money not null,
  payoff_amount_good_through app.money not null,
  include_prepayment_penalty boolean not null,
  delivery_method text not null,
  explanation jsonb not null,
  remittance_instructions text,
  status text not null default 'active'::text,
  document_id uuid,
  created_by uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint payoff_quotes_pkey PRIMARY KEY (tenant_id, id),
  constraint payoff_quotes_quote_number UNIQUE (tenant_id, quote_number),
  constraint payoff_quotes_status_check CHECK ((status = ANY (ARRAY['active'::text, 'expired'::text, 'accepted'::text, 'superseded'::text, 'canceled'::text]))),
  constraint payoff_quotes_tenant_id_document_id_fkey FOREIGN KEY (tenant_id, document_id) REFERENCES documents(tenant_id, id),
  constraint payoff_quotes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint payoff_quotes_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
CREATE INDEX payoff_quotes_loan ON public.payoff_quotes USING btree (tenant_id, loan_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX payoff_quotes_one_active ON public.payoff_quotes USING btree (tenant_id, loan_id) WHERE (status = 'active'::text);
alter table payoff_quotes enable row level security, force row level security;
create policy auditor on payoff_quotes for select to servicing_auditor using true;
create policy owner on payoff_quotes for all to servicing_owner using true with check true;
create policy tenant on payoff_quotes for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.payoff_quotes FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on payoff_quotes to servicing_app;
grant select on payoff_quotes to servicing_auditor;

create table pending_sign_ins (
  tenant_id uuid not null default app.current_tenant(),
  token_hash bytea not null,
  user_id uuid not null,
  wants text not null,
  epoch integer not null,
  tries integer not null default 0,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint pending_sign_ins_pkey PRIMARY KEY (tenant_id, token_hash),
  constraint pending_sign_ins_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint pending_sign_ins_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id),
  constraint pending_sign_ins_wants_check CHECK ((wants = ANY (ARRAY['proof'::text, 'enrollment'::text])))
);
CREATE INDEX pending_sign_ins_user ON public.pending_sign_ins USING btree (tenant_id, user_id);
alter table pending_sign_ins enable row level security, force row level security;
create policy auditor on pending_sign_ins for select to servicing_auditor using true;
create policy owner on pending_sign_ins for all to servicing_owner using true with check true;
create policy tenant on pending_sign_ins for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant delete, insert, select, update on pending_sign_ins to servicing_app;
grant select on pending_sign_ins to servicing_auditor;

create table period_closings (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  closed_through date not null,
  description text,
  closed_by uuid,
  created_at timestamp with time zone not null default now(),
  constraint period_closings_closed_through UNIQUE (tenant_id, closed_through),
  constraint period_closings_pkey PRIMARY KEY (tenant_id, id),
  constraint period_closings_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
alter table period_closings enable row level security, force row level security;
create policy auditor on period_closings for select to servicing_auditor using true;
create policy owner on period_closings for all to servicing_owner using true with check true;
create policy tenant on period_closings for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.period_closings FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER append_only_all BEFORE TRUNCATE ON public.period_closings FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
grant insert, select on period_closings to servicing_app;
grant select on period_closings to servicing_auditor;

create table permission_group_members (
  tenant_id uuid not null default app.current_tenant(),
  group_id uuid not null,
  user_id uuid not null,
  constraint permission_group_members_pkey PRIMARY KEY (tenant_id, group_id, user_id),
  constraint permission_group_members_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint permission_group_members_tenant_id_group_id_fkey FOREIGN KEY (tenant_id, group_id) REFERENCES permission_groups(tenant_id, id) ON DELETE CASCADE,
  constraint permission_group_members_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id)
);
CREATE INDEX permission_group_members_user ON public.permission_group_members USING btree (tenant_id, user_id);
alter table permission_group_members enable row level security, force row level security;
create policy auditor on permission_group_members for select to servicing_auditor using true;
create policy owner on permission_group_members for all to servicing_owner using true with check true;
create policy tenant on permission_group_members for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant delete, insert, select on permission_group_members to servicing_app;
grant select on permission_group_members to servicing_auditor;

create table permission_groups (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  name text not null,
  description text,
  permissions jsonb not null default '[]'::jsonb,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint permission_groups_permissions_check CHECK ((jsonb_typeof(permissions) = 'array'::text)),
  constraint permission_groups_pkey PRIMARY KEY (tenant_id, id),
  constraint permission_groups_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint permission_groups_tenant_id_name_key UNIQUE (tenant_id, name)
);
CREATE INDEX permission_groups_created ON public.permission_groups USING btree (tenant_id, created_at DESC, id DESC);
alter table permission_groups enable row level security, force row level security;
create policy auditor on permission_groups for select to servicing_auditor using true;
create policy owner on permission_groups for all to servicing_owner using true with check true;
create policy tenant on permission_groups for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.permission_groups FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on permission_groups to servicing_app;
grant select on permission_groups to servicing_auditor;

create table phones (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  phone_number text not null,
  phone_type text not null default 'mobile'::text,
  is_primary boolean not null default false,
  is_verified boolean not null default false,
  verified_at timestamp with time zone,
  can_sms boolean not null default true,
  can_call boolean not null default true,
  do_not_call boolean not null default false,
  carrier_name text,
  is_landline boolean,
  time_zone text,
  extension text,
  status text not null default 'active'::text,
  is_archived boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint phones_phone_number_check CHECK ((phone_number ~ '^\+[1-9]\d{1,14}$'::text)),
  constraint phones_pkey PRIMARY KEY (tenant_id, id),
  constraint phones_tenant_id_borrower_id_fkey FOREIGN KEY (tenant_id, borrower_id) REFERENCES borrowers(tenant_id, id),
  constraint phones_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX phones_borrower ON public.phones USING btree (tenant_id, borrower_id, created_at DESC, id DESC);
CREATE INDEX phones_number ON public.phones USING btree (tenant_id, phone_number);
CREATE UNIQUE INDEX phones_one_primary ON public.phones USING btree (tenant_id, borrower_id) WHERE (is_primary AND (NOT is_archived));
alter table phones enable row level security, force row level security;
create policy auditor on phones for select to servicing_auditor using true;
create policy owner on phones for all to servicing_owner using true with check true;
create policy tenant on phones for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER redacted BEFORE INSERT ON public.phones FOR EACH ROW EXECUTE FUNCTION app.refuse_change_of_redacted();
CREATE TRIGGER touch BEFORE UPDATE ON public.phones FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on phones to servicing_app;
grant select on phones to servicing_auditor;

create table portfolio_snapshots (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  portfolio_id uuid not null,
  snapshot_date date not null,
  total_loans integer not null,
  total_principal app.money,
  total_outstanding app.money,
  weighted_average_rate numeric(12,6) not null,
  weighted_average_term integer not null,
  delinquency_rate numeric(12,6) not null,
  default_rate numeric(12,6) not null,
  by_bucket jsonb not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  investor_id uuid,
  wide_principal numeric(24,2),
  wide_outstanding numeric(24,2),
  constraint portfolio_snapshots_day UNIQUE (tenant_id, portfolio_id, snapshot_date),
  constraint portfolio_snapshots_pkey PRIMARY KEY (tenant_id, id),
  constraint portfolio_snapshots_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint portfolio_snapshots_tenant_id_investor_id_fkey FOREIGN KEY (tenant_id, investor_id) REFERENCES investors(tenant_id, id),
  constraint portfolio_snapshots_tenant_id_portfolio_id_fkey FOREIGN KEY (tenant_id, portfolio_id) REFERENCES portfolios(tenant_id, id),
  constraint portfolio_snapshots_total_outstanding CHECK ((COALESCE((total_outstanding)::numeric, wide_outstanding) IS NOT NULL)),
  constraint portfolio_snapshots_total_principal CHECK ((COALESCE((total_principal)::numeric, wide_principal) IS NOT NULL))
);
CREATE INDEX portfolio_snapshots_newest ON public.portfolio_snapshots USING btree (tenant_id, snapshot_date DESC, id DESC);
alter table portfolio_snapshots enable row level security, force row level security;
create policy auditor on portfolio_snapshots for select to servicing_auditor using true;
create policy owner on portfolio_snapshots for all to servicing_owner using true with check true;
create policy tenant on portfolio_snapshots for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.portfolio_snapshots FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on portfolio_snapshots to servicing_app;
grant select on portfolio_snapshots to servicing_auditor;

create table portfolios (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  name text not null,
  portfolio_type text not null default 'static'::text,
  description text,
  criteria jsonb not null default '{}'::jsonb,
  status text not null default 'active'::text,
  sold_at timestamp with time zone,
  sale_price app.money,
  is_archived boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  investor_id uuid,
  sale_date date,
  servicing_retained boolean,
  buyer_id uuid,
  settlement_date date,
  settled_on date,
  constraint portfolios_pkey PRIMARY KEY (tenant_id, id),
  constraint portfolios_portfolio_type_check CHECK ((portfolio_type = ANY (ARRAY['static'::text, 'dynamic'::text]))),
  constraint portfolios_status_check CHECK ((status = ANY (ARRAY['active'::text, 'sold'::text]))),
  constraint portfolios_tenant_id_buyer_id_fkey FOREIGN KEY (tenant_id, buyer_id) REFERENCES investors(tenant_id, id),
  constraint portfolios_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint portfolios_tenant_id_investor_id_fkey FOREIGN KEY (tenant_id, investor_id) REFERENCES investors(tenant_id, id),
  constraint portfolios_tenant_id_name_key UNIQUE (tenant_id, name)
);
CREATE INDEX portfolios_created ON public.portfolios USING btree (tenant_id, created_at DESC, id DESC);
alter table portfolios enable row level security, force row level security;
create policy auditor on portfolios for select to servicing_auditor using true;
create policy owner on portfolios for all to servicing_owner using true with check true;
create policy tenant on portfolios for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.portfolios FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on portfolios to servicing_app;
grant select on portfolios to servicing_auditor;

create view posted_lines with (security_invoker=true) as
 SELECT tenant_id,
    id,
    entry_id,
    entry_date,
    account_id,
    role,
    "position",
    debit,
    credit,
    description
   FROM journal_lines line
  WHERE (NOT (EXISTS ( SELECT
           FROM journal_entries draft
          WHERE ((draft.tenant_id = line.tenant_id) AND (draft.id = line.entry_id) AND (draft.status = 'draft'::text)))));
grant select on posted_lines to servicing_app;
grant select on posted_lines to servicing_auditor;

create table products (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  program_id uuid,
  name text not null,
  code text not null,
  is_active boolean not null default true,
  loan_type text not null default 'installment'::text,
  currency text not null default 'USD'::text,
  min_amount app.money,
  max_amount app.money,
  min_rate app.rate,
  max_rate app.rate,
  min_term_months integer,
  max_term_months integer,
  interest_method text not null default 'simple_daily'::text,
  day_count text not null default 'actual_365'::text,
  payment_frequency text not null default 'monthly'::text,
  amortization text not null default 'level_payment'::text,
  balloon_amount app.money,
  first_payment_rule text not null default 'next_month_on_payment_day'::text,
  min_days_to_first_payment integer not null default 15,
  allocation_order jsonb not null default '"standard"'::jsonb,
  extra_payment_to text not null default 'principal'::text,
  rounding_mode text not null default 'half_up'::text,
  installment_rounding text not null default 'half_up'::text,
  installment_calculation text not null default 'periodic_rate'::text,
  fee_rules jsonb not null default '[]'::jsonb,
  late_fee_grace_days integer not null default 10,
  delinquency_grace_days integer not null default 0,
  default_dpd_threshold integer not null default 90,
  charge_off_dpd_threshold integer not null default 120,
  non_accrual_dpd_threshold integer not null default 90,
  small_balance_tolerance app.money not null default 1.00,
  payoff_quote_valid_days integer not null default 10,
  prepayment_penalty jsonb,
  max_deferments_per_12m integer not null default 2,
  max_modifications integer not null default 5,
  rescission_days integer not null default 0,
  metro2_portfolio_type text not null default 'I'::text,
  metro2_account_type text not null default '01'::text,
  gl_map jsonb not null default '{}'::jsonb,
  metadata jsonb not null default '{}'::jsonb,
  is_archived boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  minimum_payment jsonb,
  cycle_day integer,
  payment_due_days integer,
  grace_on_purchases boolean not null default false,
  public_name text,
  constraint products_cycle_day_check CHECK (((cycle_day >= 1) AND (cycle_day <= 28))),
  constraint products_payment_due_days_check CHECK (((payment_due_days >= 1) AND (payment_due_days <= 27))),
  constraint products_pkey PRIMARY KEY (tenant_id, id),
  constraint products_tenant_id_code_key UNIQUE (tenant_id, code),
  constraint products_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint products_tenant_id_program_id_fkey FOREIGN KEY (tenant_id, program_id) REFERENCES programs(tenant_id, id)
);
CREATE INDEX products_created ON public.products USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX products_program ON public.products USING btree (tenant_id, program_id, created_at DESC, id DESC);
alter table products enable row level security, force row level security;
create policy auditor on products for select to servicing_auditor using true;
create policy owner on products for all to servicing_owner using true with check true;
create policy tenant on products for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.products FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on products to servicing_app;
grant select on products to servicing_auditor;

create table programs (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  name text not null,
  code text not null,
  description text,
  program_type text not null default 'personal'::text,
  is_active boolean not null default true,
  default_product_id uuid,
  funding_source text,
  jurisdictions jsonb not null default '[]'::jsonb,
  compliance_checks jsonb not null default '[]'::jsonb,
  template_overrides jsonb not null default '{}'::jsonb,
  metadata jsonb not null default '{}'::jsonb,
  is_archived boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint programs_pkey PRIMARY KEY (tenant_id, id),
  constraint programs_tenant_id_code_key UNIQUE (tenant_id, code),
  constraint programs_tenant_id_default_product_id_fkey FOREIGN KEY (tenant_id, default_product_id) REFERENCES products(tenant_id, id) DEFERRABLE,
  constraint programs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX programs_created ON public.programs USING btree (tenant_id, created_at DESC, id DESC);
alter table programs enable row level security, force row level security;
create policy auditor on programs for select to servicing_auditor using true;
create policy owner on programs for all to servicing_owner using true with check true;
create policy tenant on programs for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.programs FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on programs to servicing_app;
grant select on programs to servicing_auditor;

create table promises_to_pay (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  promised_on date not null default app.business_date(),
  promised_amount app.money not null,
  promised_date date not null,
  payment_method text,
  channel text not null,
  contact_note text,
  grace_days integer not null,
  installments jsonb not null default '[]'::jsonb,
  status text not null default 'pending'::text,
  fulfilled_amount app.money not null default 0,
  fulfilled_at timestamp with time zone,
  created_by uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint promises_to_pay_grace_days_check CHECK ((grace_days >= 0)),
  constraint promises_to_pay_pkey PRIMARY KEY (tenant_id, id),
  constraint promises_to_pay_promised_amount_check CHECK (((promised_amount)::numeric > (0)::numeric)),
  constraint promises_to_pay_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'kept'::text, 'partially_kept'::text, 'broken'::text, 'canceled'::text]))),
  constraint promises_to_pay_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint promises_to_pay_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
CREATE INDEX promises_to_pay_loan ON public.promises_to_pay USING btree (tenant_id, loan_id, created_at DESC, id DESC);
CREATE INDEX promises_to_pay_pending ON public.promises_to_pay USING btree (tenant_id, loan_id) WHERE (status = 'pending'::text);
alter table promises_to_pay enable row level security, force row level security;
create policy auditor on promises_to_pay for select to servicing_auditor using true;
create policy owner on promises_to_pay for all to servicing_owner using true with check true;
create policy tenant on promises_to_pay for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.promises_to_pay FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on promises_to_pay to servicing_app;
grant select on promises_to_pay to servicing_auditor;

create table provider_certificates (
  tenant_id uuid not null default app.current_tenant(),
  url text not null,
  pem text not null,
  created_at timestamp with time zone not null default now(),
  constraint provider_certificates_pkey PRIMARY KEY (tenant_id, url),
  constraint provider_certificates_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
alter table provider_certificates enable row level security, force row level security;
create policy auditor on provider_certificates for select to servicing_auditor using true;
create policy owner on provider_certificates for all to servicing_owner using true with check true;
create policy tenant on provider_certificates for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant insert, select on provider_certificates to servicing_app;
grant select on provider_certificates to servicing_auditor;

create table provider_sign_ins (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  provider_id uuid not null,
  token_hash bytea not null,
  state_hash bytea not null,
  nonce text not null,
  verifier_sealed text not null,
  code_sealed text,
  response_issuer text,
  status text not null default 'begun'::text,
  user_id uuid,
  is_multi_factor boolean not null default false,
  problem text,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  subject text,
  constraint provider_sign_ins_pkey PRIMARY KEY (tenant_id, id),
  constraint provider_sign_ins_status_check CHECK ((status = ANY (ARRAY['begun'::text, 'asked'::text, 'known'::text, 'unlinked'::text, 'failed'::text, 'used'::text]))),
  constraint provider_sign_ins_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint provider_sign_ins_tenant_id_provider_id_fkey FOREIGN KEY (tenant_id, provider_id) REFERENCES identity_providers(tenant_id, id) ON DELETE CASCADE,
  constraint provider_sign_ins_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id)
);
CREATE INDEX provider_sign_ins_provider ON public.provider_sign_ins USING btree (tenant_id, provider_id);
CREATE UNIQUE INDEX provider_sign_ins_token ON public.provider_sign_ins USING btree (tenant_id, token_hash);
CREATE INDEX provider_sign_ins_user ON public.provider_sign_ins USING btree (tenant_id, user_id);
alter table provider_sign_ins enable row level security, force row level security;
create policy auditor on provider_sign_ins for select to servicing_auditor using true;
create policy owner on provider_sign_ins for all to servicing_owner using true with check true;
create policy tenant on provider_sign_ins for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.provider_sign_ins FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on provider_sign_ins to servicing_app;
grant select on provider_sign_ins to servicing_auditor;

create table recovery_codes (
  tenant_id uuid not null default app.current_tenant(),
  user_id uuid not null,
  code_hash bytea not null,
  used_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  constraint recovery_codes_pkey PRIMARY KEY (tenant_id, user_id, code_hash),
  constraint recovery_codes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint recovery_codes_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id)
);
alter table recovery_codes enable row level security, force row level security;
create policy auditor on recovery_codes for select to servicing_auditor using true;
create policy owner on recovery_codes for all to servicing_owner using true with check true;
create policy tenant on recovery_codes for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant delete, insert, select, update on recovery_codes to servicing_app;
grant select on recovery_codes to servicing_auditor;

create table remittance_loans (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  remittance_id uuid not null,
  loan_id uuid not null,
  assignment_id uuid not null,
  account_id uuid not null,
  principal_owned app.money not null,
  principal_collected app.money not null,
  interest_collected app.money not null,
  fees_collected app.money not null,
  other_collected app.money not null,
  servicing_fee_rate app.rate not null,
  servicing_fee app.money not null,
  created_at timestamp with time zone not null default now(),
  constraint remittance_loans_once UNIQUE (tenant_id, remittance_id, assignment_id),
  constraint remittance_loans_pkey PRIMARY KEY (tenant_id, id),
  constraint remittance_loans_tenant_id_account_id_fkey FOREIGN KEY (tenant_id, account_id) REFERENCES ledger_accounts(tenant_id, id),
  constraint remittance_loans_tenant_id_assignment_id_fkey FOREIGN KEY (tenant_id, assignment_id) REFERENCES loan_assignments(tenant_id, id),
  constraint remittance_loans_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint remittance_loans_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id),
  constraint remittance_loans_tenant_id_remittance_id_fkey FOREIGN KEY (tenant_id, remittance_id) REFERENCES remittances(tenant_id, id)
);
CREATE INDEX remittance_loans_loan ON public.remittance_loans USING btree (tenant_id, loan_id);
alter table remittance_loans enable row level security, force row level security;
create policy auditor on remittance_loans for select to servicing_auditor using true;
create policy owner on remittance_loans for all to servicing_owner using true with check true;
create policy tenant on remittance_loans for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.remittance_loans FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
grant insert, select on remittance_loans to servicing_app;
grant select on remittance_loans to servicing_auditor;

create table remittances (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  investor_id uuid not null,
  period_start date not null,
  period_end date not null,
  loan_count integer not null,
  principal_owned app.money,
  principal_collected app.money,
  interest_collected app.money,
  fees_collected app.money,
  other_collected app.money,
  collected app.money,
  servicing_fee app.money,
  amount_due app.money,
  status text not null default 'due'::text,
  journal_entry_id uuid,
  paid_on date,
  reference_number text,
  payment_entry_id uuid,
  created_by uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint remittances_all_sums_or_none CHECK ((num_nulls(principal_owned, principal_collected, interest_collected, fees_collected, other_collected, collected, servicing_fee, amount_due) = ANY (ARRAY[0, 8]))),
  constraint remittances_check CHECK ((period_end >= period_start)),
  constraint remittances_check1 CHECK (((collected)::numeric = ((((principal_collected)::numeric + (interest_collected)::numeric) + (fees_collected)::numeric) + (other_collected)::numeric))),
  constraint remittances_check2 CHECK (((amount_due)::numeric = ((collected)::numeric - (servicing_fee)::numeric))),
  constraint remittances_check3 CHECK (((status = 'paid'::text) = (paid_on IS NOT NULL))),
  constraint remittances_once UNIQUE (tenant_id, investor_id, period_start),
  constraint remittances_pkey PRIMARY KEY (tenant_id, id),
  constraint remittances_servicing_fee_check CHECK (((servicing_fee)::numeric >= (0)::numeric)),
  constraint remittances_status_check CHECK ((status = ANY (ARRAY['due'::text, 'paid'::text]))),
  constraint remittances_tenant_id_created_by_fkey FOREIGN KEY (tenant_id, created_by) REFERENCES users(tenant_id, id),
  constraint remittances_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint remittances_tenant_id_investor_id_fkey FOREIGN KEY (tenant_id, investor_id) REFERENCES investors(tenant_id, id),
  constraint remittances_tenant_id_journal_entry_id_fkey FOREIGN KEY (tenant_id, journal_entry_id) REFERENCES journal_entries(tenant_id, id),
  constraint remittances_tenant_id_payment_entry_id_fkey FOREIGN KEY (tenant_id, payment_entry_id) REFERENCES journal_entries(tenant_id, id)
);
CREATE INDEX remittances_newest ON public.remittances USING btree (tenant_id, period_end DESC, id DESC);
alter table remittances enable row level security, force row level security;
create policy auditor on remittances for select to servicing_auditor using true;
create policy owner on remittances for all to servicing_owner using true with check true;
create policy tenant on remittances for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.remittances FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select on remittances to servicing_app;
grant update (journal_entry_id) on remittances to servicing_app;
grant update (paid_on) on remittances to servicing_app;
grant update (payment_entry_id) on remittances to servicing_app;
grant update (reference_number) on remittances to servicing_app;
grant update (status) on remittances to servicing_app;
grant update (updated_at) on remittances to servicing_app;
grant select on remittances to servicing_auditor;

create table schema_migrations (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  constraint schema_migrations_pkey PRIMARY KEY (name)
);
alter table schema_migrations disable row level security;
grant select on schema_migrations to public;

create table second_factors (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  user_id uuid not null,
  kind text not null,
  name text not null,
  secret_sealed text,
  last_step bigint,
  credential_id text,
  public_key text,
  sign_count bigint,
  transports jsonb,
  host text,
  confirmed_at timestamp with time zone,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint second_factors_check CHECK (((kind = 'totp'::text) = (secret_sealed IS NOT NULL))),
  constraint second_factors_check1 CHECK (((kind = 'passkey'::text) = (credential_id IS NOT NULL))),
  constraint second_factors_check2 CHECK (((kind = 'totp'::text) OR ((public_key IS NOT NULL) AND (sign_count IS NOT NULL) AND (host IS NOT NULL)))),
  constraint second_factors_check3 CHECK (((kind = 'totp'::text) OR (confirmed_at IS NOT NULL))),
  constraint second_factors_kind_check CHECK ((kind = ANY (ARRAY['totp'::text, 'passkey'::text]))),
  constraint second_factors_pkey PRIMARY KEY (tenant_id, id),
  constraint second_factors_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint second_factors_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id)
);
CREATE UNIQUE INDEX second_factors_app ON public.second_factors USING btree (tenant_id, user_id) WHERE ((kind = 'totp'::text) AND (confirmed_at IS NOT NULL));
CREATE UNIQUE INDEX second_factors_credential ON public.second_factors USING btree (tenant_id, credential_id);
CREATE INDEX second_factors_user ON public.second_factors USING btree (tenant_id, user_id);
alter table second_factors enable row level security, force row level security;
create policy auditor on second_factors for select to servicing_auditor using true;
create policy owner on second_factors for all to servicing_owner using true with check true;
create policy tenant on second_factors for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.second_factors FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on second_factors to servicing_app;
grant select on second_factors to servicing_auditor;

create table security_log (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  event text not null,
  outcome text not null,
  reason text,
  user_id uuid,
  tried_as text,
  subject_id uuid,
  route text not null,
  ip_address text,
  request_id text,
  occurrences integer not null default 1,
  created_at timestamp with time zone not null default now(),
  constraint security_log_event_check CHECK ((event ~ '^[a-z_]{1,40}$'::text)),
  constraint security_log_occurrences_check CHECK ((occurrences > 0)),
  constraint security_log_outcome_check CHECK ((outcome = ANY (ARRAY['done'::text, 'refused'::text, 'failed'::text]))),
  constraint security_log_pkey PRIMARY KEY (tenant_id, id),
  constraint security_log_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX security_log_newest ON public.security_log USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX security_log_user ON public.security_log USING btree (tenant_id, user_id, created_at DESC, id DESC);
alter table security_log enable row level security, force row level security;
create policy auditor on security_log for select to servicing_auditor using true;
create policy owner on security_log for all to servicing_owner using true with check true;
create policy tenant on security_log for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.security_log FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER append_only_all BEFORE TRUNCATE ON public.security_log FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
grant insert, select on security_log to servicing_app;
grant select on security_log to servicing_auditor;

create table service_credits (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  amount app.money not null,
  credit_type text not null,
  reason text not null,
  apply_to text not null,
  effective_date date not null,
  sponsor text not null,
  status text not null default 'applied'::text,
  principal_applied app.money not null default 0,
  interest_applied app.money not null default 0,
  fees_applied app.money not null default 0,
  created_by uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint service_credits_amount_check CHECK (((amount)::numeric > (0)::numeric)),
  constraint service_credits_pkey PRIMARY KEY (tenant_id, id),
  constraint service_credits_status_check CHECK ((status = ANY (ARRAY['applied'::text, 'reversed'::text]))),
  constraint service_credits_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint service_credits_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
CREATE INDEX service_credits_loan ON public.service_credits USING btree (tenant_id, loan_id, created_at DESC, id DESC);
alter table service_credits enable row level security, force row level security;
create policy auditor on service_credits for select to servicing_auditor using true;
create policy owner on service_credits for all to servicing_owner using true with check true;
create policy tenant on service_credits for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.service_credits FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on service_credits to servicing_app;
grant select on service_credits to servicing_auditor;

create table servicing_fee_rates (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  investor_id uuid not null,
  from_date date not null,
  servicing_fee_rate app.rate not null,
  created_by uuid,
  created_at timestamp with time zone not null default now(),
  constraint servicing_fee_rates_from_date_check CHECK ((EXTRACT(day FROM from_date) = (1)::numeric)),
  constraint servicing_fee_rates_pkey PRIMARY KEY (tenant_id, id),
  constraint servicing_fee_rates_tenant_id_created_by_fkey FOREIGN KEY (tenant_id, created_by) REFERENCES users(tenant_id, id),
  constraint servicing_fee_rates_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint servicing_fee_rates_tenant_id_investor_id_fkey FOREIGN KEY (tenant_id, investor_id) REFERENCES investors(tenant_id, id)
);
CREATE INDEX servicing_fee_rates_investor ON public.servicing_fee_rates USING btree (tenant_id, investor_id, from_date DESC, id DESC);
alter table servicing_fee_rates enable row level security, force row level security;
create policy auditor on servicing_fee_rates for select to servicing_auditor using true;
create policy owner on servicing_fee_rates for all to servicing_owner using true with check true;
create policy tenant on servicing_fee_rates for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.servicing_fee_rates FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
grant insert, select on servicing_fee_rates to servicing_app;
grant select on servicing_fee_rates to servicing_auditor;

create table sessions (
  tenant_id uuid not null default app.current_tenant(),
  id_hash bytea not null,
  user_id uuid not null,
  csrf_token text not null,
  epoch integer not null,
  created_at timestamp with time zone not null default now(),
  last_seen_at timestamp with time zone not null default now(),
  idle_seconds integer not null,
  absolute_expires_at timestamp with time zone not null,
  ip text,
  user_agent text,
  revoked_at timestamp with time zone,
  id uuid not null default uuidv7(),
  second_factor text,
  wrote_at timestamp with time zone not null default now(),
  proved_at timestamp with time zone,
  constraint sessions_pkey PRIMARY KEY (tenant_id, id_hash),
  constraint sessions_second_factor_check CHECK ((second_factor = ANY (ARRAY['totp'::text, 'passkey'::text, 'recovery_code'::text, 'provider'::text]))),
  constraint sessions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint sessions_tenant_id_id_key UNIQUE (tenant_id, id),
  constraint sessions_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id)
);
CREATE INDEX sessions_user ON public.sessions USING btree (tenant_id, user_id) WHERE (revoked_at IS NULL);
alter table sessions enable row level security, force row level security;
create policy auditor on sessions for select to servicing_auditor using true;
create policy owner on sessions for all to servicing_owner using true with check true;
create policy tenant on sessions for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant delete, insert, select, update on sessions to servicing_app;
grant select on sessions to servicing_auditor;

create table settlement_instruments (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  investor_id uuid not null,
  instrument_type text not null,
  account_holder_name text,
  bank_name text,
  routing_number text,
  account_number_last_four text,
  account_type text,
  swift_code text,
  is_primary boolean not null default false,
  is_active boolean not null default true,
  status text not null default 'active'::text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint settlement_instruments_account_number_last_four_check CHECK ((account_number_last_four ~ '^\d{4}$'::text)),
  constraint settlement_instruments_pkey PRIMARY KEY (tenant_id, id),
  constraint settlement_instruments_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint settlement_instruments_tenant_id_investor_id_fkey FOREIGN KEY (tenant_id, investor_id) REFERENCES investors(tenant_id, id)
);
CREATE INDEX settlement_instruments_investor ON public.settlement_instruments USING btree (tenant_id, investor_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX settlement_instruments_one_primary ON public.settlement_instruments USING btree (tenant_id, investor_id) WHERE is_primary;
alter table settlement_instruments enable row level security, force row level security;
create policy auditor on settlement_instruments for select to servicing_auditor using true;
create policy owner on settlement_instruments for all to servicing_owner using true with check true;
create policy tenant on settlement_instruments for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.settlement_instruments FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on settlement_instruments to servicing_app;
grant select on settlement_instruments to servicing_auditor;

create table sftp_servers (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  name text not null,
  host text not null,
  port integer not null default 22,
  username text not null,
  host_keys jsonb not null,
  folder text not null default ''::text,
  is_active boolean not null default true,
  password_sealed text,
  private_key_sealed text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint sftp_servers_check CHECK ((num_nonnulls(password_sealed, private_key_sealed) = 1)),
  constraint sftp_servers_pkey PRIMARY KEY (tenant_id, id),
  constraint sftp_servers_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX sftp_servers_created ON public.sftp_servers USING btree (tenant_id, created_at DESC, id DESC);
alter table sftp_servers enable row level security, force row level security;
create policy auditor on sftp_servers for select to servicing_auditor using true;
create policy owner on sftp_servers for all to servicing_owner using true with check true;
create policy tenant on sftp_servers for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.sftp_servers FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on sftp_servers to servicing_app;
grant select on sftp_servers to servicing_auditor;

create table spared_late_fees (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  installment_number integer not null,
  due_date date not null,
  fee_rule_id uuid,
  reason text not null,
  decided_on date not null default app.business_date(),
  created_at timestamp with time zone not null default now(),
  constraint spared_late_fees_pkey PRIMARY KEY (tenant_id, id),
  constraint spared_late_fees_reason_check CHECK ((reason = ANY (ARRAY['small_rest'::text, 'paid_something'::text, 'agreement'::text, 'frozen'::text, 'earlier'::text]))),
  constraint spared_late_fees_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint spared_late_fees_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
CREATE UNIQUE INDEX spared_late_fees_once ON public.spared_late_fees USING btree (tenant_id, loan_id, installment_number, due_date, fee_rule_id) NULLS NOT DISTINCT;
alter table spared_late_fees enable row level security, force row level security;
create policy auditor on spared_late_fees for select to servicing_auditor using true;
create policy owner on spared_late_fees for all to servicing_owner using true with check true;
create policy tenant on spared_late_fees for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant insert, select on spared_late_fees to servicing_app;
grant select on spared_late_fees to servicing_auditor;

create table spent_provider_tokens (
  tenant_id uuid not null default app.current_tenant(),
  token text not null,
  created_at timestamp with time zone not null default now(),
  constraint spent_provider_tokens_pkey PRIMARY KEY (tenant_id, token),
  constraint spent_provider_tokens_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
alter table spent_provider_tokens enable row level security, force row level security;
create policy auditor on spent_provider_tokens for select to servicing_auditor using true;
create policy owner on spent_provider_tokens for all to servicing_owner using true with check true;
create policy tenant on spent_provider_tokens for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant delete, insert, select on spent_provider_tokens to servicing_app;
grant select on spent_provider_tokens to servicing_auditor;

create table statements (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  statement_month date not null,
  statement_date date not null,
  figures jsonb not null,
  document_id uuid,
  created_at timestamp with time zone not null default now(),
  constraint statements_month UNIQUE (tenant_id, loan_id, statement_month),
  constraint statements_pkey PRIMARY KEY (tenant_id, id),
  constraint statements_statement_month_check CHECK ((EXTRACT(day FROM statement_month) = (1)::numeric)),
  constraint statements_tenant_id_document_id_fkey FOREIGN KEY (tenant_id, document_id) REFERENCES documents(tenant_id, id),
  constraint statements_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint statements_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
CREATE INDEX statements_document ON public.statements USING btree (tenant_id, document_id);
CREATE INDEX statements_unissued ON public.statements USING btree (tenant_id, statement_month, loan_id) WHERE (document_id IS NULL);
alter table statements enable row level security, force row level security;
create policy auditor on statements for select to servicing_auditor using true;
create policy owner on statements for all to servicing_owner using true with check true;
create policy tenant on statements for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant delete, insert, select, update on statements to servicing_app;
grant select on statements to servicing_auditor;

create table support_case_messages (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  case_id uuid not null,
  author_type text not null,
  author_id uuid,
  author_name text not null,
  shown_name text not null,
  message text not null,
  is_internal boolean not null default false,
  attachments jsonb not null default '[]'::jsonb,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint support_case_messages_author_type_check CHECK ((author_type = ANY (ARRAY['borrower'::text, 'agent'::text, 'system'::text]))),
  constraint support_case_messages_pkey PRIMARY KEY (tenant_id, id),
  constraint support_case_messages_tenant_id_author_id_fkey FOREIGN KEY (tenant_id, author_id) REFERENCES users(tenant_id, id),
  constraint support_case_messages_tenant_id_case_id_fkey FOREIGN KEY (tenant_id, case_id) REFERENCES support_cases(tenant_id, id),
  constraint support_case_messages_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX support_case_messages_case ON public.support_case_messages USING btree (tenant_id, case_id, created_at DESC, id DESC);
alter table support_case_messages enable row level security, force row level security;
create policy auditor on support_case_messages for select to servicing_auditor using true;
create policy owner on support_case_messages for all to servicing_owner using true with check true;
create policy tenant on support_case_messages for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant insert, select on support_case_messages to servicing_app;
grant select on support_case_messages to servicing_auditor;

create table support_cases (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  case_number text not null,
  borrower_id uuid not null,
  loan_id uuid,
  subject text not null,
  description text not null,
  case_type text not null,
  status text not null default 'open'::text,
  priority text not null default 'normal'::text,
  source text not null,
  assigned_to uuid,
  resolution text,
  awaits_answer boolean not null default false,
  is_visible_to_borrower boolean not null default false,
  opened_at timestamp with time zone not null default now(),
  first_response_at timestamp with time zone,
  resolved_at timestamp with time zone,
  closed_at timestamp with time zone,
  last_message_at timestamp with time zone not null default now(),
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint support_cases_case_number UNIQUE (tenant_id, case_number),
  constraint support_cases_pkey PRIMARY KEY (tenant_id, id),
  constraint support_cases_source_check CHECK ((source = ANY (ARRAY['portal'::text, 'agent'::text, 'system'::text, 'email'::text, 'sms'::text]))),
  constraint support_cases_status_check CHECK ((status = ANY (ARRAY['open'::text, 'in_progress'::text, 'waiting_on_borrower'::text, 'resolved'::text, 'closed'::text]))),
  constraint support_cases_tenant_id_assigned_to_fkey FOREIGN KEY (tenant_id, assigned_to) REFERENCES users(tenant_id, id),
  constraint support_cases_tenant_id_borrower_id_fkey FOREIGN KEY (tenant_id, borrower_id) REFERENCES borrowers(tenant_id, id),
  constraint support_cases_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint support_cases_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
CREATE INDEX support_cases_assigned ON public.support_cases USING btree (tenant_id, assigned_to, created_at DESC, id DESC);
CREATE INDEX support_cases_borrower ON public.support_cases USING btree (tenant_id, borrower_id, created_at DESC, id DESC);
CREATE INDEX support_cases_created ON public.support_cases USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX support_cases_status ON public.support_cases USING btree (tenant_id, status, created_at DESC, id DESC);
alter table support_cases enable row level security, force row level security;
create policy auditor on support_cases for select to servicing_auditor using true;
create policy owner on support_cases for all to servicing_owner using true with check true;
create policy tenant on support_cases for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER redacted BEFORE INSERT ON public.support_cases FOR EACH ROW EXECUTE FUNCTION app.refuse_change_of_redacted();
CREATE TRIGGER touch BEFORE UPDATE ON public.support_cases FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on support_cases to servicing_app;
grant select on support_cases to servicing_auditor;

create table suspense_applications (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  amount app.money not null,
  effective_date date not null,
  payment_type text not null,
  notes text,
  source text not null,
  status text not null default 'applied'::text,
  principal_applied app.money not null default 0,
  interest_applied app.money not null default 0,
  fees_applied app.money not null default 0,
  created_by uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint suspense_applications_amount_check CHECK (((amount)::numeric > (0)::numeric)),
  constraint suspense_applications_pkey PRIMARY KEY (tenant_id, id),
  constraint suspense_applications_source_check CHECK ((source = ANY (ARRAY['staff'::text, 'rule'::text]))),
  constraint suspense_applications_status_check CHECK ((status = ANY (ARRAY['applied'::text, 'reversed'::text]))),
  constraint suspense_applications_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint suspense_applications_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
CREATE INDEX suspense_applications_loan ON public.suspense_applications USING btree (tenant_id, loan_id, created_at DESC, id DESC);
alter table suspense_applications enable row level security, force row level security;
create policy auditor on suspense_applications for select to servicing_auditor using true;
create policy owner on suspense_applications for all to servicing_owner using true with check true;
create policy tenant on suspense_applications for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.suspense_applications FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on suspense_applications to servicing_app;
grant select on suspense_applications to servicing_auditor;

create table tape_deliveries (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_tape_id uuid not null,
  recipient text not null,
  attach_file boolean not null,
  status text not null default 'pending'::text,
  attempts integer not null default 0,
  error text,
  sent_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  sftp_server_id uuid,
  attempts_before integer not null default 0,
  started_at timestamp with time zone,
  constraint tape_deliveries_once UNIQUE (tenant_id, loan_tape_id, recipient),
  constraint tape_deliveries_pkey PRIMARY KEY (tenant_id, id),
  constraint tape_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'sent'::text, 'failed'::text, 'superseded'::text]))),
  constraint tape_deliveries_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint tape_deliveries_tenant_id_loan_tape_id_fkey FOREIGN KEY (tenant_id, loan_tape_id) REFERENCES loan_tapes(tenant_id, id),
  constraint tape_deliveries_tenant_id_sftp_server_id_fkey FOREIGN KEY (tenant_id, sftp_server_id) REFERENCES sftp_servers(tenant_id, id)
);
alter table tape_deliveries enable row level security, force row level security;
create policy auditor on tape_deliveries for select to servicing_auditor using true;
create policy owner on tape_deliveries for all to servicing_owner using true with check true;
create policy tenant on tape_deliveries for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.tape_deliveries FOR EACH ROW EXECUTE FUNCTION app.touch();
grant insert, select, update on tape_deliveries to servicing_app;
grant select on tape_deliveries to servicing_auditor;

create table tasks (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  borrower_id uuid,
  loan_id uuid,
  title text not null,
  description text,
  task_type text not null default 'other'::text,
  assignee_id uuid,
  due_date date,
  priority text not null default 'normal'::text,
  status text not null default 'open'::text,
  completed_at timestamp with time zone,
  completed_by uuid,
  source text not null default 'manual'::text,
  related_type text,
  related_id uuid,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint tasks_pkey PRIMARY KEY (tenant_id, id),
  constraint tasks_tenant_id_assignee_id_fkey FOREIGN KEY (tenant_id, assignee_id) REFERENCES users(tenant_id, id),
  constraint tasks_tenant_id_borrower_id_fkey FOREIGN KEY (tenant_id, borrower_id) REFERENCES borrowers(tenant_id, id),
  constraint tasks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint tasks_tenant_id_loan_id_fkey FOREIGN KEY (tenant_id, loan_id) REFERENCES loans(tenant_id, id)
);
CREATE INDEX tasks_assignee ON public.tasks USING btree (tenant_id, assignee_id, created_at DESC, id DESC);
CREATE INDEX tasks_borrower ON public.tasks USING btree (tenant_id, borrower_id, created_at DESC, id DESC);
CREATE INDEX tasks_created ON public.tasks USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX tasks_loan ON public.tasks USING btree (tenant_id, loan_id, created_at DESC, id DESC);
CREATE INDEX tasks_related ON public.tasks USING btree (tenant_id, related_id) WHERE (related_id IS NOT NULL);
CREATE INDEX tasks_type ON public.tasks USING btree (tenant_id, task_type, created_at DESC, id DESC);
alter table tasks enable row level security, force row level security;
create policy auditor on tasks for select to servicing_auditor using true;
create policy owner on tasks for all to servicing_owner using true with check true;
create policy tenant on tasks for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER redacted BEFORE INSERT ON public.tasks FOR EACH ROW EXECUTE FUNCTION app.refuse_change_of_redacted();
CREATE TRIGGER touch BEFORE UPDATE ON public.tasks FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on tasks to servicing_app;
grant select on tasks to servicing_auditor;

create table tenant_domains (
  domain text not null,
  tenant_id uuid not null default app.current_tenant(),
  constraint tenant_domains_domain_check CHECK ((domain = lower(domain))),
  constraint tenant_domains_pkey PRIMARY KEY (domain),
  constraint tenant_domains_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
alter table tenant_domains enable row level security, force row level security;
create policy auditor on tenant_domains for select to servicing_auditor using true;
create policy owner on tenant_domains for all to servicing_owner using true with check true;
create policy tenant on tenant_domains for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant delete, insert, select on tenant_domains to servicing_app;
grant select on tenant_domains to servicing_auditor;

create table tenants (
  id uuid not null default uuidv7(),
  slug text not null,
  name text not null,
  time_zone text not null default 'America/New_York'::text,
  currency text not null default 'USD'::text,
  locale text not null default 'en-US'::text,
  business_date date not null,
  settings jsonb not null default '{}'::jsonb,
  is_active boolean not null default true,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  door text not null default 'open'::text,
  next_time_zone text,
  constraint tenants_door_check CHECK ((door = ANY (ARRAY['open'::text, 'closing'::text, 'closed'::text, 'exported'::text]))),
  constraint tenants_pkey PRIMARY KEY (id),
  constraint tenants_shut_is_inactive CHECK (((door = 'open'::text) OR (NOT is_active))),
  constraint tenants_slug_check CHECK ((slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'::text)),
  constraint tenants_slug_key UNIQUE (slug)
);
alter table tenants enable row level security, force row level security;
create policy auditor on tenants for select to servicing_auditor using true;
create policy owner on tenants for all to servicing_owner using true with check true;
create policy tenant on tenants for all to servicing_app using (id = app.current_tenant()) with check (id = app.current_tenant());
CREATE TRIGGER touch BEFORE UPDATE ON public.tenants FOR EACH ROW EXECUTE FUNCTION app.touch();
grant select, update on tenants to servicing_app;
grant select on tenants to servicing_auditor;

create table throttle_hits (
  tenant_id uuid not null default app.current_tenant(),
  scope text not null,
  subject text not null,
  at timestamp with time zone not null default clock_timestamp(),
  id uuid not null default uuidv7(),
  constraint throttle_hits_pkey PRIMARY KEY (tenant_id, scope, subject, id),
  constraint throttle_hits_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
alter table throttle_hits enable row level security, force row level security;
create policy auditor on throttle_hits for select to servicing_auditor using true;
create policy owner on throttle_hits for all to servicing_owner using true with check true;
create policy tenant on throttle_hits for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant delete, insert, select, update on throttle_hits to servicing_app;
grant select on throttle_hits to servicing_auditor;

create table user_identities (
  tenant_id uuid not null default app.current_tenant(),
  provider_id uuid not null,
  subject text not null,
  user_id uuid not null,
  created_at timestamp with time zone not null default now(),
  issuer_url text not null,
  role_max text,
  constraint user_identities_pkey PRIMARY KEY (tenant_id, provider_id, subject),
  constraint user_identities_role_max_check CHECK ((role_max = ANY (ARRAY['none'::text, 'viewer'::text, 'collector'::text, 'loan_officer'::text, 'admin'::text, 'superadmin'::text]))),
  constraint user_identities_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint user_identities_tenant_id_provider_id_fkey FOREIGN KEY (tenant_id, provider_id) REFERENCES identity_providers(tenant_id, id) ON DELETE CASCADE,
  constraint user_identities_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id)
);
CREATE UNIQUE INDEX user_identities_user ON public.user_identities USING btree (tenant_id, user_id, provider_id);
alter table user_identities enable row level security, force row level security;
create policy auditor on user_identities for select to servicing_auditor using true;
create policy owner on user_identities for all to servicing_owner using true with check true;
create policy tenant on user_identities for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant delete, insert, select, update on user_identities to servicing_app;
grant select on user_identities to servicing_auditor;

create table user_permissions (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  user_id uuid not null,
  type text not null default 'allow'::text,
  action text not null,
  resource text not null,
  record jsonb,
  created_at timestamp with time zone not null default now(),
  constraint user_permissions_pkey PRIMARY KEY (tenant_id, id),
  constraint user_permissions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint user_permissions_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES users(tenant_id, id),
  constraint user_permissions_type_check CHECK ((type = ANY (ARRAY['allow'::text, 'deny'::text])))
);
CREATE INDEX user_permissions_created ON public.user_permissions USING btree (tenant_id, created_at DESC, id DESC);
CREATE INDEX user_permissions_user ON public.user_permissions USING btree (tenant_id, user_id);
alter table user_permissions enable row level security, force row level security;
create policy auditor on user_permissions for select to servicing_auditor using true;
create policy owner on user_permissions for all to servicing_owner using true with check true;
create policy tenant on user_permissions for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant delete, insert, select, update on user_permissions to servicing_app;
grant select on user_permissions to servicing_auditor;

create table users (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  email text not null,
  first_name text not null,
  last_name text not null,
  password_hash text,
  tenant_role text,
  borrower_id uuid,
  is_active boolean not null default true,
  session_epoch integer not null default 0,
  date_joined timestamp with time zone not null default now(),
  last_login timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint users_email_check CHECK ((email = lower(email))),
  constraint users_pkey PRIMARY KEY (tenant_id, id),
  constraint users_tenant_id_borrower_id_fkey FOREIGN KEY (tenant_id, borrower_id) REFERENCES borrowers(tenant_id, id),
  constraint users_tenant_id_borrower_id_key UNIQUE (tenant_id, borrower_id),
  constraint users_tenant_id_email_key UNIQUE (tenant_id, email),
  constraint users_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint users_tenant_role_check CHECK ((tenant_role = ANY (ARRAY['viewer'::text, 'collector'::text, 'loan_officer'::text, 'admin'::text, 'superadmin'::text])))
);
CREATE INDEX users_created ON public.users USING btree (tenant_id, created_at DESC, id DESC);
alter table users enable row level security, force row level security;
create policy auditor on users for select to servicing_auditor using true;
create policy owner on users for all to servicing_owner using true with check true;
create policy tenant on users for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.users FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on users to servicing_app;
grant select on users to servicing_auditor;

create table valuations (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  collateral_id uuid not null,
  valuation_type text not null,
  valuation_date date not null,
  effective_date date,
  appraised_value app.money not null,
  appraiser_name text,
  confidence numeric(4,3),
  document_id uuid,
  notes text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint valuations_appraised_value_check CHECK (((appraised_value)::numeric >= (0)::numeric)),
  constraint valuations_confidence_check CHECK (((confidence >= (0)::numeric) AND (confidence <= (1)::numeric))),
  constraint valuations_pkey PRIMARY KEY (tenant_id, id),
  constraint valuations_tenant_id_collateral_id_fkey FOREIGN KEY (tenant_id, collateral_id) REFERENCES collateral_items(tenant_id, id),
  constraint valuations_tenant_id_document_id_fkey FOREIGN KEY (tenant_id, document_id) REFERENCES documents(tenant_id, id),
  constraint valuations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX valuations_collateral ON public.valuations USING btree (tenant_id, collateral_id, created_at DESC, id DESC);
alter table valuations enable row level security, force row level security;
create policy auditor on valuations for select to servicing_auditor using true;
create policy owner on valuations for all to servicing_owner using true with check true;
create policy tenant on valuations for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.valuations FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on valuations to servicing_app;
grant select on valuations to servicing_auditor;

create table webhook_attempts (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  delivery_id uuid not null,
  attempt integer not null,
  started_at timestamp with time zone not null default now(),
  answered_at timestamp with time zone,
  response_status integer,
  response_body text,
  error text,
  ms integer,
  constraint webhook_attempts_pkey PRIMARY KEY (tenant_id, id),
  constraint webhook_attempts_tenant_id_delivery_id_fkey FOREIGN KEY (tenant_id, delivery_id) REFERENCES webhook_deliveries(tenant_id, id),
  constraint webhook_attempts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX webhook_attempts_delivery ON public.webhook_attempts USING btree (tenant_id, delivery_id, attempt);
CREATE INDEX webhook_attempts_started ON public.webhook_attempts USING btree (tenant_id, started_at);
alter table webhook_attempts enable row level security, force row level security;
create policy auditor on webhook_attempts for select to servicing_auditor using true;
create policy owner on webhook_attempts for all to servicing_owner using true with check true;
create policy tenant on webhook_attempts for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
grant delete, insert, select, update on webhook_attempts to servicing_app;
grant select on webhook_attempts to servicing_auditor;

create table webhook_deliveries (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  subscription_id uuid not null,
  event_id uuid not null,
  round integer not null default 0,
  status text not null default 'scheduled'::text,
  attempt integer not null default 1,
  next_attempt_at timestamp with time zone,
  delivered_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  in_line boolean not null default false,
  constraint webhook_deliveries_once UNIQUE (tenant_id, subscription_id, event_id, round),
  constraint webhook_deliveries_pkey PRIMARY KEY (tenant_id, id),
  constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['scheduled'::text, 'delivered'::text, 'dead'::text, 'canceled'::text]))),
  constraint webhook_deliveries_tenant_id_event_id_fkey FOREIGN KEY (tenant_id, event_id) REFERENCES events(tenant_id, id),
  constraint webhook_deliveries_tenant_id_subscription_id_fkey FOREIGN KEY (tenant_id, subscription_id) REFERENCES webhook_subscriptions(tenant_id, id)
) with (fillfactor=70);
CREATE INDEX webhook_deliveries_created ON public.webhook_deliveries USING btree (tenant_id, subscription_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_event ON public.webhook_deliveries USING btree (tenant_id, event_id);
CREATE INDEX webhook_deliveries_scheduled ON public.webhook_deliveries USING btree (tenant_id, subscription_id) WHERE (status = 'scheduled'::text);
alter table webhook_deliveries enable row level security, force row level security;
create policy auditor on webhook_deliveries for select to servicing_auditor using true;
create policy owner on webhook_deliveries for all to servicing_owner using true with check true;
create policy tenant on webhook_deliveries for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.webhook_deliveries FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on webhook_deliveries to servicing_app;
grant select on webhook_deliveries to servicing_auditor;

create table webhook_subscriptions (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  url text not null,
  events jsonb not null,
  secret_sealed text not null,
  secret_last_four text not null,
  is_active boolean not null default true,
  last_error text,
  consecutive_failures integer not null default 0,
  disabled_at timestamp with time zone,
  is_deleted boolean not null default false,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  failing_since timestamp with time zone,
  last_failure text,
  is_slow boolean not null default false,
  previous_secret_sealed text,
  previous_secret_until timestamp with time zone,
  constraint webhook_subscriptions_pkey PRIMARY KEY (tenant_id, id),
  constraint webhook_subscriptions_previous_secret_check CHECK (((previous_secret_sealed IS NULL) = (previous_secret_until IS NULL))),
  constraint webhook_subscriptions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX webhook_subscriptions_created ON public.webhook_subscriptions USING btree (tenant_id, created_at DESC, id DESC);
alter table webhook_subscriptions enable row level security, force row level security;
create policy auditor on webhook_subscriptions for select to servicing_auditor using true;
create policy owner on webhook_subscriptions for all to servicing_owner using true with check true;
create policy tenant on webhook_subscriptions for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER touch BEFORE UPDATE ON public.webhook_subscriptions FOR EACH ROW EXECUTE FUNCTION app.touch();
grant delete, insert, select, update on webhook_subscriptions to servicing_app;
grant select on webhook_subscriptions to servicing_auditor;

create table year_ends (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  fiscal_year_end date not null,
  net_income app.money,
  journal_entry_id uuid,
  closed_by uuid,
  created_at timestamp with time zone not null default now(),
  wide_net_income numeric(24,2),
  constraint year_ends_net_income CHECK ((COALESCE((net_income)::numeric, wide_net_income) IS NOT NULL)),
  constraint year_ends_once UNIQUE (tenant_id, fiscal_year_end),
  constraint year_ends_pkey PRIMARY KEY (tenant_id, id),
  constraint year_ends_tenant_id_closed_by_fkey FOREIGN KEY (tenant_id, closed_by) REFERENCES users(tenant_id, id),
  constraint year_ends_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint year_ends_tenant_id_journal_entry_id_fkey FOREIGN KEY (tenant_id, journal_entry_id) REFERENCES journal_entries(tenant_id, id)
);
alter table year_ends enable row level security, force row level security;
create policy auditor on year_ends for select to servicing_auditor using true;
create policy owner on year_ends for all to servicing_owner using true with check true;
create policy tenant on year_ends for all to servicing_app using (tenant_id = ( SELECT app.current_tenant() AS current_tenant)) with check (tenant_id = ( SELECT app.current_tenant() AS current_tenant));
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.year_ends FOR EACH ROW EXECUTE FUNCTION app.refuse_change();
CREATE TRIGGER append_only_all BEFORE TRUNCATE ON public.year_ends FOR EACH STATEMENT EXECUTE FUNCTION app.refuse_change();
grant insert, select on year_ends to servicing_app;
grant select on year_ends to servicing_auditor;
