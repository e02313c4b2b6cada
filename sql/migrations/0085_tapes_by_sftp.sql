-- Servers of a tenant's partners that files are put on. What signs in there is sealed; which keys the
-- servers may show is said beforehand, as SHA256 fingerprints.
create table sftp_servers (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  name text not null,
  host text not null,
  port integer not null default 22,
  username text not null,
  host_keys jsonb not null,
  folder text not null default '',
  is_active boolean not null default true,
  password_sealed text,
  private_key_sealed text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  check (num_nonnulls(password_sealed, private_key_sealed) = 1)
);
call app.protect('sftp_servers', 'select, insert, update');
create index sftp_servers_created on sftp_servers (tenant_id, created_at desc, id desc);

alter table loan_tape_configs
  add column sftp_server_id uuid,
  add foreign key (tenant_id, sftp_server_id) references sftp_servers (tenant_id, id),
  drop constraint loan_tape_configs_delivery_check,
  add constraint loan_tape_configs_delivery_check check (
    delivery = 'document'
    or (delivery = 'email' and recipients <> '[]')
    or (delivery = 'sftp' and sftp_server_id is not null)
  );

alter table tape_deliveries
  add column sftp_server_id uuid,
  add foreign key (tenant_id, sftp_server_id) references sftp_servers (tenant_id, id),
  -- How many of the attempts were over when it was last asked for again.
  add column attempts_before integer not null default 0;
