import { expect, test } from 'vitest';
import { ACCOUNT_MESSAGES, accountMessage } from '../../templates/account-messages.ts';
import type { Reply } from '../setup/client.ts';
import { newOutside } from '../setup/outside.ts';
import { runJobs } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const outside = newOutside(stage.pool);
const NEW = 'vier alte Schachteln';

/** The mails sent now: recipient and the token of each link. */
async function letters() {
  const before = outside.mailbox.length;
  await runJobs(stage, outside, ['send-account-message']);
  return outside.mailbox.slice(before).map(({ to, html }) => ({
    to: to.address,
    token:
      /token&#x3D;([A-Za-z0-9_-]{43})|token=([A-Za-z0-9_-]{43})/.exec(html)?.slice(1).join('') ??
      '',
  }));
}

async function choose(tenant: Tenant, token = '', password = NEW): Promise<Reply> {
  const visitor = tenant.anonymous();
  await visitor.get('/auth/csrf');
  return visitor.post('/auth/password/reset', { token, password });
}

const person = { first_name: 'Nora', last_name: 'Whitfield', tenant_role: 'viewer' };

test('an invitation works once, and resending it ends the previous one', async () => {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  const email = 'nora@lender.example';
  const invite = () => superadmin.post('/users/invite', { ...person, email });
  const invited = await invite();
  const [first] = await letters();
  const early = await tenant.anonymous().login(email, NEW);
  const resend = () => superadmin.post(`/users/${invited.body.id}/invite-again`);
  const again = await resend();
  const [second] = await letters();

  const old = await choose(tenant, first?.token);
  const chosen = await choose(tenant, second?.token);
  const twice = await choose(tenant, second?.token, `${NEW} 2`);
  const client = tenant.anonymous();
  const login = await client.login(email, NEW);
  const late = [await invite(), await resend()];

  expect([invited.status, again.status, early.status]).toEqual([201, 200, 401]);
  expect(again.body).toMatchObject({ id: invited.body.id, tenant_role: 'viewer' });
  expect([first?.to, second?.to]).toEqual([email, email]);
  expect([old.status, chosen.status, twice.status]).toEqual([422, 200, 422]);
  expect(login.body).toMatchObject({ email, tenant_role: 'viewer' });
  expect(late).toMatchObject([
    { status: 422, body: { errors: { email: 'Is already taken.' } } },
    { status: 409, body: { code: 'already_exists' } },
  ]);
});

test('account emails use the borrower’s language', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const ana = { first_name: 'Ana', last_name: 'Ruiz', language_preference: 'es' };
  const { body } = await admin.post('/borrowers', ana);
  const invite = `/borrowers/${body.id}/invite-portal-user`;
  await admin.post(invite, { email: 'ana@example.com' });
  await letters();
  const languages = Object.fromEntries(
    ACCOUNT_MESSAGES.map((name) => [name, accountMessage(name, 'es').subject]),
  );

  const letter = outside.mailbox.at(-1);
  expect(letter).toMatchObject({
    subject: expect.stringMatching(/^Su cuenta en /),
    html: expect.stringMatching(/<html lang="es">[^]*Elija una contraseña[^]* de 20\d\d\./),
  });
  expect(new Set(Object.values(languages)).size).toBe(ACCOUNT_MESSAGES.length);
});

test('an invitation expires after seven days, and when its user is deactivated', async () => {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  const invite = (email: string) => superadmin.post('/users/invite', { ...person, email });
  await letters();
  await invite('late@lender.example');
  const off = await invite('off@lender.example');
  const sent = await letters();
  await superadmin.post(`/users/${off.body.id}/deactivate`);
  const { rows } = await stage.owner.query<{ hours: number }>(
    `update one_time_tokens set expires_at = now() from
       (select extract(epoch from expires_at - created_at)::int / 3600 as hours from one_time_tokens
        where tenant_id = $1) as kept
     where tenant_id = $1 and used_at is null returning hours`,
    [tenant.id],
  );

  const gone = await superadmin.post(`/users/${off.body.id}/invite-again`);
  const replies = await Promise.all(sent.map(({ token }) => choose(tenant, token)));

  expect(gone).toMatchObject({ status: 409, body: { code: 'user_inactive' } });
  expect(rows[0]?.hours).toBe(7 * 24);
  expect(replies.map(({ status }) => status)).toEqual([422, 422]);
});

test('staff choose the borrower’s invitation address, and can correct it', async () => {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const { body: borrower } = await officer.post('/borrowers', {
    first_name: 'Ada',
    last_name: 'Byron',
  });
  const invite = (email?: string) =>
    officer.post(`/borrowers/${borrower.id}/invite-portal-user`, email ? { email } : {});
  const none = await invite();
  const wrong = await invite('adda@example.com');
  const [misled] = await letters();
  const right = await invite('ada@example.com');
  const [led] = await letters();

  const old = await choose(tenant, misled?.token);
  const chosen = await choose(tenant, led?.token);
  const client = tenant.anonymous();
  const login = await client.login('ada@example.com', NEW);
  const late = await invite('other@example.com');

  expect(none.status).toBe(422);
  expect(right.body).toMatchObject({ id: wrong.body.id, email: 'ada@example.com' });
  expect([misled?.to, led?.to]).toEqual(['adda@example.com', 'ada@example.com']);
  expect([old.status, chosen.status]).toEqual([422, 200]);
  expect(login.body).toMatchObject({ borrower_id: borrower.id, tenant_role: null });
  expect(late).toMatchObject({ status: 409, body: { code: 'already_exists' } });
});
