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

/**
 * Who bears a service credit: the loan's owner, the servicing tenant, or a merchant that reimburses the
 * tenant.
 */
export const SPONSORS = ['lender', 'servicer', 'merchant'] as const;
export const CREDIT_TARGETS = ['fees', 'interest', 'principal', 'waterfall'] as const;
export type CreditTarget = (typeof CREDIT_TARGETS)[number];

/** Why interest does not accrue. Each reason stops and starts separately. */
export const ACCRUAL_STOP_REASONS = [
  'freeze',
  'forbearance',
  'deferment',
  'promo',
  'non_accrual',
] as const;
export type AccrualStopReason = (typeof ACCRUAL_STOP_REASONS)[number];

const amount = z.string().regex(/^\d+(\.\d+)?$/, 'Must be an amount that is not negative.');
const rate = amount;
const day = z.iso.date();
const id = z.string();
const portion = z.union([amount, z.literal('all')]);
export type Portion = z.output<typeof portion>;
const emptyPayload: z.ZodType<object> = z.strictObject({});

/** A bank has an order to move the money. It becomes cash on the day of the bank file, not earlier. */
const is_in_transit = z.literal(true).exactOptional();

/** A fee deducted from the proceeds of a disbursement, or added to principal. */
const financedFee = z.strictObject({
  fee_id: id,
  fee_type: z.string(),
  amount,
  treatment: z.enum(['deducted', 'capitalized']),
});
export type FinancedFee = z.output<typeof financedFee>;

/**
 * The facts of each event kind. Amounts are never negative; the kind gives the direction. Validation
 * refuses facts that do not belong to the kind.
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
    /** Installments due through this day count as paid. Default: the boarding date. */
    paid_through_date: day.nullable().exactOptional(),
    /** The claim of a loan that was boarded after its charge-off. Such a loan has no other balance. */
    charge_off_balance: amount.exactOptional(),
    /** The last payment to the previous servicer. */
    last_payment_date: day.exactOptional(),
    /**
     * Set if the loan brought its history, which begins on the event's date: the day on which this servicer took
     * the loan over, and what its history added up to then.
     */
    takeover: z
      .strictObject({
        on: day,
        /** The last day that the previous servicer closed, which decided late fees. Default: `on`. */
        closed_through: day.exactOptional(),
        interest_accrued: amount,
        fees_assessed: amount,
        amount_lent: amount,
        amount_paid: amount,
        balance: amount,
      })
      .exactOptional(),
    /** Balances that the previous servicer stated, where the history gives others. */
    stated_balances: z
      .strictObject({
        principal_balance: amount.exactOptional(),
        accrued_interest: amount.exactOptional(),
        outstanding_fees: amount.exactOptional(),
        suspense_balance: amount.exactOptional(),
        charge_off_balance: amount.exactOptional(),
      })
      .exactOptional(),
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
    /** Overrides the loan's terms for this payment. */
    extra_payment_to: z.enum(['principal', 'next_installment']).exactOptional(),
  }),
  fee: z.strictObject({
    amount,
    fee_id: id.exactOptional(),
    fee_type: z.string().exactOptional(),
    installment_number: z.int().exactOptional(),
    /** Each installment asks for a part of the fee. */
    is_spread: z.boolean().exactOptional(),
    /** The payoff that includes this prepayment penalty. Reversing the payoff also withdraws the penalty. */
    payment_id: id.exactOptional(),
  }),
  fee_waiver: z.strictObject({
    fee_id: id,
    amount: amount.exactOptional(),
    /** A legal condition forbids the fee. The waiver is withdrawn if the condition was wrong. */
    is_by_law: z.literal(true).exactOptional(),
  }),
  /** A credit of type settlement is agreed debt relief; other types are not. */
  service_credit: z.strictObject({
    amount,
    apply_to: z.enum(CREDIT_TARGETS).exactOptional(),
    credit_type: z.string().exactOptional(),
    sponsor: z.enum(SPONSORS).exactOptional(),
    /** The payoff that came with the credit. Reversing the payoff also withdraws the credit. */
    payment_id: id.exactOptional(),
  }),
  rate_change: z.strictObject({
    interest_rate: rate,
    /** The rate follows from a law that counts fees as interest. Fees until the next rate change are forgiven. */
    forgives_fees: z.literal(true).exactOptional(),
  }),
  /** A promotional rate, valid through `to`. The lowest rate of a day applies. */
  promo: z.strictObject({ interest_rate: rate, to: day }),
  /**
   * A legal limit of the rate, valid through `to` (null: until it is withdrawn). Interest above it and fees are
   * forgiven (`interest/rate-cap.ts`).
   */
  rate_cap: z.strictObject({ interest_rate: rate, to: day.nullable() }),
  /** `reverses_accrued` removes owed interest from the books. The borrower still owes it. */
  accrual_stop: z.strictObject({
    reason: z.enum(ACCRUAL_STOP_REASONS),
    reverses_accrued: z.boolean().exactOptional(),
  }),
  accrual_start: z.strictObject({
    reason: z.enum(ACCRUAL_STOP_REASONS),
    catch_up: z.boolean().exactOptional(),
  }),
  charge_off: z.strictObject({
    /** A partial charge-off: only this principal leaves the books, and the loan continues. */
    principal_amount: amount.exactOptional(),
    waive_fees: z.boolean().exactOptional(),
    reverse_accrued_interest: z.boolean().exactOptional(),
    reason: z.string().exactOptional(),
  }),
  /** The loan's collateral was sold. */
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
    /** Forgives the balance after the day's payments instead of the balance before them. */
    settles: z.boolean().exactOptional(),
  }),
  schedule_agreed: z.strictObject({
    agreement: AGREEMENT,
    /** The disbursement that brought this schedule. */
    disbursement_id: id.exactOptional(),
    /** Installments that the borrower skips until a day. */
    defers: z.strictObject({ from_number: z.int(), periods: z.int(), until: day }).exactOptional(),
  }),
  acceleration: emptyPayload,
  delinquency_pause: z.strictObject({ to: day }),
  suspense_application: z.strictObject({
    amount: portion,
    payment_type: z.enum(PAYMENT_TYPES).exactOptional(),
  }),
  /** From this day on, another servicer has the loan with its whole balance. */
  servicing_transfer: emptyPayload,
  reversal: z.strictObject({ reverses: id }),
} as const;

export type EventKind = keyof typeof EVENT_FACTS;
export const EVENT_KINDS = Object.keys(EVENT_FACTS) as EventKind[];
export type FactsOf<Kind extends EventKind> = z.output<(typeof EVENT_FACTS)[Kind]>;
type BaseEvent<Kind extends EventKind> = {
  id: string;
  kind: Kind;
  effective_date: string;
  /** It happened at the previous servicer of a loan that brought its history. */
  is_replayed?: true;
} & FactsOf<Kind>;

export type LoanEvent = { [Kind in EventKind]: BaseEvent<Kind> }[EventKind];
export type EventOf<Kind extends EventKind> = Extract<LoanEvent, { kind: Kind }>;

/** An event before it is recorded. It gets its id when it is recorded or projected. */
export type EventDraft = {
  [Kind in EventKind]: Omit<EventOf<Kind>, 'id'> & { id?: string };
}[EventKind];
