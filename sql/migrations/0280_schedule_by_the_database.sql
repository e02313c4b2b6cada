-- When each scheduled job was last enqueued, by the clock of this server.
create table app.schedule_ticks (
  task text primary key,
  ticked_at timestamptz not null
);

-- Enqueues a scheduled job once for that minute, whichever process asks first. A tick in the future, left by a
-- server whose clock was wrong, does not keep the job from being enqueued now.
create function app.tick_schedule(task text, minute timestamptz, max_attempts integer) returns boolean
language plpgsql security definer set search_path = public, pg_temp
as $$
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
end $$;
revoke execute on function app.tick_schedule from public;
grant execute on function app.tick_schedule to servicing_worker;

create or replace function app.seen_clock() returns table (task text, last_at timestamptz)
  language sql stable security definer set search_path = public, pg_temp
as $$ select task, ticked_at from app.schedule_ticks $$;

-- Seconds since the most overdue close of business of any tenant was due, at midnight or the tenant's cut-off; 0 if
-- none is overdue.
create function app.close_overdue_seconds() returns numeric
  language sql stable security definer set search_path = public, pg_temp
as $$
  select coalesce(max(greatest(0, extract(epoch from
    clock_timestamp() - (
      (business_date + 1 + coalesce(settings ->> 'eod_cutoff_time', '00:00')::time) at time zone time_zone
    )
  ))), 0)
  from tenants where is_active
$$;
revoke execute on function app.close_overdue_seconds from public;
grant execute on function app.close_overdue_seconds to servicing_worker;
