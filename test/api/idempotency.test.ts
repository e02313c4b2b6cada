import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Route } from '../../api/endpoints/route.ts';
import { routes } from '../../api/routes.ts';
import { Invalid } from '../../jobs/errors.ts';
import { deriveKeys } from '../../jobs/sealing/secrets.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const { officer } = tenant;
const second = officer.at(await stage.listen());
const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });
const named = async (last_name: string) =>
  (await officer.get(`/borrowers?last_name=${last_name}`)).body.length as number;

test('of twenty equal requests to two processes, one has an effect and all get its answer', async () => {
  const body = { first_name: 'Twenty', last_name: 'Twenty' };

  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      (at % 2 === 0 ? officer : second).post('/borrowers', body, keyed('twenty')),
    ),
  );
  const first = replies.filter(({ headers }) => headers['idempotent-replayed'] === undefined);

  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(replies.map(({ body: { id } }) => id)).size).toBe(1);
  expect(first).toHaveLength(1);
  for (const { body: answer } of replies) expect(answer).toEqual(first[0]?.body);
  expect(await named('Twenty')).toBe(1);
});

test('a key cannot be reused for another body, but can for another path or another user', async () => {
  const body = { first_name: 'Key', last_name: 'Reuse' };
  const admin = await tenant.signedIn('admin');
  const made = await officer.post('/borrowers', body, keyed('reuse'));

  const other = await officer.post('/borrowers', { ...body, last_name: 'Other' }, keyed('reuse'));
  const elsewhere = await officer.post(
    `/borrowers/${made.body.id}/emails`,
    { email: 'a@example.com' },
    keyed('reuse'),
  );
  const somebody = await admin.post('/borrowers', { ...body, last_name: 'Admin' }, keyed('reuse'));

  expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_key_reuse' } });
  expect([elsewhere.status, somebody.status]).toEqual([201, 201]);
  expect(await named('Other')).toBe(0);
});

test('the stored hash of a body reveals nothing about it and is recognized under a newer key', async () => {
  const body = { first_name: 'Kept', last_name: 'Hash' };
  const made = await officer.post('/borrowers', body, keyed('kept-hash'));
  // A plain hash of the same content is the same everywhere, so an attacker could look it up.
  await (await stage.tenant()).officer.post('/borrowers', body, keyed('kept-hash'));
  const { rows } = await stage.owner.query<{ hash: string }>(
    "select encode(request_hash, 'hex') as hash from idempotency_keys where key = 'kept-hash'",
  );
  const { installation } = stage;
  const before = installation.keys;
  const newer = `b:another secret of more than thirty-two characters,${installation.link_secret}`;
  Object.assign(installation, { keys: deriveKeys(newer) });

  const again = await officer.post('/borrowers', body, keyed('kept-hash'));
  Object.assign(installation, { keys: before });

  expect(new Set(rows.map(({ hash }) => hash)).size).toBe(2);
  expect(again).toMatchObject({ status: 201, body: { id: made.body.id } });
});

test('a replay is refused if the user no longer has access', async () => {
  const fresh = await stage.tenant();
  const body = { first_name: 'A', last_name: 'B' };
  await fresh.officer.post('/borrowers', body, keyed('role'));
  await stage.owner.query("update users set tenant_role = 'viewer' where id = $1", [
    fresh.userIds['loan_officer'],
  ]);

  const reply = await fresh.officer.post('/borrowers', body, keyed('role'));

  expect(reply.status).toBe(403);
});

test.each([
  ['too long', 'k'.repeat(256)],
  ['not ASCII', '\u00e9'],
  ['with a space', 'a b'],
])('a key that is %s is refused', async (_, key) => {
  const reply = await officer.post('/borrowers', { first_name: 'A', last_name: 'K' }, keyed(key));

  expect(reply).toMatchObject({
    status: 422,
    body: { errors: { 'Idempotency-Key': expect.any(String) } },
  });
  expect(await named('K')).toBe(0);
});

test('a refused request does not use up its key', async () => {
  const body = { first_name: 'First', last_name: 'Refused' };
  const late = { ...body, date_of_birth: '2025-01-01' };

  const refused = await officer.post('/borrowers', late, keyed('again'));
  const accepted = await officer.post('/borrowers', body, keyed('again'));

  expect([refused.status, accepted.status]).toEqual([422, 201]);
});

test('a replayed request gets the original answer, regardless of later changes', async () => {
  const body = { first_name: 'As', last_name: 'Given' };
  const made = await officer.post('/borrowers', body, keyed('given'));
  await officer.put(`/borrowers/${made.body.id}`, { last_name: 'Changed' });

  const replayed = await officer.post('/borrowers', body, keyed('given'));

  expect(replayed.body).toEqual(made.body);
  expect(replayed.headers['idempotent-replayed']).toBe('true');
});

test('a stored refusal has the usual form, also when it is replayed', async () => {
  const { body: borrower } = await officer.post('/borrowers', {
    first_name: 'No',
    last_name: 'Contact',
    do_not_contact: true,
  });
  const wish = { template_type: 'welcome', borrower_id: borrower.id, channel: 'email' };

  const refused = await officer.post('/communications/send', wish, keyed('refused'));
  const again = await officer.post('/communications/send', wish, keyed('refused'));

  for (const { status, body, headers } of [refused, again]) {
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: 'communication_blocked', message: expect.any(String) });
    expect(body.request_id).toBe(headers['x-request-id']);
  }
  expect(again.headers['idempotent-replayed']).toBe('true');
});

test('of a hundred equal requests that manage their own transactions, one has an effect', async () => {
  let effects = 0;
  const slow: Route = {
    method: 'POST',
    path: '/slow',
    allow: 'viewer',
    tag: 'operations',
    resource: 'slow',
    action: 'create',
    summary: 'Takes a while',
    status: 201,
    transaction: 'own',
    body: z.looseObject({}),
    run: async ({ body }) => {
      effects += 1;
      await new Promise((resolve) => setTimeout(resolve, 400));
      if ((body as { fails?: boolean }).fails) throw new Invalid({ fails: 'It does.' });
      return { effect: effects };
    },
  };
  const there = officer.at(await stage.listen({}, [...routes, slow]));
  const ask = (body: object, key: string) => there.post('/slow', body, keyed(key));

  const replies = await Promise.all(Array.from({ length: 100 }, () => ask({}, 'slow')));
  const other = await ask({ another: true }, 'slow');
  const failed = await ask({ fails: true }, 'failing');
  const corrected = await ask({}, 'failing');

  expect(new Set(replies.map(({ status, body }) => `${status} ${body.effect}`))).toEqual(
    new Set(['201 1']),
  );
  expect(replies.filter(({ headers }) => headers['idempotent-replayed'])).toHaveLength(99);
  expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_key_reuse' } });
  expect(failed.status).toBe(422);
  expect(corrected).toMatchObject({ status: 201, body: { effect: 3 } });
});

test('a request that waits too long for the first one is asked to retry', async () => {
  const hold = await stage.owner.connect();
  await hold.query('begin');
  await hold.query(
    `insert into idempotency_keys (tenant_id, user_id, method, path, key, request_hash)
     values ($1, $2, 'POST', '/api/v1/borrowers', 'held', '\\x00')`,
    [tenant.id, tenant.userIds['loan_officer']],
  );

  const body = { first_name: 'Held', last_name: 'Up' };
  const waiting = await officer.post('/borrowers', body, keyed('held'));
  await hold.query('rollback');
  hold.release();
  const later = await officer.post('/borrowers', body, keyed('held'));

  expect(waiting).toMatchObject({ status: 409, body: { code: 'idempotency_in_progress' } });
  expect(waiting.headers['retry-after']).toBe('1');
  expect(later.status).toBe(201);
}, 30_000);
