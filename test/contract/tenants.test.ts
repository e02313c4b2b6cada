import { expect, test } from 'vitest';
import { routes } from '../../api/routes.ts';
import type { Ground } from '../attack/ground.ts';
import type { Reply } from '../setup/client.ts';
import { newStage } from '../setup/world.ts';
import { CALLERS, isAllowed, nameOf, RANDOM_ID, rightful } from './callers.ts';
import { changed, fingerprint } from './fingerprint.ts';
import { keysIn, withKey } from './foreign-keys.ts';
import { collectionsIn, newGrounds, pathsIn, rightBodies } from './grounds.ts';
import { collectionOf } from './samples.ts';

const stage = await newStage();
const [ours, theirs] = (await newGrounds(stage, ['ours', 'theirs'])) as [Ground, Ground];
const bodies = await rightBodies(ours);
const withIds = routes.filter(({ path }) => collectionsIn(path).length > 0);

/** Routes that take an id, for which the other tenant has no record. */
const UNTRIED: Record<string, string> = {
  'PUT /communications/providers/{channel}': 'a channel is no record',
  'POST /auth/second-factors/{id}/remove': 'only one’s own; test/users/second-factors.test.ts',
  'DELETE /auth/sessions/{id}': 'only one’s own; test/users/own-sessions.test.ts',
};
const FILES = /^GET \/(credit-reporting-files|nacha-files)\//;
const FILES_REASON = 'files for banks and bureaus are written of months that have ended';

test('no id of another tenant is found, whoever asks for whatever', async () => {
  const before = await fingerprint(stage.owner);
  const tried: string[] = [];
  const untried: string[] = [];
  const found: string[] = [];
  for (const route of withIds) {
    const [path] = await pathsIn(theirs, route.path);
    (path === undefined ? untried : tried).push(nameOf(route));
    if (path === undefined) continue;
    const body = route.method === 'GET' ? undefined : bodies.get(nameOf(route))?.[0];
    const callers = CALLERS.filter((caller) => caller !== 'nobody' && isAllowed(caller, route));
    for (const caller of callers) {
      const { status } = await ours.clients[caller].send(route.method, path, body);
      if (status !== 404) found.push(`${caller} ${nameOf(route)}: ${status}`);
    }
  }

  expect(found).toEqual([]);
  expect(changed(before, await fingerprint(stage.owner))).toEqual([]);
  const unnamed = untried.filter((name) => !(name in UNTRIED) && !FILES.test(name));
  expect(unnamed, `all but these are tried; ${FILES_REASON}`).toEqual([]);
  expect(tried.length).toBeGreaterThanOrEqual(180);
  // oxlint-disable-next-line no-console -- how much was tried is part of the result
  console.log(`${tried.length} of ${withIds.length} routes were tried with another tenant's id.`);
}, 120_000);

/** Keys that are refused in another way, or before they are looked at; the same for every id. */
const OTHERWISE: Record<string, string> = {
  'POST /loans/{id}/activate-promo promo_program_id': 'names an offer that is kept elsewhere',
  'POST /loans/{id}/assign-officer user_id': 'passed over beside its other name, loan_officer_id',
  'POST /portfolios/{id}/transfer-loans destination_portfolio_id':
    'passed over beside its other name, target_portfolio_id',
  'POST /portfolios/{id}/buyback loan_ids.0': 'nothing of a sale is booked',
  'PUT /loan-assignments/{id} settlement_instrument_id': 'only while it is pending',
  'POST /communications/send-batch borrower_ids.0': 'each borrower has an answer of its own',
};

const keyed = routes.flatMap((route) =>
  route.body && route.transaction !== 'own'
    ? keysIn(route.body).map((place) => ({ route, place, name: place.join('.') }))
    : [],
);

test.each(keyed.map((key) => [`${nameOf(key.route)} ${key.name}`, key] as const))(
  '%s refuses the record of another tenant with the words for one that there is not',
  async (name, { route, place }) => {
    const key = place.findLast((part) => part !== '0') ?? '';
    const [foreign = RANDOM_ID] = await theirs.idsOf(collectionOf(key));
    const client = ours.clients[rightful(route)];
    for (const path of await pathsIn(ours, route.path, 40)) {
      for (const body of (bodies.get(nameOf(route)) ?? []).slice(0, 4)) {
        const send = (id: string) => client.send(route.method, path, withKey(body, place, id));
        const random = await send(RANDOM_ID);
        const isRefused = blames(random, place[0] ?? '') || isUnknown(random, route.path);
        if (!isRefused && !(name in OTHERWISE && random.status >= 400)) continue;

        expect(told(await send(foreign), foreign)).toEqual(told(random, RANDOM_ID));
        return;
      }
    }
    expect(Object.keys(OTHERWISE), 'Nothing was refused because of it.').toContain(name);
  },
);

const blames = ({ status, body }: Reply, field: string) =>
  status === 422 && Object.keys(body.errors).some((name) => name.startsWith(field));

/** In the portal a record in the body that is somebody else's is answered as one in the path. */
const isUnknown = ({ status }: Reply, path: string) => status === 404 && !path.includes('{');

const told = ({ status, body: { request_id: _, ...body } }: Reply, id: string) => ({
  status,
  body: JSON.stringify(body).replaceAll(id, 'ID'),
});
