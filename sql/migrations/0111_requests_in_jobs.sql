-- What a request causes is found again by its id: in the events that it wrote, and in the jobs that it
-- enqueued, which hand it on to the jobs that they enqueue. A transaction names it, as it names its tenant.
create function app.current_request() returns text
language sql stable parallel safe
return nullif(current_setting('app.request_id', true), '');

-- Events of before this release have none. No default of old rows is computed: the table is not rewritten.
alter table events add column request_id text;
alter table events alter column request_id set default app.current_request();
insert into app.borrower_columns (table_name, column_name, kept_because) values
  ('events', 'request_id', 'made by us for each request');

create function app.of_request(payload json) returns json
language sql stable parallel safe
return case
  when app.current_request() is null then payload
  else (payload::jsonb || jsonb_build_object('request_id', app.current_request()))::json
end;

create or replace function app.add_job(
  identifier text, payload json, run_at timestamptz, max_attempts integer, job_key text
) returns void
language sql security definer set search_path = public, pg_temp
as $$
  select graphile_worker.add_job(
    identifier => identifier, payload => app.of_request(payload), run_at => run_at,
    max_attempts => max_attempts, job_key => job_key
  )
$$;

create or replace function app.add_jobs(
  identifier text, payloads json[], run_at timestamptz, max_attempts integer, keys text[]
) returns void
language sql security definer set search_path = public, pg_temp
as $$
  select from graphile_worker.add_jobs(array(
    select row(
      identifier, app.of_request(item.payload), null, add_jobs.run_at, add_jobs.max_attempts,
      item.key, 0, null
    )::graphile_worker.job_spec
    from unnest(payloads, keys) as item (payload, key)
  ))
$$;
