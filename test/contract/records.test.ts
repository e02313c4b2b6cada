import { expect, test } from 'vitest';
import { routes } from '../../api/routes.ts';
import { newStage } from '../setup/world.ts';
import { everybody, filled, nameOf, RANDOM_ID } from './callers.ts';
import { changed, fingerprint } from './fingerprint.ts';
import { newSamples } from './samples.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const stranger = await stage.tenant();
const clients = await everybody(tenant);
const theirs = newSamples(await stranger.signedIn('superadmin'));
const samples = newSamples(clients.superadmin);
const clientOf = (allow: string) => (allow === 'borrower' ? clients.borrower : clients.superadmin);
const withIds = routes.filter(({ path }) => /\{(\w+_)?id\}/.test(path));

test.each(withIds.map((route) => [nameOf(route), route] as const))(
  '%s knows no malformed id, no random one and none of another tenant',
  async (_, route) => {
    const client = clientOf(route.allow);
    const body = route.body ? await samples.bodyOf(route.body) : {};
    const foreign = (await theirs.pathOf(route.path)) ?? filled(route.path);
    const malformed = ['not-a-uuid', '1', `${RANDOM_ID}0`, '%00'].map((id) =>
      filled(route.path, id),
    );
    const before = await fingerprint(stage.owner);
    const ask = async (path: string) => {
      const { status } = await client.send(
        route.method,
        path,
        route.method === 'GET' ? undefined : body,
      );
      return [path, status] as const;
    };

    for (const path of malformed) expect(await ask(path)).toEqual([path, 404]);
    for (const path of [filled(route.path), foreign]) {
      const [, status] = await ask(path);

      // A body that could not be made up may be refused first; a record is never found.
      expect(route.body ? [404, 422] : [404], path).toContain(status);
    }
    expect(changed(before, await fingerprint(stage.owner))).toEqual([]);
  },
);

test('a key in a body that belongs to another tenant is as good as none', async () => {
  for (const route of routes.filter(
    ({ method, body, allow }) => method === 'POST' && body && allow !== 'borrower',
  )) {
    const path = await samples.pathOf(route.path);
    const right = (await samples.bodyOf(route.body as never)) as Record<string, unknown>;
    const keys = Object.keys(right).filter((name) => name.endsWith('_id') && right[name]);
    for (const key of path === undefined ? [] : keys) {
      const ids = [RANDOM_ID, await theirs.recordOf(`/${key.replace(/_id$/, '')}s`)];
      for (const id of ids.filter(Boolean)) {
        const reply = await clients.superadmin.post(path as string, { ...right, [key]: id });

        expect([404, 409, 422], `${nameOf(route)} ${key}: ${JSON.stringify(reply.body)}`).toContain(
          reply.status,
        );
      }
    }
  }
});

test('reading changes nothing', async () => {
  const reads = routes.filter(({ method }) => method === 'GET');
  const paths = [];
  for (const route of reads)
    paths.push([route, (await samples.pathOf(route.path)) ?? filled(route.path)] as const);
  const before = await fingerprint(stage.owner);

  for (const [route, path] of paths) {
    const { status, body } = await clientOf(route.allow).get(path);

    expect(status, `${nameOf(route)}: ${JSON.stringify(body)}`).toBeLessThan(500);
  }

  expect(changed(before, await fingerprint(stage.owner))).toEqual([]);
  expect(reads.filter(({ transaction }) => transaction === 'write').map(nameOf)).toEqual([]);
});

test('whatever is changed by a request has its row of history', async () => {
  const silent: string[] = [];
  const done: string[] = [];
  for (const route of routes.filter(
    ({ method, transaction }) => method !== 'GET' && transaction === 'write',
  )) {
    const path = await samples.pathOf(route.path);
    if (path === undefined) continue;
    const body = route.body ? await samples.bodyOf(route.body) : {};
    const before = await fingerprint(stage.owner);
    const reply = await clientOf(route.allow).send(route.method, path, body);
    const tables = changed(before, await fingerprint(stage.owner));

    expect(reply.status, `${nameOf(route)}: ${JSON.stringify(reply.body)}`).toBeLessThan(500);
    if (reply.status < 300) done.push(nameOf(route));
    const isSilent = tables.length > 0 && (reply.status >= 300 || !tables.includes('audit_log'));
    if (isSilent) silent.push(`${nameOf(route)} ${reply.status}: ${tables.join()}`);
  }

  expect(silent).toEqual([]);
  expect(done.length).toBeGreaterThan(0);
});
