import { addDays, dateParts } from '../../../dates.ts';
import { money } from '../../../money.ts';
import { isBilledByCycle, type Terms } from '../../arithmetic/terms.ts';
import type { AgreementOf } from '../../schedule/agreement.ts';
import { nextPaymentDayAfter } from '../../schedule/move-installments.ts';
import type { EventOf } from '../events.ts';
import type { Position } from '../position.ts';

export type CycleState = {
  number: number;
  begins: string;
  /** The last day of the cycle. */
  ends: string;
  /** The unpaid part of the last statement's balance. */
  statement_remainder: string;
};

/**
 * The current billing cycle. The first one begins when the line is funded. If a month lacks the cycle day,
 * the cycle ends on the month's last day. Null if the loan is not billed by cycle or not yet funded.
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

/** The minimum payment and its due date, agreed when a cycle ends. */
export function minimumPaymentAgreement(
  { number, begins }: CycleState,
  { payment_due_days }: Terms,
  on: string,
): Omit<EventOf<'schedule_agreed'>, 'id'> & { agreement: AgreementOf<'minimum'> } {
  const due_date = addDays(on, 1 + (payment_due_days ?? 0));
  const agreement = { rule: 'minimum', number, begins, due_date } as const;
  return { kind: 'schedule_agreed', effective_date: on, agreement };
}
