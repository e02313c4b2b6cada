import { expect, test } from 'vitest';
import type { Route } from '../../api/endpoints/route.ts';
import { routes } from '../../api/routes.ts';
import type { Ground } from '../attack/ground.ts';
import { newStage } from '../setup/world.ts';
import { CALLERS, filled, isAllowed, nameOf, type Caller } from './callers.ts';
import { changed, fingerprint } from './fingerprint.ts';
import { collectionsIn, newGrounds, pathsIn, rightBodies } from './grounds.ts';

/** Whoever asks for people and their access, or as one of them. */
const AREAS = ['borrowers', 'users', 'portal'];
/** The first part of these is no collection: what stands behind it is the borrower's own. */
const PORTAL = /^\/portal(?=\/)/;

const stage = await newStage();
const [ours, theirs] = (await newGrounds(stage, ['ours', 'theirs'])) as [Ground, Ground];
const bodies = await rightBodies(ours);
const declared = routes.filter(({ tag }) => AREAS.includes(tag));
const withIds = declared.filter(({ path }) => collectionsIn(path).length > 0);

/** The route with the id of a record of that tenant; of the portal, of another borrower's. */
async function pathIn(ground: Ground, { path }: Route): Promise<string | undefined> {
  const [found] = await pathsIn(ground, path.replace(PORTAL, ''));
  return found && path.match(PORTAL) ? `/portal${found}` : found;
}

const send = (caller: Caller, { method, path }: Route, address = filled(path)) => {
  const body = method === 'GET' ? undefined : bodies.get(`${method} ${path}`)?.[0];
  return ours.clients[caller].send(method, address, body);
};

/** Who may not call it is told the same of every id, right or wrong, and leaves nothing behind. */
test('whoever may not call an endpoint of people learns of no id whether it is there', async () => {
  const before = await fingerprint(stage.owner);
  const otherwise: string[] = [];
  let asked = 0;
  for (const route of declared) {
    const addresses = [undefined, await pathIn(ours, route), await pathIn(theirs, route)];
    for (const caller of CALLERS.filter((each) => !isAllowed(each, route))) {
      const expected =
        caller === 'nobody' ? '401 not_authenticated' : `403 permission_denied ${route.allow}`;
      for (const address of new Set(addresses)) {
        const { status, body } = await send(caller, route, address);
        const role = status === 403 ? ` ${body.details?.required_role}` : '';
        asked += 1;
        if (`${status} ${body.code}${role}` !== expected)
          otherwise.push(`${caller} ${nameOf(route)}: ${status} ${body.code}${role}`);
      }
    }
  }

  expect(otherwise).toEqual([]);
  expect(changed(before, await fingerprint(stage.owner))).toEqual([]);
  expect(asked).toBeGreaterThan(500);
}, 120_000);

test('whoever may call it finds no record of another tenant, and a borrower none of another’s', async () => {
  const before = await fingerprint(stage.owner);
  const found: string[] = [];
  const untried: string[] = [];
  for (const route of withIds) {
    const isPortal = PORTAL.test(route.path);
    const foreign = [await pathIn(theirs, route), isPortal && (await pathIn(ours, route))];
    const addresses = foreign.filter((address) => typeof address === 'string');
    if (addresses.length === 0) untried.push(nameOf(route));
    for (const caller of CALLERS.filter((each) => each !== 'nobody' && isAllowed(each, route)))
      for (const address of addresses) {
        const { status, body } = await send(caller, route, address);
        if (status !== 404 || body.code !== 'not_found')
          found.push(`${caller} ${nameOf(route)}: ${status} ${body.code}`);
      }
  }

  expect(found).toEqual([]);
  expect(untried).toEqual([]);
  expect(changed(before, await fingerprint(stage.owner))).toEqual([]);
}, 120_000);

test('whoever may call it reads the records of his tenant', async () => {
  const refused: string[] = [];
  for (const route of withIds.filter(
    ({ method, path }) => method === 'GET' && !PORTAL.test(path),
  )) {
    const address = await pathIn(ours, route);
    for (const caller of CALLERS.filter((each) => isAllowed(each, route))) {
      const { status } = await send(caller, route, address);
      if (status !== 200) refused.push(`${caller} ${nameOf(route)}: ${status}`);
    }
  }

  expect(refused).toEqual([]);
}, 60_000);
