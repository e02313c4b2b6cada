-- The time zone that a tenant has from its next business date on.
alter table tenants add column next_time_zone text;
