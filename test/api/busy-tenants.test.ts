import { expect, onTestFinished, test, vi } from 'vitest';
import { openAdmission } from '../../api/http/admission.ts';
import { openIntake } from '../../api/http/receive.ts';
import { routes } from '../../api/routes.ts';
import {
  withConnectionShare,
  NoConnectionShare,
  shareAmongTenants,
} from '../../sql/database/tenant-shares.ts';
import { newLoan } from '../setup/loans.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const [tenant, other] = [await stage.tenant(), await stage.tenant()];
const loan = await newLoan(tenant);

/** Locks the loan's row, so that every payment on it waits. */
async function lockLoan() {
  const client = await stage.owner.connect();
  await client.query('begin');
  await client.query('select from loans where id = $1 for update', [loan.id]);
  let isLocked = true;
  const unlock = async () => {
    if (!isLocked) return;
    isLocked = false;
    await client.query('rollback');
    client.release();
  };
  onTestFinished(unlock);
  return unlock;
}

const pay = (port = tenant.port) =>
  tenant.officer.at(port).post(`/loans/${loan.id}/payments`, { amount: '1.00' });
const waitingForLocks = async () =>
  (
    await stage.owner.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
  ).rowCount;

test('a tenant whose payments wait for each other leaves connections to other tenants', async () => {
  const unlock = await lockLoan();
  const payments = Array.from({ length: 30 }, () => pay());
  const settled = vi.fn<() => void>();
  void Promise.race(payments).then(settled);
  await vi.waitFor(async () => expect(await waitingForLocks()).toBeGreaterThanOrEqual(5), 10_000);

  const list = await other.officer.get('/borrowers');
  const change = await other.officer.post('/borrowers', { first_name: 'A', last_name: 'B' });

  expect([list.status, change.status]).toEqual([200, 201]);
  expect(settled).not.toHaveBeenCalled();
  await unlock();
  const statuses = (await Promise.all(payments)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([201]));
});

test('a tenant may occupy half of the connections of a process, and the rest stay free for other tenants', async () => {
  const admission = openAdmission(6);
  const port = await stage.listen({}, routes, { ...openIntake(), admission });
  const unlock = await lockLoan();
  const waiting = Array.from({ length: 3 }, () => pay(port));
  await vi.waitFor(() => expect(admission.atWork()).toBe(3), 10_000);

  const refused = await pay(port);
  const others = await other.officer.at(port).get('/borrowers');

  expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  expect(refused.body.message).toContain('Your organization has too many requests');
  expect(refused.headers['retry-after']).toBe('2');
  expect(others.status).toBe(200);
  await unlock();
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(admission.atWork()).toBe(0);
});

const sharedPool = (size: number, patienceMs?: number) =>
  shareAmongTenants({} as typeof stage.pool, size, patienceMs);

test('the waiting tenant with the fewest connections gets the next one', async () => {
  const pool = sharedPool(9);
  const order: string[] = [];
  const ends: (() => void)[] = [];
  const run = (tenantId: string) =>
    withConnectionShare(pool, tenantId, () => {
      order.push(tenantId);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const nextRound = () => new Promise((resolve) => setImmediate(resolve));

  const all = ['a', 'a', 'a', 'a', 'a', 'a', 'a', 'b', 'b'].map(run);
  await nextRound();
  // One of nine connections is reserved for work of no tenant, and one for a tenant that arrives later.
  expect(order.join('')).toBe('aaaaaab');
  ends[0]?.();
  await nextRound();

  expect(order.join('')).toBe('aaaaaabb');
  while (order.length < all.length) {
    for (const end of ends) end();
    await nextRound();
  }
  for (const end of ends) end();
  await Promise.all(all);
});

test('a transaction that waits too long for a connection fails and leaves the queue', async () => {
  const pool = sharedPool(2, 1);
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = withConnectionShare(pool, 'a', () => promise);

  await expect(withConnectionShare(pool, 'a', () => Promise.resolve())).rejects.toThrow(
    NoConnectionShare,
  );

  resolve();
  await running;
  expect(await withConnectionShare(pool, 'a', () => Promise.resolve('done'))).toBe('done');
});
