import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Client, Reply } from '../setup/client.ts';
import { newStage, PASSWORD } from '../setup/world.ts';

const stage = await newStage();

const hashOf = (id: string) => createHash('sha256').update(id).digest('hex');
const sessionOf = (client: Client) => client.cookies.get('sessionid') ?? '';
const isIn = async (client: Client) => (await client.get('/users/me')).status === 200;

test('signing in creates a new session and invalidates the previous cookie', async () => {
  const tenant = await stage.tenant();
  const client = tenant.anonymous();
  const planted = 'A'.repeat(43);
  client.cookies.set('sessionid', planted);

  await client.login(`viewer@${tenant.slug}.test`, PASSWORD);
  const first = sessionOf(client);
  await client.login(`admin@${tenant.slug}.test`, PASSWORD);
  const second = sessionOf(client);
  const old = tenant.anonymous();
  old.cookies.set('sessionid', first);

  expect(new Set([planted, first, second]).size).toBe(3);
  expect(await isIn(client)).toBe(true);
  expect(await isIn(old)).toBe(false);
});

test('the database stores only hashes of sessions', async () => {
  const tenant = await stage.tenant();

  const id = sessionOf(tenant.officer);
  const { rows } = await stage.owner.query<{ row: string; hash: string }>(
    "select s::text as row, encode(id_hash, 'hex') as hash from sessions s where tenant_id = $1",
    [tenant.id],
  );

  expect(rows.map(({ hash }) => hash)).toEqual([hashOf(id)]);
  expect(rows[0]?.row).not.toContain(id);
});

test('scripts can read the token’s cookie but not the session’s', async () => {
  const tenant = await stage.tenant();
  const client = tenant.anonymous();

  const reply = await client.login(`viewer@${tenant.slug}.test`, PASSWORD);
  const cookies = [reply.headers['set-cookie'] ?? []].flat();
  const [session = ''] = cookies.filter((line) => line.startsWith('sessionid='));
  const tokens = cookies.filter((line) => line.startsWith('csrftoken='));

  expect(session).toMatch(/; path=\/;.*samesite=lax.*httponly/i);
  expect(session).not.toMatch(/domain=/i);
  expect(tokens).toHaveLength(1);
  expect(tokens[0]).not.toMatch(/httponly|domain=/i);
});

test('signing out ends the session, and signing out again is not an error', async () => {
  const tenant = await stage.tenant();
  const client = await tenant.signedIn('viewer');
  const thief = tenant.anonymous();
  thief.cookies.set('sessionid', sessionOf(client));

  const replies = [await client.post('/auth/logout'), await client.post('/auth/logout')];

  expect(replies.map(({ status }) => status)).toEqual([204, 204]);
  expect(client.cookies.has('sessionid')).toBe(false);
  expect(await isIn(thief)).toBe(false);
});

test('a session that ends while its request is running stays ended', async () => {
  const tenant = await stage.tenant();
  const client = await tenant.signedIn('viewer');
  const thief = tenant.anonymous();
  thief.cookies.set('sessionid', sessionOf(client));

  await Promise.all([
    client.post('/auth/logout'),
    ...Array.from({ length: 10 }, () => isIn(thief)),
  ]);

  expect(await isIn(thief)).toBe(false);
});

test.each([
  ['its user is switched off', 'update users set is_active = false where tenant_id = $1'],
  [
    'its user’s epoch grows',
    'update users set session_epoch = session_epoch + 1 where tenant_id = $1',
  ],
  [
    'it was idle too long',
    "update sessions set last_seen_at = now() - interval '61 minutes' where tenant_id = $1",
  ],
  ['it is too old', 'update sessions set absolute_expires_at = now() where tenant_id = $1'],
  ['it is revoked', 'update sessions set revoked_at = now() where tenant_id = $1'],
])('a session ends when %s', async (_, statement) => {
  const { id, officer } = await stage.tenant();
  const before = await isIn(officer);

  await stage.owner.query(statement, [id]);
  const reply = await officer.get('/users/me');

  expect(before).toBe(true);
  expect(reply).toMatchObject({ status: 401, body: { code: 'session_expired' } });
});

test('a borrower’s session idles out in half the time and ends when the borrower is archived', async () => {
  const tenant = await stage.tenant();
  const borrower = await tenant.signedIn('borrower');
  const { rows } = await stage.owner.query<{ idle_seconds: number }>(
    'select idle_seconds from sessions where tenant_id = $1 and user_id = $2',
    [tenant.id, tenant.userIds['borrower']],
  );
  const before = await isIn(borrower);

  await stage.owner.query('update borrowers set is_archived = true where tenant_id = $1', [
    tenant.id,
  ]);

  const again = await tenant.anonymous().login(`borrower@${tenant.slug}.test`, PASSWORD);

  expect(rows).toEqual([{ idle_seconds: 1800 }]);
  expect([before, await isIn(borrower)]).toEqual([true, false]);
  expect(again).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
});

test.each([
  ['four kilobytes of junk', (_id: string) => `sessionid=${'x'.repeat(4_000)}`],
  ['not ASCII', (_id: string) => 'sessionid=\u00e9\u00ff; csrftoken=\u00fc'],
  ['quoted', (id: string) => `sessionid="${id}x"`],
  ['another before its own', (id: string) => `sessionid=${'B'.repeat(43)}; sessionid=${id}`],
  ['percent escapes', (_id: string) => 'sessionid=%00%ff%E0%A4; csrftoken=%'],
  ['prototype names', (_id: string) => '__proto__=1; constructor=2; sessionid=__proto__'],
])('a cookie that is %s is ignored', async (_, cookie) => {
  const { officer } = await stage.tenant();

  const reply = await officer.get('/users/me', {
    headers: { Cookie: cookie(sessionOf(officer)) },
  });

  expect(reply).toMatchObject({ status: 401, body: { code: 'not_authenticated' } });
});

/** Sends the requests while the user's row is locked, as by a slow change, and then changes the row. */
async function meanwhile(userId: string, asked: () => Promise<Reply>[], change: string) {
  const holder = await stage.owner.connect();
  await holder.query('begin');
  await holder.query('select from users where id = $1 for update', [userId]);
  const replies = asked();
  for (let waiting = 0; waiting < replies.length; await setTimeout(20)) {
    const { rows } = await holder.query(
      `select count(*)::integer as waiting from pg_stat_activity
       where wait_event_type = 'Lock' and datname = current_database()`,
    );
    waiting = rows[0].waiting;
  }
  await holder.query(change, [userId]);
  await holder.query('commit');
  holder.release();
  return Promise.all(replies);
}

test('a password that changes while it is being compared no longer signs in', async () => {
  const tenant = await stage.tenant();
  const client = tenant.anonymous();
  await client.get('/auth/csrf');
  const account = { email: `viewer@${tenant.slug}.test`, password: PASSWORD };

  const [late] = await meanwhile(
    tenant.userIds['viewer'] ?? '',
    () => [client.post('/auth/login', account)],
    'update users set session_epoch = session_epoch + 1 where id = $1',
  );

  expect(late).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
  expect((await client.get('/users/me')).status).toBe(401);
});

test('a password that is reset while it is being compared cannot be used for a change', async () => {
  const tenant = await stage.tenant();
  const passwords = { current_password: PASSWORD, new_password: 'a new password of mine' };

  const [late] = await meanwhile(
    tenant.userIds['loan_officer'] ?? '',
    () => [tenant.officer.post('/auth/password/change', passwords)],
    'update users set session_epoch = session_epoch + 1 where id = $1',
  );

  expect(late).toMatchObject({ status: 422, body: { errors: { current_password: 'Is wrong.' } } });
});
