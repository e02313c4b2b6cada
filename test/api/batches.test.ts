import { expect, test } from 'vitest';
import { z } from 'zod';
import { Conflict } from '../../jobs/errors.ts';
import { SYSTEM, createWithin, type Work } from '../../jobs/work.ts';
import { openPool, sql, sqlStateOf, deferred } from '../../sql/database/db.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const pool = await openPool(stage.url, { size: 1 });
const within = createWithin(pool, SYSTEM);
const Code = z.object({ code: z.string() });
const Backend = sql.type(z.object({ pid: z.number() }));

const write = (name: string) =>
  deferred(sql.typeAlias('void')`insert into programs (code, name) values (${name}, ${name})`);
const codes = ({ tx }: Work) =>
  tx.anyFirst(sql.type(Code)`select code from programs where code like 'UNREAD%' order by code`);

test('statements skipped after a failure can be sent again on the same connection', async () => {
  const { id } = await stage.tenant();
  const other = (name: string) =>
    deferred(sql.typeAlias('void')`insert into programs (name, code) values (${name}, ${name})`);
  const failing = within(id, async ({ tx }) => {
    await tx.query(write('UNREAD-4'));
    await tx.query(write('UNREAD-4'));
    await tx.query(other('UNREAD-9'));
  });
  const state = await failing.catch((error: unknown) => sqlStateOf(error));

  await within(id, ({ tx }) => tx.query(other('UNREAD-9')));

  expect(state).toBe('23505');
  expect(await within(id, codes)).toEqual(['UNREAD-9']);
});

test('a transaction that assumed the wrong day is rolled back on its only connection, even if its steps refuse immediately', async () => {
  const { id } = await stage.tenant();
  const { pid } = await within(id, ({ tx }) => tx.one(Backend`select pg_backend_pid() as pid`));
  await stage.owner.query(`update tenants set business_date = business_date + 1 where id = $1`, [
    id,
  ]);

  const refused = await within(id, () => Promise.reject(new Conflict('No.'))).catch(
    (error: unknown) => error,
  );
  const { rows } = await stage.owner.query('select state from pg_stat_activity where pid = $1', [
    pid,
  ]);

  expect(refused).toBeInstanceOf(Conflict);
  expect(rows).toEqual([{ state: 'idle' }]);
});

test('an unreadable row fails its statement but not the connection', async () => {
  const { id } = await stage.tenant();
  const Instant = z.object({ at: z.string() });
  const unreadable = sql.type(Instant)`select 'infinity'::timestamptz as at`;

  const reading = within(id, ({ tx }) => tx.one(unreadable));

  await expect(reading).rejects.toThrow('Invalid time value');
  expect(await within(id, ({ tx }) => tx.one(Backend`select 1 as pid`))).toEqual({ pid: 1 });
});
