-- What whoever sends a file says of it besides.
alter table documents add column metadata jsonb not null default '{}';
