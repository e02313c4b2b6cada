-- Instalments that were late when their grace was over and whose late fee was spared, with why: a night that comes
-- later asks for no fee that this night did not.
create table spared_late_fees (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  installment_number integer not null,
  -- The due date that was missed: an instalment that is moved may be late once more.
  due_date date not null,
  -- The rule that would have charged; null for a rule of before rules had ids.
  fee_rule_id uuid,
  reason text not null check (reason in ('small_rest', 'paid_something', 'agreement', 'frozen', 'earlier')),
  decided_on date not null default app.business_date(),
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
call app.protect('spared_late_fees', 'select, insert');
create unique index spared_late_fees_once
  on spared_late_fees (tenant_id, loan_id, installment_number, due_date, fee_rule_id) nulls not distinct;

insert into app.borrower_tables (table_name, folder) values ('spared_late_fees', 'loans');
insert into app.borrower_ties (table_name, through, parent) values ('spared_late_fees', 'loan_id', 'loans');
insert into app.borrower_columns (table_name, column_name, kept_because) values
  ('spared_late_fees', 'reason', 'a word of ours, one of a few');

-- What nights of before this table left without a fee stays without one. The night of the business date is to come.
insert into spared_late_fees (
  tenant_id, loan_id, installment_number, due_date, fee_rule_id, reason, decided_on
)
select loan.tenant_id, loan.id, installment.period_number, installment.due_date, rule.id, 'earlier', tenant.business_date
from loans as loan
join tenants as tenant on tenant.id = loan.tenant_id
join installments as installment
  on installment.tenant_id = loan.tenant_id and installment.loan_id = loan.id
  and installment.version = loan.schedule_version
cross join lateral (
  select (rule ->> 'id')::uuid as id,
         coalesce((rule ->> 'grace_days')::integer, (loan.terms ->> 'late_fee_grace_days')::integer) as grace_days
  from jsonb_path_query(loan.terms, '$.fee_rules[*] ? (@.trigger == "past_due")') as rule
) as rule
where loan.status = 'active'
  and loan.oldest_unpaid_due_date < tenant.business_date
  and not installment.is_canceled and installment.payment_amount > installment.paid_amount
  and installment.due_date + rule.grace_days < tenant.business_date - 1
  and not exists (
    select from fees as fee
    where fee.tenant_id = loan.tenant_id and fee.loan_id = loan.id and fee.fee_type = 'late'
      and fee.status <> 'reversed' and fee.installment_number = installment.period_number
  )
on conflict do nothing;
