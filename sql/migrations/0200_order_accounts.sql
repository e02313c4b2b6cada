-- The bank account of an order to the bank, copied when the order is made. Files for the bank use this
-- copy, so changing the payment instrument later never redirects money that was already ordered.
create table order_accounts (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  payment_id uuid,
  disbursement_id uuid,
  draw_id uuid,
  payment_instrument_id uuid not null,
  -- Who the bank is told the money is for or from.
  individual_name text not null,
  bank_name text,
  account_type text,
  routing_number text not null,
  account_number_sealed text not null,
  account_number_last_four text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint order_accounts_payment unique (tenant_id, payment_id),
  constraint order_accounts_disbursement unique (tenant_id, disbursement_id),
  constraint order_accounts_draw unique (tenant_id, draw_id),
  -- A scheduled payment is deleted and written again, under the same id, on its day.
  foreign key (tenant_id, payment_id) references payments (tenant_id, id) deferrable initially deferred,
  foreign key (tenant_id, disbursement_id) references disbursements (tenant_id, id),
  foreign key (tenant_id, draw_id) references draws (tenant_id, id),
  foreign key (tenant_id, payment_instrument_id) references payment_instruments (tenant_id, id),
  check (num_nonnulls(payment_id, disbursement_id, draw_id) = 1)
);
call app.protect('order_accounts', 'select, insert, update');
create index order_accounts_instrument on order_accounts (tenant_id, payment_instrument_id);

-- Orders that wait for their file keep the account that their instrument has now.
insert into order_accounts (tenant_id, payment_id, disbursement_id, draw_id, payment_instrument_id,
  individual_name, bank_name, account_type, routing_number, account_number_sealed,
  account_number_last_four)
select waiting.tenant_id, waiting.payment_id, waiting.disbursement_id, waiting.draw_id, instrument.id,
       coalesce(nullif(instrument.account_holder_name, ''), borrower.first_name || ' ' || borrower.last_name),
       instrument.bank_name, instrument.account_type, instrument.routing_number,
       instrument.account_number_sealed, instrument.account_number_last_four
from (
  select tenant_id, id as payment_id, null::uuid as disbursement_id, null::uuid as draw_id,
         payment_instrument_id
  from payments
  where (status = 'scheduled' and payment_method = 'ach')
    or (send_by is not null and status in ('completed', 'settled'))
  union all
  select tenant_id, null, id, null, payment_instrument_id from disbursements
  where send_by is not null and status in ('pending', 'completed')
  union all
  select tenant_id, null, null, id, payment_instrument_id from draws
  where send_by is not null and status = 'completed'
) as waiting
join payment_instruments as instrument
  on instrument.tenant_id = waiting.tenant_id and instrument.id = waiting.payment_instrument_id
join borrowers as borrower
  on borrower.tenant_id = instrument.tenant_id and borrower.id = instrument.borrower_id
where instrument.routing_number is not null and instrument.account_number_sealed is not null
  and not exists (
    select from nacha_entries as entry
    where entry.tenant_id = waiting.tenant_id
      and (entry.payment_id = waiting.payment_id or entry.disbursement_id = waiting.disbursement_id
        or entry.draw_id = waiting.draw_id)
  );

insert into app.borrower_tables (table_name, folder, is_forgotten) values ('order_accounts', 'books', false);
insert into app.borrower_ties (table_name, through, parent) values
  ('order_accounts', 'payment_id', 'payments'),
  ('order_accounts', 'disbursement_id', 'disbursements'),
  ('order_accounts', 'draw_id', 'draws');
insert into app.borrower_columns (table_name, column_name, becomes, kept_because, is_secret) values
  ('order_accounts', 'individual_name', '''Redacted''', null, false),
  ('order_accounts', 'bank_name', '''Redacted''', null, false),
  ('order_accounts', 'routing_number', '''000000000''', null, false),
  ('order_accounts', 'account_number_last_four', 'null', null, false),
  ('order_accounts', 'account_number_sealed', '''''', null, true),
  ('order_accounts', 'account_type', null, 'a word of ours, one of a few', false);
