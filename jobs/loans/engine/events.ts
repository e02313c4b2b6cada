import { z } from 'zod';
import { COMPONENTS } from '../arithmetic/terms.ts';
import { AGREEMENT } from '../schedule/agreement.ts';

export const PAYMENT_TYPES = [
  'regular',
  'extra_principal',
  'payoff',
  'down_payment',
  'recovery',
  'settlement',
  'fee_only',
] as const;
export type PaymentType = (typeof PAYMENT_TYPES)[number];

/** Who bears a service credit: the owner of the loan, the tenant that services it, or a merchant that pays the tenant. */
export const SPONSORS = ['lender', 'servicer', 'merchant'] as const;
export const CREDIT_TARGETS = ['fees', 'interest', 'principal', 'waterfall'] as const;
export type CreditTarget = (typeof CREDIT_TARGETS)[number];

const amount = z.string().regex(/^\d+(\.\d+)?$/, 'Must be an amount that is not negative.');
const rate = amount;
const day = z.iso.date();
const id = z.string();
/** A part of what is owed: an amount, or all of it. */
const portion = z.union([amount, z.literal('all')]);
export type Portion = z.output<typeof portion>;
const nothing: z.ZodType<object> = z.strictObject({});

/** A bank was ordered to move the money, which is cash on the day of the file and not before. */
const is_in_transit = z.literal(true).exactOptional();

/** A fee that the proceeds of a disbursement pay at once, or that becomes part of the principal. */
const financedFee = z.strictObject({
  fee_id: id,
  fee_type: z.string(),
  amount,
  treatment: z.enum(['deducted', 'capitalized']),
});
export type FinancedFee = z.output<typeof financedFee>;

/**
 * Everything that can happen to a loan's money, each kind with its facts. Amounts are positive; the
 * kind says the way. What is not among the facts of its kind is refused when an event is made.
 */
export const EVENT_FACTS = {
  disbursement: z.strictObject({
    amount,
    is_in_transit,
    fees: z.array(financedFee).readonly().exactOptional(),
    disbursement_id: id.exactOptional(),
  }),
  draw: z.strictObject({ amount, is_in_transit }),
  boarding: z.strictObject({
    principal_balance: amount,
    accrued_interest: amount.exactOptional(),
    outstanding_fees: amount.exactOptional(),
    /** Instalments due to this day are history; without it, those due to the boarding day. */
    paid_through_date: day.nullable().exactOptional(),
    /** What a loan that came charged off is still claimed for; it has no other balance then. */
    charge_off_balance: amount.exactOptional(),
    /** When the borrower last paid the servicer before. */
    last_payment_date: day.exactOptional(),
  }),
  payment: z.strictObject({
    amount,
    is_in_transit,
    payment_type: z.enum(PAYMENT_TYPES).exactOptional(),
    allocation_override: z
      .array(z.strictObject({ component: z.enum(COMPONENTS), amount }))
      .readonly()
      .nullable()
      .exactOptional(),
    /** Follows the payment's own wish where it differs from the loan's terms. */
    extra_payment_to: z.enum(['principal', 'next_installment']).exactOptional(),
  }),
  fee: z.strictObject({
    amount,
    fee_id: id.exactOptional(),
    fee_type: z.string().exactOptional(),
    installment_number: z.int().exactOptional(),
    /** The instalments ask for it, each for its part. */
    is_spread: z.boolean().exactOptional(),
  }),
  fee_waiver: z.strictObject({ fee_id: id, amount: amount.exactOptional() }),
  /** A settlement is agreed debt relief; other credits are not. */
  service_credit: z.strictObject({
    amount,
    apply_to: z.enum(CREDIT_TARGETS).exactOptional(),
    credit_type: z.string().exactOptional(),
    sponsor: z.enum(SPONSORS).exactOptional(),
    /** The payoff that it was given with, and goes with. */
    payment_id: id.exactOptional(),
  }),
  rate_change: z.strictObject({ interest_rate: rate }),
  /** A promotional rate or a legal cap, to its last day; the lowest rate of a day counts. */
  promo: z.strictObject({ interest_rate: rate, to: day }),
  /** Interest that is owed then may leave the books, though the borrower still owes it. */
  accrual_stop: z.strictObject({
    reason: z.string(),
    reverses_accrued: z.boolean().exactOptional(),
  }),
  accrual_start: z.strictObject({ reason: z.string(), catch_up: z.boolean().exactOptional() }),
  charge_off: z.strictObject({
    /** Only this part of the principal leaves the books, and the loan goes on. */
    principal_amount: amount.exactOptional(),
    waive_fees: z.boolean().exactOptional(),
    reverse_accrued_interest: z.boolean().exactOptional(),
    reason: z.string().exactOptional(),
  }),
  /** The collateral of the loan is sold. */
  liquidation: z.strictObject({ net_proceeds: amount }),
  reimbursement: z.strictObject({ amount, payment_id: id.exactOptional(), is_in_transit }),
  write_off: z.strictObject({
    amount: portion.exactOptional(),
    payment_id: id.exactOptional(),
  }),
  capitalization: z.strictObject({
    interest: portion.exactOptional(),
    fees: portion.exactOptional(),
  }),
  forgiveness: z.strictObject({
    principal: portion.exactOptional(),
    interest: portion.exactOptional(),
    fees: portion.exactOptional(),
    /** Forgives what the payments of its day have left, not what the day began with. */
    settles: z.boolean().exactOptional(),
  }),
  schedule_agreed: z.strictObject({
    agreement: AGREEMENT,
    /** The disbursement that brings the plan. */
    disbursement_id: id.exactOptional(),
    /** The instalments that the borrower skips until a day. */
    defers: z.strictObject({ from_number: z.int(), periods: z.int(), until: day }).exactOptional(),
  }),
  acceleration: nothing,
  delinquency_pause: z.strictObject({ to: day }),
  suspense_application: z.strictObject({
    amount: portion,
    payment_type: z.enum(PAYMENT_TYPES).exactOptional(),
  }),
  /** Another servicer has the loan from this day on, with all that is owed on it. */
  servicing_transfer: nothing,
  reversal: z.strictObject({ reverses: id }),
} as const;

export type EventKind = keyof typeof EVENT_FACTS;
export type FactsOf<Kind extends EventKind> = z.output<(typeof EVENT_FACTS)[Kind]>;
type On<Kind extends EventKind> = {
  id: string;
  kind: Kind;
  effective_date: string;
} & FactsOf<Kind>;

export type LoanEvent = { [Kind in EventKind]: On<Kind> }[EventKind];
export type EventOf<Kind extends EventKind> = Extract<LoanEvent, { kind: Kind }>;
