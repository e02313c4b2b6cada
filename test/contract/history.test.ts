import { expect, test } from 'vitest';
import type { Route } from '../../api/endpoints/route.ts';
import { routes } from '../../api/routes.ts';
import type { Ground } from '../attack/ground.ts';
import type { Reply } from '../setup/client.ts';
import { newStage } from '../setup/world.ts';
import { nameOf, rightful } from './callers.ts';
import { newGrounds, pathsIn, rightBodies } from './grounds.ts';
import { fieldsOf } from './writable.ts';

const stage = await newStage();
const [ground] = (await newGrounds(stage, ['ours'])) as [Ground];
const bodies = await rightBodies(ground);

/** Routes that take something away from other routes run last. */
const LATE = /^DELETE|settings|providers|deactivate|closings|unarchive|deny|cancel|reject/;
const writes = routes
  .filter(({ method, transaction }) => method !== 'GET' && transaction === 'write')
  .toSorted((one, other) => Number(LATE.test(nameOf(one))) - Number(LATE.test(nameOf(other))));

/** The action's name in history, where it differs from the route's name. */
const CALLED: Record<string, readonly string[]> = {
  edit: ['update', 'update-settings', 'confirm-upload'],
  delete: ['delete', 'archive'],
  pay: ['create'],
  'cancel-payment': ['cancel'],
  'change-profile': ['update'],
  'change-preferences': ['update'],
  'invite-portal-user': ['invite'],
  export: ['create'],
};
/** The row records the actor and the time, and may contain no change. */
const UNCHANGED: Record<string, string> = {
  'POST /mail-batches/{id}/download': 'fetched once more, after it was handed over',
  'POST /borrowers/{id}/unarchive': 'only a borrower without a running loan was archived before',
  'POST /loans/{id}/run-compliance-checks': 'what was found is kept in records of their own',
  'POST /loans/{id}/remove-labels': 'the loan has no such label',
  'POST /loans/{id}/assign-officer': 'a loan without an officer stays without',
  'POST /loans/{id}/reverse-acceleration': 'the loan was not accelerated',
  'POST /webhooks/{id}/re-enable': 'the subscription was on',
  'POST /webhooks/{id}/replay': 'what is sent again is told by its deliveries',
  'POST /webhooks/{id}/test': 'a test is told by its delivery',
  'POST /webhooks/{id}/retire-previous-secret': 'no secret is being replaced',
  'POST /documents/{id}/share': 'the borrower sees it already',
  'POST /borrowers/{id}/legal-hold': 'there was no hold',
  'POST /borrowers/{id}/export': 'an export that is made has nothing to tell yet',
};
/** Successful requests that may leave no history. */
const SILENT: Record<string, string> = {
  'POST /book-exports':
    'an export that is being made is answered again; test/books/export-book.test.ts',
  'POST /users/remove-role': 'the user has no role',
  'POST /portfolios/{id}/cancel-sale': 'each loan that was to be sold has a row of its own',
  'POST /users/{id}/reset-second-factors': 'the user has none',
  'POST /operations/jobs/change': 'the log of the platform keeps it, and no job may match',
  'POST /communications/send': 'each message is a row of the log',
  'POST /communications/send-batch': 'each message is a row of the log',
};
/** Not possible on any record of this world. The tests of the area check the history instead. */
const NOT_DONE: Record<string, string> = {
  'POST /change-notices/{id}/apply':
    'made by a file of a bank; test/payments/change-notices.test.ts',
  'POST /change-notices/{id}/dismiss': 'the same',
  'POST /loans/{id}/adverse-action-notices':
    'no application is open; test/loans/origination/adverse-action-notices.test.ts',
  'POST /reconciliations/{id}/sign-off':
    'needs a file and two people; test/books/reconciliations.test.ts',
  'POST /imports/{id}/check': 'needs a file; test/books/imports.test.ts',
  'POST /imports/{id}/confirm': 'the same',
  'POST /imports/{id}/resume': 'the same',
  'POST /imports/{id}/cancel': 'the same',
  'POST /servicing-transfers':
    'needs loans to transfer; test/portfolios/servicing-transfer.test.ts',
  'POST /servicing-transfers/{id}/send-notices': 'the same',
  'POST /servicing-transfers/{id}/record-notices': 'the same',
  'POST /servicing-transfers/{id}/forward-payments': 'the same',
  'POST /servicing-transfers/{id}/receive-payments': 'the same',
  'POST /servicing-transfers/{id}/cancel': 'the same',
  'POST /credit-dispute-imports':
    'a file of a bureau; test/loans/reporting/credit-dispute-exchange.test.ts',
  'POST /loans/{id}/credit-corrections':
    'nothing was reported; test/loans/reporting/credit-corrections.test.ts',
  'POST /credit-corrections/{id}/submit': 'the same',
  'POST /credit-reporting-findings/{id}/accept':
    'made by a month end; test/loans/reporting/credit-findings.test.ts',
  'POST /credit-reporting-findings/{id}/withhold': 'the same',
  'POST /nacha-returns': 'a file of a bank; test/payments/return-files.test.ts',
  'POST /portal/payment-instruments/{id}/account-number':
    'for an account without its number; test/portal/account-numbers.test.ts',
  'POST /loans/{id}/assign-officer': 'only to staff, whom this world spares',
  'POST /loans/{id}/payments/reimbursement': 'nothing is overpaid',
  'POST /modifications/{id}/approve': 'none is pending',
  'POST /modifications/{id}/reject': 'none is pending',
  'DELETE /modifications/{id}': 'none is pending',
  'DELETE /forbearances/{id}': 'what is in force is ended',
  'DELETE /deferments/{id}': 'what is in force stays',
  'DELETE /service-credits/{id}': 'is reversed instead',
  'DELETE /suspense-applications/{id}': 'is reversed instead',
  'DELETE /fees/{id}': 'is waived instead',
  'DELETE /disbursements/{id}': 'is reversed instead',
  'DELETE /draws/{id}': 'is reversed instead',
  'POST /borrowers/{id}/invite-portal-user': 'only with an address on file',
  'POST /borrowers/{id}/redact': 'the loans of the borrower are not over',
  'POST /users/{id}/invite-again': 'everybody has a password',
  'DELETE /auth/sessions/{id}': 'only the session that asks is its own',
  'POST /portfolios/{id}/auto-assign': 'only of a dynamic portfolio',
  'POST /portfolios/{id}/buyback': 'no sale is booked',
  'POST /portfolios/{id}/cancel-sale': 'no sale is agreed',
  'POST /portfolios/{id}/transfer-loans': 'only between two portfolios',
  'POST /communications/unsubscribe': 'only with the token of a mail',
  'POST /investors/{id}/servicing-fee-rates': 'nothing was sold',
  'POST /tenant/logo': 'no logo is set',
  'POST /webhooks/{id}/replay': 'nothing was sent',
  'POST /operations/jobs/change': 'the drawn body may contradict itself',
  'POST /sandbox/advance': 'the tenant is not a sandbox',
  'POST /sandbox/bounce-payment': 'the same',
  'POST /operations/pauses': 'only by operators, and kept in the platform’s own log',
  'POST /operations/pauses/end': 'the same',
  'POST /operations/slots': 'the same',
  'POST /ledger/year-ends': 'no year is over that is not ended',
  'POST /communications/send': 'the borrowers may not be contacted',
  'POST /communications/send-batch': 'the borrowers may not be contacted',
  'POST /webhooks/{id}/retry-delivery': 'nothing waits to be sent again',
  'POST /loan-tapes/{id}/retry-delivery': 'no delivery has failed',
  'POST /approvals/{id}/approve': 'its request is done under all its checks',
  'POST /approvals/{id}/cancel': 'only by whoever asked',
  'POST /approvals/{id}/reject': 'the one request is decided before',
  'POST /portal/profile/phones': 'every drawn number is the one that is on file already',
  'POST /sanctions-hits/{id}/clear':
    'no list is imported; test/loans/origination/sanctions-screening.test.ts',
  'POST /sanctions-hits/{id}/confirm': 'the same',
  'PUT /communications/providers/{channel}': 'a channel is no record',
  'PUT /loan-assignments/{id}': 'only while it is pending',
  'POST /portal/hardship': 'the loans of the borrower have an application, or are over',
};

const SETTINGS = [{ documents: { upload_ttl_s: 700 } }];

/** Every body that may be valid. An update is recorded only for the fields that differ. */
function bodiesFor(route: Route): unknown[] {
  if (route.path === '/tenant/settings') return SETTINGS;
  return route.method === 'PUT' && route.path.endsWith('/{id}')
    ? fieldsOf(route).flatMap(({ name, value }) => [1, 2].map((at) => ({ [name]: value(at, 'x') })))
    : (bodies.get(nameOf(route)) ?? []);
}

/** Sends the route's requests until one succeeds and changes something. Returns its answer, or null. */
async function done(route: Route): Promise<Reply | null> {
  const client = ground.clients[rightful(route)];
  for (const path of await pathsIn(ground, route.path, 40)) {
    for (const body of bodiesFor(route)) {
      const before = route.method === 'PUT' ? await client.get(path) : null;
      const reply = await client.send(route.method, path, body);
      if (reply.status < 300 && !isSame(before, reply)) return reply;
    }
  }
  return null;
}

const isSame = (before: Reply | null, after: Reply) =>
  before?.headers['etag'] !== undefined && before.headers['etag'] === after.headers['etag'];

const left: string[] = [];

type Entry = { action: string; actor_email: string; changes: object };

test.each(writes.map((route) => [nameOf(route), route] as const))(
  '%s writes a history entry: who did what, and what changed',
  async (name, route) => {
    const reply = await done(route);
    if (reply === null) {
      left.push(name);
      return;
    }

    const { rows } = await ground.owner.query<Entry>(
      'select action, actor_email, changes from audit_log where request_id = $1',
      [reply.headers['x-request-id']],
    );
    const actions = [route.action, ...(CALLED[route.action] ?? [])];
    const own = rows.filter(({ action }) => actions.includes(action));
    const ours = own.filter(({ actor_email }) => actor_email === `${rightful(route)}@ours.test`);
    const isTold = ours.every(
      ({ changes }) => name in UNCHANGED || Object.keys(changes).length > 0,
    );
    expect(own.length, JSON.stringify(rows)).toBe(ours.length);
    expect(ours.length, JSON.stringify(rows)).toBe(name in SILENT ? ours.length : 1);
    expect(isTold, JSON.stringify(rows)).toBe(true);
  },
);

/** Bodies and records are drawn at random, so a few routes may be refused in a run. */
test('nearly every possible change was tested', () => {
  const unnamed = left.filter((name) => !(name in NOT_DONE));

  expect(unnamed.length, unnamed.join()).toBeLessThanOrEqual(3);
  expect(writes.length - left.length).toBeGreaterThanOrEqual(140);
});
