create table addresses (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  address_type text not null default 'mailing',
  street_line_1 text not null,
  street_line_2 text,
  city text not null,
  state text,
  postal_code text not null,
  country text not null default 'US',
  is_primary boolean not null default false,
  address_indicator text,
  residence_code text,
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id)
);
call app.protect('addresses');
create index addresses_borrower on addresses (tenant_id, borrower_id, created_at desc, id desc);
create unique index addresses_one_primary on addresses (tenant_id, borrower_id, address_type)
  where is_primary and not is_archived;

create table emails (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  email text not null check (email = lower(email)),
  email_type text not null default 'personal',
  is_primary boolean not null default false,
  is_verified boolean not null default false,
  verified_at timestamptz,
  status text not null default 'active',
  last_bounce_at timestamptz,
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id)
);
call app.protect('emails');
create index emails_borrower on emails (tenant_id, borrower_id, created_at desc, id desc);
create index emails_search on emails using gin (email gin_trgm_ops);
create unique index emails_one_primary on emails (tenant_id, borrower_id)
  where is_primary and not is_archived;

create table phones (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  phone_number text not null check (phone_number ~ '^\+[1-9]\d{1,14}$'),
  phone_type text not null default 'mobile',
  is_primary boolean not null default false,
  is_verified boolean not null default false,
  verified_at timestamptz,
  can_sms boolean not null default true,
  can_call boolean not null default true,
  do_not_call boolean not null default false,
  carrier_name text,
  is_landline boolean,
  time_zone text,
  extension text,
  status text not null default 'active',
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id)
);
call app.protect('phones');
create index phones_borrower on phones (tenant_id, borrower_id, created_at desc, id desc);
create index phones_number on phones (tenant_id, phone_number);
create unique index phones_one_primary on phones (tenant_id, borrower_id)
  where is_primary and not is_archived;

create table tasks (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_id uuid,
  loan_id uuid,
  title text not null,
  description text,
  task_type text not null default 'other',
  assignee_id uuid,
  due_date date,
  priority text not null default 'normal',
  status text not null default 'open',
  completed_at timestamptz,
  completed_by uuid,
  source text not null default 'manual',
  related_type text,
  related_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, assignee_id) references users (tenant_id, id)
);
call app.protect('tasks');
create index tasks_borrower on tasks (tenant_id, borrower_id, created_at desc, id desc);
create index tasks_loan on tasks (tenant_id, loan_id, created_at desc, id desc);
create index tasks_created on tasks (tenant_id, created_at desc, id desc);
create index tasks_assignee on tasks (tenant_id, assignee_id, created_at desc, id desc);
create index tasks_related on tasks (tenant_id, related_id) where related_id is not null;
create index tasks_type on tasks (tenant_id, task_type, created_at desc, id desc);
