import { sql } from '../database/db.ts';
import { ViolationRow, type Check } from '../invariant-check.ts';

const inNoFile = (record: string, column: string) => sql.fragment`
  not exists (
    select from nacha_entries as entry
    join nacha_files as file on file.tenant_id = entry.tenant_id and file.id = entry.nacha_file_id
    where entry.tenant_id = ${sql.identifier([record, 'tenant_id'])}
      and ${sql.identifier(['entry', column])} = ${sql.identifier([record, 'id'])}
      and file.status = 'completed'
  )
`;

/** Bank orders that are in force and in no completed file. */
const unsent = sql.fragment`
  select tenant_id, 'Payment' as kind, id, amount, send_by from payments
  where send_by is not null and status in ('completed', 'settled')
    and ${inNoFile('payments', 'payment_id')}
  union all
  select tenant_id, 'Disbursement', id, net_amount, send_by from disbursements
  where send_by is not null and status in ('pending', 'completed') and net_amount > 0
    and ${inNoFile('disbursements', 'disbursement_id')}
  union all
  select tenant_id, 'Draw', id, amount, send_by from draws
  where send_by is not null and status = 'completed' and ${inNoFile('draws', 'draw_id')}
`;

/** The cash movements that files and returns should have caused, by day. */
const ordered = sql.fragment`
  select tenant_id, day, sum(amount) as amount
  from (
    select tenant_id, settled_on as day,
           case when transaction_code in ('22', '32') then -amount else amount end as amount
    from nacha_entries where settled_on is not null
    union all
    select tenant_id, returned_on,
           case when transaction_code in ('22', '32') then amount else -amount end
    from nacha_entries where settled_on is not null and returned_on is not null
  ) as move
  group by tenant_id, day
`;

/** The cash movements in the ledger. Late postings keep the day as their effective date. */
const booked = sql.fragment`
  select entry.tenant_id, entry.effective_date as day, sum(line.debit - line.credit) as amount
  from journal_entries as entry
  join posted_lines as line on line.tenant_id = entry.tenant_id and line.entry_id = entry.id
  left join journal_entries as original
    on original.tenant_id = entry.tenant_id and original.id = entry.reversal_of_entry_id
  where line.role = 'cash' and entry.source = 'system'
    and coalesce(original.reference_type, entry.reference_type) in ('ach_settlement', 'ach_return')
  group by entry.tenant_id, entry.effective_date
`;

/** Payments against the ledger, and bank orders against the files. */
export const paymentInvariants: readonly Check[] = [
  {
    rule: 'payments are in cash, or on their way there',
    query: sql.type(ViolationRow)`
      select payment.tenant_id, payment.id as subject,
             format('Payment %s of %s is %s, and the ledger has %s of it in cash.', payment.id,
               payment.amount, payment.status, coalesce(booked.amount, 0.00)) as message
      from payments as payment
      left join (
        -- A correction of an earlier payment is booked under its cause, with the payment as its purpose.
        select entry.tenant_id, cause.payment_id, sum(line.debit - line.credit) as amount
        from posted_lines as line
        join journal_entries as entry
          on entry.tenant_id = line.tenant_id and entry.id = line.entry_id
        cross join lateral (
          select case when entry.purpose ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
            then entry.purpose::uuid else entry.reference_id end as payment_id
        ) as cause
        where line.role in ('cash', 'ach_clearing') and entry.loan_id is not null
        group by entry.tenant_id, cause.payment_id
      ) as booked on booked.tenant_id = payment.tenant_id and booked.payment_id = payment.id
      left join loan_events as event
        on event.tenant_id = payment.tenant_id and event.id = payment.id
      where coalesce(booked.amount, 0)
        <> case
          -- The previous servicer of a boarded loan received the money.
          when event.is_replayed then 0
          when payment.status not in ('completed', 'settled') then 0
          when payment.payment_type = 'reimbursement' then -payment.amount
          else payment.amount
        end
    `,
  },
  {
    rule: 'orders are sent within two banking days',
    query: sql.type(ViolationRow)`
      select ordered.tenant_id, ordered.id as subject,
             format('%s %s of %s was to be in a file for the bank by %s, and is in none.',
               ordered.kind, ordered.id, ordered.amount, ordered.send_by) as message
      from (${unsent}) as ordered
      join tenants as tenant on tenant.id = ordered.tenant_id
      where ordered.send_by < tenant.business_date
    `,
  },
  {
    rule: 'the entries of a bank file are in cash after its effective date',
    query: sql.type(ViolationRow)`
      select entry.tenant_id, entry.id as subject,
             format('Entry %s of %s in %s was effective on %s, and is not in cash.',
               entry.trace_number, entry.amount, file.filename, file.effective_entry_date
             ) as message
      from nacha_entries as entry
      join nacha_files as file
        on file.tenant_id = entry.tenant_id and file.id = entry.nacha_file_id
      join tenants as tenant on tenant.id = entry.tenant_id
      where file.status = 'completed' and entry.clearing_account_id is not null
        and entry.settled_on is null and entry.return_code is null
        and file.effective_entry_date < tenant.business_date
    `,
  },
  {
    rule: 'ACH cash movements equal the bank files',
    query: sql.type(ViolationRow)`
      select tenant_id, tenant_id as subject,
             format('On %s files and returns moved %s, and the ledger has %s of it in cash.', day,
               coalesce(ordered.amount, 0.00), coalesce(booked.amount, 0.00)) as message
      from (${ordered}) as ordered
      full join (${booked}) as booked using (tenant_id, day)
      where coalesce(ordered.amount, 0) <> coalesce(booked.amount, 0)
    `,
  },
];
