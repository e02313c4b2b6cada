import { z } from 'zod';
import { sql, unread, type Transaction } from '../database/db.ts';
import { containing, table } from '../table.ts';
import { insertJoined } from '../write.ts';
import { allowedActions, hindrancesOf } from './actions.ts';
import { investorOf, netChargeOffOf, promoEndDateOf, promoRateOf } from './loan-facts.ts';
import {
  feesDue,
  finalPayment,
  nextBill,
  nextPayment,
  nextPaymentDate,
  openPlan,
  pastDue,
} from './open-plan.ts';

/** What a loan shows, and where it is read; the snapshot of a day reads it with more. */
export const columns = sql.fragment`
    record.id, record.loan_number, record.external_id, record.borrower_id,
           borrower.first_name || ' ' || borrower.last_name as borrower_name,
           record.program_id, record.product_id, record.portfolio_id,
           ${investorOf} as investor_id, record.loan_officer_id,
           record.status, record.sub_status, record.loan_type, record.principal_amount,
           record.disbursed_amount, record.principal_balance,
           owed.interest as accrued_interest, record.outstanding_fees,
           record.principal_balance + owed.interest + record.outstanding_fees as total_balance,
           record.suspense_balance, record.charge_off_balance, record.deficiency_balance,
           trim_scale(record.interest_rate) as interest_rate, trim_scale(record.apr) as apr,
           trim_scale(record.accrual_rate) as current_rate,
           ${promoRateOf} as promo_rate,
           ${promoEndDateOf} as promo_end_date,
           record.day_count, record.interest_method, record.payment_frequency,
           record.payment_amount, record.payment_day, record.term_months,
           coalesce(plan.remaining, record.term_months) as remaining_term,
           record.expected_disbursement_date, record.first_payment_date,
           ${nextPaymentDate} as next_payment_date, ${nextPayment} as next_payment_amount,
           plan.remaining as payments_remaining, ${finalPayment} as final_payment_amount,
           record.last_payment_date, record.last_payment_amount, record.maturity_date,
           record.cycle_start_date, record.cycle_end_date, record.interest_free_balance,
           record.origination_date, record.disbursement_date, record.approved_at,
           record.approved_by, record.denied_at, record.denial_reasons, record.canceled_at,
           record.cancel_reason, record.paid_off_at, record.charged_off_at,
           record.charge_off_reason, record.charge_off_amount, record.recovered_amount,
           ${netChargeOffOf} as net_charge_off, record.is_frozen, record.frozen_at,
           record.freeze_reason, record.freeze_until, record.is_accelerated, record.accelerated_at,
           record.is_non_accrual, record.non_accrual_since,
           exists (
             select from collateral_items as item
             where item.loan_id = record.id and not item.is_archived and item.status = 'active'
           ) as is_secured,
           late.days_past_due >= (record.terms ->> 'default_dpd_threshold')::integer
             or (record.is_accelerated and record.status = 'active') as is_defaulted,
           late.days_past_due, app.bucket(late.days_past_due) as delinquency_bucket,
           coalesce(behind.amount, 0.00) as past_due_amount,
           coalesce(behind.principal, 0.00) as past_due_principal,
           coalesce(behind.interest, 0.00) as past_due_interest,
           coalesce(behind.fees, 0.00) as past_due_fees,
           coalesce(behind.amount_30, 0.00) as past_due_30_amount,
           ${feesDue} as fees_due,
           coalesce(behind.amount, 0.00) + coalesce(bill.amount, 0.00) + ${feesDue} as amount_due,
           record.times_delinquent_30, record.times_delinquent_60, record.times_delinquent_90,
           record.first_delinquency_date, line.credit_limit,
           line.credit_limit - least(record.principal_balance, line.credit_limit) as available_credit,
           record.paid_principal, record.paid_interest, record.paid_fees,
           record.labels, record.metadata, ${allowedActions} as allowed_actions,
           record.is_archived, record.created_at,
           record.updated_at
`;
export const source = sql.fragment`
    from loans as record
    join borrowers as borrower on borrower.id = record.borrower_id
    cross join (select app.business_date() as day offset 0) as today
    cross join lateral (
      select greatest(interest.balance, 0.00) as interest,
             greatest(record.principal_balance + record.outstanding_fees + interest.balance, 0.00) as repayment
      from (select app.interest_balance(record, today.day) as balance offset 0) as interest
      offset 0
    ) as owed
    cross join lateral (select app.unpaid_since(record, today.day, owed.interest) as since offset 0) as due
    cross join lateral (
      select app.days_past_due(
        case when owed.repayment > 0 then due.since end, today.day, record.delinquency_pauses, record.delinquency_grace_days
      ) as days_past_due
      offset 0
    ) as late
    -- A line without a limit of its own has the amount that was approved.
    cross join lateral (
      select case when record.loan_type = 'line_of_credit'
        then coalesce(record.credit_limit, record.principal_amount) end as credit_limit
    ) as line
    left join lateral ${openPlan} as plan on record.schedule_version > 0
    left join lateral ${pastDue} as behind on true
    left join lateral ${nextBill} as bill on true
`;

/**
 * A loan as everybody sees it: what it owes is computed from its anchor as of the business date, so
 * it is right at any hour. What is asked for is in open-plan.ts.
 */
export const loans = table({
  name: 'loans',
  rows: sql.fragment`
    select ${columns} ${source}
  `,
  own: [
    'id',
    'q',
    'status',
    'is_archived',
    'borrower_id',
    'program_id',
    'product_id',
    'loan_officer_id',
    'portfolio_id',
    'external_id',
    'is_frozen',
    'is_accelerated',
    'is_non_accrual',
    'loan_number',
    'labels',
    'origination_date',
    'maturity_date',
    'principal_amount',
    'principal_balance',
    'created_at',
    'updated_at',
  ],
  searched: ['loan_number'],
  search: (words) => sql.fragment`row.loan_number ilike ${containing(words)}`,
  filters: {
    // "cancelled" is accepted for the one spelling that is stored.
    status: (values) => sql.fragment`
      row.status = any(${sql.array(
        values.map((value) => (value === 'cancelled' ? 'canceled' : value)),
        'text',
      )})
    `,
  },
});

/** The columns of the bare row that the work on a loan looks at; what is read is what is named here. */
export const Raw = z.object({
  id: z.string(),
  loan_number: z.string(),
  borrower_id: z.string(),
  program_id: z.string(),
  product_id: z.string(),
  portfolio_id: z.string().nullable(),
  loan_officer_id: z.string().nullable(),
  status: z.string(),
  loan_type: z.string(),
  principal_amount: z.string(),
  interest_rate: z.string(),
  term_months: z.int(),
  payment_day: z.int().nullable(),
  payment_frequency: z.string(),
  payment_amount: z.string().nullable(),
  terms: z.record(z.string(), z.unknown()),
  expected_disbursement_date: z.string().nullable(),
  /** Until the money goes out, the one that was agreed. */
  first_payment_date: z.string().nullable(),
  maturity_date: z.string().nullable(),
  origination_date: z.string().nullable(),
  approved_on: z.string().nullable(),
  disbursement_date: z.string().nullable(),
  disbursed_amount: z.string(),
  principal_balance: z.string(),
  is_frozen: z.boolean(),
  is_accelerated: z.boolean(),
  is_non_accrual: z.boolean(),
  is_archived: z.boolean(),
  delinquency_bucket: z.string(),
  schedule_version: z.int(),
  credit_limit: z.string().nullable(),
  labels: z.array(z.string()),
  rescission_ends: z.string().nullable(),
  /** By action, the code of what stands in its way. */
  hindrances: z.record(z.string(), z.string()),
});
export type RawLoan = z.output<typeof Raw>;

export const rawColumns = sql.join(
  Object.keys(Raw.shape).map((column) =>
    column === 'hindrances'
      ? sql.fragment`${hindrancesOf('loan')} as hindrances`
      : sql.fragment`${sql.identifier(['loan', column])}`,
  ),
  sql.fragment`, `,
);

/**
 * Locks the loan for a change. It is a statement of its own, so that the next one, which comes with it,
 * sees what was written while this one waited.
 */
export const hold = (tx: Transaction, id: string) => holdAll(tx, [id]);

/** The same for several, always in the order of their ids: who waits for another is not waited for. */
export const holdAll = (tx: Transaction, ids: readonly string[]) =>
  tx.query(
    unread(sql.typeAlias('void')`
      select app.lock_loan(id)
      from (select id from unnest(${sql.array([...ids], 'uuid')}) as wanted (id) order by id) as wanted
    `),
  );

/** Locks the loan and answers its row. */
export async function lock(tx: Transaction, id: string) {
  await hold(tx, id);
  return read(tx, id);
}

/** The loan's row without a lock, for those who only look. */
export const read = (tx: Transaction, id: string) =>
  tx.maybeOne(
    sql.prepared('read_loan', Raw)`select ${rawColumns} from loans as loan where id = ${id}`,
  );

/** Writes the row of a new loan and answers its id. */
export const add = insertJoined('loans');

/** The next number of the year: LN-2026-000001. Gaps may stay where a creation failed. */
export async function nextNumber(tx: Transaction, year: number): Promise<string> {
  const number = await tx.oneFirst(sql.type(z.object({ last_number: z.string() }))`
    insert into loan_number_sequences (year, last_number) values (${year}, 1)
    on conflict (tenant_id, year)
      do update set last_number = loan_number_sequences.last_number + 1
    returning last_number
  `);
  return `LN-${year}-${number.padStart(6, '0')}`;
}

/** Moves the loan to another status, with the columns that go with it. */
export async function setStatus(tx: Transaction, id: string, status: string) {
  await tx.query(sql.typeAlias('void')`update loans set status = ${status} where id = ${id}`);
}

export const markFunded = (
  tx: Transaction,
  id: string,
  on: string,
  firstPayment: string | null,
  payment: string | null,
) =>
  tx.query(sql.typeAlias('void')`
    update loans
    set disbursement_date = coalesce(disbursement_date, ${on}),
        origination_date = coalesce(origination_date, ${on}),
        agreed_first_payment_date = first_payment_date,
        first_payment_date = ${firstPayment}, payment_amount = ${payment}
    where id = ${id}
  `);

export const markPaidOff = (tx: Transaction, id: string, isPaidOff: boolean) =>
  tx.query(sql.typeAlias('void')`
    update loans set paid_off_at = ${isPaidOff ? sql.fragment`now()` : sql.fragment`null`} where id = ${id}
  `);

export const addDisbursed = (tx: Transaction, id: string, amount: string) =>
  tx.query(sql.typeAlias('void')`
    update loans set disbursed_amount = disbursed_amount + ${amount}::numeric where id = ${id}
  `);
