import type pg from 'pg';

/** Tables that every request may write to, regardless of what it does. They hold no business data. */
const TRAFFIC = ['sessions', 'throttle_hits', 'idempotency_keys', 'security_log'];

/** Starts recording writes to the tables. A rolled back transaction leaves no record. */
const WATCH = `
  create schema watch;
  create table watch.writes (name text not null);
  create function watch.note() returns trigger language plpgsql security definer as $$
  begin
    if tg_op <> 'UPDATE' or old is distinct from new then
      insert into watch.writes values (tg_table_name);
    end if;
    return null;
  end $$;
  create function watch.note_emptying() returns trigger language plpgsql security definer as $$
  begin
    insert into watch.writes values (tg_table_name);
    return null;
  end $$;
  do $$ declare watched regclass; begin
    for watched in
      select oid from pg_class where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p') and not relispartition and relname <> all ('{${TRAFFIC.join()}}')
    loop
      execute format('create trigger watch after insert or update or delete on %s
                      for each row execute function watch.note()', watched);
      execute format('create trigger watch_emptying after truncate on %s
                      for each statement execute function watch.note_emptying()', watched);
    end loop;
  end $$`;

/** How many rows of each tenant table were inserted, changed or deleted since the first call. */
export async function writes(owner: pg.Pool): Promise<Map<string, number>> {
  const { rowCount } = await owner.query("select from pg_namespace where nspname = 'watch'");
  if (rowCount === 0) await owner.query(WATCH);
  const { rows } = await owner.query<{ name: string; rows: number }>(
    'select name, count(*)::integer as rows from watch.writes group by name order by name',
  );
  return new Map(rows.map(({ name, rows }) => [name, rows]));
}

/** The tables that were written to between two counts. */
export const written = (before: Map<string, number>, after: Map<string, number>): string[] =>
  [...after].filter(([name, rows]) => before.get(name) !== rows).map(([name]) => name);
