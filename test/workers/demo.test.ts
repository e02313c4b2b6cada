import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openBytesAsTree } from '../../jobs/files/file-tree.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { boardRows } from '../../workers/demo/boarding.ts';
import { inventTape } from '../../workers/demo/invent-tape.ts';
import { readTape } from '../../workers/demo/read-tape.ts';
import { rewindToOrigination } from '../../workers/demo/tape-loans.ts';
import { orderLoanTape } from '../../workers/demo/output-folder.ts';
import { fetchAllPages } from '../../workers/demo/concurrency.ts';
import { insertLoans } from '../setup/loan-rows.ts';
import { newOutside } from '../setup/outside.ts';
import { runJobs } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';
import { eventually } from './stage.ts';

const stage = await newStage();
const within = createWithin(stage.pool, SYSTEM, stage.installation);

/** A test client with the demo client's interface, which returns bodies. */
async function demoClient(tenant: Tenant) {
  const client = await tenant.signedIn('admin');
  return {
    get: async <Reply>(path: string) => (await client.get(path)).body as Reply,
    put: async <Reply>(path: string, body: object) => (await client.put(path, body)).body as Reply,
    post: async <Reply>(path: string, body: object) =>
      (await client.post(path, body)).body as Reply,
  };
}

test('the demo waits for a loan tape that is large enough for the workers', async () => {
  const tenant = await stage.tenant();
  await insertLoans(tenant, ...Array.from({ length: 5_001 }, () => ({})));
  const admin = await demoClient(tenant);
  const outside = newOutside(stage.pool);

  const asked = orderLoanTape({ within }, { admin, tenant_id: tenant.id });
  await eventually(() => runJobs(stage, outside, ['generate-tape']), 1);
  const key = await asked;

  expect(String(outside.stored.get(key)?.length)).toMatch(/^\d{6,}$/);
});

const readInvented = async (loans: number) =>
  readTape(await openBytesAsTree(Buffer.from(inventTape(loans)), 'tape.csv'));

test('a row that the platform refuses is left out with its reason, and the others are accepted', async () => {
  const tenant = await stage.tenant('2026-06-30');
  const rows = (await readInvented(5)).rows.map((row) => ({
    ...rewindToOrigination(row),
    product_code: row.line === 3 ? 'NO-SUCH' : undefined,
  }));
  const others = rows.filter(({ line }) => line !== 3);

  const once = await boardRows({ within }, tenant.id, rows, { file: 'tape.csv' });
  const again = await boardRows({ within }, tenant.id, others, { file: 'tape.csv' });

  expect(once.refusals).toMatchObject([{ line: 3, column: 'product_code' }]);
  expect(once.ids.size).toBe(4);
  expect(again).toEqual({ ids: once.ids, refusals: [] });
});

test('a list is read completely, however many pages it has', async () => {
  const whole = Array.from({ length: 1_500 }, (_, index) => index);
  const page = (range: string) => {
    const [from = 0, to = 0] = JSON.parse(range) as number[];
    return Promise.resolve(whole.slice(from, to + 1));
  };

  expect(await fetchAllPages(page)).toEqual(whole);
});

test('the demo includes the generated tape, and every longer one starts with it', async () => {
  const own = readFileSync(new URL('../../workers/demo/tape.csv', import.meta.url), 'utf8');

  expect(inventTape(240)).toBe(own);
  expect(inventTape(300).startsWith(own)).toBe(true);
  expect(await readInvented(300)).toMatchObject({
    refusals: [],
    rows: { length: 300 },
  });
});

test('a demo that would end before its first loan begins says which day to choose, and starts nothing', async () => {
  const { stderr, code } = await runDemo('--through', '2020-01-01');

  expect(code).toBe(1);
  expect(stderr).toBe(
    'No loan of the tape begins by 2020-01-01. Its first begins on 2026-01-02: choose a later --through.\n',
  );
});

const runDemo = (...words: string[]) =>
  new Promise<{ stderr: string; code: number | string | null | undefined }>((resolve) => {
    execFile(process.execPath, ['workers/demo.ts', ...words], (error, _, stderr) =>
      resolve({ stderr, code: error ? error.code : 0 }),
    );
  });
