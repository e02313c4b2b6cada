import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { Conflict, BusinessDateChanged } from '../../jobs/errors.ts';
import { SYSTEM, createWithin, type Work } from '../../jobs/work.ts';
import { mapConcurrently } from '../../sql/database/batch-by-transaction.ts';
import { openPool, prepared, sql, deferred } from '../../sql/database/db.ts';
import { TenantClosed } from '../../sql/database/within.ts';
import { cloneDatabase } from '../setup/database.ts';
import { countQueries } from '../setup/count-queries.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const within = createWithin(await openPool(stage.url, { size: 1 }), SYSTEM);
const Day = z.object({ day: z.string() });

/**
 * Inserts a program. Returns the business date that the work assumes and the one that the database knows.
 */
const entered =
  (code: string) =>
  async ({ tx, today }: Work) => {
    const day = await tx.oneFirst(
      prepared(sql.type(Day)`
        insert into programs (code, name) values (${code}, ${code}) returning app.business_date() as day
      `),
    );
    return [today, day];
  };
const codes = ({ tx }: Work) =>
  tx.anyFirst(sql.type(z.object({ code: z.string() }))`select code from programs order by code`);
const opened = async () => {
  const { id } = await stage.tenant();
  const before = await within(id, codes);
  return { id, before };
};
/** Moves the business date as the close in another process does. */
const moveOn = (id: string, day: string) =>
  stage.owner.query('update tenants set business_date = $2 where id = $1', [id, day]);
/** A database with a copy of the tenant. */
const copyOf = async (id: string) => {
  const { url } = await cloneDatabase();
  const owner = new pg.Client({ connectionString: url });
  const { rows } = await stage.owner.query(
    'select to_json(t) as row from tenants as t where id = $1',
    [id],
  );
  await owner.connect();
  await owner.query('insert into tenants select * from json_populate_record(null::tenants, $1)', [
    rows[0].row,
  ]);
  await owner.end();
  return url;
};

test('a change on a known business date waits only for its own answers and its commit', async () => {
  const { id } = await opened();

  const asked = await countQueries(() => within(id, entered('KNOWN')));

  expect(asked).toEqual({ statements: 4, trips: 2 });
});

test('if the business date moves, the write is repeated once on the new date', async () => {
  const { id, before } = await opened();
  await within(id, entered('A'));
  await moveOn(id, '2026-03-04');

  const first = await within(id, entered('B'));
  const second = await within(id, entered('C'));

  expect([first, second]).toEqual([
    ['2026-03-04', '2026-03-04'],
    ['2026-03-04', '2026-03-04'],
  ]);
  expect(await within(id, codes)).toEqual([...before, 'A', 'B', 'C'].toSorted());
});

test('steps that refuse because of the date before their first query learn the current date', async () => {
  const { id } = await opened();
  await moveOn(id, '2026-03-04');
  const told: string[] = [];
  const refusing = ({ today }: Work) => {
    told.push(today);
    return Promise.reject(new Conflict('Not on that day.', 'not_today'));
  };

  const refused = within(id, refusing);

  await expect(refused).rejects.toMatchObject({ code: 'not_today' });
  expect(told.at(-1)).toBe('2026-03-04');
  expect(await within(id, entered('AFTERWARDS'))).toEqual(['2026-03-04', '2026-03-04']);
});

test('if the tenant is closed meanwhile, nothing is written on a known date', async () => {
  const { id, before } = await opened();
  await stage.owner.query(`update tenants set access = 'closed', is_active = false where id = $1`, [
    id,
  ]);

  const written = within(id, entered('SHUT'));
  const refused = within(id, () => Promise.reject(new Conflict('No.', 'no')));

  await expect(written).rejects.toBeInstanceOf(TenantClosed);
  await expect(refused).rejects.toBeInstanceOf(TenantClosed);
  const { rows } = await stage.owner.query('select code from programs where tenant_id = $1', [id]);
  expect(rows).toHaveLength(before.length);
});

test('a refusal on the current date is reported, even if its rollback also fails', async () => {
  const { id, before } = await opened();

  const refused = within(id, async ({ tx }) => {
    await tx.query(
      deferred(sql.typeAlias('void')`insert into programs (code) values ('NAMELESS')`),
    );
    throw new Conflict('No.', 'no');
  });

  await expect(refused).rejects.toMatchObject({ code: 'no' });
  expect(await within(id, codes)).toEqual(before);
});

test('a change succeeds on the new date while a standby is a day behind', async () => {
  const { id } = await opened();
  const behind = createWithin(await openPool(await copyOf(id), { size: 1 }), SYSTEM);
  await moveOn(id, '2026-03-04');
  const told: string[] = [];
  const look = async ({ today }: Work) => void told.push(today);
  // Lists are read the whole time, also while the change is repeated.
  const written = new AbortController();
  const looking = (async () => {
    while (!written.signal.aborted) await behind(id, look, { readOnly: true, isRepeated: false });
  })();

  const days = await within(id, entered('MEANWHILE')).finally(() => written.abort());
  await looking;
  const afterwards = await countQueries(() => within(id, entered('AFTERWARDS')));

  expect(days).toEqual(['2026-03-04', '2026-03-04']);
  expect(new Set(told)).toEqual(new Set(['2026-01-15']));
  expect(afterwards.statements).toBe(4);
});

test('of several parallel steps, each may be the first to learn that the date has moved', async () => {
  const { id } = await opened();
  const pairs = (name: string, today: string): ((work: Work) => Promise<unknown>)[] => [
    () => Promise.reject(new Conflict(`Not on ${today}.`, 'not_today')),
    // Sends its statement after the other one.
    async (work) => setImmediate().then(() => entered(`${name}-LATE`)(work)),
    (work) => entered(name)(work),
  ];
  const bothOf = (name: string, which: readonly number[]) =>
    within(id, (work) => {
      const steps = pairs(name, work.today);
      return mapConcurrently(which, (at) => steps[at]?.(work) ?? Promise.resolve());
    });
  await moveOn(id, '2026-03-04');
  const late = await bothOf('ONE', [1, 2]);
  await moveOn(id, '2026-03-05');
  const refused = bothOf('TWO', [0, 2]);
  const swallowed = () =>
    within(id, async (work) => {
      await entered('THREE')(work).catch(() => 'nothing');
      return work.today;
    });

  expect(late).toEqual([
    ['2026-03-04', '2026-03-04'],
    ['2026-03-04', '2026-03-04'],
  ]);
  await expect(refused).rejects.toMatchObject({ message: 'Not on 2026-03-05.' });
  await moveOn(id, '2026-03-06');
  expect(await swallowed()).toBe('2026-03-06');
});

test('a request that waits for a connection while the day ends restarts on the new date', async () => {
  const { id } = await opened();
  await moveOn(id, '2026-03-04');
  const other = await stage.tenant();
  const holding = within(other.id, ({ tx }) =>
    tx.query(sql.typeAlias('void')`select pg_sleep(3.3)`),
  );

  const written = within(id, entered('PATIENT'));

  expect(await written).toEqual(['2026-03-04', '2026-03-04']);
  await holding;
});

test('steps that see another date although the date has not moved get an error and do not repeat forever', async () => {
  const { id } = await opened();
  let begun = 0;

  const asked = within(id, () => {
    begun += 1;
    throw new BusinessDateChanged();
  });

  await expect(asked).rejects.toThrow(BusinessDateChanged);
  expect(begun).toBe(2);
});
