import { Big } from 'big.js';
import type { EventRow } from '../../../sql/loans/events.ts';
import * as happened from '../../../sql/loans/happened.ts';
import * as history from '../../../sql/loans/history.ts';
import { Invalid, NotFound } from '../../errors.ts';
import { money, sum } from '../../money.ts';
import type { Work } from '../../work.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import { MOST } from '../arithmetic/terms.ts';
import type { LoanEvent } from '../engine/events.ts';
import { fold, foldWithAnchor } from '../engine/fold.ts';
import type { LoanState } from '../engine/state.ts';
import { termsOf } from '../products/terms-of.ts';
import { book } from './book.ts';
import { changeStatus, followState } from './changes.ts';
import type { LoanStatus } from './statuses.ts';

type Whole = NonNullable<Awaited<ReturnType<typeof history.open>>>;

/** A loan under its lock, with its history and what that came to before anything new. */
export type OpenLoan = {
  row: Omit<Whole, 'plan' | 'events'>;
  schedule: readonly ScheduleRow[];
  events: readonly LoanEvent[];
  state: LoanState;
};

/** Locks the loan and folds it as of today. One writer per loan at a time. */
export async function openLoan(work: Work, loanId: string): Promise<OpenLoan> {
  return unfolded(work, await history.open(work.tx, loanId));
}

function unfolded({ today }: Work, whole: Whole | null, knownOn = today): OpenLoan {
  if (whole === null) throw new NotFound();
  const { plan: schedule, events: recorded, ...row } = whole;
  const events = recorded.filter(({ recorded_on }) => recorded_on <= knownOn).map(eventOf);
  const state = fold({ terms: termsOf(row), schedule, events, as_of: today });
  return { row, schedule, events, state };
}

/**
 * The loan with its history, to look at and not to change: no lock is taken. Known on a day is what
 * had been recorded by its end.
 */
export async function readLoan(work: Work, loanId: string, knownOn?: string): Promise<OpenLoan> {
  return unfolded(work, await history.read(work.tx, loanId), knownOn);
}

const eventOf = ({ id, kind, effective_date, details }: EventRow): LoanEvent =>
  ({ ...details, id, kind, effective_date }) as LoanEvent;

/** What comes with the events besides what follows from them. */
export type Happening = {
  /** The loan's first plan; later ones are events. */
  plan?: readonly ScheduleRow[];
  /** The status that the loan has from now on, where the events alone do not say it. */
  becomes?: LoanStatus;
  /** The name by which subscribers are told of a change of the status. */
  trigger?: string | undefined;
  reason?: string | null | undefined;
};

/**
 * The one door through which anything financial happens to a loan. The events are appended, the whole
 * history is folded again, and what differs is written: the anchor, the plan and its coverage, the
 * allocations of payments, the fees, and the ledger – the new events' own entries, and deltas dated
 * today for whatever older events mean otherwise now. Written together or not at all.
 */
export async function happen(
  work: Work,
  loan: OpenLoan,
  fresh: readonly LoanEvent[],
  { plan, becomes, trigger, reason }: Happening = {},
): Promise<LoanState> {
  const { row } = loan;
  const schedule = plan ?? loan.schedule;
  const events = [...loan.events, ...fresh];
  const input = { terms: termsOf(row), schedule, events, as_of: work.today };
  const { state, anchor } = foldWithAnchor(input);
  assertWithinReach(loan.state, state);
  const replaced = planAfter(loan, state, plan !== undefined, fresh);
  await happened.write(work.tx, row.id, {
    events: fresh.map(storedForm),
    plan: replaced,
    covered: {
      version: row.schedule_version,
      rows: replaced ? [] : movedCoverage(loan.state, state),
    },
    // A new payment is written, with its split, by whoever receives it.
    payments: changedSplits(PAYMENTS, loan.state, state, loan.events),
    credits: changedSplits(CREDITS, loan.state, state, events),
    fees: state.fees,
    anchor: {
      ...anchorColumns(state, anchor),
      schedule_version: replaced?.version ?? row.schedule_version,
      ...(replaced?.payment_amount && { payment_amount: replaced.payment_amount }),
    },
  });
  await book(work, loan, input, state, fresh);
  if (becomes) await changeStatus(work, row, becomes, trigger ?? becomes, reason);
  // A loan that was just boarded is told of as a whole; what it comes with is no change.
  const isBoarded = fresh.some(({ kind }) => kind === 'boarding');
  if (!isBoarded)
    await followState(work, { ...row, status: becomes ?? row.status }, state, trigger);
  return state;
}

/** One loan beyond all bounds would stop the close of all; what it owes may only fall from there. */
function assertWithinReach(before: LoanState, after: LoanState) {
  for (const balance of ['total_balance', 'suspense_balance'] as const) {
    const amount = new Big(after[balance]);
    if (amount.lte(MOST) || amount.lte(before[balance])) continue;
    throw new Invalid({ amount: `Takes the loan beyond ${MOST}.` });
  }
}

const storedForm = ({ id, kind, effective_date, ...details }: LoanEvent) => ({
  id,
  kind,
  effective_date,
  details,
});

type Anchored = ReturnType<typeof foldWithAnchor>['anchor'];

function anchorColumns(state: LoanState, anchor: Anchored) {
  const { day_count: _, rounding_mode: __, ...columns } = anchor;
  return {
    ...columns,
    off_books_interest: state.off_books_interest,
    charge_off_balance: state.charge_off_balance,
    recovered_amount: state.total_recovered,
    ...lossOf(state),
    oldest_unpaid_due_date: state.oldest_unpaid_due_date,
    maturity_date: state.maturity_date,
    last_payment_date: state.last_payment_date,
    last_payment_amount: state.last_payment_amount,
    paid_principal: state.total_paid_principal,
    paid_interest: state.total_paid_interest,
    paid_fees: state.total_paid_fees,
    delinquency_pauses: state.pauses,
    delinquency_bucket: state.delinquency_bucket,
  };
}

/** What was lost of the principal, which a payment from before the charge-off makes less. */
function lossOf({ allocations }: LoanState) {
  const lines = allocations.filter(
    ({ rule, component }) => rule === 'charge_off' && component === 'principal',
  );
  const amounts = lines.map(({ amount }) => new Big(amount));
  return lines.length > 0 ? { charge_off_amount: money(sum(amounts)) } : {};
}

/** A new plan is a new version. */
function planAfter(
  { row, state: before }: OpenLoan,
  state: LoanState,
  isFirst: boolean,
  fresh: readonly LoanEvent[],
) {
  const isReplaced =
    fresh.some(({ kind }) => kind === 'schedule_replaced' || kind === 'reversal') &&
    planOf(before) !== planOf(state);
  if (!isFirst && !isReplaced) return null;
  return {
    version: row.schedule_version + 1,
    rows: state.installments,
    reason: fresh.at(-1)?.kind ?? 'disbursement',
    payment_amount: isReplaced ? installmentAmountOf(row, state) : undefined,
  };
}

/** The instalments of which more or less is covered than before; the others stay as they are. */
function movedCoverage(before: LoanState, after: LoanState) {
  const known = new Map(
    before.installments.map((row) => [row.period_number, JSON.stringify(coverageOf(row))]),
  );
  return after.installments.filter(
    (row) => known.get(row.period_number) !== JSON.stringify(coverageOf(row)),
  );
}

/** What a loan shows as its instalment: the level one, or that of the next payment. */
function installmentAmountOf(row: OpenLoan['row'], { as_of, installments: rows }: LoanState) {
  const isLevel = termsOf(row).amortization === 'level_payment';
  const shown = isLevel ? rows.at(-2) : rows.find(({ due_date }) => due_date >= as_of);
  return (shown ?? rows.at(-1))?.payment_amount;
}

const planOf = ({ installments: rows }: LoanState) =>
  JSON.stringify(
    rows.map(({ period_number, due_date, payment_amount }) => [
      period_number,
      due_date,
      payment_amount,
    ]),
  );
const coverageOf = ({ paid_amount, paid_date, status }: LoanState['installments'][number]) => [
  paid_amount,
  paid_date,
  status === 'canceled',
];

const PAYMENTS: readonly string[] = ['payment', 'reimbursement'];
const CREDITS: readonly string[] = ['service_credit', 'suspense_application'];

/** Events of the kinds whose split or coverage is another than before, the new ones included. */
function changedSplits(
  kinds: readonly string[],
  before: LoanState,
  after: LoanState,
  events: readonly LoanEvent[],
) {
  const [were, are] = [linesOf(before), linesOf(after)];
  return events
    .filter(({ kind, id }) => kinds.includes(kind) && were(id) !== are(id))
    .map(({ id }) => splitOf(after, id));
}

/** What an event moved and covered, as text to compare; each state is gone through once. */
function linesOf({ allocations, coverage }: LoanState): (id: string) => string {
  const moved = Map.groupBy(allocations, ({ event_id }) => event_id);
  const paid = Map.groupBy(coverage, ({ event_id }) => event_id);
  return (id) => JSON.stringify([moved.get(id), paid.get(id)]);
}

/** How one payment was split and what it covered, with the reasons. */
export function splitOf(state: LoanState, id: string) {
  const allocations = state.allocations.filter(({ event_id }) => event_id === id);
  const appliedTo = (...components: string[]) =>
    money(
      sum(
        allocations
          .filter(({ component }) => components.includes(component))
          .map(({ amount }) => new Big(amount)),
      ),
    );
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
