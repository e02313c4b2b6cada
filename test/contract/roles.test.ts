import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Route } from '../../api/endpoints/route.ts';
import { routes } from '../../api/routes.ts';
import type { Reply } from '../setup/client.ts';
import { newStage } from '../setup/world.ts';
import { CALLERS, everybody, filled, isAllowed, nameOf, rightful, type Caller } from './callers.ts';
import { writes, written } from './writes.ts';

const stage = await newStage();
// In other tenants, the endpoints of a sandbox refuse every role.
const tenant = await stage.tenant('2026-01-15', { is_sandbox: true });
const clients = await everybody(tenant);

/** The outcome of the request in this test's terms. */
function verdictOf({ status, body }: Reply): string {
  if (status === 401 && body.code === 'not_authenticated') return 'unknown';
  if (status === 403 && body.code === 'permission_denied') {
    return `forbidden to less than ${body.details?.required_role}`;
  }
  return [401, 403, 405].includes(status) || status >= 500
    ? `${status} ${JSON.stringify(body)}`
    : 'let in';
}

function expected(caller: Caller, route: Route): string {
  if (isAllowed(caller, route)) return 'let in';
  return caller === 'nobody' ? 'unknown' : `forbidden to less than ${route.allow}`;
}

test.each(routes.map((route) => [nameOf(route), route] as const))(
  '%s is open only to its declared callers',
  async (_, route) => {
    const body = route.method === 'GET' ? undefined : {};
    // Signing in and out is tested elsewhere, because these clients must stay signed in.
    const knocking = CALLERS.filter(
      (caller) => !(isAllowed(caller, route) && route.transaction === 'own'),
    );

    const verdicts: Record<string, string> = {};
    for (const caller of knocking) {
      const reply = await clients[caller].send(route.method, filled(route.path), body);
      verdicts[caller] = verdictOf(reply);
    }

    expect(verdicts).toEqual(
      Object.fromEntries(knocking.map((caller) => [caller, expected(caller, route)])),
    );
  },
);

test('/users/me grants a role exactly what the route table allows', async () => {
  for (const role of ['viewer', 'collector', 'loan_officer', 'admin'] as const) {
    const { body } = await clients[role].get('/users/me');
    const granted = body.permissions.map(
      ({ action, resource }: { action: string; resource: string }) => `${resource} ${action}`,
    );
    const allowed = routes
      .filter((route) => !['anyone', 'any', 'borrower', 'provider'].includes(route.allow))
      .filter((route) => isAllowed(role, route))
      .map(({ action, resource }) => `${resource} ${action}`);

    expect(new Set(granted), role).toEqual(new Set(allowed));
  }
  expect((await clients.superadmin.get('/users/me')).body.permissions).toEqual([
    { action: '*', resource: '*' },
  ]);
  expect((await clients['no role'].get('/users/me')).body.permissions).toEqual([]);
});

test('no change gets through without the CSRF token, and nothing is written', async () => {
  const before = await writes(stage.owner);
  for (const route of routes.filter(
    ({ method, allow }) => method !== 'GET' && allow !== 'provider',
  )) {
    const client = clients[rightful(route)];
    const options = { headers: { 'X-CSRFToken': '' } };

    const reply = await client.send(route.method, filled(route.path), {}, options);

    expect(reply, nameOf(route)).toMatchObject({ status: 403, body: { code: 'csrf_failed' } });
  }
  expect(written(before, await writes(stage.owner))).toEqual([]);
});

test('only the three provider routes need no token', async () => {
  const nobody = tenant.anonymous();
  const open: string[] = [];
  for (const route of routes.filter(({ method }) => method !== 'GET')) {
    const { body } = await nobody.send(
      route.method,
      filled(route.path),
      {},
      {
        headers: { 'X-CSRFToken': '' },
      },
    );
    if (body.code !== 'csrf_failed') open.push(nameOf(route));
  }

  expect(open).toEqual(routes.filter(({ allow }) => allow === 'provider').map(nameOf));
});

const shape = (path: string) => path.replace(/\{\w+\}/g, '{}');
const specified = readFileSync(new URL('./endpoints.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('\t'));

test('an endpoint of the specification has the specified role', () => {
  const declared = new Map(
    routes.map(({ method, path, allow }) => [`${method} ${shape(path)}`, allow]),
  );
  const others = specified.filter(([method, path = '', role]) => {
    const found = declared.get(`${method} ${shape(path)}`);
    return found !== undefined && found !== role;
  });

  expect(others).toEqual([]);
});

test('no route duplicates or shadows another', () => {
  const shapes = routes.map(({ method, path }) => `${method} ${shape(path)}`);

  expect(shapes.filter((shape, at) => shapes.indexOf(shape) !== at)).toEqual([]);
});
