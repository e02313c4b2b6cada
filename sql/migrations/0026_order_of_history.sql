-- Of two who change one record the second waits for the first, and may yet have begun before it. A
-- change is dated when it is made, under the lock of its record, so that history is in the order in
-- which things happened, and a later state never bears an earlier date.
alter table audit_log alter column created_at set default clock_timestamp();

create or replace function app.touch() returns trigger language plpgsql as $$
begin
  new.updated_at := clock_timestamp();
  return new;
end $$;
