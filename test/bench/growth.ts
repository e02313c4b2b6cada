import { addDays } from '../../jobs/dates.ts';
import { NewPayment, receivePayment } from '../../jobs/payments/receive.ts';
import { snapshotPortfoliosJob } from '../../jobs/portfolios/snapshot.job.ts';
import { listRows } from '../../sql/list.ts';
import { loans } from '../../sql/loans/loans.ts';
import { nothingOutside } from '../faults/nothing-outside.ts';
import { accrueDay } from './accrue-day.ts';
import { median, printProgress, parseSize, type Figure } from './figures.ts';
import { formatCount, compareWithFloor, measureSeconds } from './timing.ts';
import { openWorldWithLoans } from './many-loans.ts';
import { DAY, type BenchWorld } from './world.ts';
import { closeDay, startWorkers } from './workers.ts';

const LOANS = 2_000;
const GROWTH_FACTOR = 10;
const ROUNDS = 2;
/** Lists and payments per round: enough to measure acts that take milliseconds. */
const REQUESTS_PER_ROUND = 60;
const EVENTS = 1_000;

/**
 * The cost of a close per loan, of a list and of a payment, at ten times the size compared with the size.
 * Also compares a payment on a loan with a long history with one on a fresh loan.
 */
export async function benchGrowth(words: readonly string[]): Promise<Figure[]> {
  const count = parseSize(words, { usual: LOANS, least: 1_000 });
  const small = await openWorldWithLoans(count);
  const large = await openWorldWithLoans(count * GROWTH_FACTOR);
  const costs: { few: Costs[]; many: Costs[] } = { few: [], many: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const turn = [
      async () => costs.few.push(await measureCosts(small, count, round)),
      async () => costs.many.push(await measureCosts(large, count * GROWTH_FACTOR, round)),
    ];
    for (const measure of round % 2 === 0 ? turn : turn.toReversed()) await measure();
    printProgress(`Round ${round} of ${ROUNDS} is done.`);
  }
  const history = await measureHistory(small);
  const middle = (name: keyof Costs, all: readonly Costs[]) =>
    // The first round warms up.
    median(all.slice(1).map((costsThen) => costsThen[name]));
  await Promise.all([small.close(), large.close()]);
  return [
    ...(Object.keys(COST_LABELS) as (keyof Costs)[]).map((name): Figure => {
      const [ours, floor] = [middle(name, costs.many), middle(name, costs.few)];
      const what = `${COST_LABELS[name]}, ${formatCount(count * GROWTH_FACTOR)} loans beside ${formatCount(count)}`;
      return {
        what,
        ours: formatSeconds(ours),
        floor: formatSeconds(floor),
        ...ratioWithTarget(ours / floor, 1.1),
      };
    }),
    history,
  ];
}

const COST_LABELS = {
  accrual: 'interest of a loan',
  close: 'close of a loan',
  snapshot: 'a loan in the snapshots of portfolios',
  list: 'a list of 25 loans, counted',
  payment: 'a payment',
} as const;
type Costs = Record<keyof typeof COST_LABELS, number>;

const ratioWithTarget = (ratio: number, target: number) => ({ ratio, target: { most: target } });
const formatSeconds = (seconds: number) =>
  seconds < 0.001 ? `${(seconds * 1e6).toFixed(2)} µs` : `${(seconds * 1000).toFixed(2)} ms`;

/** In seconds. */
async function measureCosts(world: BenchWorld, count: number, round: number): Promise<Costs> {
  const { within, tenant_id } = world;
  const [first, second] = [addDays(DAY, 2 * round), addDays(DAY, 2 * round + 1)];
  const { ours: accrual } = await accrueDay(world, first);
  const workers = await startWorkers(world);
  await world.admin.query('checkpoint');
  const close = await closeDay(world, workers, second).finally(() => workers.stop());
  const payload = { tenant_id, snapshot_date: second };
  const outside = { ...nothingOutside, within };
  const snapshot = await measureSeconds(() => snapshotPortfoliosJob.run(payload, outside));
  const chosen = await idsOf(world, REQUESTS_PER_ROUND, round * REQUESTS_PER_ROUND);
  const payments: number[] = [];
  for (const id of chosen) payments.push(await measureSeconds(() => pay(world, id)));
  const lists: number[] = [];
  for (let at = 0; at < REQUESTS_PER_ROUND; at += 1)
    lists.push(await measureSeconds(() => firstPage(world)));
  return {
    accrual: accrual / count,
    close: close / count,
    snapshot: snapshot / count,
    list: median(lists),
    payment: median(payments),
  };
}

const firstPage = ({ within, tenant_id }: BenchWorld) =>
  within(tenant_id, ({ tx }) =>
    listRows(tx, loans, {
      conditions: [],
      sort: {
        field: 'created_at',
        descending: true,
        nullable: false,
      },
      offset: 0,
      limit: 25,
    }),
  );

const pay = ({ within, tenant_id }: BenchWorld, loanId: string) =>
  within(tenant_id, (work) =>
    receivePayment(work, loanId, NewPayment.parse({ amount: '1.00', payment_method: 'cash' })),
  );

async function idsOf({ admin }: BenchWorld, count: number, offset: number): Promise<string[]> {
  const text = 'select id from loans order by id desc offset $1 limit $2';
  const { rows } = await admin.query<{ id: string }>(text, [offset, count]);
  return rows.map(({ id }) => id);
}

/** Payments on a loan with a thousand earlier payments, compared with loans that have none. */
async function measureHistory(world: BenchWorld): Promise<Figure> {
  const [old = '', ...fresh] = await idsOf(
    world,
    REQUESTS_PER_ROUND,
    (ROUNDS + 1) * REQUESTS_PER_ROUND,
  );
  printProgress(`A loan receives ${formatCount(EVENTS)} payments …`);
  for (let number = 0; number < EVENTS; number += 1) await pay(world, old);
  let at = 0;
  const { ours, floor } = await compareWithFloor(
    Math.floor(REQUESTS_PER_ROUND / 3),
    () => pay(world, old),
    () => pay(world, fresh[(at += 1)] ?? ''),
  );
  const what = `a payment of a loan with ${formatCount(EVENTS)} events, beside one of a fresh loan`;
  return {
    what,
    ours: formatSeconds(ours),
    floor: formatSeconds(floor),
    ...ratioWithTarget(ours / floor, 3),
  };
}
