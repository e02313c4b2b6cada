-- The trigrams of a single letter are in every word, those of an address' domain too: among a million borrowers
-- such a search read nearly all names. A btree knows beginnings; bytes are compared, so that the end of a range
-- is the beginning followed by the last character there is.
create index borrowers_name_begins on borrowers
  (tenant_id, lower(first_name || ' ' || last_name) text_pattern_ops) include (id);
create index borrowers_last_name_begins on borrowers (tenant_id, lower(last_name) text_pattern_ops) include (id);
drop index emails_email;
create index emails_email on emails (tenant_id, email text_pattern_ops) include (borrower_id, is_archived);

create or replace function app.borrowers_beginning(start text) returns setof uuid
  language sql stable parallel safe rows 1000 security definer set search_path = public, pg_temp
as $$
  with range as (select lower(start) as first, lower(start) || U&'\+10FFFF' as last)
  select borrowers.id from borrowers, range
  where tenant_id = app.current_tenant()
    and lower(first_name || ' ' || last_name) ~>=~ range.first and lower(first_name || ' ' || last_name) ~<~ range.last
  union all
  select borrowers.id from borrowers, range
  where tenant_id = app.current_tenant()
    and lower(last_name) ~>=~ range.first and lower(last_name) ~<~ range.last
  union all
  select borrower_id from emails, range
  where tenant_id = app.current_tenant() and email ~>=~ range.first and email ~<~ range.last and not is_archived
$$;
