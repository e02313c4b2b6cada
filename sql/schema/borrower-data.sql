-- Which tables hold data about borrowers. Each table declares its own with app.declare_borrower_data. Exports
-- and redactions (privacy.sql) read nothing else.

-- The folder of an export that contains the table, or why exports omit it.
create table app.borrower_tables (
  table_name text primary key,
  folder text,
  not_exported_because text,
  is_deleted_on_redaction boolean not null default false,
  -- Whether rows may still be added for a borrower whose data was redacted.
  takes_rows_after_redaction boolean not null default false,
  -- A condition over the row: it is about the person $1 alone. Otherwise an export shows it as if redacted.
  is_about text not null,
  check (num_nonnulls(folder, not_exported_because) = 1)
);
grant select on app.borrower_tables to servicing_app, servicing_auditor;

-- How a table's rows lead to the borrower: a column or expression that holds the id of a parent row.
create table app.borrower_links (
  table_name text not null references app.borrower_tables,
  through text not null,
  parent text not null,
  primary key (table_name, through, parent)
);
grant select on app.borrower_links to servicing_app, servicing_auditor;

-- What a redaction writes into a column that may contain personal text (an expression over the row), or why
-- it keeps the column. Nulls stay null. Secrets are never exported.
create table app.borrower_columns (
  table_name text not null references app.borrower_tables,
  column_name text not null,
  becomes text,
  kept_because text,
  is_secret boolean not null default false,
  -- What an export shows to the person $1 instead of the column: an expression over the row.
  exported_as text,
  primary key (table_name, column_name),
  check (num_nonnulls(becomes, kept_because) = 1)
);
grant select on app.borrower_columns to servicing_app, servicing_auditor;

-- The columns that may contain words of a borrower and about which the table says nothing.
create function app.undeclared_columns(target regclass) returns text[]
  language sql stable set search_path = public, pg_temp
as $$
  select array_agg(attname::text order by attnum)
  from pg_attribute
  join app.borrower_tables as held on held.table_name = target::text and not held.is_deleted_on_redaction
  where attrelid = target and attnum > 0 and not attisdropped
    and atttypid in ('text'::regtype, 'jsonb'::regtype, 'json'::regtype, 'bytea'::regtype, 'inet'::regtype,
      'text[]'::regtype)
    and not exists (
      select from app.borrower_columns where table_name = target::text and column_name = attname
    )
$$;

-- Declares the data about borrowers in a table. Call it after app.protect.
--   folder       the folder of an export, such as 'loans'; or not_exported_because, a reason
--   links        {"column": "parent table"}: how a row leads to the borrower. Default: the required foreign
--                keys to tables that are already declared
--   redacted     columns with words about a person: a redaction writes 'Redacted', or the default of JSON
--   emptied      columns that a redaction sets to null
--   redacted_as  {"column": "SQL expression"}: what a redaction writes instead
--   secret       columns that no export contains and that a redaction empties
--   kept         {"reason": ["column"]}: columns that a redaction keeps. A column whose check lists its values
--                need not be named.
--   is_about     a condition over the row: it is about the person $1 alone. Default: borrower_id names no one else.
--                An export shows other rows as if redacted
--   exported_as  {"column": "SQL expression"}: what an export shows instead to the person $1, for any row
create procedure app.declare_borrower_data(
  target regclass, folder text default null, not_exported_because text default null,
  is_deleted_on_redaction boolean default false, links jsonb default null, redacted text[] default '{}',
  emptied text[] default '{}', redacted_as jsonb default '{}', secret text[] default '{}',
  kept jsonb default '{}', takes_rows_after_redaction boolean default false, is_about text default null,
  exported_as jsonb default '{}')
language plpgsql as $$
#variable_conflict use_column
declare
  name constant text := target::text;
  wrong text[];
begin
  insert into app.borrower_tables values
    (name, declare_borrower_data.folder, declare_borrower_data.not_exported_because,
     declare_borrower_data.is_deleted_on_redaction, declare_borrower_data.takes_rows_after_redaction,
     coalesce(declare_borrower_data.is_about, (
       select 'borrower_id is null or borrower_id = $1' from pg_attribute
       where attrelid = target and attname = 'borrower_id' and not attisdropped
     ), 'true'));

  insert into app.borrower_links (table_name, through, parent)
  select name, link.key, parent
  from jsonb_each(links) as link
  cross join jsonb_array_elements_text(
    case jsonb_typeof(link.value) when 'array' then link.value else jsonb_build_array(link.value) end) as parent
  union
  select name, attname, confrelid::regclass::text
  from pg_constraint
  join pg_attribute on attrelid = conrelid and attnum = conkey[2] and attnotnull
  where links is null and contype = 'f' and conrelid = target and confrelid <> target
    and confrelid <> 'users'::regclass
    and confrelid::regclass::text in (select table_name from app.borrower_tables);
  if not found then
    raise exception '% leads to no borrower. Give app.declare_borrower_data its links, such as {"loan_id": "loans"}.',
      name;
  end if;

  insert into app.borrower_columns (table_name, column_name, becomes, kept_because, is_secret)
  select name, said.column_name, case
      when said.becomes is not null or said.kept_because is not null then said.becomes
      when said.is_secret then case when attnotnull then '''''' else 'null' end
      when atttypid in ('jsonb'::regtype, 'json'::regtype)
        then split_part(pg_get_expr(adbin, adrelid), '::', 1)
      else '''Redacted'''
    end, said.kept_because, said.is_secret
  from (
    select unnest(redacted), null, null, false
    union all
    select unnest(emptied), 'null', null, false
    union all
    select unnest(secret), null, null, true
    union all
    select key, value, null, false from jsonb_each_text(redacted_as)
    union all
    select jsonb_array_elements_text(value), null, key, false from jsonb_each(kept)
  ) as said (column_name, becomes, kept_because, is_secret)
  left join pg_attribute on attrelid = target and attname = said.column_name
  left join pg_attrdef on adrelid = target and adnum = attnum;
  insert into app.borrower_columns (table_name, column_name, kept_because)
  select name, attname, 'one of a few values'
  from pg_constraint
  join pg_attribute on attrelid = conrelid and array[attnum] = conkey and atttypid = 'text'::regtype
  where conrelid = target and contype = 'c' and not declare_borrower_data.is_deleted_on_redaction
    and pg_get_constraintdef(pg_constraint.oid) ~ '^CHECK \(\(\(?\w+ = (ANY \(ARRAY\[|''\w+''::text\)\))'
  on conflict do nothing;

  update app.borrower_columns set exported_as = shown.value
  from jsonb_each_text(declare_borrower_data.exported_as) as shown
  where table_name = name and column_name = shown.key;
  wrong := array(
    select jsonb_object_keys(declare_borrower_data.exported_as)
    except
    select column_name from app.borrower_columns where table_name = name
  ) || array(
    select column_name from app.borrower_columns
    where table_name = name and not exists (
      select from pg_attribute where attrelid = target and attname = column_name
    )
  );
  if wrong <> '{}' then
    raise exception '% has no column %, which app.declare_borrower_data names.', name, array_to_string(wrong, ', ');
  end if;
  wrong := app.undeclared_columns(target);
  if wrong <> '{}' then
    raise exception 'Declare what a redaction does to % of %: name each column in redacted, emptied, secret or kept of app.declare_borrower_data.',
      array_to_string(wrong, ', '), name;
  end if;
end $$;
