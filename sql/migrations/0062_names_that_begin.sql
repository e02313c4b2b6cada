-- One or two letters are in nearly every name, so whoever types them is shown the names and addresses that
-- begin so. The trigrams of the indexes know the beginnings of words, also those of one letter.
create function app.borrowers_beginning(start text) returns setof uuid
  language sql stable parallel safe rows 1000 security definer set search_path = public, pg_temp
as $$
  select id from borrowers
  where tenant_id = app.current_tenant()
    and (first_name || ' ' || last_name ilike start or first_name || ' ' || last_name ilike '% ' || start)
  union all
  select borrower_id from emails
  where tenant_id = app.current_tenant() and email ilike start and not is_archived
$$;
revoke execute on function app.borrowers_beginning from public;
grant execute on function app.borrowers_beginning to servicing_app;
