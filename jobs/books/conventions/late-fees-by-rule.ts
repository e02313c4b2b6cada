import { addDays } from '../../dates.ts';
import { isLess, money, parseMoney } from '../../money.ts';
import type { Installment } from '../../loans/engine/coverage.ts';
import type { EventOf } from '../../loans/engine/events.ts';
import { eventsInForce } from '../../loans/engine/event-order.ts';
import { applyNextEvent, type FoldInput } from '../../loans/engine/fold.ts';
import { newPosition, totalOwed } from '../../loans/engine/position.ts';
import { advanceTo, type ReplayRun } from '../../loans/engine/run.ts';
import { lateFeeExemption, openLateFeeCases } from '../../loans/history/late-fee-rules.ts';
import type { LateFeeRule } from './conventions.ts';

/** `depends_on_debt`: the loan was nearly repaid, so other interest may mean other fees. */
type ChargedLateFees = { fees: EventOf<'fee'>[]; depends_on_debt: boolean };

/**
 * The late fees that a rule charges, as the closes of those days decide: an installment that is unpaid after its grace
 * days bears one fee. Fees do not change which installments are paid, so one run without fees decides all of them.
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
    for (let event = events[at]; event && event.effective_date <= day; event = events[at]) {
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
    if (!totalOwed(run.position, day).gt(0)) continue;
    for (const open of openLateFeeCases(policy, run.position, [current])) {
      if (open.amount === null || lateFeeExemption(policy, open, run.position, day)) continue;
      fees.push({
        id: `late fee ${number}`,
        kind: 'fee',
        effective_date: day,
        amount: money(open.amount),
        fee_type: 'late',
        installment_number: number,
      });
    }
  }
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
