import { addDays, dateParts } from '../../dates.ts';
import { money } from '../../money.ts';
import { isBilledByCycle, type Terms } from '../arithmetic/terms.ts';
import type { AgreementOf } from '../schedule/agreement.ts';
import { nextPaymentDayAfter } from '../schedule/move-installments.ts';
import type { EventOf } from './events.ts';
import type { Position } from './position.ts';

/** The billing cycle that a line is in. */
export type CycleState = {
  number: number;
  begins: string;
  /** The last day that belongs to it. */
  ends: string;
  /** What the last statement's balance still lacks. */
  statement_remainder: string;
};

/**
 * The cycle that follows the last one, or the first, which begins when the line is opened. A cycle
 * day that a month does not have is its last day. Null: the loan is not billed by cycle, or not yet.
 */
export function currentCycle({ terms, funded_on, cycle }: Position): CycleState | null {
  if (!isBilledByCycle(terms) || funded_on === null) return null;
  const { number, ended_on, statement_remainder } = cycle;
  const day = terms.cycle_day ?? dateParts(funded_on).day;
  return {
    number: number + 1,
    begins: ended_on === null ? funded_on : addDays(ended_on, 1),
    ends: nextPaymentDayAfter(ended_on ?? funded_on, day),
    statement_remainder: money(statement_remainder),
  };
}

/** What is agreed when a cycle ends with a day: its minimum payment, and when that is due. */
export function minimumPaymentAgreement(
  { number, begins }: CycleState,
  { payment_due_days }: Terms,
  on: string,
): Omit<EventOf<'schedule_agreed'>, 'id'> & { agreement: AgreementOf<'minimum'> } {
  const due_date = addDays(on, 1 + (payment_due_days ?? 0));
  const agreement = { rule: 'minimum', number, begins, due_date } as const;
  return { kind: 'schedule_agreed', effective_date: on, agreement };
}
