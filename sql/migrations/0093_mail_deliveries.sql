-- Batches of letters that are put on a mail house's server, file by file.
create table mail_deliveries (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  mail_batch_id uuid not null,
  sftp_server_id uuid not null,
  recipient text not null,
  status text not null default 'pending' check (status in ('pending', 'sent', 'failed')),
  -- How many of the batch's files are there; a further attempt goes on after them.
  files_sent integer not null default 0,
  attempts integer not null default 0,
  -- How many of the attempts were over when it was last asked for.
  attempts_before integer not null default 0,
  error text,
  sent_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint mail_deliveries_once unique (tenant_id, mail_batch_id, sftp_server_id),
  foreign key (tenant_id, mail_batch_id) references mail_batches (tenant_id, id),
  foreign key (tenant_id, sftp_server_id) references sftp_servers (tenant_id, id)
);
call app.protect('mail_deliveries', 'select, insert, update');
