import { Big } from 'big.js';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import { money, sum } from '../../money.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import type { LoanEvent } from '../engine/events.ts';
import { findReversals } from '../engine/reversals.ts';
import type { LoanState } from '../engine/state.ts';
import { withoutCoverage } from '../schedule/schedule-basis.ts';
import { readTerms } from '../products/loan-terms.ts';

/** Finds the stored parts of a loan that a new state changes. */

/**
 * Changed rows make a new schedule version, whichever event changed them. Empty if no row changed. The first version
 * is the agreed schedule (`first`), so events that are recorded with it and change it make a second one.
 */
export function newScheduleVersions(
  { row, state: before }: { row: RawLoan; state: LoanState },
  state: LoanState,
  first: readonly ScheduleRow[] | undefined,
  reason: string,
) {
  const version = row.schedule_version + 1;
  if (first === undefined)
    return scheduleOf(before) === scheduleOf(state)
      ? []
      : [{ version, rows: state.installments, reason }];
  const agreed = JSON.stringify(first.map(withoutCoverage));
  if (agreed === scheduleOf(state)) return [{ version, rows: state.installments, reason }];
  const open = { paid_amount: '0.00', paid_date: null, status: 'upcoming' };
  return [
    { version, rows: first.map((one) => ({ ...one, ...open })), reason },
    { version: version + 1, rows: state.installments, reason },
  ];
}

/** The columns of the loan's row that show a new schedule. */
export const shownSchedule = (row: RawLoan, state: LoanState) => ({
  payment_amount: installmentAmountOf(row, state),
  first_payment_date: state.installments[0]?.due_date,
  ...termOf(row, state),
});

/**
 * The original term plus the months that workouts added. Draws reschedule a line but do not change its
 * term.
 */
function termOf(row: RawLoan, { extension_months }: LoanState) {
  if (row.loan_type === 'line_of_credit') return {};
  const original = row.original_term_months ?? row.term_months;
  return {
    term_months: Math.max(1, original + extension_months),
    original_term_months: extension_months === 0 ? null : original,
  };
}

/** The reversals that undo the events after the new ones, and the earlier events for which that changed. */
export function changedReversals(before: readonly LoanEvent[], after: readonly LoanEvent[]) {
  const [earlier, now] = [findReversals(before), findReversals(after)];
  const changed = before.filter(({ id }) => earlier.get(id) !== now.get(id));
  return { now, changed: changed.map(({ id }) => ({ id, reversed_by: now.get(id) ?? null })) };
}

/** The installments whose coverage changed. */
export function changedCoverage(before: LoanState, after: LoanState) {
  const coverageBefore = new Map(
    before.installments.map((row) => [row.period_number, JSON.stringify(coverageOf(row))]),
  );
  return after.installments.filter(
    (row) => coverageBefore.get(row.period_number) !== JSON.stringify(coverageOf(row)),
  );
}

/**
 * The installment amount that a loan shows: the level payment, or the next payment if payments are not
 * level or reduced by a legal cap. For a line billed by cycle: the last minimum payment.
 */
export function installmentAmountOf(
  row: RawLoan,
  { as_of, installments: rows, cycle, rate_cap }: LoanState,
) {
  if (cycle !== null) return rows.at(-1)?.payment_amount;
  const isLevel = readTerms(row).amortization === 'level_payment' && rate_cap === null;
  const representative = isLevel ? rows.at(-2) : rows.find(({ due_date }) => due_date >= as_of);
  return (representative ?? rows.at(-1))?.payment_amount;
}

const scheduleOf = ({ installments }: LoanState) =>
  JSON.stringify(installments.map(withoutCoverage));
const coverageOf = ({ paid_amount, paid_date, status }: LoanState['installments'][number]) => [
  paid_amount,
  paid_date,
  status === 'canceled',
];

export const PAYMENT_KINDS: readonly string[] = ['payment', 'reimbursement'];
export const CREDIT_KINDS: readonly string[] = ['service_credit', 'suspense_application'];

/** Returns a function that tests whether an event's allocations or coverage changed. */
export function changedEvents(before: LoanState, after: LoanState): (id: string) => boolean {
  const changedIds = new Set([
    ...changedLineIds(before.allocations, after.allocations),
    ...changedLineIds(before.coverage, after.coverage),
  ]);
  return (id) => changedIds.has(id);
}

type Line = { event_id: string };

/**
 * The events whose lines changed. If a history is only continued, its earlier lines are the same objects,
 * so the comparison skips them.
 */
function changedLineIds(before: readonly Line[], after: readonly Line[]): string[] {
  const firstDifference = after.findIndex((line, at) => line !== before[at]);
  const from = firstDifference < 0 ? after.length : firstDifference;
  const [linesBefore, linesAfter] = [before, after].map((lines) =>
    Map.groupBy(lines.slice(from), ({ event_id }) => event_id),
  ) as [Map<string, Line[]>, Map<string, Line[]>];
  const ids = new Set([...linesBefore.keys(), ...linesAfter.keys()]);
  return [...ids].filter((id) => !areSame(linesBefore.get(id), linesAfter.get(id)));
}

const areSame = (lines: readonly Line[] = [], others: readonly Line[] = []): boolean =>
  lines.length === others.length &&
  lines.every(
    (line, at) => line === others[at] || JSON.stringify(line) === JSON.stringify(others[at]),
  );

/** The new or changed splits of events of these kinds. */
export const changedSplits = (
  kinds: readonly string[],
  isChanged: (id: string) => boolean,
  after: LoanState,
  events: readonly LoanEvent[],
) =>
  events
    .filter(({ kind, id }) => kinds.includes(kind) && isChanged(id))
    .map(({ id }) => explainSplit(after, id));

/** The collateral sales whose allocation is new or changed. */
export function changedSales(
  isChanged: (id: string) => boolean,
  after: LoanState,
  events: readonly LoanEvent[],
) {
  return changedSplits(['liquidation'], isChanged, after, events).map(({ id }) => {
    const lines = after.allocations.filter(({ event_id }) => event_id === id);
    return {
      id,
      applied_principal: appliedIn(lines, ['principal']),
      applied_interest: appliedIn(lines, ['interest']),
      applied_fees: appliedIn(lines, ['fee']),
      recovered: appliedIn(lines, ['charge_off']),
      surplus: appliedIn(lines, ['surplus']),
    };
  });
}

const appliedIn = (lines: LoanState['allocations'], components: readonly string[]) =>
  money(
    sum(
      lines
        .filter(({ component }) => components.includes(component))
        .map(({ amount }) => new Big(amount)),
    ),
  );

/** The split and coverage of one payment, with explanations. */
export function explainSplit(state: LoanState, id: string) {
  const allocations = state.allocations.filter(({ event_id }) => event_id === id);
  const appliedTo = (...components: string[]) => appliedIn(allocations, components);
  return {
    id,
    principal_applied: appliedTo('principal', 'charge_off'),
    interest_applied: appliedTo('interest'),
    fees_applied: appliedTo('fee'),
    suspense_applied: appliedTo('suspense'),
    allocations: allocations.map(({ event_id: _, ...line }) => line),
    coverage: state.coverage
      .filter(({ event_id }) => event_id === id)
      .map(({ event_id: _, ...line }) => line),
  };
}

/** The charged-off principal. A payment dated before the charge-off reduces it. */
export function lossOf(before: LoanState, after: LoanState) {
  const lines = lossesIn(after);
  if (lines.length + lossesIn(before).length === 0) return {};
  const isLost = lines.length > 0 || after.is_charged_off;
  const amounts = lines.map(({ amount }) => new Big(amount));
  return { charge_off_amount: isLost ? money(sum(amounts)) : null };
}

const lossesIn = ({ allocations }: LoanState) =>
  allocations.filter(({ rule, component }) => rule === 'charge_off' && component === 'principal');
