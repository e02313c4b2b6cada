import { expect, test } from 'vitest';
import { routes } from '../../api/routes.ts';
import { newStage } from '../setup/world.ts';
import { everybody, filled, nameOf, RANDOM_ID, rightful, withExampleQuery } from './callers.ts';
import { writes, written } from './writes.ts';
import { newSamples } from './samples.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const clients = await everybody(tenant);
const samples = newSamples(clients.superadmin);
const withIds = routes.filter(({ path }) => /\{(\w+_)?id\}/.test(path));

test.each(withIds.map((route) => [nameOf(route), route] as const))(
  '%s answers 404 to malformed and random ids',
  async (_, route) => {
    const client = clients[rightful(route)];
    const body = route.body ? await samples.bodyOf(route.body) : {};
    const malformed = ['not-a-uuid', '1', `${RANDOM_ID}0`, '%00'].map((id) =>
      filled(route.path, id),
    );
    const before = await writes(stage.owner);
    const ask = async (path: string) => {
      const { status } = await client.send(
        route.method,
        path,
        route.method === 'GET' ? undefined : body,
      );
      return [path, status] as const;
    };

    for (const path of malformed) expect(await ask(path)).toEqual([path, 404]);
    const [path, status] = await ask(withExampleQuery(route, filled(route.path)));

    // A generated body may be refused first. A record is never found.
    expect(route.body ? [404, 422] : [404], path).toContain(status);
    expect(written(before, await writes(stage.owner))).toEqual([]);
  },
);

test('reads change nothing', async () => {
  const reads = routes.filter(({ method }) => method === 'GET');
  const paths = [];
  for (const route of reads)
    paths.push([route, (await samples.pathOf(route.path)) ?? filled(route.path)] as const);
  const before = await writes(stage.owner);

  for (const [route, path] of paths) {
    const { status, body } = await clients[rightful(route)].get(path);

    expect(status, `${nameOf(route)}: ${JSON.stringify(body)}`).toBeLessThan(500);
  }

  expect(written(before, await writes(stage.owner))).toEqual([]);
  expect(reads.filter(({ transaction }) => transaction === 'write').map(nameOf)).toEqual([]);
});
