-- The part of a year from one date (counted) to another (not counted), as a fraction of 20 places.
-- jobs/loans/arithmetic/day-count.ts holds the same function; a property test keeps them equal. Interest is
-- round(balance * rate * app.year_fraction(day_count, from, to), 10). Not declared strict: a strict
-- function of SQL is called for each row instead of becoming part of the query, 20 times slower.

-- Days before a date that lie in leap years.
create function app.leap_year_days_before(d date) returns bigint
language sql immutable parallel safe
return (
  (extract(year from d)::bigint - 1) / 4
    - (extract(year from d)::bigint - 1) / 100
    + (extract(year from d)::bigint - 1) / 400
) * 366
  + case
      when extract(year from d)::bigint % 4 = 0
        and (extract(year from d)::bigint % 100 <> 0 or extract(year from d)::bigint % 400 = 0)
      then extract(doy from d)::bigint - 1
      else 0
    end;

create function app.is_february_end(d date) returns boolean
language sql immutable parallel safe
return extract(month from d) = 2 and extract(day from d + 1) = 1;

-- The NASD rule: months have 30 days, and the ends of February and of long months count as 30.
create function app.days_30_360(from_date date, to_date date) returns bigint
language sql immutable parallel safe
return (extract(year from to_date)::bigint - extract(year from from_date)::bigint) * 360
  + (extract(month from to_date)::bigint - extract(month from from_date)::bigint) * 30
  + case
      when app.is_february_end(from_date) and app.is_february_end(to_date) then 30
      when extract(day from to_date) = 31
        and (extract(day from from_date) >= 30 or app.is_february_end(from_date)) then 30
      else extract(day from to_date)::bigint
    end
  - case
      when extract(day from from_date) = 31 or app.is_february_end(from_date) then 30
      else extract(day from from_date)::bigint
    end;

-- Dividing a numeric of 30 places keeps at least 30 places in the quotient, so that the rounding
-- to 20 places is the only one that can be seen.
create function app.year_fraction(day_count text, from_date date, to_date date) returns numeric
language sql immutable parallel safe
return case
  when to_date <= from_date then 0::numeric
  else round(
    case day_count
      when 'actual_365' then (to_date - from_date)::numeric(40, 30) / 365
      when 'actual_360' then (to_date - from_date)::numeric(40, 30) / 360
      when 'actual_364' then (to_date - from_date)::numeric(40, 30) / 364
      when '30_360' then app.days_30_360(from_date, to_date)::numeric(40, 30) / 360
      when 'actual_actual' then (
        (
          (to_date - from_date)
          - (app.leap_year_days_before(to_date) - app.leap_year_days_before(from_date))
        ) * 366
        + (app.leap_year_days_before(to_date) - app.leap_year_days_before(from_date)) * 365
      )::numeric(40, 30) / 133590
    end,
    20
  )
end;
