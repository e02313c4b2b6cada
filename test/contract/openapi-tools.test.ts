import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { newStage, PASSWORD } from '../setup/world.ts';
import { document } from './openapi-document.ts';

const stage = await newStage();
const folder = await mkdtemp(path.join(tmpdir(), 'openapi-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const file = path.join(folder, 'openapi.json');
await writeFile(file, JSON.stringify(document));

const TOOLS = path.join(import.meta.dirname, 'openapi-tools');
const TSC = path.join(import.meta.dirname, '../../node_modules/.bin/tsc');
const run = promisify(execFile);
/** The tools run in processes of their own, because they keep hundreds of megabytes. */
const tool = async (name: string, ...more: string[]) =>
  (await run(process.execPath, [path.join(TOOLS, name), file, ...more])).stdout;

const STRICT = {
  target: 'esnext',
  module: 'nodenext',
  lib: ['esnext', 'dom', 'dom.iterable'],
  types: [],
  noEmit: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noUnusedLocals: true,
  allowImportingTsExtensions: true,
  skipLibCheck: false,
};

/** Compiles a generated client. Returns the compiler's complaints. */
async function compile(name: string, options: object = {}): Promise<string> {
  const own = path.join(folder, name);
  await writeFile(path.join(own, 'package.json'), '{"type":"module"}');
  const project = { compilerOptions: { ...STRICT, ...options }, include: ['./**/*.ts'] };
  await writeFile(path.join(own, 'tsconfig.json'), JSON.stringify(project));
  return run(TSC, ['-p', own]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout.slice(0, 2_000),
  );
}

test(
  'Redocly and Spectral find no error and no warning in the OpenAPI document',
  { timeout: 300_000 },
  async () => {
    const { redocly, spectral } = JSON.parse(await tool('lint.mjs'));
    console.info(`Redocly: ${redocly.length} problems, Spectral: ${spectral.length} problems`);

    expect({ redocly, spectral }).toEqual({ redocly: [], spectral: [] });
  },
);

test('every example in the OpenAPI document fits its schema', { timeout: 300_000 }, async () => {
  const { count, problems } = JSON.parse(await tool('check-examples.mjs'));
  console.info(`${count} examples, ${problems.length} problems`);

  expect(count).toBeGreaterThan(1_000);
  expect(problems).toEqual([]);
});

test(
  'generated clients compile under strict settings, and one walks through the first hour',
  { timeout: 300_000 },
  async () => {
    await tool('generate-clients.mjs', folder);
    const program = path.join(folder, 'hey-api/first-hour.ts');
    await cp(path.join(TOOLS, 'first-hour.txt'), program);

    const complaints = await Promise.all([
      compile('openapi-typescript', { exactOptionalPropertyTypes: true }),
      // The HTTP code that this generator adds does not distinguish missing from undefined.
      compile('hey-api'),
    ]);

    expect(complaints).toEqual(['', '']);
    expect(await walk(program)).toEqual({
      payments: [{ amount: '400.00', status: 'completed' }],
      principal_balance: '11600.00',
      loan_status: 'active',
      refusal: 'validation_error',
      invalid_fields: ['principal_amount'],
    });
  },
);

/** Runs the program against the API, in a process of its own. */
async function walk(program: string): Promise<unknown> {
  const tenant = await stage.tenant();
  await stage.owner.query(
    "insert into tenant_domains (domain, tenant_id) values ('127.0.0.1', $1)",
    [tenant.id],
  );
  const given = [`http://127.0.0.1:${stage.port}`, `superadmin@${tenant.slug}.test`, PASSWORD];
  const start = `import { firstHour } from ${JSON.stringify(program)};
console.log(JSON.stringify(await firstHour(...${JSON.stringify(given)})));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', start]);
  return JSON.parse(stdout);
}
