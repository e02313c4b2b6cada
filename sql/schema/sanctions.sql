-- Sanctions screening: the imported list of the Treasury, which all tenants share, and each tenant's screenings and
-- the possible matches found.

-- The imported versions of the list of Specially Designated Nationals. Only the owner of the tables imports.
create table app.sanctions_lists (
  id uuid primary key default uuidv7(),
  published_on date not null,
  -- The hash of the imported files, so that a repeated import changes nothing.
  sha256 text not null,
  entries integer not null,
  names integer not null,
  imported_at timestamptz not null default now()
);
grant select on app.sanctions_lists to servicing_app, servicing_worker, servicing_auditor;

-- The entries of the newest version: persons and organizations. Vessels and aircraft cannot borrow.
create table app.sanctions_entries (
  entry_number integer primary key,
  subject_type text not null check (subject_type in ('person', 'organization')),
  name text not null,
  programs text,
  title text,
  remarks text,
  -- [{from, to}]: the days on which the person may have been born.
  birth_dates jsonb not null,
  addresses jsonb not null
);
grant select on app.sanctions_entries to servicing_app, servicing_worker, servicing_auditor;

-- Every name of an entry, in the forms that are compared (jobs/borrowers/sanctions/names.ts).
create table app.sanctions_names (
  entry_number integer not null references app.sanctions_entries deferrable initially deferred,
  subject_type text not null,
  -- As published.
  name text not null,
  -- Lower-case words in ASCII.
  words text not null,
  -- The version in which this name, or a fact that decides a match, was new.
  first_list_id uuid not null references app.sanctions_lists,
  primary key (entry_number, name, words)
);
create index sanctions_names_words on app.sanctions_names using gin (words gin_trgm_ops);
create index sanctions_names_first_list on app.sanctions_names (first_list_id);
grant select on app.sanctions_names to servicing_app, servicing_worker, servicing_auditor;

-- The listed names that share at least 35 percent of their groups of three letters with a searched name, in any order of
-- words. `searched` is [{subject, subject_type, words}]. The planner underestimates what a comparison costs, so it would
-- compare every name instead of using the index.
create function app.find_similar_listed_names(searched jsonb)
  returns table (subject integer, entry_number integer, name text, first_list_id uuid)
  language sql stable set search_path = public, pg_temp
  set enable_seqscan = off
as $$
  select wanted.subject, listed.entry_number, listed.name, listed.first_list_id
  from jsonb_to_recordset(searched) as wanted (subject integer, subject_type text, words text)
  cross join lateral (
    select * from app.sanctions_names
    -- The operator uses the index, with the lower threshold of Postgres.
    where sanctions_names.words % wanted.words and similarity(sanctions_names.words, wanted.words) >= 0.35::real
    offset 0
  ) as listed
  where listed.subject_type = wanted.subject_type
$$;
revoke execute on function app.find_similar_listed_names from public;
grant execute on function app.find_similar_listed_names to servicing_app;

-- The same for the names that are newer than a version. They are few, so each one is compared.
create function app.find_similar_new_names(searched jsonb, since uuid)
  returns table (subject integer, entry_number integer, name text)
  language sql stable set search_path = public, pg_temp
as $$
  select wanted.subject, listed.entry_number, listed.name
  from (select * from app.sanctions_names where first_list_id > since offset 0) as listed
  join jsonb_to_recordset(searched) as wanted (subject integer, subject_type text, words text)
    on listed.subject_type = wanted.subject_type and similarity(listed.words, wanted.words) >= 0.35
$$;
revoke execute on function app.find_similar_new_names from public;
grant execute on function app.find_similar_new_names to servicing_app;

-- Who was screened against which version of the list: one row for each name of a borrower. A newer version is written
-- to the same row.
create table sanctions_screenings (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  subject_type text not null check (subject_type in ('person', 'organization')),
  screened_name text not null,
  date_of_birth date,
  -- The hash of type, name and date of birth.
  subject_key text not null,
  -- The hash of all facts of the borrower that are screened. If it differs, the borrower is screened again.
  facts_hash text not null,
  -- Without a foreign key: a tenant that moved to another database keeps its screenings.
  list_id uuid not null,
  list_published_on date not null,
  first_list_published_on date not null,
  first_screened_at timestamptz not null default now(),
  screened_at timestamptz not null default now(),
  -- Whether the borrower still has this name and date of birth.
  is_current boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint sanctions_screenings_subject unique (tenant_id, borrower_id, subject_key),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id)
);
create index sanctions_screenings_screened on sanctions_screenings (tenant_id, created_at desc, id desc);
create index sanctions_screenings_borrower on sanctions_screenings (tenant_id, borrower_id, created_at desc, id desc);
call app.protect('sanctions_screenings', 'select, insert, update');
call app.declare_borrower_data('sanctions_screenings', not_exported_because => 'a screening that is not disclosed',
  redacted => '{screened_name,facts_hash}', emptied => '{date_of_birth}', redacted_as => '{"subject_key": "id::text"}');

-- Possible matches. A person reviews each one. It belongs to one name of the borrower and one name of an entry, so a
-- cleared match stays cleared for these two only.
create table sanctions_hits (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  screening_id uuid not null,
  entry_number integer not null,
  listed_name text not null,
  score numeric(4, 3) not null check (score between 0 and 1),
  date_of_birth_match text not null check (date_of_birth_match in ('same', 'different', 'unknown')),
  -- The entry as it was published.
  entry jsonb not null,
  list_published_on date not null,
  status text not null default 'pending' check (status in ('pending', 'cleared', 'confirmed')),
  -- The decisions, the last one at the end: [{status, reviewed_by, reviewed_at, reason}].
  reviews jsonb not null default '[]',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint sanctions_hits_once unique (tenant_id, screening_id, entry_number, listed_name),
  check ((status = 'pending') = (reviews = '[]')),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, screening_id) references sanctions_screenings (tenant_id, id)
);
create index sanctions_hits_created on sanctions_hits (tenant_id, created_at desc, id desc);
create index sanctions_hits_borrower on sanctions_hits (tenant_id, borrower_id, created_at desc, id desc);
create index sanctions_hits_status on sanctions_hits (tenant_id, status, created_at desc, id desc);
call app.protect('sanctions_hits', 'select, insert, update');
call app.declare_borrower_data('sanctions_hits', not_exported_because => 'a screening that is not disclosed',
  links => '{"borrower_id": "borrowers"}',
  redacted_as => $${"reviews": "app.redacted_json(reviews, '{status,reviewed_by,reviewed_at}')"}$$,
  kept => '{"published by the Treasury": ["listed_name", "entry"]}');
