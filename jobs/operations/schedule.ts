/** When a job starts by itself. The times are UTC; jobs take the business date from the tenant. */
export type CronLine = {
  task: string;
  /** Minute, hour, day, month, weekday. */
  at: string;
  /** How far back ticks that an outage swallowed are made up for. */
  fillHours: number;
  reason: string;
};

export const SCHEDULE: readonly CronLine[] = [
  {
    task: 'start-close-of-business',
    at: '* * * * *',
    // It compares each tenant's local date with its business date, and so makes up by itself for
    // any outage, day by day.
    fillHours: 0,
    reason:
      'Every tenant has its own midnight. The close brings accrual, ageing, statements, portfolio ' +
      'snapshots and the watch over lapsing liens of the day.',
  },
  {
    task: 'clean-up',
    at: '17 * * * *',
    // A later run cleans what an earlier one missed.
    fillHours: 0,
    reason:
      'Ended sessions, old idempotency keys and throttle rows are deleted in small portions, away ' +
      'from the full hour when everybody else starts something.',
  },
];

const FIELDS = ['getUTCMinutes', 'getUTCHours', 'getUTCDate', 'getUTCMonth', 'getUTCDay'] as const;
const MINUTE_MS = 60_000;
const LONGEST_MS = 400 * 86_400_000;

/** The first minute after `now` that a line names, by numbers and asterisks; none within 400 days is null. */
export function nextRun({ at }: Pick<CronLine, 'at'>, now: Date): Date | null {
  const wanted = at.split(' ');
  const isMeant = (moment: Date) =>
    FIELDS.every((field, index) => {
      const value = moment[field]() + (field === 'getUTCMonth' ? 1 : 0);
      return wanted[index] === '*' || Number(wanted[index]) === value;
    });
  const first = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  for (let moment = first; moment < first + LONGEST_MS; moment += MINUTE_MS) {
    if (isMeant(new Date(moment))) return new Date(moment);
  }
  return null;
}
