import { z } from 'zod';
import { MILITARY_DATABASES, MILITARY_RESULTS } from '../../../sql/borrowers/military-reports.ts';
import type { BorrowerRecordKind, LoanRecordKind } from '../../../sql/books/running-records.ts';
import { LATE_FEE_EXEMPTIONS } from '../../../sql/loans/fees/late-fee-exemptions.ts';
import { countryCode, phoneNumber } from '../../../sql/formatted-text.ts';
import * as types from '../../../sql/types.ts';
import { TRANSACTION_TYPES } from '../../loans/boarding/history-input.ts';
import { PAYMENT_TYPES } from '../../loans/engine/events.ts';
import { FREEZE_REASONS } from '../../loans/servicing-actions/freeze.ts';
import { NewPayment, PAYMENT_METHODS, PAYMENT_SOURCES } from '../../payments/receive.ts';
import {
  DEFERMENT_TYPES,
  INTEREST_TREATMENTS,
  MAX_DEFERRED_PERIODS,
} from '../../loans/workouts/deferments.ts';
import {
  END_TREATMENTS,
  FORBEARANCE_TYPES,
  RELIEF_STATUSES,
} from '../../loans/workouts/forbearances.ts';
import {
  BALANCE_TREATMENTS,
  MODIFICATION_MONTHS_MAX,
  MODIFICATION_REASONS,
  MODIFICATION_STATUSES,
  MODIFICATION_TYPES,
} from '../../loans/workouts/modifications.ts';
import {
  PAYMENT_PLAN_FREQUENCIES,
  PLAN_INSTALLMENT_STATUSES,
  PLAN_INSTALLMENTS_MAX,
} from '../../loans/workouts/payment-plan-installments.ts';
import { PAYMENT_PLAN_STATUSES, PAYMENT_PLAN_TYPES } from '../../loans/workouts/payment-plans.ts';
import {
  GRACE_DAYS_MAX,
  PROMISE_CHANNELS,
  PROMISE_METHODS,
  PROMISE_STATUSES,
  PROMISED_INSTALLMENTS_MAX,
} from '../../loans/workouts/promises-to-pay.ts';
import { PROMO_TYPES } from '../../loans/workouts/promotions.ts';
import { ASSIGNMENT_TYPES } from '../../portfolios/loan-assignment.ts';

/**
 * The records that `records.csv` has, by kind, with the columns that it brings. All numbers are text, because an amount
 * must keep its decimals. Ids of events, bank accounts and investors are those of the exporting installation.
 */

const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d{1,9}$/, { error: 'Must be a whole number.', abort: true })
    .refine((text) => Number(text) >= min && Number(text) <= max, `Must be from ${min} to ${max}.`);
const { date, timestamp, money, positiveMoney, rate, flag, uuid, jsonObject } = types;
// The texts of the API, because its answers show them.
const { text: line, requiredText: requiredLine, prose, externalId } = types;
const made = { created_at: timestamp.optional() };
const event_ids = z.array(uuid).max(1_000).optional();

/** The minimum-payment disclosure of the last statement of a line of credit. */
const cycleOutlook = z.strictObject({
  months: z.int().min(1).max(1_200).nullable(),
  total: money.nullable(),
});

const promisedInstallments = z
  .array(z.looseObject({ due_date: date, amount: positiveMoney }))
  .max(PROMISED_INSTALLMENTS_MAX);
const planInstallments = z
  .array(
    z.looseObject({
      due_date: date,
      amount: positiveMoney,
      status: z.enum(PLAN_INSTALLMENT_STATUSES).default('pending'),
    }),
  )
  .max(PLAN_INSTALLMENTS_MAX);

const relief = { ...made, status: z.enum(RELIEF_STATUSES), event_ids };

export const LOAN_FACTS = {
  standing: z.strictObject({
    apr: types.computedRate.optional(),
    payment_amount: money.optional(),
    payment_day: whole(1, 31).optional(),
    origination_date: date.optional(),
    boarded_delinquency_date: date.optional(),
    delinquency_days_counted: whole(0, 90),
    cycle_outlook: cycleOutlook.optional(),
    paid_off_at: timestamp.optional(),
    charged_off_at: timestamp.optional(),
    charge_off_amount: money.optional(),
    frozen_at: timestamp.optional(),
    accelerated_at: timestamp.optional(),
    freeze_reason: z.enum(FREEZE_REASONS).optional(),
    freeze_until: date.optional(),
    approved_on: date.optional(),
    approved_at: timestamp.optional(),
    expected_disbursement_date: date.optional(),
    agreed_first_payment_date: date.optional(),
    rescission_ends: date.optional(),
  }),
  forbearance: z.strictObject({
    ...relief,
    forbearance_type: z.enum(FORBEARANCE_TYPES),
    start_date: date,
    end_date: date,
    reason: prose,
    reduced_payment_amount: positiveMoney.optional(),
    interest_accrues: flag,
    suspend_late_fees: flag,
    suspend_delinquency: flag,
    suspend_credit_reporting: flag,
    end_treatment: z.enum(END_TREATMENTS),
    notes: prose.optional(),
  }),
  deferment: z.strictObject({
    ...relief,
    deferment_type: z.enum(DEFERMENT_TYPES),
    periods: whole(1, MAX_DEFERRED_PERIODS),
    start_date: date,
    end_date: date.optional(),
    start_installment: whole(1, 10_000).optional(),
    interest_treatment: z.enum(INTEREST_TREATMENTS),
    extend_maturity: flag,
    fee_amount: money.optional(),
    reason: prose,
    notes: prose.optional(),
  }),
  promotion: z.strictObject({
    ...made,
    name: line,
    promo_type: z.enum(PROMO_TYPES),
    promo_rate: rate.optional(),
    start_date: date,
    end_date: date,
    conditions: jsonObject,
    promo_program_id: uuid.optional(),
    event_id: uuid.optional(),
    is_over: flag,
    broken_on: date.optional(),
  }),
  rate_cap: z.strictObject({
    ...made,
    interest_rate: rate,
    start_date: date,
    end_date: date.optional(),
    event_id: uuid.optional(),
    is_over: flag,
  }),
  modification: z.strictObject({
    ...made,
    modification_type: z.enum(MODIFICATION_TYPES),
    effective_date: date,
    reason: z.enum(MODIFICATION_REASONS),
    reason_comment: prose.optional(),
    new_interest_rate: rate.optional(),
    new_term_months: whole(1, MODIFICATION_MONTHS_MAX).optional(),
    extend_months: whole(1, MODIFICATION_MONTHS_MAX).optional(),
    new_payment_amount: positiveMoney.optional(),
    new_payment_day: whole(1, 31).optional(),
    new_maturity_date: date.optional(),
    principal_forgiven: money,
    capitalize_interest: flag,
    capitalize_fees: flag,
    capitalized_amount: money.optional(),
    interest_treatment: z.enum(BALANCE_TREATMENTS),
    fee_treatment: z.enum(BALANCE_TREATMENTS),
    apply_immediately: flag,
    status: z.enum(MODIFICATION_STATUSES),
    previous_terms: jsonObject,
    new_terms: jsonObject,
    event_ids,
    applied_at: timestamp.optional(),
  }),
  payment_plan: z.strictObject({
    ...made,
    plan_type: z.enum(PAYMENT_PLAN_TYPES),
    agreed_on: date,
    total_amount: positiveMoney,
    installments: planInstallments,
    start_date: date.optional(),
    frequency: z.enum(PAYMENT_PLAN_FREQUENCIES).optional(),
    number_of_payments: whole(1, PLAN_INSTALLMENTS_MAX).optional(),
    amount: positiveMoney.optional(),
    settlement_amount: positiveMoney.optional(),
    waive_remaining: flag,
    grace_days: whole(0, GRACE_DAYS_MAX),
    payment_instrument_id: uuid.optional(),
    auto_collect: flag,
    notes: prose.optional(),
    status: z.enum(PAYMENT_PLAN_STATUSES),
    paid_amount: money.optional(),
    completed_at: timestamp.optional(),
    broken_at: timestamp.optional(),
  }),
  promise: z.strictObject({
    ...made,
    promised_on: date,
    promised_amount: positiveMoney,
    promised_date: date,
    payment_method: z.enum(PROMISE_METHODS).optional(),
    channel: z.enum(PROMISE_CHANNELS),
    contact_note: prose.optional(),
    grace_days: whole(0, GRACE_DAYS_MAX),
    installments: promisedInstallments,
    status: z.enum(PROMISE_STATUSES),
    fulfilled_amount: money.optional(),
    fulfilled_at: timestamp.optional(),
  }),
  late_fee_exemption: z.strictObject({
    ...made,
    installment_number: whole(1, 10_000),
    due_date: date,
    fee_rule_id: uuid.optional(),
    reason: z.enum(LATE_FEE_EXEMPTIONS),
    decided_on: date,
  }),
  payment: z.strictObject({
    receipt_number: line,
    payment_date: date,
    payment_method: z.enum(PAYMENT_METHODS),
    payment_instrument_id: uuid.optional(),
    payment_plan_id: uuid.optional(),
    remaining_balance: money,
    external_id: externalId.optional(),
    reference_number: line.optional(),
    notes: prose.optional(),
    status: z.enum(['completed', 'settled', 'reversed', 'returned']),
    source: z.enum(PAYMENT_SOURCES),
    return_code: line.optional(),
    reversal_reason: line.optional(),
    reversal_effective_date: date.optional(),
    failure_reason: line.optional(),
    hold_until: date.optional(),
    posted_at: timestamp.optional(),
    settled_at: timestamp.optional(),
    reversed_at: timestamp.optional(),
    failed_at: timestamp.optional(),
    waive_returned_fee: flag,
  }),
  fee: z.strictObject({
    description: line.optional(),
    due_date: date.optional(),
    fee_rule_id: uuid.optional(),
    payment_id: uuid.optional(),
    draw_id: uuid.optional(),
    waived_at: timestamp.optional(),
    waive_reason: prose.optional(),
  }),
  draw: z.strictObject({
    purpose: line.optional(),
    payment_instrument_id: uuid.optional(),
    external_id: externalId.optional(),
    fee_amount: money.optional(),
  }),
  earlier_transaction: z.strictObject({
    ...made,
    transaction_id: line,
    transaction_date: date,
    position: whole(1, 999_999_999),
    transaction_type: z.enum(TRANSACTION_TYPES),
    amount: money.optional(),
    principal: types.signedMoney.optional(),
    interest: types.signedMoney.optional(),
    fees: types.signedMoney.optional(),
    reverses: line.optional(),
    rate: rate.optional(),
    until: date.optional(),
    count: whole(1, 600).optional(),
    description: prose.optional(),
    event_id: uuid.optional(),
  }),
  scheduled_payment: z.strictObject({
    ...made,
    receipt_number: line.optional(),
    amount: positiveMoney,
    payment_date: date,
    effective_date: date,
    payment_method: z.enum(PAYMENT_METHODS),
    payment_type: z.enum(PAYMENT_TYPES),
    payment_instrument_id: uuid.optional(),
    payment_plan_id: uuid.optional(),
    allocation_override: NewPayment.shape.allocation_override,
    reference_number: line.optional(),
    notes: prose.optional(),
    source: z.enum(PAYMENT_SOURCES),
  }),
  assignment: z.strictObject({
    ...made,
    investor_id: uuid,
    ownership_percentage: types.ratio,
    assignment_type: z.enum(ASSIGNMENT_TYPES),
    effective_date: date,
    settlement_date: date.optional(),
    end_date: date.optional(),
    purchase_price: money.optional(),
    purchase_price_ratio: types.ratio.optional(),
    servicing_fee_rate: rate.optional(),
    recourse: flag,
    status: z.enum(['pending', 'active']),
    agreed_status: line.optional(),
    is_booked: flag,
  }),
} satisfies Record<LoanRecordKind, z.ZodObject>;

export const BORROWER_FACTS = {
  legal_representative: z.strictObject({
    ...made,
    representative_type: z.enum([
      ...(['attorney', 'power_of_attorney', 'guardian', 'executor'] as const),
      ...(['bankruptcy_trustee', 'debt_settlement', 'other'] as const),
    ]),
    first_name: requiredLine,
    last_name: requiredLine,
    firm_name: line.optional(),
    email: types.emailAddress.optional(),
    phone: phoneNumber.optional(),
    street_line_1: line.optional(),
    street_line_2: line.optional(),
    city: line.optional(),
    state: line.optional(),
    postal_code: line.max(20).optional(),
    country: countryCode.optional(),
    bar_number: line.optional(),
    effective_date: date,
    end_date: date.optional(),
    contact_through_representative: flag,
    is_active: flag,
  }),
  business_details: z.strictObject({
    ...made,
    legal_name: requiredLine,
    dba_name: line.optional(),
    ein_last_four: z
      .string()
      .regex(/^\d{4}$/)
      .optional(),
    entity_type: z.enum([
      ...(['sole_proprietorship', 'llc', 'corporation', 's_corporation'] as const),
      ...(['partnership', 'nonprofit', 'trust', 'other'] as const),
    ]),
    formation_date: date.optional(),
    formation_state: line.optional(),
    naics_code: z
      .string()
      .regex(/^\d{6}$/)
      .optional(),
    industry: line.optional(),
    annual_revenue: money.optional(),
    employee_count: whole(0, 999_999_999).optional(),
    website: line.optional(),
    phone: phoneNumber.optional(),
    contact_name: line.optional(),
    contact_title: line.optional(),
    beneficial_owners: z.array(z.record(z.string(), z.unknown())).max(100),
  }),
  military_report: z.strictObject({
    ...made,
    database: z.enum(MILITARY_DATABASES),
    result: z.enum(MILITARY_RESULTS),
    status_date: date,
    active_duty_from: date.optional(),
    active_duty_until: date.optional(),
    certificate_id: requiredLine,
  }),
} satisfies Record<BorrowerRecordKind, z.ZodObject>;

const OPEN_PLANS: readonly unknown[] = ['proposed', 'active'];

/** Whether the record will draw money. Then it needs an account that can be drawn on, of a person who owes the loan. */
export const isDraw = (kind: string, facts: Readonly<Record<string, unknown>>): boolean => {
  const { payment_instrument_id, payment_method, status } = facts;
  if (kind === 'scheduled_payment')
    return payment_method === 'ach' || payment_instrument_id !== undefined;
  return (
    kind === 'payment_plan' && OPEN_PLANS.includes(status) && payment_instrument_id !== undefined
  );
};

export const LOAN_RECORD_KINDS = Object.keys(LOAN_FACTS) as LoanRecordKind[];
export const BORROWER_RECORD_KINDS = Object.keys(BORROWER_FACTS) as BorrowerRecordKind[];
export const RECORD_KINDS = [...LOAN_RECORD_KINDS, ...BORROWER_RECORD_KINDS] as const;

export type LoanFacts<Kind extends LoanRecordKind> = z.output<(typeof LOAN_FACTS)[Kind]>;

const columnsOf = <Kind extends string>(kinds: Record<Kind, z.ZodObject>) =>
  (Object.keys(kinds) as Kind[]).map((kind) => ({
    kind,
    columns: Object.keys(kinds[kind].shape),
  }));

export const LOAN_RECORD_COLUMNS = columnsOf<LoanRecordKind>(LOAN_FACTS);
export const BORROWER_RECORD_COLUMNS = columnsOf<BorrowerRecordKind>(BORROWER_FACTS);
