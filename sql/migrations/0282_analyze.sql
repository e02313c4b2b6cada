-- The tables whose statistics no longer describe them: more than 1,000 rows and 2 % of the table changed since the last
-- ANALYZE, or there was none yet. Autovacuum waits for 10 %, and never analyzes a partitioned table as a whole.
create function app.tables_to_analyze() returns table (name text)
language sql stable security definer set search_path = public, pg_temp
as $$
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
$$;
revoke execute on function app.tables_to_analyze from public;
grant execute on function app.tables_to_analyze to servicing_app;

-- Updates the statistics of one of these tables, of a partitioned one without its parts. Returns whether it was due.
create function app.analyze_table(wanted text) returns boolean
language plpgsql security definer set search_path = public, pg_temp
as $$
declare due text;
begin
  select name into due from app.tables_to_analyze() where name = wanted;
  if due is null then return false; end if;
  execute format('analyze only %s', due::regclass);
  return true;
end $$;
revoke execute on function app.analyze_table from public;
grant execute on function app.analyze_table to servicing_app;
