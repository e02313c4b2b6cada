-- Under row-level security a condition may look into an index only where it cannot tell anything of rows
-- that the policy hides; `ilike` could, so the application's searches read all rows. This function looks
-- with its owner's eyes, at the running transaction's tenant alone. The indexes begin with the tenant, so
-- that what others have is not looked through.
create extension if not exists btree_gin;
drop index borrowers_search;
drop index emails_search;
create index borrowers_search on borrowers
  using gin (tenant_id, (first_name || ' ' || last_name) gin_trgm_ops);
create index emails_search on emails using gin (tenant_id, email gin_trgm_ops) where not is_archived;
create index emails_email on emails (tenant_id, email);

create function app.borrowers_found(pattern text) returns setof uuid
  language sql stable parallel safe rows 100 security definer set search_path = public, pg_temp
as $$
  select id from borrowers
  where tenant_id = app.current_tenant() and first_name || ' ' || last_name ilike pattern
  union all
  select borrower_id from emails
  where tenant_id = app.current_tenant() and email ilike pattern and not is_archived
$$;
revoke execute on function app.borrowers_found from public;
grant execute on function app.borrowers_found to servicing_app;
