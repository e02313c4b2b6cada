-- Batches of printed letters.

-- Letters that were handed to a mail house, in batches. A letter belongs to at most one batch.
create table mail_batches (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  number integer not null check (number > 0),
  business_date date not null,
  -- The first day whose letters the batch includes.
  from_date date not null,
  status text not null default 'making' check (status in ('making', 'ready', 'failed', 'cancelled')),
  failure_reason text,
  letter_count integer not null default 0,
  page_count integer not null default 0,
  sheet_count integer not null default 0,
  -- Letters that were left out because they are held.
  held_count integer not null default 0,
  handed_over_at timestamptz,
  files_removed_at timestamptz,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint mail_batches_number unique (tenant_id, number),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
-- A day's batch is created once, however often its job runs.
create unique index mail_batches_of_day on mail_batches (tenant_id, business_date) where created_by is null;
create index mail_batches_created on mail_batches (tenant_id, created_at desc, id desc);
call app.protect('mail_batches', 'select, insert, update');

-- The files of a batch: PDFs and manifests.
create table mail_batch_files (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  mail_batch_id uuid not null,
  -- The order in which the batch's files are handed over; manifests come last.
  position integer not null,
  kind text not null check (kind in ('letters', 'manifest')),
  filename text not null,
  -- Number of pages of each letter in the file.
  pages_each integer,
  letter_count integer not null default 0,
  page_count integer not null default 0,
  storage_key text,
  file_size integer,
  sha256_hash text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Set when the file is removed, so that moving a tenant only copies existing files.
  file_deleted_at timestamptz,
  primary key (tenant_id, id),
  constraint mail_batch_files_position unique (tenant_id, mail_batch_id, position),
  foreign key (tenant_id, mail_batch_id) references mail_batches (tenant_id, id)
);
call app.protect('mail_batch_files', 'select, insert, update');

-- The letters of a batch.
create table mail_letters (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  -- The id of the message, by which the outbox and the mail house know the letter.
  id uuid not null,
  borrower_id uuid not null,
  document_id uuid not null,
  posted_on date not null default app.business_date(),
  status text not null default 'waiting' check (status in ('waiting', 'held', 'batched', 'withdrawn')),
  hold_reasons jsonb not null default '[]',
  note text,
  mail_batch_id uuid,
  mail_batch_file_id uuid,
  position integer,
  first_page integer,
  page_count integer not null check (page_count > 0),
  returned_on date,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  check (
    num_nonnulls(mail_batch_id, mail_batch_file_id, position, first_page)
      = case status when 'batched' then 4 else 0 end
  ),
  check ((status = 'held') = (hold_reasons <> '[]')),
  constraint mail_letters_place unique (tenant_id, mail_batch_id, position),
  foreign key (tenant_id, id) references communication_logs (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, document_id) references documents (tenant_id, id),
  foreign key (tenant_id, mail_batch_id) references mail_batches (tenant_id, id),
  foreign key (tenant_id, mail_batch_file_id) references mail_batch_files (tenant_id, id)
);
create index mail_letters_created on mail_letters (tenant_id, created_at desc, id desc);
create index mail_letters_borrower on mail_letters (tenant_id, borrower_id);
create index mail_letters_waiting on mail_letters (tenant_id, id) where status in ('waiting', 'held');
create index mail_letters_batch on mail_letters (tenant_id, mail_batch_id, created_at desc, id desc);
call app.protect('mail_letters', 'select, insert, update');
call app.declare_borrower_data('mail_letters', 'messages', links => '{"borrower_id": "borrowers"}',
  redacted => '{note}', kept => '{"one of a few values": ["hold_reasons"]}', takes_rows_after_redaction => true);

-- Uploads of mail batches to a mail house's server.
create table mail_deliveries (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  mail_batch_id uuid not null,
  sftp_server_id uuid not null,
  recipient text not null,
  status text not null default 'pending' check (status in ('pending', 'sent', 'failed')),
  -- How many of the batch's files were uploaded; a retry continues after them.
  files_sent integer not null default 0,
  attempts integer not null default 0,
  -- The number of attempts before the last manual retry.
  previous_attempts integer not null default 0,
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
