-- The last day by which a file for the bank must hold the order; null for money that we tell no bank of.
alter table payments add column send_by date;
alter table disbursements add column send_by date;
alter table draws add column send_by date;
create index payments_send_by on payments (tenant_id, send_by) where send_by is not null;
create index disbursements_send_by on disbursements (tenant_id, send_by) where send_by is not null;
create index draws_send_by on draws (tenant_id, send_by) where send_by is not null;

-- Orders that wait for their file. What staff entered with an instrument before today was sent by no
-- file and may have been collected otherwise, so it becomes no order now.
update payments as payment set send_by = tenant.business_date + 5
from tenants as tenant, payment_instruments as instrument
where tenant.id = payment.tenant_id and instrument.tenant_id = payment.tenant_id
  and instrument.id = payment.payment_instrument_id and instrument.instrument_type = 'bank_account'
  and payment.source in ('autopay', 'portal') and payment.payment_method = 'ach'
  and payment.status in ('completed', 'settled')
  and not exists (
    select from nacha_entries as entry
    where entry.tenant_id = payment.tenant_id and entry.payment_id = payment.id
  );
update disbursements as disbursement set send_by = tenant.business_date + 5
from tenants as tenant, payment_instruments as instrument
where tenant.id = disbursement.tenant_id and instrument.tenant_id = disbursement.tenant_id
  and instrument.id = disbursement.payment_instrument_id
  and instrument.instrument_type = 'bank_account' and disbursement.method = 'ach'
  and disbursement.status in ('pending', 'completed') and disbursement.net_amount > 0
  and not exists (
    select from nacha_entries as entry
    where entry.tenant_id = disbursement.tenant_id and entry.disbursement_id = disbursement.id
  );

alter table nacha_entries add column draw_id uuid;
alter table nacha_entries add constraint nacha_entries_draw unique (tenant_id, draw_id);
alter table nacha_entries add foreign key (tenant_id, draw_id) references draws (tenant_id, id);
alter table nacha_entries drop constraint nacha_entries_check;
alter table nacha_entries add check (num_nonnulls(payment_id, disbursement_id, draw_id) = 1);
-- Where the amount waits for the day of its file; null where cash was booked with the order.
alter table nacha_entries add column clearing_account_id uuid;
alter table nacha_entries add foreign key (tenant_id, clearing_account_id)
  references ledger_accounts (tenant_id, id);
-- The day on which it moved from there to cash.
alter table nacha_entries add column settled_on date;
create index nacha_entries_in_transit on nacha_entries (tenant_id, nacha_file_id)
  where settled_on is null and return_code is null and clearing_account_id is not null;

-- The account of what banks were told to move and have not moved yet, for the tenants that there are;
-- a new tenant has it from its chart (jobs/ledger/chart.ts).
insert into ledger_accounts (tenant_id, code, role, name, account_type)
select tenant.id, free.code, 'ach_clearing', 'ACH Clearing', 'asset'
from tenants as tenant
cross join lateral (
  select number::text as code from generate_series(1050, 9999) as number
  where not exists (
    select from ledger_accounts as taken
    where taken.tenant_id = tenant.id and taken.code = number::text
  )
  order by number limit 1
) as free
where exists (select from ledger_accounts as charted where charted.tenant_id = tenant.id);
