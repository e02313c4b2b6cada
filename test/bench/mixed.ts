import { setTimeout as pause } from 'node:timers/promises';
import { addDays } from '../../jobs/dates.ts';
import { formatMs, median, parseSize, printProgress, type Bench, type Figure } from './figures.ts';
import { openWorldWithLoans } from './many-loans.ts';
import { measureTimes, startApi, type Target } from './over-http.ts';
import { formatCount, formatRate } from './timing.ts';
import { closeDay, startWorkers } from './workers.ts';
import { DAY } from './world.ts';

const LOANS = 50_000;
const CLIENTS = 4;
const ROUNDS = 3;
const QUIET_MS = 8_000;
/** Spread over all chunks of the close. */
const PAID_LOANS = 400;

type Times = { payments: number[]; lists: number[] };

/**
 * A close of many loans while some clients pay and others list loans, without pauses. Compared with the
 * same clients without a close, and with the same close without clients.
 */
export const benchMixed: Bench = async (words) => {
  const count = parseSize(words, { usual: LOANS, least: 1_000 });
  const world = await openWorldWithLoans(count);
  const { rows } = await world.admin.query<{ id: string }>(
    'select id from loans order by hashtext(id::text) limit $1',
    [PAID_LOANS],
  );
  const api = await startApi(world);
  const officer = await api.as('loan_officer');
  const quiet: Times = { payments: [], lists: [] };
  const busy: Times = { payments: [], lists: [] };
  const alone: number[] = [];
  const beside: number[] = [];
  const workers = await startWorkers(world);
  // The first round is not counted: statements are planned and loan attributes are written once.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const isCounted = round > 0;
    const without = await closeDay(world, workers, addDays(DAY, 2 * round));
    const calm = await measureDuring(officer, rows, () => pause(QUIET_MS));
    let seconds = 0;
    const loaded = await measureDuring(officer, rows, async () => {
      seconds = await closeDay(world, workers, addDays(DAY, 2 * round + 1));
    });
    if (!isCounted) continue;
    alone.push(without);
    beside.push(seconds);
    for (const kind of ['payments', 'lists'] as const) {
      quiet[kind].push(...calm[kind]);
      busy[kind].push(...loaded[kind]);
    }
    printProgress(
      `round ${round}: ${formatRate(count, seconds)}; without clients ${formatRate(count, without)}`,
    );
  }
  await workers.stop();
  api.close();
  await world.close();
  return [
    ...(['payments', 'lists'] as const).flatMap((kind) =>
      [50, 99, 100].map((percentile) => compare(kind, percentile, busy[kind], quiet[kind])),
    ),
    {
      what: `a close of ${formatCount(count)} loans beside ${2 * CLIENTS} clients; without them`,
      ours: formatRate(count, median(beside)),
      floor: formatRate(count, median(alone)),
      ratio: median(beside) / median(alone),
    },
  ];
};

/** The response times of clients that pay and of clients that list while `act` runs, in milliseconds. */
async function measureDuring(
  officer: Target,
  loans: readonly { id: string }[],
  act: () => Promise<unknown>,
): Promise<Times> {
  let isOver = false;
  const load = { clients: CLIENTS, isOver: () => isOver };
  const pay = (at: number) => ({
    method: 'POST',
    path: `/api/v1/loans/${loans[at % loans.length]?.id}/payments`,
    body: { amount: '5.00' },
    status: 201,
  });
  const list = () => ({
    path: '/api/v1/loans?range=[0,24]&sort=["created_at","DESC"]',
    status: 200,
  });
  const [payments, lists] = await Promise.all([
    measureTimes(officer, pay, load),
    measureTimes(officer, list, load),
    act().finally(() => (isOver = true)),
  ]);
  return { payments, lists };
}

function compare(kind: string, percentile: number, busy: number[], quiet: number[]): Figure {
  const [ours, floor] = [busy, quiet].map((times) => quantile(times, percentile)) as [
    number,
    number,
  ];
  const which = percentile === 100 ? 'longest' : `${percentile}th percentile`;
  return {
    what: `${kind} during a close, ${which} of ${formatCount(busy.length)}; without a close`,
    ours: formatMs(ours),
    floor: formatMs(floor),
    ratio: ours / floor,
  };
}

const quantile = (times: readonly number[], percentile: number): number =>
  times.toSorted((one, other) => one - other)[
    Math.max(0, Math.ceil((percentile / 100) * times.length) - 1)
  ] ?? Number.NaN;
