-- The letters that went to post, in batches for a mail house. A letter is of one batch at most, since it has one
-- column for it. What went to post before is not here: it was fetched from the outbox.
create table mail_batches (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  number integer not null check (number > 0),
  business_date date not null,
  -- Letters that went to post before are in no batch.
  from_date date not null,
  status text not null default 'making' check (status in ('making', 'ready', 'failed', 'cancelled')),
  failure_reason text,
  letter_count integer not null default 0,
  page_count integer not null default 0,
  sheet_count integer not null default 0,
  -- Letters that were left out, and wait.
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
call app.protect('mail_batches', 'select, insert, update');
-- A day's own batch is made once, however often its job runs.
create unique index mail_batches_of_day on mail_batches (tenant_id, business_date) where created_by is null;
create index mail_batches_created on mail_batches (tenant_id, created_at desc, id desc);

create table mail_batch_files (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  mail_batch_id uuid not null,
  -- The order in which a batch's files are handed over: the manifests last.
  position integer not null,
  kind text not null check (kind in ('letters', 'manifest')),
  filename text not null,
  -- How many pages each letter in it has.
  pages_each integer,
  letter_count integer not null default 0,
  page_count integer not null default 0,
  storage_key text,
  file_size integer,
  sha256_hash text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint mail_batch_files_position unique (tenant_id, mail_batch_id, position),
  foreign key (tenant_id, mail_batch_id) references mail_batches (tenant_id, id)
);
call app.protect('mail_batch_files', 'select, insert, update');

create table mail_letters (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  -- That of the message, by which the letter is known in the outbox and to the mail house.
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
call app.protect('mail_letters', 'select, insert, update');
create index mail_letters_created on mail_letters (tenant_id, created_at desc, id desc);
create index mail_letters_borrower on mail_letters (tenant_id, borrower_id);
create index mail_letters_waiting on mail_letters (tenant_id, id) where status in ('waiting', 'held');

insert into app.borrower_tables (table_name, folder) values ('mail_letters', 'messages');
insert into app.borrower_ties (table_name, through, parent) values
  ('mail_letters', 'borrower_id', 'borrowers');
insert into app.borrower_columns (table_name, column_name, becomes) values
  ('mail_letters', 'note', '''Redacted''');
insert into app.borrower_columns (table_name, column_name, kept_because) values
  ('mail_letters', 'status', 'a word of ours, one of a few'),
  ('mail_letters', 'hold_reasons', 'a word of ours, one of a few');
