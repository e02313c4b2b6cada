/** A scheduled job. Times are UTC by the database's clock. Jobs read the business date from the tenant. */
export type ScheduleEntry = {
  task: string;
  /** Minute, hour, day, month, weekday. */
  at: string;
  reason: string;
};

export const SCHEDULE: readonly ScheduleEntry[] = [
  {
    task: 'start-close-of-business',
    // After an outage, the close processes the missed days one by one.
    at: '* * * * *',
    reason:
      'Every tenant has its own midnight. The close brings accrual, ageing, statements, portfolio ' +
      'snapshots and the watch over lapsing liens of the day.',
  },
  {
    task: 'analyze-tables',
    at: '* * * * *',
    reason:
      'Postgres plans by statistics that autovacuum updates late, and never for partitioned tables as a whole. A lender ' +
      'who has just boarded a tape gets good plans within a minute.',
  },
  {
    task: 'clean-up',
    at: '17 * * * *',
    reason:
      'Ended sessions, old idempotency keys and throttle rows are deleted in small portions, away ' +
      'from the full hour, when other systems start their jobs.',
  },
];

const FIELDS = ['getUTCMinutes', 'getUTCHours', 'getUTCDate', 'getUTCMonth', 'getUTCDay'] as const;
const MINUTE_MS = 60_000;
const LONGEST_MS = 400 * 86_400_000;
/** A run missed by a stalled worker starts up to this much later. */
const CATCH_UP_MS = 10 * MINUTE_MS;

function names({ at }: Pick<ScheduleEntry, 'at'>, moment: Date): boolean {
  const wanted = at.split(' ');
  return FIELDS.every((field, index) => {
    const value = moment[field]() + (field === 'getUTCMonth' ? 1 : 0);
    return wanted[index] === '*' || Number(wanted[index]) === value;
  });
}

/** The latest due minute within the last ten minutes, or null. */
export function latestDueMinute(line: Pick<ScheduleEntry, 'at'>, now: Date): Date | null {
  const latest = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS;
  for (let moment = latest; moment > latest - CATCH_UP_MS; moment -= MINUTE_MS) {
    if (names(line, new Date(moment))) return new Date(moment);
  }
  return null;
}

/**
 * The first due minute after `now`, or null if there is none within 400 days. Supports numbers and
 * asterisks.
 */
export function nextRun(line: Pick<ScheduleEntry, 'at'>, now: Date): Date | null {
  const first = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  for (let moment = first; moment < first + LONGEST_MS; moment += MINUTE_MS) {
    if (names(line, new Date(moment))) return new Date(moment);
  }
  return null;
}
