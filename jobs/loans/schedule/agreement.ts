import { z } from 'zod';
import type { ScheduleRow } from '../arithmetic/amortize.ts';

/**
 * What was agreed when a plan is made or changed: the facts of a `schedule_agreed` event. It names what
 * the parties named (dates, an amount, how many instalments) and leaves to the fold what follows
 * from it, so that the plan follows when the history before it turns out to be another.
 */

const amount = z.string().regex(/^\d+(\.\d+)?$/, 'Must be an amount that is not negative.');
const number = z.int().min(1);
const day = z.iso.date();
/** The day of the month on which instalments fall due, where it is not that of the first one. */
const payment_day = z.int().min(1).max(31).nullable();
const rows = z.custom<readonly ScheduleRow[]>(Array.isArray, 'Must be the rows of a plan.');

/** What is owed is spread over instalments anew. */
const spread = z.strictObject({
  rule: z.literal('spread'),
  /** The first instalment that the plan takes the place of, or whichever is the oldest unpaid. */
  from: z.union([number, z.literal('oldest_unpaid')]),
  /** Where nothing is said, the instalments keep their dates. */
  dates: z
    .union([z.strictObject({ first: day, count: number, payment_day }), z.array(day).readonly()])
    .exactOptional(),
  /** The instalment that was agreed; else the level one, or what the loan's amortization says. */
  payment_amount: amount.exactOptional(),
  /** Interest before this day is not part of the plan: it was capitalized, waived, or is none. */
  accrues_from: day.exactOptional(),
  /** So many instalments ask for interest alone before the others repay the loan. */
  interest_only: number.exactOptional(),
  /** Fees that are spread over the plan beside those of the plan before. */
  more_fees: amount.exactOptional(),
});

/** The instalments keep what they ask for, and fall due on other days. */
const moved = z.strictObject({
  rule: z.literal('moved'),
  from: number,
  by: z.union([
    z.strictObject({ periods: number, payment_day }),
    z.strictObject({ days: number }),
    /** To the next such day of a month. */
    z.strictObject({ payment_day: z.int().min(1).max(31) }),
    /** So that the first of them is due on a day. */
    z.strictObject({ first: day }),
  ]),
  /** The periods that are gained ask for interest alone. */
  asks_interest: z.literal(true).exactOptional(),
});

/** Single instalments get another day or amount. */
const named = z.strictObject({
  rule: z.literal('named'),
  installments: z
    .array(z.strictObject({ number, due_date: day, amount: amount.exactOptional() }))
    .readonly(),
});

/** Some instalments ask for less for a while; a later one asks for what they leave. */
const lowered = z.strictObject({
  rule: z.literal('lowered'),
  numbers: z.array(number).readonly(),
  to: z.union([amount, z.enum(['interest', 'paid'])]),
  /** Which one: the instalment after them, or the last. */
  shortfall: z.enum(['next', 'last']),
});

/** Every instalment as it was written down. */
const written = z.strictObject({ rule: z.literal('written'), rows });

/**
 * A billing cycle of a line ends with the day of the event, and its minimum payment is asked for: what
 * the line's terms come to for all that is owed when that day is over.
 */
const minimum = z.strictObject({
  rule: z.literal('minimum'),
  /** Of the cycle, and of its instalment. */
  number,
  /** The first day of the cycle. */
  begins: day,
  due_date: day,
});

export const AGREEMENT = z.discriminatedUnion('rule', [
  ...([spread, moved, named, lowered, written] as const),
  minimum,
]);
export type Agreement = z.output<typeof AGREEMENT>;
export type AgreementOf<Rule extends Agreement['rule']> = Extract<Agreement, { rule: Rule }>;
