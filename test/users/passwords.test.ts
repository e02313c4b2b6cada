import { expect, test } from 'vitest';
import { sendAccountMessage } from '../../jobs/users/send-account-message.job.ts';
import { sql } from '../../sql/database/db.ts';
import { newOutside } from '../setup/outside.ts';
import { newStage, PASSWORD, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const NEW = 'a new password of mine';

async function letterTo(tenant: Tenant, user: string, message: 'password_reset' | 'invitation') {
  const outside = newOutside(stage.pool);
  const user_id = tenant.userIds[user] ?? '';
  await sendAccountMessage.run({ tenant_id: tenant.id, user_id, message, attempt: 1 }, outside);
  const html = outside.mailbox[0]?.html.replaceAll('&#x3D;', '=') ?? '';
  return {
    html,
    letter: outside.mailbox[0],
    token: /token=([A-Za-z0-9_-]{43})/.exec(html)?.[1] ?? '',
  };
}

const queued = async (tenant: Tenant) =>
  (
    await stage.owner.query(
      `select job.payload from graphile_worker._private_jobs as job
       join graphile_worker._private_tasks as task on task.id = job.task_id
       where task.identifier = 'send-account-message' and job.payload->>'tenant_id' = $1
       order by job.id`,
      [tenant.id],
    )
  ).rows.map(({ payload }) => payload);

async function visitor(tenant: Tenant) {
  const client = tenant.anonymous();
  await client.get('/auth/csrf');
  return client;
}

test('requesting a link reveals no accounts, and the sixth request within a minute is refused', async () => {
  const tenant = await stage.tenant();
  const client = await visitor(tenant);
  const ask = (email: string) => client.post('/auth/password/request', { email });

  const known = await ask(`VIEWER@${tenant.slug}.test`);
  const unknown = await ask('nobody@example.com');
  const others = [await ask('a@b.test'), await ask('c@d.test'), await ask('e@f.test')];
  const sixth = await ask('g@h.test');
  const jobs = await queued(tenant);

  expect(known.status).toBe(200);
  expect(known.body).toEqual(unknown.body);
  expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(sixth.status).toBe(429);
  expect(Number(sixth.headers['retry-after'])).toBeGreaterThan(0);
  expect(jobs).toHaveLength(5);
  expect(jobs[0]).toMatchObject({ user_id: tenant.userIds['viewer'], message: 'password_reset' });
  expect(jobs[1]).toMatchObject({ user_id: null });
  expect(JSON.stringify(jobs)).not.toContain('@');
});

test('a link sets a password once, ends all sessions, and does not sign in', async () => {
  const tenant = await stage.tenant();
  const { html, letter, token } = await letterTo(tenant, 'loan_officer', 'password_reset');
  const client = await visitor(tenant);
  const reset = (body: object) => client.post('/auth/password/reset', body);

  const weak = await reset({ token, password: 'short' });
  const own = await reset({ token, password: 'loan_officer-123' });
  const done = await reset({ token, uid: 'ignored', new_password: NEW });
  const twice = await reset({ token, password: 'another password' });
  const session = await tenant.officer.get('/users/me');
  const me = await client.get('/users/me');
  const login = await client.login(`loan_officer@${tenant.slug}.test`, NEW);
  const told = await queued(tenant);

  expect(letter).toMatchObject({ to: { address: `loan_officer@${tenant.slug}.test` } });
  expect(html).toContain(`https://${tenant.host}/staff/choose-password?token=`);
  expect(weak.body.errors).toEqual({ password: 'Must be at least 12 characters.' });
  expect(own.body.errors).toEqual({ password: 'Must not contain the email address.' });
  expect(done).toMatchObject({ status: 200, body: { message: expect.any(String) } });
  expect(twice).toMatchObject({ status: 422, body: { errors: { token: expect.any(String) } } });
  expect([session.status, me.status, login.status]).toEqual([401, 401, 200]);
  expect(told.at(-1)).toMatchObject({ message: 'password_changed' });
});

test('links that are superseded, changed, expired or of another tenant do not work', async () => {
  const tenant = await stage.tenant();
  const other = await stage.tenant();
  const older = await letterTo(tenant, 'viewer', 'password_reset');
  const newer = await letterTo(tenant, 'viewer', 'password_reset');
  const client = await visitor(tenant);
  const stranger = await visitor(other);
  const body = (token: string) => ({ token, password: NEW });

  const flipped = newer.token.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A'));

  const refused = [
    await client.post('/auth/password/reset', body(older.token)),
    await client.post('/auth/password/reset', body(flipped)),
    await stranger.post('/auth/password/reset', body(newer.token)),
  ];
  await stage.owner.query(`update one_time_tokens set expires_at = now() - interval '1 second'`);
  refused.push(await client.post('/auth/password/reset', body(newer.token)));

  expect([older.token.length, newer.token.length]).toEqual([43, 43]);
  expect(refused.map(({ status, body: answer }) => `${status} ${answer.errors.token}`)).toEqual(
    Array.from({ length: 4 }, () => `422 ${refused[0]?.body.errors.token}`),
  );
});

test('of two simultaneous uses of one link, one counts', async () => {
  const tenant = await stage.tenant();
  const { token } = await letterTo(tenant, 'viewer', 'password_reset');
  const clients = [await visitor(tenant), await visitor(tenant)];

  const answers = await Promise.all(
    clients.map((client, index) =>
      client.post('/auth/password/reset', { token, password: `${NEW} ${index}` }),
    ),
  );

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 422]));
});

test('the token is only in the email', async () => {
  const tenant = await stage.tenant();
  const { token, letter } = await letterTo(tenant, 'collector', 'invitation');
  const viewer = await tenant.signedIn('viewer');
  const log = await stage.owner.query('select * from communication_logs where tenant_id = $1', [
    tenant.id,
  ]);
  const tokens = await stage.owner.query('select * from one_time_tokens where tenant_id = $1', [
    tenant.id,
  ]);

  expect(token).toHaveLength(43);
  expect(letter?.html).not.toContain('{{');
  expect(log.rows).toMatchObject([{ status: 'sent', body: null, id: letter?.message_id }]);
  expect(JSON.stringify([log.rows, tokens.rows])).not.toContain(token);
  expect((await viewer.get('/users/me')).status).toBe(200);
});

test('when a mail server asks to wait, the email is sent later with a new link', async () => {
  const tenant = await stage.tenant();
  const outside = newOutside(stage.pool, () => new Date('2026-01-15T12:00:00Z'));
  const refusal = {
    ok: false,
    provider: 'smtp',
    error_code: '451',
    error_message: 'Later',
  } as const;
  outside.answers.send.push({ ...refusal, temporary: true }, { ...refusal, temporary: false });
  const payload = {
    tenant_id: tenant.id,
    user_id: tenant.userIds['viewer'] ?? '',
    message: 'password_reset' as const,
    attempt: 1,
  };

  await sendAccountMessage.run(payload, outside);
  const after = await queued(tenant);
  await sendAccountMessage.run({ ...payload, attempt: 2 }, outside);
  const given = await queued(tenant);
  await sendAccountMessage.run({ ...payload, user_id: null }, outside);

  expect(after).toMatchObject([{ attempt: 2 }]);
  expect(given).toHaveLength(1);
  expect(outside.mailbox).toHaveLength(2);
});

test('a user who knows the old password changes it, stays signed in, and is signed out elsewhere', async () => {
  const tenant = await stage.tenant();
  const elsewhere = await tenant.signedIn('loan_officer');
  const change = (current_password: string, new_password: string) =>
    tenant.officer.post('/auth/password/change', { current_password, new_password });

  const wrong = await change('not the password', NEW);
  const named = await change(PASSWORD, `${tenant.slug} tenant ${tenant.slug}`.repeat(1));
  const done = await change(PASSWORD, NEW);
  const here = await tenant.officer.get('/users/me');
  const there = await elsewhere.get('/users/me');
  const anonymous = await (
    await visitor(tenant)
  ).post('/auth/password/change', {
    current_password: PASSWORD,
    new_password: NEW,
  });

  expect(wrong.body.errors).toEqual({ current_password: 'Is wrong.' });
  expect(named.body.errors).toEqual({ new_password: 'Must not contain our name.' });
  expect([done.status, here.status, there.status, anonymous.status]).toEqual([200, 200, 401, 401]);
});

test('a common password in disguise, or the user’s own name, is refused wherever one is chosen', async () => {
  const tenant = await stage.tenant();
  await tenant.within(({ tx }) =>
    tx.query(sql.typeAlias('void')`
      update users set first_name = 'Nora', last_name = 'Whitfield'
      where email = ${`viewer@${tenant.slug}.test`}
    `),
  );
  const { token } = await letterTo(tenant, 'viewer', 'invitation');
  const client = await visitor(tenant);
  const viewer = await tenant.signedIn('viewer');
  const reset = (password: string) => client.post('/auth/password/reset', { token, password });
  const change = (new_password: string) =>
    viewer.post('/auth/password/change', { current_password: PASSWORD, new_password });

  const replies = [
    await reset('P@ssw0rd2024!'),
    await reset('Whitfield1984!'),
    await change('p.a.s.s.w.o.r.d'),
    await change('Nora-Whitfield'),
  ];
  const done = await change('vier alte Schachteln');

  expect(replies.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
  expect(replies[0]?.body.errors.password).toContain('too easy to guess');
  expect(replies[3]?.body.errors.new_password).toContain('too easy to guess');
  expect(done.status).toBe(200);
});
