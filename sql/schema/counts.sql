-- Counts of loans and borrowers, kept up to date by triggers, so that lists do not count rows.

-- The counted tables, and the columns by which they are counted.
create table app.counted_tables (
  table_name text primary key,
  columns text[] not null
);
grant select on app.counted_tables to servicing_auditor;

-- The number of a tenant's rows in a table, by the columns that its lists filter by: the sum of `rows`. Each
-- statement adds rows and never changes existing ones, so writers do not wait for each other. Only triggers write
-- here.
create table row_counts (
  tenant_id uuid not null default app.current_tenant(),
  table_name text not null,
  id uuid not null default uuidv7(),
  -- Null if the table is not counted by this column.
  status text,
  is_archived boolean,
  rows bigint not null,
  primary key (tenant_id, table_name, id)
);
call app.protect('row_counts', 'select');

-- Combines up to a thousand rows into one of each kind. Skips rows locked by another compaction, so it
-- never waits.
create function app.compact_counts(counted text) returns void
  language sql security definer set search_path = public, pg_temp
as $$
  with folded as (
    -- By ctid, because rows of this table never move.
    delete from row_counts as kept where kept.ctid = any (array(
      select ctid from row_counts
      where tenant_id = app.current_tenant() and table_name = counted
      limit 1000 for update skip locked
    ))
    returning kept.tenant_id, kept.status, kept.is_archived, kept.rows
  )
  insert into row_counts (tenant_id, table_name, status, is_archived, rows)
  select tenant_id, counted, status, is_archived, sum(rows) from folded
  group by tenant_id, status, is_archived having sum(rows) <> 0
$$;
revoke execute on function app.compact_counts from public;

-- Counts that differ from the rows, compared in one snapshot.
create function app.count_differences(counted text)
  returns table (tenant_id uuid, status text, is_archived boolean, kept bigint, there bigint)
  language plpgsql stable set search_path = public, pg_temp
as $$
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
        from row_counts where table_name = %L group by 1, 2, 3
      ) as counted
      group by 1, 2, 3 having sum(kept) <> sum(there)
    $query$,
    case when 'status' = any(kinds) then 'status' else 'null' end,
    case when 'is_archived' = any(kinds) then 'is_archived' else 'null' end,
    counted, counted
  );
end $$;

-- Adds the differences and returns them. Writers are not blocked, because they change rows and counts in
-- one transaction. Concurrent recounts would add the same difference twice, so they run one after the
-- other.
create function app.recount_rows(counted text)
  returns table (tenant_id uuid, status text, is_archived boolean, rows bigint)
  language plpgsql set search_path = public, pg_temp
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('count anew ' || counted, 0));
  return query
    insert into row_counts as kept (tenant_id, table_name, status, is_archived, rows)
    select wrong.tenant_id, counted, wrong.status, wrong.is_archived, wrong.there - wrong.kept
    from app.count_differences(counted) as wrong
    returning kept.tenant_id, kept.status, kept.is_archived, kept.rows;
end $$;
revoke execute on function app.recount_rows from public;

-- Counts a table by these columns from now on. Count existing rows with app.recount_rows in a later transaction,
-- after all transactions that began without the triggers have ended.
create procedure app.maintain_counts(target regclass, columns text[]) language plpgsql as $$
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
            insert into row_counts (table_name, rows, %2$s)
            select '%1$s', count(*), %2$s from added group by %2$s;
          when 'DELETE' then
            insert into row_counts (table_name, rows, %2$s)
            select '%1$s', -count(*), %2$s from taken group by %2$s;
          when 'UPDATE' then
            insert into row_counts (table_name, rows, %2$s)
            values ('%1$s', -1, %3$s), ('%1$s', 1, %4$s);
          else
            delete from row_counts where table_name = '%1$s';
        end case;
        -- Compacting at random keeps the number of rows that a list reads in the hundreds.
        if random() < 1 / 64.0 then perform app.compact_counts('%1$s'); end if;
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
      create trigger count_deleted after delete on %1$s referencing old table as taken
        for each statement execute function app.count_%1$s();
      create trigger count_truncated after truncate on %1$s
        for each statement execute function app.count_%1$s();
    $triggers$,
    counted
  );
  if changes is not null then
    -- Updates that set none of the columns fire no trigger, and an unchanged row is not counted.
    execute format(
      'create trigger count_changed after update of %s on %s for each row when (%s)
         execute function app.count_%s()',
      array_to_string(columns, ', '), counted, changes, counted
    );
  end if;
end $$;

-- In the order in which boarding a loan writes these tables, so that two boardings cannot deadlock.
call app.maintain_counts('borrowers', '{is_archived}');
call app.maintain_counts('loans', '{status,is_archived}');
