-- A line that finds no account ends the statement that writes it, so that nobody has to wait for an answer and
-- count lines.
create function app.lacks_account(role text) returns uuid language plpgsql as $$
begin
  raise exception 'The chart of accounts lacks the role %.', role;
end $$;
