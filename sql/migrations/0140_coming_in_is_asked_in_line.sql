-- Whether rows come in from another database is asked for each entry and each of its lines. It is a part of
-- the expression that asks now, and the one function that is left is called only where rows do come in.
create function app.is_owner_of(target regclass) returns boolean
  language sql stable set search_path = public, pg_temp
  return current_user = (select pg_get_userbyid(relowner) from pg_class where oid = target);

-- Its names are bound since it was made, whatever the search path is: one that sets it is part of nothing.
create or replace function app.comes_in(target regclass, tenant uuid) returns boolean
  language sql stable
  return current_setting('app.coming_in', true) is not distinct from tenant::text
    and app.is_owner_of(target);
