import { addDays } from '../../dates.ts';
import { isLess, money, parseMoney } from '../../money.ts';
import type { Installment } from '../../loans/engine/coverage.ts';
import type { EventOf, LoanEvent } from '../../loans/engine/events.ts';
import { eventsInForce } from '../../loans/engine/event-order.ts';
import { applyNextEvent, type FoldInput } from '../../loans/engine/fold.ts';
import {
  copyPosition,
  newPosition,
  totalOwed,
  type Position,
} from '../../loans/engine/position.ts';
import { advanceTo, type ReplayRun } from '../../loans/engine/run.ts';
import { lateFeeExemption, openLateFeeCases } from '../../loans/history/late-fee-rules.ts';
import type { LateFeeRule } from './conventions.ts';

/** `depends_on_debt`: the loan was nearly repaid, so other interest may mean other fees. */
type ChargedLateFees = { fees: EventOf<'fee'>[]; depends_on_debt: boolean };

/**
 * The late fees that a rule charges, as the closes of those days decide: an installment that is unpaid after its grace
 * days bears one fee.
 */
export function lateFeesByRule(
  loan: Omit<FoldInput, 'as_of'>,
  rule: LateFeeRule,
  through: string,
): ChargedLateFees {
  const events = eventsInForce(loan.events, through);
  const run: ReplayRun = { position: newPosition(loan.terms, loan.schedule), day: '' };
  const policy = {
    rules: [rule],
    exempt: new Set<string>(),
    facts: {
      exemptions: [],
      exempt_periods: [],
      transfer_periods: [],
      legal: null,
      freeze_until: null,
    },
    forbidden: [],
    payment_days: events.flatMap(({ kind, effective_date }) =>
      kind === 'payment' ? [effective_date] : [],
    ),
  };
  const fees: EventOf<'fee'>[] = [];
  const decided = new Set<number>();
  let at = 0;
  for (;;) {
    const next = run.position.installments.find(isUndecided(decided));
    const day = next && addDays(next.row.due_date, rule.grace_days + 1);
    if (next === undefined || day === undefined || day > through)
      return { fees, depends_on_debt: isNearlyRepaid(run, loan) };
    for (let event = events[at]; event && event.effective_date < day; event = events[at]) {
      applyNextEvent(run, event);
      at += 1;
    }
    // An event before that day may have changed the schedule.
    const number = next.row.period_number;
    const current = run.position.installments.find(({ row }) => row.period_number === number);
    if (current && current.row.due_date > next.row.due_date) continue;
    decided.add(number);
    if (run.position.funded_on === null || current === undefined) continue;
    advanceTo(run, day);
    const evening = afterEventsOf(day, run, events.slice(at));
    const open = evening.installments.find(({ row }) => row.period_number === number);
    if (open === undefined || !totalOwed(evening, day).gt(0)) continue;
    for (const { amount, ...late } of openLateFeeCases(policy, evening, [open])) {
      if (amount === null || lateFeeExemption(policy, { ...late, amount }, evening, day)) continue;
      const fee: EventOf<'fee'> = {
        id: `late fee ${number}`,
        kind: 'fee',
        effective_date: day,
        amount: money(amount),
        fee_type: 'late',
        installment_number: number,
      };
      fees.push(fee);
      // The fee comes before the payments of its day.
      applyNextEvent(run, fee);
    }
  }
}

/** The position at the close of a day, which decides about a fee. */
function afterEventsOf(day: string, run: ReplayRun, events: readonly LoanEvent[]): Position {
  if (events[0]?.effective_date !== day) return run.position;
  const evening = { position: copyPosition(run.position), day };
  for (const event of events) {
    if (event.effective_date > day) break;
    applyNextEvent(evening, event);
  }
  return evening.position;
}

/** A debt of less than two installments. */
function isNearlyRepaid({ position, day }: ReplayRun, { schedule }: Pick<FoldInput, 'schedule'>) {
  const asked = schedule[0]?.payment_amount ?? '0.00';
  return isLess(totalOwed(position, day), parseMoney(asked).times(2));
}

const isUndecided =
  (decided: ReadonlySet<number>) =>
  ({ row, is_canceled }: Installment) =>
    !is_canceled && !decided.has(row.period_number);
