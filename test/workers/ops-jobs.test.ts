import { afterAll, expect, test } from 'vitest';
import { BARE } from '../../jobs/installation.ts';
import { openPool, sql } from '../../sql/database/db.ts';
import { createTenant } from '../../workers/ops/create-tenant.ts';
import { changeJobs, failures, job, jobs } from '../../workers/ops/jobs.ts';
import type { Operation } from '../../workers/ops/operation.ts';
import { operators, schedules } from '../../workers/ops/platform.ts';
import { cloneDatabase } from '../setup/database.ts';

const database = await cloneDatabase();
const owner = await openPool(database.url, { role: 'servicing_worker', size: 2 });
const app = await openPool(database.url, { size: 2 });
afterAll(async () => {
  await Promise.all([owner.end(), app.end()]);
  await database.drop();
});

type Wish = { options?: Record<string, string> };

/** What an operator types, without the shell. */
const ask = async (operation: Operation, words: string[], { options = {} }: Wish) =>
  operation.run({
    ...{ url: database.url, owner, app, words, options, newPassword: undefined },
    installation: BARE,
  });

await ask(createTenant, ['bank'], { options: { domains: 'bank.test' } });

test('jobs are found, counted before all of them are changed, and told with numbers as numbers', async () => {
  await app.query(sql.typeAlias('void')`
    select app.add_jobs('print-letter', array(
      select json_build_object('letter', number) from generate_series(1, 3) as number
    ), now(), 3, array_fill(null::text, array[3]))
  `);
  const options = { kind: 'print-letter' };
  const why = { ...options, reason: 'Wrong letters.', by: 'ann' };

  const found = await ask(jobs, [], { options });
  const told = await ask(changeJobs, ['cancel', 'all'], { options: why });
  const done = await ask(changeJobs, ['cancel', 'all'], { options: { ...why, expected: '3' } });
  const number = String(found.rows?.[0]?.['number']);

  expect(found.rows).toMatchObject([{ kind: 'print-letter', attempts: 0 }, {}, {}]);
  expect(typeof found.rows?.[0]?.['number']).toBe('number');
  expect(told).toMatchObject({ rows: [{ matching: 3, changed: 0 }], code: 1 });
  expect(done).toMatchObject({ rows: [{ matching: 3, changed: 3, left: 0 }], code: 0 });
  expect((await ask(jobs, [], { options })).rows).toEqual([]);
  expect((await ask(failures, [], {})).rows).toMatchObject([{ jobs: 3, kind: 'print-letter' }]);
  expect((await ask(job, [number], {})).rows).toMatchObject([{ state: 'failed', errors: [] }]);
});

test.each([
  [jobs, [], { state: 'lost' }, '--state is one of'],
  [jobs, [], { tenant: 'nobody' }, 'There is no tenant'],
  [jobs, [], { older: 'long' }, '--older takes seconds'],
  [jobs, [], { cause: 'x' }, '--cause narrows failed jobs alone'],
  [jobs, [], { state: 'scheduled', older: '9' }, '--older does not narrow'],
  [job, ['0'], {}, 'There is no such job'],
  [changeJobs, ['burn', '1'], {}, 'Say what to do'],
  [changeJobs, ['cancel', 'x'], {}, 'Give the numbers'],
  [changeJobs, ['cancel', '1'], {}, '--reason'],
  [changeJobs, ['reschedule', '1'], { reason: 'x' }, '--at MOMENT'],
  [changeJobs, ['reschedule', '1'], { reason: 'x', at: 'soon' }, '--at takes a moment'],
  [operators, ['nobody'], { reason: 'x' }, 'There is no tenant'],
] as const)('$0.name with $1 and $2 is a misuse', async (operation, words, options, reason) => {
  await expect(ask(operation, [...words], { options })).rejects.toThrow(reason);
});

test('a tenant is made the operators’, and the clock is told', async () => {
  const named = await ask(operators, ['bank'], { options: { reason: 'They operate it.' } });

  expect(named.rows).toEqual([{ operators: 'bank' }]);
  expect((await ask(schedules, [], {})).rows).toHaveLength(2);
});
