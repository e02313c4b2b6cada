-- What was collected for an investor in a month may have more than thirteen digits, which an amount cannot hold. Such a
-- remittance has no sums of its own: what was told of its loans, which nobody changes, adds up to them.
alter table remittances
  alter column principal_owned drop not null,
  alter column principal_collected drop not null,
  alter column interest_collected drop not null,
  alter column fees_collected drop not null,
  alter column other_collected drop not null,
  alter column collected drop not null,
  alter column servicing_fee drop not null,
  alter column amount_due drop not null,
  add constraint remittances_all_sums_or_none check (
    num_nulls(principal_owned, principal_collected, interest_collected, fees_collected, other_collected,
      collected, servicing_fee, amount_due) in (0, 8)
  );
