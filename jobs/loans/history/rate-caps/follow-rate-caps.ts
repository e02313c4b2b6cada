import { Big } from 'big.js';
import { isBorrowing } from '../../../../sql/loans/co-borrowers.ts';
import * as stored from '../../../../sql/loans/rate-caps.ts';
import { addDays, compareDates, latest } from '../../../dates.ts';
import { parseRate } from '../../../money.ts';
import type { Work } from '../../../work.ts';
import { effectsOf } from '../../../cases/rules/effects.ts';
import type { Condition as LegalCondition } from '../../../cases/rules/conditions.ts';
import { settingsOf } from '../../../users/settings/settings.ts';
import { startOfRateCap } from '../../agreed/rate-cap.ts';
import { fundingDate } from '../../agreed/resume-accrual.ts';
import { newEvent, newEvents } from '../new-event.ts';
import { openLoan } from '../open-loan.ts';
import { recordEvents } from '../record-events.ts';

/** A period in which a law caps the rate. `until` is excluded; null: no end is known. */
export type CappedPeriod = { from: string; until: string | null; interest_rate: string };

/**
 * Brings the caps of a loan in line with the legal conditions of those who borrowed it. A co-signer or guarantor who
 * serves does not cap the rate, because the debt is not theirs (50 USC 3937(a)(1)). Returns false if no condition
 * concerns the loan.
 */
export async function followLegalRateCaps(work: Work, loanId: string): Promise<boolean> {
  const { conditions, caps } = await stored.readRateCapFacts(work.tx, loanId);
  if (conditions.length + caps.length === 0) return false;
  const settings = await settingsOf(work.tx);
  const periods = conditions.flatMap(({ condition, role, from_date: from, until_date: until }) => {
    const { rate_cap } = effectsOf(condition as LegalCondition, settings);
    return rate_cap === null || !isBorrowing(role)
      ? []
      : [{ from, until, interest_rate: rate_cap }];
  });
  await followRateCaps(work, loanId, periods);
  return true;
}

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
  if (fundingDate(loan) === null) return;
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
