import { expect, test } from 'vitest';
import { z } from 'zod';
import { Conflict } from '../../jobs/errors.ts';
import { SYSTEM, createWithin, type Work } from '../../jobs/work.ts';
import { andCommit, openPool, sql, sqlStateOf, deferred } from '../../sql/database/db.ts';
import { TenantClosed } from '../../sql/database/within.ts';
import { countQueries } from '../setup/count-queries.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const pool = await openPool(stage.url, { size: 1 });
const within = createWithin(pool, SYSTEM);
const Code = z.object({ code: z.string() });
const undated = { isUndated: true };

const program = (code: string) => sql.type(Code)`
  insert into programs (code, name) values (${code}, ${code}) returning code
`;
const codes = ({ tx }: Work) =>
  tx.anyFirst(sql.type(Code)`select code from programs where code like 'LAST%' order by code`);
const openTransactions = async () => {
  const { rows } = await stage.owner.query(
    `select 1 from pg_stat_activity where datname = current_database() and state like 'idle in%'`,
  );
  return rows.length;
};

test('a transaction of one statement takes one round trip and is committed before the answer', async () => {
  const { id } = await stage.tenant();
  const { id: other } = await stage.tenant();
  let answer: unknown;

  const asked = await countQueries(async () => {
    answer = await within(id, ({ tx }) => tx.oneFirst(andCommit(program('LAST-1'))), undated);
  });

  expect(asked).toEqual({ statements: 4, trips: 1 });
  expect(answer).toBe('LAST-1');
  expect(await within(id, codes)).toEqual(['LAST-1']);
  expect(await within(other, codes)).toEqual([]);
  expect(await openTransactions()).toBe(0);
});

test('an error in the last statement rolls back the earlier ones and is reported', async () => {
  const { id } = await stage.tenant();

  const twice = within(id, async ({ tx }) => {
    await tx.query(deferred(program('LAST-2')));
    await tx.query(andCommit(program('LAST-2')));
  });

  expect(await twice.catch((error: unknown) => sqlStateOf(error))).toBe('23505');
  expect(await within(id, codes)).toEqual([]);
});

test('a failure that the steps catch is still reported', async () => {
  const { id } = await stage.tenant();

  const silent = within(id, async ({ tx }) => {
    await tx.query(deferred(program('LAST-3')));
    await tx.query(andCommit(program('LAST-3'))).catch(() => {});
  });

  await expect(silent).rejects.toThrow('rolled back');
  expect(await within(id, codes)).toEqual([]);
});

test('no statement follows the last one, not even in parallel, and the connection stays usable', async () => {
  const { id } = await stage.tenant();

  const after = within(id, async ({ tx }) => {
    await tx.query(andCommit(program('LAST-4')));
    await tx.query(program('LAST-5'));
  });
  await expect(after).rejects.toThrow('Nothing may follow');
  const beside = within(id, async ({ tx }) => {
    await Promise.all([tx.query(andCommit(program('LAST-6'))), tx.query(program('LAST-7'))]);
  });
  await expect(beside).rejects.toThrow('Nothing may follow');

  expect(await within(id, codes)).toEqual(['LAST-4', 'LAST-6']);
});

test('a write committed with the last statement stays, even if the steps fail afterwards', async () => {
  const { id } = await stage.tenant();

  const refused = within(id, async ({ tx }) => {
    await tx.query(andCommit(program('LAST-8')));
    throw new Conflict('No.');
  });

  await expect(refused).rejects.toThrow('No.');
  expect(await within(id, codes)).toEqual(['LAST-8']);
});

test('the database refuses a closed tenant even if no step reads its settings', async () => {
  const { id } = await stage.tenant();
  const shut = 'update tenants set is_active = false, access = $2 where id = $1';
  await stage.owner.query(shut, [id, 'closed']);

  const writing = within(id, ({ tx }) => tx.oneFirst(andCommit(program('LAST-9'))), undated);
  const unasked = within(id, () => Promise.resolve(), undated);

  await expect(writing).rejects.toThrow(TenantClosed);
  await expect(unasked).rejects.toThrow(TenantClosed);
  await stage.owner.query(shut, [id, 'open']);
  expect(await within(id, codes)).toEqual([]);
});

test('a transaction that has not checked the business date reports that', async () => {
  const { id } = await stage.tenant();

  const asking = within(id, ({ today }) => Promise.resolve(today), undated);

  await expect(asking).rejects.toThrow('did not read the business date');
});
