-- One file of a name is put on a partner's server at a time, and never in place of a later one.
alter table tape_deliveries
  -- While it is being put; whoever was killed meanwhile leaves it, and it counts for minutes.
  add column started_at timestamptz,
  drop constraint tape_deliveries_status_check,
  add constraint tape_deliveries_status_check
    check (status in ('pending', 'sent', 'failed', 'superseded'));
