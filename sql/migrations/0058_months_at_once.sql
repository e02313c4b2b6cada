-- Two that are the first in a month at once: the second one waits and then finds the month there. It
-- looks in pg_class, since what to_regclass did not find before the wait it does not look for again.
create or replace function app.ensure_accrual_month(day date) returns void
  language plpgsql security definer set search_path = public, pg_temp
as $$
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
end $$;
