import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nextRandom, seedRandom } from '../../workers/demo/random.ts';
import { newClient } from '../setup/client.ts';
import { uploadBook } from '../setup/imports.ts';
import { writeLargeBook } from '../setup/large-books.ts';
import { startProcess, type StartedProcess } from '../setup/processes.ts';
import { startFaultWorld, type FaultWorld } from './harness.ts';

/** IMPORT_LOANS changes the size of the book, IMPORT_SEED the moments of the kills. */
const LOANS = Number(process.env['IMPORT_LOANS'] ?? 50_000);
const SEED = process.env['IMPORT_SEED'] ?? String(Date.now());
const random = seedRandom(`kills ${SEED}`);
/** In the future, so that no worker closes a day by itself. */
const TODAY = '2030-01-15';
const SECRET = 'a secret of at least thirty-two characters';

let world: FaultWorld;
let folder = '';
let env: Record<string, string> = {};
const started: StartedProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'import-kills-'));
  world = await startFaultWorld();
  env = { DATABASE_URL: world.postgres.url, DATA_DIR: folder, SECRET, LOG_LEVEL: 'warn' };
  for (const [slug, domain] of [
    ['demo', 'localhost'],
    ['acme', 'acme.localhost'],
  ])
    await world.count(
      `select 1 from app.create_tenant('${slug}', '${slug}', '${TODAY}', '{${domain}}', true)`,
    );
  const seed = startProcess('workers/seed.ts', [], env);
  if ((await seed.ended) !== 0) throw new Error(seed.said());
}, 120_000);

afterAll(async () => {
  for (const { process: child } of started) if (child.exitCode === null) child.kill('SIGKILL');
  await world.end();
  rmSync(folder, { recursive: true, force: true });
});

function start(file: string, words: readonly string[]): StartedProcess {
  const running = startProcess(file, words, env);
  started.push(running);
  return running;
}

/** Counts rows of the tenant. */
const countOf = (slug: string, query: string) =>
  world.count(query.replaceAll('$tenant', `(select id from tenants where slug = '${slug}')`));

/** How far the tenant's only import is: rows of the file that were checked, prepared and boarded. */
const progressOf = (slug: string) =>
  countOf(
    slug,
    `select coalesce(max(loans_checked + rows_staged + loans_boarded), 0) from imports where tenant_id = $tenant`,
  );

/** When to kill the process: while the book is checked, while it is prepared, and in so many parts of its boarding. */
const momentsOf = (loans: number, parts: number) =>
  [0, 1, ...Array.from({ length: parts }, (_, index) => 2 + index / parts)].map((from, index) =>
    Math.floor(loans * (from + nextRandom(random) / (index < 2 ? 1 : parts))),
  );

/** Kills the process some milliseconds after the import has got that far. Returns whether it was still running. */
async function killAt(slug: string, moment: number, victim: StartedProcess): Promise<boolean> {
  while ((await progressOf(slug)) < moment && victim.process.exitCode === null) await wait(5);
  await wait(nextRandom(random) * 300);
  victim.process.kill('SIGKILL');
  const killed = (await victim.ended) === 'SIGKILL';
  console.log(`seed ${SEED}: ${killed ? 'killed' : 'ended'} at ${await progressOf(slug)}`);
  return killed;
}

/** Each loan is there once, with its borrower, the totals are those of the file, and the books are correct. */
async function expectWholeBook(slug: string, book: ReturnType<typeof writeLargeBook>) {
  const { loans, borrowers, principal_total } = book;
  const ofBook = `from loans where tenant_id = $tenant and loan_number like 'K-%'`;
  const ids = `(select id ${ofBook})`;
  const counts: Record<string, [query: string, expected: number]> = {
    loans: [`select count(*) ${ofBook}`, loans],
    numbers: [`select count(distinct loan_number) ${ofBook}`, loans],
    'external ids': [`select count(distinct external_id) ${ofBook}`, loans],
    borrowers: [`select count(distinct borrower_id) ${ofBook}`, borrowers],
    'persons of the file': [
      `select count(*) from borrowers where tenant_id = $tenant and external_id like 'B-%'`,
      borrowers,
    ],
    'recorded loans': [
      `select count(distinct loan_id) from import_loans where tenant_id = $tenant and loan_id in ${ids}`,
      loans,
    ],
    'entries of the history': [
      `select count(*) from audit_log where tenant_id = $tenant and action = 'board' and loan_id in ${ids}`,
      loans,
    ],
    'boarding events': [
      `select count(*) from loan_events where tenant_id = $tenant and kind = 'boarding' and loan_id in ${ids}`,
      loans,
    ],
    'ledger entries': [
      `select count(*) from journal_entries where tenant_id = $tenant and loan_id in ${ids}`,
      loans,
    ],
    'events for webhooks': [
      `select count(*) from events where tenant_id = $tenant and event_type = 'loan.created' and loan_id in ${ids}`,
      loans,
    ],
    'cents of principal': [
      `select sum(principal_balance) * 100 ${ofBook}`,
      Number(principal_total.replace('.', '')),
    ],
    'cents out of balance': [
      `select sum(debit - credit) * 100 from journal_lines where tenant_id = $tenant`,
      0,
    ],
    'staged rows': [`select count(*) from import_rows where tenant_id = $tenant`, 0],
    'records of staged rows': [`select count(*) from import_records where tenant_id = $tenant`, 0],
    imports: [`select count(*) from imports where tenant_id = $tenant`, 1],
    'whole imports': [
      `select count(*) from imports where tenant_id = $tenant and status = 'boarded'
         and loans_boarded = ${loans} and boarded_totals = control_totals`,
      1,
    ],
  };
  const found: Record<string, number> = {};
  for (const [name, [query]] of Object.entries(counts)) found[name] = await countOf(slug, query);
  console.table(found);
  expect(found).toEqual(
    Object.fromEntries(Object.entries(counts).map(([name, [, expected]]) => [name, expected])),
  );
  const invariants = start('workers/invariants.ts', []);
  const code = await invariants.ended;
  expect([code, invariants.said()]).toEqual([0, 'Every invariant holds.\n']);
}

test(`npm run board, killed seven times with ${LOANS} loans and run again, boards each loan once`, async () => {
  const file = path.join(folder, 'command.csv');
  const book = writeLargeBook(file, LOANS, TODAY);
  const totals = ['--expect-loans', String(LOANS), '--expect-principal', book.principal_total];
  const run = () => start('workers/board.ts', ['--tenant', 'demo', ...totals, file]);

  for (const moment of momentsOf(LOANS, 5)) {
    let victim = run();
    // The connection of a killed process may still hold the import for a moment.
    while (!(await killAt('demo', moment, victim)) && isBusy(victim)) victim = run();
  }
  let last = run();
  while ((await last.ended) !== 0 && isBusy(last)) last = run();

  expect(last.said()).toMatch(/Continues after|is boarded already/);
  expect(await last.ended).toBe(0);
  await expectWholeBook('demo', book);
  const again = run();
  expect([await again.ended, again.said()]).toEqual([
    0,
    `This book is boarded already: ${LOANS} loans.\n`,
  ]);
}, 3_600_000);

const isBusy = ({ said }: StartedProcess) => said().includes('Another process is boarding');

test('an uploaded book whose worker processes are killed is checked and boarded, each loan once', async () => {
  const loans = Math.min(LOANS, 12_000);
  const file = path.join(folder, 'upload.csv');
  const book = writeLargeBook(file, loans, TODAY);
  const api = start('api/server.ts', []);
  const admin = newClient(await api.listening, 'acme.localhost');
  await admin.login('admin@acme.test', 'correct horse battery');
  const importIn = (status: string) =>
    `select count(*) from imports where tenant_id = (select id from tenants where slug = 'acme') and status = '${status}'`;
  const [checking = 0, ...boarding] = momentsOf(loans, 2);

  const { body } = await uploadBook(admin, readFileSync(file));
  await killAt('acme', checking, start('workers/worker.ts', ['documents']));
  const documents = start('workers/worker.ts', ['documents']);
  await world.until(importIn('checked'), 1, 600_000);
  documents.process.kill('SIGTERM');
  await documents.ended;
  const confirmed = await admin.post(`/imports/${body.id}/confirm`, {
    loan_count: loans,
    principal_total: book.principal_total,
  });
  expect(confirmed, JSON.stringify(confirmed.body)).toMatchObject({ status: 200 });
  for (const moment of boarding)
    await killAt('acme', moment, start('workers/worker.ts', ['ledger']));
  const ledger = start('workers/worker.ts', ['ledger']);
  await world.until(importIn('boarded'), 1, 1_800_000);
  ledger.process.kill('SIGTERM');
  await ledger.ended;

  await expectWholeBook('acme', book);
}, 3_600_000);
