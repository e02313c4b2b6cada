import { sql } from '../../database/db.ts';
import { ViolationRow, type Check } from '../../invariant-check.ts';

/** Whether any payment of the loan was refunded, regardless of which one. */
const isRefunded = sql.fragment`exists (
  select from payments as refund
  where refund.tenant_id = promise.tenant_id and refund.loan_id = promise.loan_id
    and refund.payment_type = 'reimbursement' and refund.status in ('completed', 'settled')
)`;

/** Payments for the record's loan between two days, without returned ones. */
const paidFor = (
  record: 'plan' | 'promise',
  from: string,
  to: ReturnType<typeof lastDayOf>,
) => sql.fragment`
  select coalesce(sum(payment.amount), 0.00) as amount
  from payments as payment
  where payment.tenant_id = ${sql.identifier([record, 'tenant_id'])}
    and payment.loan_id = ${sql.identifier([record, 'loan_id'])}
    and payment.status in ('completed', 'settled') and payment.payment_type <> 'reimbursement'
    and payment.effective_date between ${sql.identifier([record, from])} and ${to}
`;

const lastDayOf = (record: 'plan' | 'promise') =>
  record === 'promise'
    ? sql.fragment`promise.promised_date + promise.grace_days`
    : sql.fragment`(
        select max((part ->> 'due_date')::date) from jsonb_array_elements(plan.installments) as part
      ) + plan.grace_days`;

const paidOfPlan = paidFor('plan', 'agreed_on', lastDayOf('plan'));
const paidOfPromise = paidFor('promise', 'promised_on', lastDayOf('promise'));

/**
 * Principal forgiven according to the ledger, by loan and effective year. Loans with a charge-off are left
 * out, because a claim after a charge-off is not in the ledger.
 */
const forgiven = sql.fragment`
  select entry.tenant_id, entry.loan_id, extract(year from entry.effective_date)::integer as year,
         sum(line.credit - line.debit) as amount
  from posted_lines as line
  join journal_entries as entry on entry.tenant_id = line.tenant_id and entry.id = line.entry_id
  where line.role = 'loans_receivable' and entry.loan_id is not null
    and (
      entry.reference_type in ('forgiveness', 'forgiveness_reversal')
      or entry.reference_type in ('service_credit', 'service_credit_reversal') and exists (
        select from loan_events as event
        where event.tenant_id = entry.tenant_id and event.loan_id = entry.loan_id
          and event.id::text in (entry.purpose, entry.reference_id::text)
          and event.kind = 'service_credit' and event.details ->> 'credit_type' = 'settlement'
      )
    )
    and not exists (
      select from loan_events as lost
      where lost.tenant_id = entry.tenant_id and lost.loan_id = entry.loan_id and lost.reversed_by is null
        and (lost.kind = 'charge_off' or lost.details ? 'charge_off_balance')
    )
  group by 1, 2, 3
`;

/** Outcomes such as a kept promise or a settled loan must still follow from the payments and the ledger. */
export const outcomeInvariants: readonly Check[] = [
  {
    rule: 'a settled loan was paid what it was settled for',
    query: sql.type(ViolationRow)`
      select loan.tenant_id, loan.id as subject,
             format('Loan %s is settled, and no settlement of it was paid in time.', loan.loan_number) as message
      from loans as loan
      where loan.status = 'settled' and not exists (
        select from payment_plans as plan
        cross join lateral (${paidOfPlan}) as paid
        where plan.tenant_id = loan.tenant_id and plan.loan_id = loan.id and plan.status = 'completed'
          and plan.plan_type = 'settlement' and plan.waive_remaining and paid.amount >= plan.total_amount
      )
      -- A loan that was settled at its previous servicer came without its payment plan.
      and not exists (
        select from loan_events as event
        where event.tenant_id = loan.tenant_id and event.loan_id = loan.id and event.kind = 'forgiveness'
          and event.is_replayed and event.reversed_by is null and event.details @> '{"settles": true}'
      )
    `,
  },
  {
    rule: 'a completed payment plan was paid',
    query: sql.type(ViolationRow)`
      select plan.tenant_id, plan.id as subject,
             format('Payment plan %s of %s is completed, and %s of it was paid in time.', plan.id,
               plan.total_amount, paid.amount) as message
      from payment_plans as plan
      cross join lateral (${paidOfPlan}) as paid
      where plan.status = 'completed' and paid.amount < plan.total_amount
    `,
  },
  {
    rule: 'a promise is kept if it was paid',
    query: sql.type(ViolationRow)`
      select promise.tenant_id, promise.id as subject,
             format('Promise %s of %s is %s, and %s of it was paid in time.', promise.id,
               promise.promised_amount, promise.status, paid.amount) as message
      from promises_to_pay as promise
      cross join lateral (${paidOfPromise}) as paid
      where promise.status in ('kept', 'partially_kept', 'broken')
        and (promise.status = 'kept') <> (paid.amount >= promise.promised_amount)
        and (promise.status = 'kept' or not ${isRefunded})
    `,
  },
  {
    rule: 'a closed loan owes nothing',
    query: sql.type(ViolationRow)`
      select tenant_id, id as subject,
             format('Loan %s is %s and owes principal of %s, fees of %s and a claim of %s.', loan_number,
               status, principal_balance, outstanding_fees, charge_off_balance) as message
      from loans
      where status in ('paid_off', 'settled', 'transferred', 'canceled')
        and principal_balance + outstanding_fees + charge_off_balance > 0
        and not (status in ('transferred', 'canceled') and exists (
          select from tasks as task
          where task.tenant_id = loans.tenant_id and task.related_id = loans.id
            and task.title = 'Recover the refund of ' || loans.loan_number
        ))
    `,
  },
  {
    rule: 'a charged-off loan has a charge-off in force',
    query: sql.type(ViolationRow)`
      select loan.tenant_id, loan.id as subject,
             format('Loan %s is charged off, but has no charge-off in force.', loan.loan_number) as message
      from loans as loan
      where loan.status = 'charged_off'
        and exists (
          select from loan_events as event
          where event.tenant_id = loan.tenant_id and event.loan_id = loan.id
        )
        and not exists (
          select from loan_events as lost
          where lost.tenant_id = loan.tenant_id and lost.loan_id = loan.id and lost.reversed_by is null
            and (
              lost.kind = 'charge_off' and not lost.details ? 'principal_amount'
              or lost.kind = 'boarding' and lost.details ? 'charge_off_balance'
            )
        )
    `,
  },
  {
    rule: 'a residual is waived only with a completed payoff',
    query: sql.type(ViolationRow)`
      select credit.tenant_id, credit.id as subject,
             format('Service credit %s waives %s with a payoff that was not completed.', credit.id, credit.amount) as message
      from service_credits as credit
      where credit.status = 'applied' and credit.credit_type = 'settlement'
        and credit.reason = 'Residual waived at payoff'
        and not exists (
          select from payments as payment
          where payment.tenant_id = credit.tenant_id and payment.loan_id = credit.loan_id
            and payment.payment_type = 'payoff' and payment.effective_date = credit.effective_date
            and payment.status in ('completed', 'settled')
        )
    `,
  },
  {
    rule: 'a lien that was released for a payoff is asked for when the loan owes',
    query: sql.type(ViolationRow)`
      select lien.tenant_id, lien.id as subject,
             format('Lien %s was released as paid off, loan %s owes, and no task asks for the lien again.', lien.id,
               loan.loan_number) as message
      from liens as lien
      join collateral_items as item on item.tenant_id = lien.tenant_id and item.id = lien.collateral_id
      join loans as loan on loan.tenant_id = item.tenant_id and loan.id = item.loan_id
      where lien.status = 'released' and lien.release_reason = 'paid_off'
        and loan.status in ('active', 'charged_off')
        and loan.principal_balance + loan.charge_off_balance > 0
        and not exists (
          select from tasks as task
          where task.tenant_id = loan.tenant_id and task.related_id = loan.id
            and task.title = 'Perfect the liens of ' || loan.loan_number || ' again'
        )
    `,
  },
  {
    rule: 'forms 1099-C have what was forgiven in their year',
    query: sql.type(ViolationRow)`
      select form.tenant_id, form.id as subject,
             format('Form %s reports %s, but the ledger has %s forgiven in %s.', form.form_number,
               form.amount_discharged, coalesce(forgiven.amount, 0.00), form.tax_year) as message
      from forms_1099c as form
      left join (${forgiven}) as forgiven
        on forgiven.tenant_id = form.tenant_id and forgiven.loan_id = form.loan_id
        and forgiven.year = form.tax_year
      where form.source = 'system' and form.identifiable_event_code = 'F'
        and form.status not in ('void', 'corrected')
        and form.amount_discharged <> coalesce(forgiven.amount, 0)
        and not exists (
          select from loan_events as lost
          where lost.tenant_id = form.tenant_id and lost.loan_id = form.loan_id and lost.reversed_by is null
            and (lost.kind = 'charge_off' or lost.details ? 'charge_off_balance')
        )
      union all
      select forgiven.tenant_id, forgiven.loan_id,
             format('Loan %s: %s was forgiven in %s, and there is no form 1099-C.', loan.loan_number,
               forgiven.amount, forgiven.year)
      from (${forgiven}) as forgiven
      join loans as loan on loan.tenant_id = forgiven.tenant_id and loan.id = forgiven.loan_id
      where forgiven.amount >= 600 and not exists (
        select from forms_1099c as form
        where form.tenant_id = forgiven.tenant_id and form.loan_id = forgiven.loan_id
          and form.tax_year = forgiven.year and form.identifiable_event_code = 'F'
      )
    `,
  },
];
