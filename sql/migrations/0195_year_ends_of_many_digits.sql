-- What a year came to may have more than thirteen digits, which an amount cannot hold. Such a sum stands beside it, as those
-- of portfolios do (0185). On the journal it is moved by several lines.
alter table year_ends
  add column wide_net_income numeric(24, 2),
  alter column net_income drop not null,
  add constraint year_ends_net_income check (coalesce(net_income, wide_net_income) is not null);
