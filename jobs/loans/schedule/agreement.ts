import { z } from 'zod';
import type { ScheduleRow } from '../arithmetic/amortize.ts';

/**
 * The facts of a `schedule_agreed` event. It stores what the parties agreed, such as dates, an amount or a
 * number of installments. The fold derives the rows, so the schedule adapts when earlier events change.
 */

const amount = z.string().regex(/^\d+(\.\d+)?$/, 'Must be an amount that is not negative.');
const number = z.int().min(1);
const day = z.iso.date();
/** The day of the month on which installments are due. Null: the day of the first one. */
const payment_day = z.int().min(1).max(31).nullable();
const rows = z.custom<readonly ScheduleRow[]>(Array.isArray, 'Must be the rows of a schedule.');

/** Spreads the remaining debt over new installments. */
const spreadRule = z.strictObject({
  rule: z.literal('spread'),
  /** The first installment to replace: a number, or the oldest unpaid one. */
  from: z.union([number, z.literal('oldest_unpaid')]),
  /** Default: the installments keep their dates. */
  dates: z
    .union([z.strictObject({ first: day, count: number, payment_day }), z.array(day).readonly()])
    .exactOptional(),
  /** The agreed installment. Default: the amount that the loan's amortization gives. */
  payment_amount: amount.exactOptional(),
  /** Earlier interest is not part of the schedule, for example because it was capitalized or waived. */
  accrues_from: day.exactOptional(),
  /** The number of interest-only installments at the start. */
  interest_only: number.exactOptional(),
  /** Additional fees to spread, on top of those of the previous schedule. */
  more_fees: amount.exactOptional(),
});

/** Installments keep their amounts and move to other dates. */
const movedRule = z.strictObject({
  rule: z.literal('moved'),
  from: number,
  by: z.union([
    z.strictObject({ periods: number, payment_day }),
    z.strictObject({ days: number }),
    /** To the next such day of a month. */
    z.strictObject({ payment_day: z.int().min(1).max(31) }),
    /** The new due date of the first moved installment. */
    z.strictObject({ first: day }),
  ]),
  /** The skipped periods get interest-only installments. */
  asks_interest: z.literal(true).exactOptional(),
});

/** Sets the date or amount of single installments. */
const namedRule = z.strictObject({
  rule: z.literal('named'),
  installments: z
    .array(z.strictObject({ number, due_date: day, amount: amount.exactOptional() }))
    .readonly(),
});

/** Lowers some installments for a while. A later one asks for the difference. */
const loweredRule = z.strictObject({
  rule: z.literal('lowered'),
  numbers: z.array(number).readonly(),
  to: z.union([amount, z.enum(['interest', 'paid'])]),
  /** The installment that asks for the difference: the next one, or the last. */
  shortfall: z.enum(['next', 'last']),
});

/** Explicit rows. */
const writtenRule = z.strictObject({ rule: z.literal('written'), rows });

/**
 * A billing cycle ends on the event's day. The minimum payment follows from the line's terms and the debt
 * at the end of that day.
 */
const minimumRule = z.strictObject({
  rule: z.literal('minimum'),
  /** The number of the cycle and of its installment. */
  number,
  /** The first day of the cycle. */
  begins: day,
  due_date: day,
});

export const AGREEMENT = z.discriminatedUnion('rule', [
  ...([spreadRule, movedRule, namedRule, loweredRule, writtenRule] as const),
  minimumRule,
]);
export type Agreement = z.output<typeof AGREEMENT>;
export type AgreementOf<Rule extends Agreement['rule']> = Extract<Agreement, { rule: Rule }>;
