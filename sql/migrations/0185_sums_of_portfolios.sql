-- What all loans of a portfolio owe together may have more than thirteen digits, which an amount cannot hold. Such a sum
-- stands beside it, so that statements of an earlier release, which are planned already, go on as they are.
alter table portfolio_snapshots
  add column wide_principal numeric(24, 2),
  add column wide_outstanding numeric(24, 2),
  alter column total_principal drop not null,
  alter column total_outstanding drop not null,
  add constraint portfolio_snapshots_total_principal
    check (coalesce(total_principal, wide_principal) is not null),
  add constraint portfolio_snapshots_total_outstanding
    check (coalesce(total_outstanding, wide_outstanding) is not null);
