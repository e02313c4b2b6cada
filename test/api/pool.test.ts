import { request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { Conflict } from '../../jobs/errors.ts';
import { SYSTEM, createWithin, type Work } from '../../jobs/work.ts';
import { Batch } from '../../sql/database/batch.ts';
import { withSavepoint, openPool, sql, sqlStateOf, deferred } from '../../sql/database/db.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const tenants = [await stage.tenant(), await stage.tenant()] as const;
const pool = await openPool(stage.url, { size: 3 });
const within = createWithin(pool, SYSTEM);
const State = z.object({
  tenant: z.string().nullable(),
  timeout: z.string(),
  read_only: z.string(),
});
type Asking = (this: object, given: unknown, ...rest: unknown[]) => unknown;
const Code = z.object({ code: z.string() });
const Backend = sql.type(z.object({ pid: z.number() }));

test('a refusal thrown in a transaction does not close its connection', async () => {
  const pids = new Set<number>();
  const { id } = tenants[0];

  for (let at = 0; at < 50; at += 1) {
    const outcome = await within(id, async ({ tx }) => {
      pids.add((await tx.one(Backend`select pg_backend_pid() as pid`)).pid);
      // An application error, an error from the database, and a missing row.
      if (at % 3 === 0) throw new Conflict('No.');
      if (at % 3 === 1)
        await tx.query(sql.typeAlias('void')`insert into emails (email) values ('A')`);
      return tx.one(Backend`select 1 as pid where false`);
    }).catch((error: unknown) => error);

    expect(outcome).toBeInstanceOf(Error);
  }

  expect(pids.size).toBe(1);
});

test('without a tenant, no rows can be read or written', async () => {
  const rows = await pool.any(sql.unsafe`select * from borrowers`);
  const writing = pool.query(
    sql.unsafe`insert into borrowers (first_name, last_name) values ('A', 'B')`,
  );

  expect(rows).toEqual([]);
  await expect(writing).rejects.toThrow(/row-level security|violates/);
});

test('a tenant, a time-out or a mode of one transaction does not leak into the next', async () => {
  const state = sql.type(State)`
    select current_setting('app.tenant_id', true) as tenant,
           current_setting('statement_timeout') as timeout,
           current_setting('transaction_read_only') as read_only
  `;
  const before = await pool.one(state);

  const inside = await within(tenants[0].id, ({ tx }) => tx.one(state), {
    readOnly: true,
    timeout: '5s',
  });
  await within(tenants[1].id, async () => {
    throw new Conflict('No.');
  }).catch(() => undefined);
  const after = await pool.one(state);

  expect(inside).toMatchObject({ tenant: tenants[0].id, timeout: '5s', read_only: 'on' });
  expect(after).toMatchObject({ timeout: before.timeout, read_only: 'off' });
  expect(after.tenant ?? '').toBe('');
});

const write = (name: string) =>
  deferred(sql.typeAlias('void')`insert into programs (code, name) values (${name}, ${name})`);
const codes = ({ tx }: Work) =>
  tx.anyFirst(sql.type(Code)`select code from programs where code like 'UNREAD%' order by code`);

test('a deferred write is visible to the next statement and after the commit', async () => {
  const { id } = tenants[0];

  const seen = await within(id, async (work) => {
    await work.tx.query(write('UNREAD-1'));
    const codesThen = await codes(work);
    await work.tx.query(write('UNREAD-2'));
    return codesThen;
  });

  expect(seen).toEqual(['UNREAD-1']);
  expect(await within(id, codes)).toEqual(['UNREAD-1', 'UNREAD-2']);
});

test('an error in a deferred write is reported and rolls back the transaction, even as its last statement', async () => {
  const { id } = tenants[1];
  const twice = async ({ tx }: Work) => {
    await tx.query(write('UNREAD-3'));
    await tx.query(write('UNREAD-3'));
  };

  const last = await within(id, twice).catch((error: unknown) => sqlStateOf(error));
  const before = await within(id, async (work) => {
    await twice(work);
    return codes(work);
  }).catch((error: unknown) => sqlStateOf(error));

  expect([last, before]).toEqual(['23505', '23505']);
  expect(await within(id, codes)).toEqual([]);
});

test('a deferred write is refused in a read-only transaction, also as its last statement', async () => {
  const { id } = tenants[1];
  const mode = { readOnly: true };

  const reading = within(id, ({ tx }) => tx.query(write('UNREAD-8')), mode);

  expect(await reading.catch((error: unknown) => sqlStateOf(error))).toBe('25006');
  expect(await within(id, codes, mode)).toEqual([]);
});

test('a deferred write inside a savepoint is rolled back with it and reported', async () => {
  const { id } = tenants[1];

  const kept = await within(id, async (work) => {
    await work.tx.query(write('UNREAD-4'));
    const failed = await withSavepoint(work.tx, () => work.tx.query(write('UNREAD-4')));
    const refused = await withSavepoint(work.tx, async () => {
      await work.tx.query(write('UNREAD-5'));
      throw new Conflict('No.');
    });
    return [failed, refused].map((outcome) => 'error' in outcome);
  });

  expect(kept).toEqual([true, true]);
  expect(await within(id, codes)).toEqual(['UNREAD-4']);
});

test('outside a transaction a deferred write runs immediately, and a refused one leaves nothing', async () => {
  const { id } = tenants[1];
  const alone = await pool.query(write('UNREAD-6')).catch((error: unknown) => sqlStateOf(error));

  const refused = within(id, async ({ tx }) => {
    await tx.query(write('UNREAD-7'));
    throw new Conflict('No.');
  });

  await expect(refused).rejects.toThrow('No.');
  expect(alone).toBe('42501');
  expect(await within(id, codes)).toEqual(['UNREAD-4']);
});

test('after a refusal no locks remain', async () => {
  const order: string[] = [];
  const prototype = pg.Client.prototype as unknown as { query: Asking };
  const { query } = prototype;
  prototype.query = function watched(given, ...rest) {
    const isRollback = given instanceof Batch && given.statements.at(-1)?.text === 'rollback';
    if (isRollback) void given.answered.then(() => order.push('undone'));
    return query.call(this, given, ...rest);
  };
  onTestFinished(() => void (prototype.query = query));

  const refused = within(tenants[0].id, () => Promise.reject(new Conflict('No.')));
  await refused.catch(() => order.push('told'));

  expect(order).toEqual(['undone', 'told']);
});

test('a thousand requests of two tenants, some of them aborted, never see the other tenant’s rows', async () => {
  for (const { officer, slug } of tenants) {
    for (let at = 0; at < 5; at += 1) {
      await officer.post('/borrowers', { first_name: slug, last_name: `N${at}` });
    }
  }
  const strangers: unknown[] = [];
  const look = async ({ officer, slug }: Tenant, at: number) => {
    if (at % 7 === 0) return abandoned(officer.cookies, slug);
    if (at % 5 === 0) return officer.post('/borrowers', { first_name: slug, last_name: 1 });
    if (at % 11 === 0) return officer.get('/borrowers?filter={"external_id":"\\u0001"}');
    const { body } = await officer.get('/borrowers?first_name__icontains=tenant');
    strangers.push(...body.filter(({ first_name }: { first_name: string }) => first_name !== slug));
    return body.length;
  };

  for (let start = 0; start < 1_000; start += 20) {
    const batch = Array.from({ length: 20 }, (_, at) => start + at);
    await Promise.all(batch.map((at) => look(tenants[at % 2 === 0 ? 0 : 1], at)));
  }

  expect(strangers).toEqual([]);
  await pool.end();
});

/** Sends a request and disconnects before the answer. */
function abandoned(cookies: Map<string, string>, slug: string): Promise<void> {
  return new Promise((resolve) => {
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { Host: `${slug}.test`, Cookie };
    const outgoing = request({ port: stage.port, path: '/api/v1/borrowers', headers });
    outgoing.on('error', () => resolve());
    outgoing.on('close', () => resolve());
    outgoing.end();
    setTimeout(() => outgoing.destroy(), Math.random() * 4);
  });
}

/** A packet of the Postgres protocol: a letter, the length including itself, and the content. */
const packet = (kind: string, body = '') => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(kind), length, Buffer.from(body, 'latin1')]);
};
const READY = packet('Z', 'I');
const LET_IN = Buffer.concat([packet('R', '\0\0\0\0'), READY]);
const ENDED = packet('E', 'SFATAL\0C57P01\0Mterminating connection\0\0');

test('a server that goes away while a connection opens does not end the process', async () => {
  const gone = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('close', () => gone.resolve());
    socket.once('data', () => {
      socket.write(LET_IN);
      socket.once('data', () => {
        socket.write(ENDED);
        setTimeout(() => socket.end(), 50);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const opening = openPool(`postgresql://postgres@127.0.0.1:${port}/servicing`, { size: 1 });

  await expect(opening).rejects.toThrow('terminating connection');
  await gone.promise;
  server.close();
});
