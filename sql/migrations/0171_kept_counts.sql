-- How many rows of a table a tenant has, by the columns that its lists are filtered by: the sum of `rows` of what is
-- here. A statement that changes it adds what it changed, and nobody changes what another has added: so no two
-- writers wait for each other, and who sees a row sees that it was counted. Written by triggers alone.
create table kept_counts (
  tenant_id uuid not null default app.current_tenant(),
  table_name text not null,
  id uuid not null default uuidv7(),
  -- Null where the table is not counted by it.
  status text,
  is_archived boolean,
  rows bigint not null,
  primary key (tenant_id, table_name, id)
);
call app.protect('kept_counts', 'select');

-- The tables that are counted, and by which columns.
create table app.counted_tables (
  table_name text primary key,
  columns text[] not null
);
grant select on app.counted_tables to servicing_auditor;

-- Makes one row of each kind of many of the tenant's. What another fold holds, or has taken away, is left to it, so it
-- waits for nobody; a thousand at a time, so that whoever happens to do it is not held up.
create function app.fold_counts(counted text) returns void
  language sql security definer set search_path = public, pg_temp
as $$
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
$$;
revoke execute on function app.fold_counts from public;

-- What is counted otherwise than it is, in one look at both.
create function app.miscounted(counted text)
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
        from kept_counts where table_name = %L group by 1, 2, 3
      ) as counted
      group by 1, 2, 3 having sum(kept) <> sum(there)
    $query$,
    case when 'status' = any(kinds) then 'status' else 'null' end,
    case when 'is_archived' = any(kinds) then 'is_archived' else 'null' end,
    counted, counted
  );
end $$;

-- Adds what is missing, and answers it. What is written meanwhile adds as much to the rows as to their count, so
-- nobody is kept from writing; two of these would add the same, and take turns.
create function app.count_anew(counted text)
  returns table (tenant_id uuid, status text, is_archived boolean, rows bigint)
  language plpgsql set search_path = public, pg_temp
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('count anew ' || counted, 0));
  return query
    insert into kept_counts as kept (tenant_id, table_name, status, is_archived, rows)
    select wrong.tenant_id, counted, wrong.status, wrong.is_archived, wrong.there - wrong.kept
    from app.miscounted(counted) as wrong
    returning kept.tenant_id, kept.status, kept.is_archived, kept.rows;
end $$;
revoke execute on function app.count_anew from public;

-- From now on the table is counted by these columns of it; what it has already is added by app.count_anew, in a
-- transaction of its own, once nobody writes any more who did not fire the triggers.
create procedure app.keep_counts(target regclass, columns text[]) language plpgsql as $$
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
end $$;

-- In the order in which a boarding writes them: neither waits for what the other holds.
call app.keep_counts('borrowers', '{is_archived}');
call app.keep_counts('loans', '{status,is_archived}');
