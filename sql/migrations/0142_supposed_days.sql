-- A transaction that supposes what day it is goes on without waiting for an answer, and ends here where it is
-- mistaken: before it has read or written anything.
create function app.refuse_other_day(supposed date) returns void language plpgsql stable as $$
begin
  if supposed is not null and supposed is distinct from app.business_date() then
    raise exception 'Another day has begun.' using errcode = 'TODAY';
  end if;
end $$;
