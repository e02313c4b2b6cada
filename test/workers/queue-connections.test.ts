import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openQueueConnections } from '../../workers/queue/queue-connections.ts';

test('a scheduler that asks while Postgres is down gets no error when its worker stops', async () => {
  // No server listens there.
  const url = 'postgres://nobody@127.0.0.1:1/nothing';
  const heard: Error[] = [];
  const connections = openQueueConnections(url, {
    size: 2,
    instead: (statement) => statement,
    warn: (error) => void heard.push(error),
  });
  const ended: unknown[] = [];
  void connections.pool.query('select from graphile_worker._private_known_crontabs').then(
    () => ended.push('answered'),
    (error: unknown) => ended.push(error),
  );
  const fetching = connections.pool.connect().catch((error: unknown) => error);
  await expect.poll(() => heard.length).toBe(1);

  await connections.close();
  const fetched = await fetching;
  await wait(500);

  expect(ended).toEqual([]);
  // A stopping worker gets an error immediately and does not wait for more jobs.
  expect(fetched).toBeInstanceOf(Error);
});
