import { setTimeout as pause } from 'node:timers/promises';
import { billMonth, issueStatements } from '../../jobs/documents/statements.job.ts';
import { buildStatementPage } from '../../jobs/documents/statement-page.ts';
import type { ExternalServices } from '../../jobs/external-systems.ts';
import { renderDocument } from '../../templates/render-document.ts';
import { superviseProcess, type Child } from '../../workers/processes/children.ts';
import { perSecond, printProgress, parseSize, type Bench } from './figures.ts';
import { openWorldWithLoans } from './many-loans.ts';
import { openFloor } from './statements-floor.ts';
import { assertStatementsComplete } from './assert-statements.ts';
import { watchMemory } from './watch-memory.ts';
import { DAY, type BenchWorld } from './world.ts';

const MANY = 600;
const DOCUMENTS_MIN = 200;
/** When a worker is killed, as shares of all documents. The rate is measured after the last kill. */
const KILLS = [0.1, 0.2];
const MONTH = '2026-01-01';
const MORNING = '2026-02-01';
const STOP_WITHIN_MS = 30_000;
/** Pages that the bare loop prints before the run and again after it. */
const FLOOR_PAGES = 100;

/**
 * A month's statements, printed by a process of the documents pool that is killed twice. The floor is a
 * bare browser that prints the same pages with its defaults and does nothing else.
 */
export const benchStatements: Bench = async (words) => {
  const count = parseSize(words, { usual: MANY, least: DOCUMENTS_MIN });
  printProgress(`Writing ${count.toLocaleString('en')} loans …`);
  const world = await openWorldWithLoans(count);
  await billLoans(world);
  const pages = await pagesOf(world, Math.min(FLOOR_PAGES, count));
  const floor = await openFloor(world.folder);
  const rates = [await floor.rate(pages)];
  const { rate, memory } = await printStatements(world, count);
  rates.push(await floor.rate(pages));
  await floor.close();
  await assertStatementsComplete(world, count);
  // No day was closed, so the books still belong to the day on which the loans were created.
  await setDay(world, DAY);
  await world.close();
  const least = rates.reduce((sum, each) => sum + each, 0) / rates.length;
  return [
    {
      what: `${count.toLocaleString('en')} statements by the documents pool, killed twice; a bare page.pdf() loop before and after`,
      ours: perSecond(rate),
      floor: perSecond(least),
      ratio: rate / least,
      target: { least: 1.5 },
    },
    ...memory.figures(),
  ];
};

/** Gives every loan its own borrower with an email address, and bills January. */
async function billLoans(world: BenchWorld) {
  const { admin, within, tenant_id } = world;
  await admin.query(
    `with model as (select * from borrowers limit 1), made as (
       insert into borrowers (tenant_id, first_name, last_name)
       select model.tenant_id, 'Grace', 'Hopper ' || number
       from model cross join generate_series(1, (select count(*) from loans)) as number
       returning tenant_id, id
     ), reached as (
       insert into emails (tenant_id, borrower_id, email, is_primary)
       select tenant_id, id, id || '@bench.test', true from made
     ), numbered as (select id, row_number() over () as number from made),
     owing as (select id, row_number() over () as number from loans)
     update loans set borrower_id = numbered.id
     from owing join numbered using (number) where loans.id = owing.id`,
  );
  await setDay(world, MORNING);
  await admin.query('vacuum analyze borrowers, loans');
  await within(tenant_id, (work) => billMonth(work, MONTH));
}

const setDay = ({ admin, tenant_id }: BenchWorld, day: string) =>
  admin.query('update tenants set business_date = $2 where id = $1', [tenant_id, day]);

/** Some of the pages that the workers will print. */
async function pagesOf({ admin }: BenchWorld, count: number): Promise<string[]> {
  const { rows } = await admin.query<{ figures: Record<string, unknown> }>(
    'select figures from statements order by id limit $1',
    [count],
  );
  return rows.map(({ figures }) =>
    renderDocument('monthly_statement', 'en', buildStatementPage(figures, 'en')),
  );
}

/** Orders all statements and waits until they are printed. Kills two workers along the way. */
async function printStatements(world: BenchWorld, count: number) {
  const { url, folder, admin, within, tenant_id } = world;
  await issueStatements.run({ tenant_id, statement_month: MONTH }, { within } as ExternalServices);
  let crashes = 0;
  const worker = superviseProcess({
    name: 'documents',
    file: 'worker.ts',
    arguments: ['documents'],
    env: { ...process.env, DATABASE_URL: url, DATA_DIR: folder, LOG_LEVEL: 'fatal' },
    onCrash: () => (crashes += 1),
  });
  const memory = watchMemory(() => worker.pid());
  const done = async () => {
    const { rows } = await admin.query<{ printed: string }>(
      `select count(*) as printed from documents where status = 'uploaded'`,
    );
    return Number(rows[0]?.printed);
  };
  try {
    await waitUntil(async () => (await done()) > 0);
    const [from, started] = [await done(), performance.now()];
    let idle = 0;
    for (const part of KILLS) {
      await waitUntil(async () => (await done()) >= count * part);
      idle += await kill(worker, done);
    }
    await waitUntil(async () => (await done()) === count);
    const seconds = (performance.now() - started - idle) / 1000;
    if (crashes !== KILLS.length) throw new Error(`The worker ended ${crashes} times.`);
    return { rate: (count - from) / seconds, memory };
  } finally {
    memory.stop();
    await worker.stop(STOP_WITHIN_MS);
  }
}

/** Kills the process while it works. Returns the time until its successor prints. */
async function kill(worker: Child, done: () => Promise<number>): Promise<number> {
  const pid = worker.pid();
  if (pid === undefined) throw new Error('There is no worker to kill.');
  process.kill(pid, 'SIGKILL');
  const killed = performance.now();
  const before = await done();
  await waitUntil(async () => (await done()) > before);
  const idle = performance.now() - killed;
  printProgress(
    `Killed after ${before} documents; the next one ${(idle / 1000).toFixed(1)} s later`,
  );
  return idle;
}

async function waitUntil(isSo: () => Promise<boolean>) {
  while (!(await isSo())) await pause(200);
}
