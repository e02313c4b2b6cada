-- That two people are asked for is itself ended by two: the request to end it is of the kind 'settings'.
alter table approvals drop constraint approvals_kind_check;
alter table approvals add constraint approvals_kind_check
  check (kind in ('disbursements', 'reversals', 'refunds', 'invitations', 'settings'));
