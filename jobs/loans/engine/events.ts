import { addDays } from '../../dates.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import type { Component } from '../arithmetic/terms.ts';

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

export const CREDIT_TARGETS = ['fees', 'interest', 'principal', 'waterfall'] as const;
export type CreditTarget = (typeof CREDIT_TARGETS)[number];

/** A part of what is owed: an amount, or 'all' of it. */
export type Portion = string;

/** A fee that the proceeds of a disbursement pay at once, or that becomes part of the principal. */
export type FinancedFee = {
  fee_id: string;
  fee_type: string;
  amount: string;
  treatment: 'deducted' | 'capitalized';
};

type On<Kind extends string, Facts> = { id: string; kind: Kind; effective_date: string } & Facts;

/** Everything that can happen to a loan's money. Amounts are positive; the kind says the way. */
export type LoanEvent =
  | On<'disbursement', { amount: string; fees?: readonly FinancedFee[] }>
  | On<'draw', { amount: string }>
  | On<
      'boarding',
      {
        principal_balance: string;
        accrued_interest?: string;
        outstanding_fees?: string;
        /** Instalments due to this day are history; without it, those due to the boarding day. */
        paid_through_date?: string | null;
        /** What a loan that came charged off is still claimed for; it has no other balance then. */
        charge_off_balance?: string;
        /** When the borrower last paid the servicer before. */
        last_payment_date?: string;
      }
    >
  | On<
      'payment',
      {
        amount: string;
        payment_type?: PaymentType;
        allocation_override?: readonly { component: Component; amount: string }[] | null;
        /** Follows the payment's own wish where it differs from the loan's terms. */
        extra_payment_to?: 'principal' | 'next_installment';
      }
    >
  | On<
      'fee',
      {
        amount: string;
        fee_id?: string;
        fee_type?: string;
        installment_number?: number;
        /** The instalments ask for it, each for its part. */
        is_spread?: boolean;
      }
    >
  | On<'fee_waiver', { fee_id: string; amount?: string }>
  /** A settlement is agreed debt relief; other credits are not. */
  | On<'service_credit', { amount: string; apply_to?: CreditTarget; credit_type?: string }>
  | On<'rate_change', { interest_rate: string }>
  /** A promotional rate or a legal cap, to its last day; the lowest rate of a day counts. */
  | On<'promo', { interest_rate: string; to: string }>
  /** Interest that is owed then may leave the books, though the borrower still owes it. */
  | On<'accrual_stop', { reason: string; reverses_accrued?: boolean }>
  | On<'accrual_start', { reason: string; catch_up?: boolean }>
  | On<
      'charge_off',
      { principal_amount?: string; waive_fees?: boolean; reverse_accrued_interest?: boolean }
    >
  | On<'recovery', { amount: string }>
  | On<'liquidation', { net_proceeds: string }>
  | On<'reimbursement', { amount: string; payment_id?: string }>
  | On<'write_off', { amount?: Portion; payment_id?: string }>
  | On<'capitalization', { interest?: Portion; fees?: Portion }>
  | On<
      'forgiveness',
      {
        principal?: Portion;
        interest?: Portion;
        fees?: Portion;
        /** Forgives what the payments of its day have left, not what the day began with. */
        settles?: boolean;
      }
    >
  | On<
      'schedule_replaced',
      {
        schedule: readonly ScheduleRow[];
        payment_amount?: string;
        /** The instalments that the borrower skips until a day. */
        defers?: { from_number: number; periods: number; until: string };
      }
    >
  | On<'acceleration', object>
  | On<'acceleration_reversed', object>
  | On<'delinquency_pause', { to: string }>
  | On<'suspense_receipt', { amount: string }>
  | On<'suspense_application', { amount: Portion; payment_type?: PaymentType }>
  /** Another servicer has the loan from this day on, with all that is owed on it. */
  | On<'servicing_transfer', object>
  | On<'reversal', { reverses: string }>;

export type EventKind = LoanEvent['kind'];
export type EventOf<Kind extends EventKind> = Extract<LoanEvent, { kind: Kind }>;

/**
 * What comes first on one day. Money goes out before anything is owed; rates, rests and plans
 * change before money is applied; fees and credits of a day are there when its payments come, so
 * that a payoff for the day pays them; losses are taken last.
 */
const KINDS_IN_ORDER: readonly EventKind[] = [
  'boarding',
  'disbursement',
  'draw',
  'rate_change',
  'promo',
  'accrual_start',
  'accrual_stop',
  'delinquency_pause',
  'capitalization',
  'schedule_replaced',
  'acceleration_reversed',
  'acceleration',
  'fee',
  'fee_waiver',
  'service_credit',
  'forgiveness',
  'suspense_receipt',
  'suspense_application',
  'payment',
  'reimbursement',
  'write_off',
  'charge_off',
  'recovery',
  'liquidation',
  'servicing_transfer',
  'reversal',
];

const RANK = new Map(KINDS_IN_ORDER.map((kind, index) => [kind, index]));

/**
 * A payoff comes after all else of its day, since it was quoted with all else in it; the penalty
 * for it comes with it. Money on a claim comes after the charge-off that made it one. What a
 * settlement forgives is the rest that its payments leave. What goes to another servicer is what the
 * whole day leaves.
 */
function rankOf(event: LoanEvent): number {
  const last = KINDS_IN_ORDER.length;
  if (event.kind === 'servicing_transfer') return last + 2;
  if (event.kind === 'payment' && event.payment_type === 'payoff') return last + 1;
  // What is recovered on the day of a charge-off came after it.
  const isRecovery = event.kind === 'payment' && event.payment_type === 'recovery';
  if (isRecovery) return RANK.get('recovery') ?? 0;
  if (event.kind === 'fee' && event.fee_type === 'prepayment_penalty') return last;
  if (event.kind === 'forgiveness' && event.settles === true) return RANK.get('reversal') ?? last;
  return RANK.get(event.kind) ?? 0;
}

/** The order in which events take effect, whatever order they arrived in. */
function compareEvents(one: LoanEvent, other: LoanEvent): number {
  if (one.effective_date !== other.effective_date) {
    return one.effective_date < other.effective_date ? -1 : 1;
  }
  const byKind = rankOf(one) - rankOf(other);
  if (byKind !== 0) return byKind;
  if (one.id === other.id) return 0;
  return one.id < other.id ? -1 : 1;
}

/**
 * The events that count to a day, in order. A reversed event is as if it had never been, from its
 * own date on; a reversal that is itself reversed does nothing.
 */
export function eventsInForce(events: readonly LoanEvent[], asOf: string): LoanEvent[] {
  const reversals = events.filter((event) => event.kind === 'reversal');
  const isVoid = (id: string, seen: readonly string[] = []): boolean =>
    reversals.some(
      (reversal) =>
        reversal.reverses === id &&
        !seen.includes(reversal.id) &&
        !isVoid(reversal.id, [...seen, id]),
    );
  const targets = new Set(reversals.map((reversal) => reversal.reverses));
  return events
    .filter((event) => event.kind !== 'reversal' && event.effective_date <= asOf)
    .filter((event) => !targets.has(event.id) || !isVoid(event.id))
    .toSorted(compareEvents);
}

/** The first day on which a promotional rate no longer counts. */
export function endOfPromo(promo: EventOf<'promo'>): string {
  return addDays(promo.to, 1);
}
