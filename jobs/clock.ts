import { Gauge } from 'prom-client';
import type { DatabasePool } from 'slonik';
import { databaseTime } from '../sql/database/clock.ts';
import { StartupError } from '../sql/database/startup-error.ts';
import type { Log } from './monitoring/log.ts';

/** If this machine's clock and Postgres differ by more, production does not start. */
export const SKEW_MAX_MS = 30_000;
const CHECK_INTERVAL_MS = 10_000;
const REPORT_INTERVAL_MS = 600_000;

export type Clock = {
  /** The database's time, computed from this machine's clock and the last measured difference. */
  now(): Date;
  stop(): void;
};

const skewGauge = new Gauge({
  name: 'clock_skew_seconds',
  help: "How far this machine's clock is ahead of the database's.",
});

type ClockMonitorOptions = { log: Log; environment: string; machine?: () => number };

/**
 * Follows the clock of Postgres, so that machines with wrong clocks agree on the time. In production,
 * throws StartupError if this machine's clock differs by more than 30 seconds. A difference that occurs
 * later is logged as an error and exported in the metric `clock_skew_seconds`.
 */
export async function followDatabaseClock(
  pool: DatabasePool,
  { log, environment, machine = Date.now }: ClockMonitorOptions,
): Promise<Clock> {
  let skewMs = await measureSkew(pool, machine);
  const problem = describeSkew(skewMs);
  if (problem !== null && environment === 'production') throw new StartupError(problem);
  let reportedAt = -Infinity;
  const report = () => {
    skewGauge.set(skewMs / 1000);
    if (describeSkew(skewMs) === null || performance.now() - reportedAt < REPORT_INTERVAL_MS)
      return;
    reportedAt = performance.now();
    const skew_seconds = Math.round(skewMs / 1000);
    log.error({ skew_seconds }, 'the clock of this machine differs from the clock of Postgres');
  };
  report();
  const look = async () => {
    // If the query fails, the last measured difference stays in use.
    skewMs = await measureSkew(pool, machine).catch(() => skewMs);
    report();
  };
  const looking = setInterval(() => void look(), CHECK_INTERVAL_MS);
  looking.unref();
  return { now: () => new Date(machine() - skewMs), stop: () => clearInterval(looking) };
}

/**
 * Milliseconds by which this machine's clock is ahead. Assumes that Postgres read its clock halfway through
 * the round trip.
 */
async function measureSkew(pool: DatabasePool, machine: () => number): Promise<number> {
  const asked = machine();
  const started = performance.now();
  const answer = await databaseTime(pool);
  return asked + (performance.now() - started) / 2 - answer.getTime();
}

function describeSkew(skewMs: number): string | null {
  if (Math.abs(skewMs) <= SKEW_MAX_MS) return null;
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  return (
    `The clock of this machine is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the clock of Postgres. ` +
    'Synchronize both (NTP).'
  );
}
