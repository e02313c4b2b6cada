-- Refuses the running transaction where its tenant is shut, for those who send their first statement
-- along and would learn of it too late.
create function app.refuse_shut() returns void language plpgsql stable as $$
begin
  if app.is_shut() then
    raise exception 'The tenant is closed while it moves.' using errcode = 'TSHUT';
  end if;
end $$;
