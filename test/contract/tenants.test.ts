import { expect, test } from 'vitest';
import type { Route } from '../../api/endpoints/route.ts';
import { routes } from '../../api/routes.ts';
import type { Ground } from '../attack/ground.ts';
import type { Reply } from '../setup/client.ts';
import { newStage } from '../setup/world.ts';
import {
  CALLERS,
  type Caller,
  RANDOM_ID,
  filled,
  isAllowed,
  nameOf,
  rightful,
  withExampleQuery,
} from './callers.ts';
import { writes, written } from './writes.ts';
import { keysIn, withKey } from './foreign-keys.ts';
import { collectionsIn, newGrounds, pathsIn, rightBodies } from './grounds.ts';
import { collectionOf } from './samples.ts';

const stage = await newStage();
const [ours, theirs] = (await newGrounds(stage, ['ours', 'theirs'])) as [Ground, Ground];
const bodies = await rightBodies(ours);
const withIds = routes.filter(({ path }) => collectionsIn(path).length > 0);

/** Routes with an id for which the other tenant has no record. */
const UNTRIED: Record<string, string> = {
  'PUT /communications/providers/{channel}': 'a channel is no record',
  'POST /auth/second-factors/{id}/remove': 'only one’s own; test/users/second-factors.test.ts',
  'GET /borrower-exports/{id}': 'made by a job; test/borrowers/privacy.test.ts',
  'DELETE /auth/provider-links/{id}': 'only one’s own; test/users/provider-links.test.ts',
  'DELETE /auth/sessions/{id}': 'only one’s own; test/users/own-sessions.test.ts',
  'GET /webhook-deliveries/{id}': 'made by the relay; test/webhooks/delivery-records.test.ts',
  'GET /webhook-deliveries/{id}/attempts': 'the same',
  'GET /change-notices/{id}': 'made by a file of a bank; test/payments/change-notices.test.ts',
  'POST /change-notices/{id}/apply': 'the same',
  'POST /change-notices/{id}/dismiss': 'the same',
  'GET /credit-reporting-findings/{id}':
    'made by a month end; test/loans/reporting/credit-findings.test.ts',
  'POST /credit-reporting-findings/{id}/accept': 'the same',
  'POST /credit-reporting-findings/{id}/withhold': 'the same',
  'GET /sanctions-screenings/{id}':
    'made by a screening; test/loans/origination/sanctions-screening.test.ts',
  'GET /sanctions-hits/{id}': 'the same',
  'POST /sanctions-hits/{id}/clear': 'the same',
  'POST /sanctions-hits/{id}/confirm': 'the same',
  'GET /servicing-transfers/{id}':
    'needs loans to transfer; test/portfolios/servicing-transfer.test.ts',
  'GET /servicing-transfers/{id}/loans': 'the same',
  'GET /servicing-transfers/{id}/payments': 'the same',
  'POST /servicing-transfers/{id}/send-notices': 'the same',
  'POST /servicing-transfers/{id}/record-notices': 'the same',
  'POST /servicing-transfers/{id}/cancel': 'the same',
  'POST /servicing-transfers/{id}/forward-payments': 'the same',
  'POST /servicing-transfers/{id}/receive-payments': 'the same',
  'GET /reconciliations/{id}': 'made of a file; test/books/reconciliations.test.ts',
  'GET /reconciliations/{id}/differences': 'made of a file; test/books/reconciliations.test.ts',
  'GET /reconciliations/{id}/changes': 'made of a file; test/books/reconciliations.test.ts',
  'GET /reconciliations/{id}/download': 'made of a file; test/books/reconciliations.test.ts',
  'POST /reconciliations/{id}/sign-off': 'made of a file; test/books/reconciliations.test.ts',
  'GET /imports/{id}': 'made of a file; test/books/imports.test.ts',
  'GET /imports/{id}/findings': 'the same',
  'POST /imports/{id}/check': 'the same',
  'POST /imports/{id}/confirm': 'the same',
  'POST /imports/{id}/resume': 'the same',
  'POST /imports/{id}/cancel': 'the same',
  'GET /book-exports/{id}': 'made on request; test/books/export-book.test.ts',
  'GET /operations/jobs/{number}': 'a number of the queue; test/api/operations.test.ts',
};
const FILES =
  /^(GET|POST) \/(credit-reporting-files|credit-corrections|credit-dispute-(imports|answer-files)|nacha-files)\//;
const FILES_REASON = 'files for banks and bureaus are written of months that have ended';

test('no caller finds another tenant’s id on any route', async () => {
  const before = await writes(stage.owner);
  const tried: string[] = [];
  const untried: string[] = [];
  const found: string[] = [];
  for (const route of withIds) {
    const [theirPath] = await pathsIn(theirs, route.path);
    (theirPath === undefined ? untried : tried).push(nameOf(route));
    if (theirPath === undefined) continue;
    const path = withExampleQuery(route, theirPath);
    const body = route.method === 'GET' ? undefined : bodies.get(nameOf(route))?.[0];
    const callers = CALLERS.filter((caller) => caller !== 'nobody' && isAllowed(caller, route));
    for (const caller of callers) {
      const { status } = await ours.clients[caller].send(route.method, path, body);
      if (status !== 404) found.push(`${caller} ${nameOf(route)}: ${status}`);
    }
  }

  expect(found).toEqual([]);
  expect(written(before, await writes(stage.owner))).toEqual([]);
  const unnamed = untried.filter((name) => !(name in UNTRIED) && !FILES.test(name));
  expect(unnamed, `all but these are tried; ${FILES_REASON}`).toEqual([]);
  expect(tried.length).toBeGreaterThanOrEqual(180);
  // oxlint-disable-next-line no-console -- the number of attempts is part of the result
  console.log(`${tried.length} of ${withIds.length} routes were tried with another tenant's id.`);
}, 120_000);

/** Keys that are refused differently, or before they are looked up. The answer is the same for every id. */
const OTHERWISE: Record<string, string> = {
  'POST /loans/{id}/activate-promo promo_program_id': 'names an offer that is kept elsewhere',
  'POST /loans/{id}/assign-officer user_id': 'passed over beside its other name, loan_officer_id',
  'POST /portfolios/{id}/transfer-loans destination_portfolio_id':
    'passed over beside its other name, target_portfolio_id',
  'POST /portfolios/{id}/buyback loan_ids.0': 'nothing of a sale is booked',
  'PUT /loan-assignments/{id} settlement_instrument_id': 'only while it is pending',
  'POST /communications/send-batch borrower_ids.0': 'each borrower has an answer of its own',
  'POST /borrowers/{id}/military-reports document_id':
    'refused before, because database and result contradict each other',
  'POST /sandbox/bounce-payment payment_id':
    'refused outside a sandbox; test/operations/sandbox.test.ts',
  'POST /servicing-transfers/{id}/record-notices loan_ids.0': 'no loan is being transferred',
  'POST /servicing-transfers/{id}/forward-payments loan_ids.0': 'the same',
  'POST /servicing-transfers/{id}/receive-payments payments.0.loan_id': 'the same',
  'POST /operations/pauses tenant_id':
    'only operators may name a tenant; test/api/operations.test.ts',
  'POST /operations/pauses/end tenant_id': 'the same',
};

const isPortal = ({ path }: Route) => path.startsWith('/portal/');

const keyed = routes.flatMap((route) =>
  route.body && route.transaction !== 'own'
    ? keysIn(route.body).map((place) => ({ route, place, name: place.join('.') }))
    : [],
);

test.each(keyed.map((key) => [`${nameOf(key.route)} ${key.name}`, key] as const))(
  '%s answers as for a missing record when the record belongs to another tenant or borrower',
  async (name, { route, place }) => {
    const key = place.findLast((part) => part !== '0') ?? '';
    const [foreign = RANDOM_ID] = await theirs.idsOf(collectionOf(key));
    // Our newest record belongs to another borrower.
    const anothers = isPortal(route) ? (await ours.idsOf(collectionOf(key))).slice(-1) : [];
    const client = ours.clients[rightful(route)];
    for (const path of await pathsIn(ours, route.path, 40)) {
      for (const body of (bodies.get(nameOf(route)) ?? []).slice(0, 4)) {
        const send = (id: string) => client.send(route.method, path, withKey(body, place, id));
        const random = await send(RANDOM_ID);
        const isRefused = blames(random, place[0] ?? '') || isUnknown(random, route.path);
        if (!isRefused && !(name in OTHERWISE && random.status >= 400)) continue;

        for (const id of [foreign, ...anothers])
          expect(told(await send(id), id)).toEqual(told(random, RANDOM_ID));
        return;
      }
    }
    expect(Object.keys(OTHERWISE), 'Nothing was refused because of it.').toContain(name);
  },
);

const blames = ({ status, body }: Reply, field: string) =>
  status === 422 && Object.keys(body.errors).some((name) => name.startsWith(field));

/** In the portal, another borrower's record in the body gets the same answer as one in the path. */
const isUnknown = ({ status }: Reply, path: string) => status === 404 && !path.includes('{');

const told = ({ status, body: { request_id: _, ...body } }: Reply, id: string) => ({
  status,
  body: JSON.stringify(body).replaceAll(id, 'ID'),
});

/** Routes about people and their access, and the borrower's own routes. */
const ofPeople = routes.filter(({ tag }) => ['borrowers', 'users', 'portal'].includes(tag));

const send = (caller: Caller, route: Route, address: string) => {
  const body = route.method === 'GET' ? undefined : bodies.get(nameOf(route))?.[0];
  return ours.clients[caller].send(route.method, withExampleQuery(route, address), body);
};

test('a caller without access to an endpoint about people cannot learn whether an id exists', async () => {
  const before = await writes(stage.owner);
  const otherwise: string[] = [];
  let asked = 0;
  for (const route of ofPeople) {
    const [own, foreign] = [await pathsIn(ours, route.path), await pathsIn(theirs, route.path)];
    const addresses = new Set([filled(route.path), ...own, ...foreign]);
    for (const caller of CALLERS.filter((each) => !isAllowed(each, route))) {
      const expected =
        caller === 'nobody' ? '401 not_authenticated' : `403 permission_denied ${route.allow}`;
      for (const address of addresses) {
        const { status, body } = await send(caller, route, address);
        const role = status === 403 ? ` ${body.details?.required_role}` : '';
        asked += 1;
        if (`${status} ${body.code}${role}` !== expected)
          otherwise.push(`${caller} ${nameOf(route)}: ${status} ${body.code}${role}`);
      }
    }
  }

  expect(otherwise).toEqual([]);
  expect(written(before, await writes(stage.owner))).toEqual([]);
  expect(asked).toBeGreaterThan(500);
}, 120_000);

const OLDEST = 25;

/** Of each kind, some of the oldest records belong to the borrower and the newest to another borrower. */
test('a borrower finds nothing of another borrower of the same tenant in the portal', async () => {
  const before = await writes(stage.owner);
  const found: string[] = [];
  for (const route of withIds.filter(isPortal))
    for (const address of await pathsIn(ours, route.path)) {
      const { status } = await send('borrower', route, address);
      if (status !== 404) found.push(`${nameOf(route)}: ${status}`);
    }
  const unchanged = written(before, await writes(stage.owner));
  const lost: string[] = [];
  for (const route of withIds.filter((each) => isPortal(each) && each.method === 'GET')) {
    const [collection = ''] = collectionsIn(route.path);
    const ids = (await ours.idsOf(collection)).slice(0, OLDEST);
    const asked = ids.map((id) => send('borrower', route, filled(route.path, id)));
    const replies = await Promise.all(asked);
    if (replies.every(({ status }) => status === 404)) lost.push(nameOf(route));
  }

  expect(found).toEqual([]);
  expect(unchanged).toEqual([]);
  expect(lost, 'and finds his own').toEqual([]);
});

test('a caller with access to people sees only those of their own tenant', async () => {
  const refused: string[] = [];
  for (const route of ofPeople.filter(({ method }) => method === 'GET'))
    for (const address of isPortal(route) ? [] : await pathsIn(ours, route.path))
      for (const caller of CALLERS.filter((each) => isAllowed(each, route))) {
        const { status } = await send(caller, route, address);
        if (status !== 200) refused.push(`${caller} ${nameOf(route)}: ${status}`);
      }

  expect(refused).toEqual([]);
}, 60_000);
