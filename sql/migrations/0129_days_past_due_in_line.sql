-- What is counted of few loans stands apart, since Postgres takes a function that asks a query for one that
-- has to be called: 9 µs for each loan of a list or a close.
create function app.days_past_due_less_pauses(oldest date, day date, pauses jsonb, grace integer) returns integer
language sql immutable parallel safe
return greatest(0, day - oldest - grace - (
  select coalesce(sum(upper(span) - lower(span)), 0)::integer
  from unnest(
    (select range_agg(daterange((pause ->> 'from')::date, (pause ->> 'to')::date, '[]'))
     from jsonb_array_elements(pauses) as pause)
    * datemultirange(daterange(oldest + 1, day, '[]'))
  ) as span
));

create or replace function app.days_past_due(oldest date, day date, pauses jsonb, grace integer) returns integer
language sql immutable parallel safe
return case
  when oldest is null or day <= oldest + grace then 0
  when pauses = '[]' then day - oldest - grace
  else app.days_past_due_less_pauses(oldest, day, pauses, grace)
end;
