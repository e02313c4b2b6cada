-- A quote whose last day was over when another event came stays expired.
alter table payoff_quotes drop constraint payoff_quotes_status_check;
alter table payoff_quotes add constraint payoff_quotes_status_check
  check (status in ('active', 'expired', 'accepted', 'superseded', 'canceled'));

-- What a message says beside its text: from whom, to whom, of which day. A message of a batch also keeps
-- the template and the values that it is written from.
alter table communication_logs add column figures jsonb;
