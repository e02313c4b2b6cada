import { Big } from 'big.js';
import { listRows, type ListRequest } from '../../../sql/list.ts';
import * as stored from '../../../sql/loans/rate-caps.ts';
import type { Condition } from '../../../sql/table.ts';
import { update } from '../../../sql/write.ts';
import { addDays, compareDates, latest } from '../../dates.ts';
import { parseRate } from '../../money.ts';
import type { Work } from '../../work.ts';
import { startOfRateCap } from '../agreed/rate-cap.ts';
import { installmentAmountOf } from './differences.ts';
import { newEvent, newEvents } from './new-event.ts';
import { openLoan, readLoan } from './open-loan.ts';
import { recordEvents } from './record-events.ts';

/** A period in which a law caps the rate. `until` is excluded; null: no end is known. */
export type CappedPeriod = { from: string; until: string | null; interest_rate: string };

/**
 * Makes the caps of a loan equal to the periods. Interest above the rate is forgiven from the first day on, whenever
 * the period becomes known, and counted again if the period turns out to be wrong. Repeating the call changes nothing.
 */
export async function followRateCaps(work: Work, loanId: string, periods: readonly CappedPeriod[]) {
  const loan = await openLoan(work, loanId);
  const wanted = joinPeriods(periods).map(({ from, until, interest_rate }) => ({
    interest_rate,
    start_date: from,
    end_date: until === null ? null : addDays(until, -1),
  }));
  const recorded = await stored.listRateCaps(work.tx, loanId);
  const removed = recorded.filter((cap) => !wanted.some((other) => isSame(cap, other)));
  const added = wanted.filter((cap) => !recorded.some((other) => isSame(cap, other)));
  if (removed.length + added.length === 0) return;
  const withdrawals = removed.flatMap(({ event_id }) =>
    event_id === null
      ? []
      : [newEvent({ kind: 'reversal', effective_date: work.today, reverses: event_id })],
  );
  const starts = added.map((cap) => ({
    cap,
    events: cap.start_date > work.today ? [] : newEvents(startOfRateCap(loan, cap)),
  }));
  await stored.replaceRateCaps(work.tx, loanId, {
    removed: removed.map(({ id }) => id),
    added: starts.map(({ cap, events }) => ({ ...cap, event_id: events[0]?.id ?? null })),
  });
  const started = starts.findLast(({ events }) => events.length > 0);
  await recordEvents(work, loan, [...withdrawals, ...starts.flatMap(({ events }) => events)], {
    hasNewAgreement: true,
    scheduleChangeReason: started ? 'rate_capped' : 'rate_cap_withdrawn',
    rateCap: started?.cap,
  });
}

/** The periods in order. Periods with the same rate that overlap or follow each other become one. */
function joinPeriods(periods: readonly CappedPeriod[]): CappedPeriod[] {
  const joined: CappedPeriod[] = [];
  for (const { from, until, interest_rate } of periods.toSorted(byStart)) {
    if (until !== null && until <= from) continue;
    const rate = parseRate(interest_rate).toFixed();
    const last = joined.findLast((one) => one.interest_rate === rate);
    if (last === undefined || (last.until !== null && last.until < from))
      joined.push({ from, until, interest_rate: rate });
    else if (last.until !== null) last.until = until === null ? null : latest(last.until, until);
  }
  return joined;
}

const byStart = (one: CappedPeriod, other: CappedPeriod) => compareDates(one.from, other.from);

type Terms = Pick<stored.RateCap, 'interest_rate' | 'start_date' | 'end_date'>;

const isSame = (one: Terms, other: Terms): boolean =>
  one.start_date === other.start_date &&
  one.end_date === other.end_date &&
  new Big(one.interest_rate).eq(other.interest_rate);

/**
 * Starts the caps whose first day has come, and shows the agreed installment again after their last day. Close of
 * business calls this.
 */
export async function startAndEndRateCaps(work: Work, loanId: string) {
  const open = (await stored.listRateCaps(work.tx, loanId)).filter(({ is_over }) => !is_over);
  for (const cap of open) {
    if (cap.event_id === null && cap.start_date <= work.today)
      await startRateCap(work, loanId, cap);
    if (cap.end_date !== null && cap.end_date < work.today) await endRateCap(work, loanId, cap);
  }
}

async function startRateCap(work: Work, loanId: string, cap: stored.RateCap) {
  const loan = await openLoan(work, loanId);
  const events = newEvents(startOfRateCap(loan, cap));
  const [event] = events;
  if (event === undefined) return;
  // First, because what a loan will owe includes the caps that have not started yet.
  await stored.markRateCapStarted(work.tx, cap.id, event.id);
  await recordEvents(work, loan, events, { scheduleChangeReason: 'rate_capped', rateCap: cap });
}

async function endRateCap(work: Work, loanId: string, { id }: stored.RateCap) {
  const { row, state } = await openLoan(work, loanId);
  await stored.markRateCapOver(work.tx, id);
  await update(work.tx, 'loans', loanId, { payment_amount: installmentAmountOf(row, state) });
}

/** Lists a page of the loan's caps. */
export async function listRateCaps(work: Work, loanId: string, request: ListRequest) {
  await readLoan(work, loanId);
  const ofLoan: Condition = { field: 'loan_id', comparison: 'in', values: [loanId], type: 'uuid' };
  return listRows(work.tx, stored.rateCaps, {
    ...request,
    conditions: [...request.conditions, ofLoan],
  });
}
