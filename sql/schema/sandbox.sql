-- Sandboxes: the saved book of a sandbox, and returning to it.

-- The book that a sandbox returns to, as it was when the sandbox was created or seeded.
create table app.sandbox_books (
  tenant_id uuid primary key references tenants (id) on delete cascade,
  business_date date not null,
  -- The jobs that waited.
  jobs jsonb not null,
  saved_at timestamptz not null default now()
);
-- The rows of the book, at most a thousand in one.
create table app.sandbox_rows (
  tenant_id uuid not null references app.sandbox_books (tenant_id) on delete cascade,
  table_name text not null,
  batch integer not null,
  rows jsonb not null,
  primary key (tenant_id, table_name, batch)
);

-- The tables of a book, referenced tables first. A reset keeps the other tables of a tenant: who may sign in with which
-- rights, how the tenant reaches and is reached by others, and the security log. Of the book, they reference borrowers
-- only (users.borrower_id).
create function app.list_book_tables() returns text[]
  language plpgsql stable set search_path = public, pg_temp
as $$
declare
  wanted text[] := array(
    select class.relname::text from pg_class as class
    where class.relnamespace = 'public'::regnamespace and class.relkind in ('r', 'p') and not class.relispartition
      and exists (
        select from pg_attribute where attrelid = class.oid and attname = 'tenant_id' and not attisdropped)
      and class.relname <> all ('{
        communication_providers,document_wordings,idempotency_keys,identity_providers,logos,object_grants,one_time_tokens,passkey_challenges,pending_sign_ins,
        permission_group_members,permission_groups,provider_certificates,provider_sign_ins,recovery_codes,row_counts,
        second_factors,security_log,sessions,sftp_servers,tenant_domains,throttle_hits,used_provider_tokens,
        user_identities,user_permissions,users,webhook_subscriptions}'::text[]));
  sorted text[] := '{}';
  next text[];
begin
  loop
    next := array(
      select name from unnest(wanted) as name
      where name <> all (sorted) and not exists (
        select from pg_constraint as reference join pg_class as other on other.oid = reference.confrelid
        where reference.conrelid = format('public.%I', name)::regclass and reference.contype = 'f'
          and reference.conparentid = 0 and not reference.condeferrable
          and reference.confrelid <> reference.conrelid
          and other.relname = any (wanted) and other.relname <> all (sorted))
      order by name);
    exit when next = '{}';
    sorted := sorted || next;
  end loop;
  if cardinality(sorted) < cardinality(wanted) then
    raise exception 'The tables of a book reference each other in a circle.';
  end if;
  return sorted;
end $$;

-- Columns that an insert may name.
create function app.list_insertable_columns(target regclass) returns text
  language sql stable set search_path = public, pg_temp
as $$
  select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
  where attrelid = target and attnum > 0 and not attisdropped and attgenerated = ''
$$;

-- Saves the present book of a sandbox, which app.reset_sandbox() returns to. Its events count as delivered.
create function app.save_sandbox_book(sandbox uuid) returns void
  language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  name text;
begin
  if not exists (select from tenants where id = sandbox and is_sandbox) then
    raise exception 'This tenant is not a sandbox.' using errcode = 'insufficient_privilege';
  end if;
  perform pg_advisory_xact_lock(hashtextextended('close ' || sandbox, 0));
  update events set relayed_at = now() where tenant_id = sandbox and relayed_at is null;
  delete from app.sandbox_books where tenant_id = sandbox;
  insert into app.sandbox_books (tenant_id, business_date, jobs)
  select sandbox, business_date, (
    select coalesce(jsonb_agg(jsonb_build_object(
      'task', task.identifier, 'payload', job.payload, 'max_attempts', job.max_attempts, 'key', job.key,
      'priority', job.priority) order by job.id), '[]')
    from graphile_worker._private_jobs as job
    join graphile_worker._private_tasks as task on task.id = job.task_id
    where job.payload ->> 'tenant_id' = sandbox::text and job.attempts < job.max_attempts
      -- The days of the book are closed.
      and task.identifier <> 'close-loans'
  )
  from tenants where id = sandbox;
  foreach name in array app.list_book_tables() loop
    execute format('
      insert into app.sandbox_rows (tenant_id, table_name, batch, rows)
      select $1, %L, batch, jsonb_agg(kept) from (
        select to_jsonb(own) as kept, (row_number() over () - 1) / 1000 as batch
        from %I as own where tenant_id = $1
      ) as numbered group by batch', name, name) using sandbox;
  end loop;
end $$;
revoke execute on function app.save_sandbox_book from public;
grant execute on function app.save_sandbox_book to servicing_worker;

-- Deletes the waiting jobs of the current tenant, and waits up to ten seconds for its running ones. Returns how many
-- still run.
create function app.drop_tenant_jobs() returns integer
  language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  tenant text := app.current_tenant()::text;
  running integer;
begin
  for attempt in 1 .. 100 loop
    delete from graphile_worker._private_jobs where id in (
      select id from graphile_worker._private_jobs
      where payload ->> 'tenant_id' = tenant and locked_at is null for update skip locked
    );
    select count(*) into running from graphile_worker._private_jobs
    where payload ->> 'tenant_id' = tenant and locked_at is not null;
    exit when running = 0;
    perform pg_sleep(0.1);
  end loop;
  return running;
end $$;
revoke execute on function app.drop_tenant_jobs from public;

-- Returns the current tenant, which must be a sandbox, to its saved book, completely or not at all. Answers with
-- - `reset`, or
-- - `no_book`: nothing was saved,
-- - `busy`: a job still runs, and nothing changed.
create function app.reset_sandbox() returns text
  language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  tenant uuid := app.current_tenant();
  book app.sandbox_books;
  tables text[] := app.list_book_tables();
  portal jsonb;
  name text;
  reference record;
begin
  if not exists (select from tenants where id = tenant and is_sandbox) then
    raise exception 'This tenant is not a sandbox.' using errcode = 'insufficient_privilege';
  end if;
  -- A second reset waits here for the first.
  select * into book from app.sandbox_books where tenant_id = tenant for update;
  if not found then return 'no_book'; end if;
  -- Every change of a loan holds this lock, and so does planning a close. Running jobs may wait for it, so they end
  -- first.
  if app.drop_tenant_jobs() > 0 then return 'busy'; end if;
  perform pg_advisory_xact_lock(hashtextextended('close ' || tenant, 0));
  if app.drop_tenant_jobs() > 0 then return 'busy'; end if;

  perform set_config('app.importing_tenant', tenant::text, true);
  set constraints all deferred;
  select coalesce(jsonb_object_agg(id, borrower_id), '{}') into portal
  from users where tenant_id = tenant and borrower_id is not null;
  update users set borrower_id = null where tenant_id = tenant and borrower_id is not null;

  for at in reverse cardinality(tables) .. 1 loop
    execute format('delete from %I where tenant_id = $1', tables[at]) using tenant;
  end loop;
  foreach name in array tables loop
    execute format('
      insert into %1$I (%2$s) select %2$s from (
        select rows as batch_rows from app.sandbox_rows where tenant_id = $1 and table_name = %1$L order by batch
      ) as saved
      cross join lateral jsonb_populate_recordset(null::%1$I, batch_rows) as kept',
      name, app.list_insertable_columns(format('public.%I', name)::regclass)) using tenant;
  end loop;

  -- Borrowers of the book keep their portal users. The users of other borrowers leave with them.
  update users set borrower_id = (portal ->> users.id::text)::uuid
  where tenant_id = tenant and portal ? users.id::text and exists (
    select from borrowers where tenant_id = tenant and id = (portal ->> users.id::text)::uuid);
  for reference in
    select referring.conrelid::regclass as target, attribute.attname as col
    from pg_constraint as referring
    join pg_attribute as attribute
      on attribute.attrelid = referring.conrelid and attribute.attnum = any (referring.conkey)
      and attribute.attname <> 'tenant_id'
    where referring.confrelid = 'users'::regclass and referring.contype = 'f'
  loop
    execute format('delete from %s where tenant_id = $1 and %I in (
      select id from users where tenant_id = $1 and borrower_id is null and $2 ? id::text)',
      reference.target, reference.col) using tenant, portal;
  end loop;
  delete from users where tenant_id = tenant and borrower_id is null and portal ? id::text;

  -- A repeated request must not answer with a record that is gone.
  delete from idempotency_keys where tenant_id = tenant and status is not null;
  delete from app.failed_jobs where payload ->> 'tenant_id' = tenant::text;
  update tenants set business_date = book.business_date where id = tenant;
  perform graphile_worker.add_job(
    identifier => job.task, payload => job.payload, max_attempts => job.max_attempts, job_key => job.key,
    priority => job.priority)
  from jsonb_to_recordset(book.jobs) as job (
    task text, payload json, max_attempts integer, key text, priority integer);
  set constraints all immediate;
  perform set_config('app.importing_tenant', '', true);
  return 'reset';
end $$;
revoke execute on function app.reset_sandbox from public;
grant execute on function app.reset_sandbox to servicing_app;
