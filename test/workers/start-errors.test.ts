import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimFolder } from '../../sql/database/claim.ts';
import { COMPILE_CACHE_ENV } from '../setup/processes.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'beginnings-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

type End = { code: number | null; stderr: string; stdout: string };

function run(words: readonly string[], env: Record<string, string>): Promise<End> {
  const child = spawn(process.execPath, [...words], {
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: path.join(folder, 'data'),
      ...COMPILE_CACHE_ENV,
      ...env,
    },
  });
  const end = { stderr: '', stdout: '' };
  child.stderr.on('data', (chunk: Buffer) => void (end.stderr += chunk.toString()));
  child.stdout.on('data', (chunk: Buffer) => void (end.stdout += chunk.toString()));
  return new Promise((resolve) => child.once('exit', (code) => resolve({ ...end, code })));
}

const NOWHERE = 'postgres://a@127.0.0.1:1/x';
const PROCESSES: [string, string[]][] = [
  ['start', ['workers/start.ts']],
  ['api', ['api/server.ts']],
  ['worker', ['workers/worker.ts', 'ledger']],
  ['migrate', ['sql/migrate-command.ts']],
  ['seed', ['workers/seed.ts']],
  ['board', ['workers/board.ts', 'workers/demo/tape.csv']],
  ['ops', ['workers/ops.ts', 'status']],
  ['invariants', ['workers/invariants.ts']],
  ['demo', ['workers/demo.ts', '--tape', 'nowhere.csv', '--statements', 'few']],
];

test.each(PROCESSES)(
  '%s reports all errors in its environment, without a stack trace',
  async (name, words) => {
    const wrong = {
      DATABASE_URL: 'mysql://db',
      NODE_ENV: 'staging',
      SECRET: 'short',
      METRICS_PORT: 'abc',
      WORKER_CONCURRENCY: '0',
      PORT: 'x',
    };
    const read: Record<string, string[]> = {
      start: ['DATABASE_URL', 'NODE_ENV', 'SECRET', 'METRICS_PORT', 'WORKER_CONCURRENCY', 'PORT'],
      api: ['DATABASE_URL', 'NODE_ENV', 'SECRET', 'PORT', 'METRICS_PORT'],
      worker: ['DATABASE_URL', 'NODE_ENV', 'SECRET', 'METRICS_PORT', 'WORKER_CONCURRENCY'],
      migrate: ['DATABASE_URL'],
      demo: ['nowhere.csv', '--statements', 'WORKER_CONCURRENCY'],
    };

    const { code, stderr } = await run(words, wrong);

    for (const variable of read[name] ?? ['DATABASE_URL', 'NODE_ENV', 'SECRET'])
      expect(stderr).toContain(variable);
    expect(stderr).not.toMatch(/^ +at |node:internal/m);
    expect(code).toBe(1);
  },
);

test.each(['start', 'migrate', 'seed', 'board', 'ops', 'invariants'])(
  '%s reports in one sentence that no server answers at DATABASE_URL',
  async (name) => {
    const [, words] = PROCESSES.find(([known]) => known === name) ?? ['', []];

    const { code, stderr } = await run(words, { DATABASE_URL: NOWHERE, PORT: '0' });

    expect(stderr).toBe(
      'Nobody answers at 127.0.0.1:1, where DATABASE_URL says that Postgres is.\n',
    );
    expect(code).toBe(1);
  },
);

test('a folder in use or a port in use is reported before anything starts', async () => {
  const place = path.join(folder, 'used', 'platform');
  const claim = await claimFolder(place);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const started = await run(['workers/start.ts'], { DATA_DIR: place, PORT: '0' });
  const demoed = await run(['workers/demo.ts', '--out', path.dirname(place)], {});
  claim.release();
  const ported = await run(['workers/start.ts'], { DATA_DIR: place, PORT: String(port) });
  server.close();

  expect(started).toMatchObject({ code: 1, stdout: '' });
  expect(started.stderr).toMatch(
    new RegExp(`^${place} is in use by process ${process.pid} \\(node .*\\)\\. .*\\.\\n$`),
  );
  expect(demoed).toMatchObject({ code: 1, stderr: started.stderr });
  expect(ported).toMatchObject({ code: 1, stdout: '' });
  expect(ported.stderr).toMatch(/^Port \d+ of 127\.0\.0\.1 is not available: .*Set PORT.*\n$/);
});

test('a folder given as a tape, a missing book, or a file as the data folder, is refused with one sentence', async () => {
  const file = path.join(folder, 'file');
  writeFileSync(file, '');

  const tape = await run(['workers/demo.ts', '--tape', folder], {});
  const missing = path.join(folder, 'missing.csv');
  const board = await run(['workers/board.ts', missing], { DATABASE_URL: NOWHERE });
  const start = await run(['workers/start.ts'], { DATA_DIR: file });

  expect(tape).toMatchObject({ code: 1, stderr: `The tape ${folder} is not a file.\n` });
  expect(board).toMatchObject({ code: 1, stderr: `There is no file or folder ${missing}.\n` });
  expect(start).toMatchObject({ code: 1 });
  expect(start.stderr).toMatch(/^\S+ is a file, not a folder \(\w+\)\. .*\n$/);
});

test('Ctrl-C while the demo is starting ends it quietly, with one line and code 130', async () => {
  const out = path.join(folder, 'stopped');
  const child = spawn(process.execPath, ['workers/demo.ts', '--out', out]);
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed.push(chunk.toString());
      if (chunk.includes('Starting Postgres')) setTimeout(() => child.kill('SIGINT'), 1_000);
    });

  const [code] = (await once(child, 'exit')) as [number];

  expect(printed.join('')).toMatch(/Starting Postgres, the API and three workers …\nStopping …\n$/);
  expect(code).toBe(130);
  expect(existsSync(path.join(out, 'platform/postgres/postmaster.pid'))).toBe(false);
  (await claimFolder(path.join(out, 'platform'))).release();
});
