import { expect, test } from 'vitest';
import { sendAccountMessage } from '../../jobs/users/send-account-message.job.ts';
import { newOutside } from '../setup/outside.ts';
import { hiddenValue, pageClient } from '../setup/pages.ts';
import { newStage, PASSWORD, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const NEW = 'seventeen green bicycles';

/** The address below /staff in an account mail. */
async function mailedLink(
  tenant: Tenant,
  user_id: string,
  message: 'invitation' | 'password_reset',
) {
  const outside = newOutside(stage.pool);
  const letter = { tenant_id: tenant.id, user_id, attempt: 1, message };
  await sendAccountMessage.run(letter, outside);
  const html = outside.mailbox[0]?.html.replaceAll('&#x3D;', '=') ?? '';
  return /https:\/\/[^/]+\/staff(\/choose-password\?token=[\w-]+)/.exec(html)?.[1] ?? '';
}

const staffPages = (tenant: Tenant) => pageClient(tenant.anonymous(), '/staff');
const tokenOf = (link: string) => link.split('=')[1] ?? '';

test('an invited colleague chooses a password, signs in and finds the API documentation', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('superadmin');
  const email = 'ines@lender.example';
  const person = { email, first_name: 'Ines', last_name: 'Roth', tenant_role: 'loan_officer' };
  const { body: user } = await admin.post('/users/invite', person);
  const link = await mailedLink(tenant, user.id, 'invitation');
  const pages = staffPages(tenant);

  const form = await pages.get(link);
  const token = hiddenValue(form.body, 'token');
  const chosen = await pages.send('/choose-password', { token, password: NEW });
  const door = await pages.get('/sign-in?done=password_chosen');
  const signedIn = await pages.send('/sign-in', { email, password: NEW });
  const home = await pages.get('');

  expect(form.status).toBe(200);
  expect(chosen).toMatchObject({
    status: 303,
    headers: { location: '/staff/sign-in?done=password_chosen' },
  });
  expect(door.body).toContain('Your password is saved. Sign in with it.');
  expect(signedIn.headers['location']).toBe('/staff');
  expect(home.body).toContain('href="/api/v1/docs#signed-in"');
  expect(home.body).toContain('action="/staff/sign-out"');
});

test('a superadmin who signs in is sent to operations, and a borrower to the portal', async () => {
  const tenant = await stage.tenant();
  const landing = async (name: string) => {
    const pages = staffPages(tenant);
    await pages.get('/sign-in');
    await pages.send('/sign-in', { email: `${name}@${tenant.slug}.test`, password: PASSWORD });
    return (await pages.get('')).headers['location'];
  };

  expect(await landing('superadmin')).toBe('/ops');
  expect(await landing('borrower')).toBe('/portal');
});

test('a link that was used, replaced or invalid says so and offers a new one', async () => {
  const tenant = await stage.tenant();
  const userId = tenant.userIds['viewer'] ?? '';
  const replaced = await mailedLink(tenant, userId, 'password_reset');
  const used = await mailedLink(tenant, userId, 'password_reset');
  const pages = staffPages(tenant);
  await pages.get(used);
  await pages.send('/choose-password', { token: tokenOf(used), password: NEW });

  const answers = [
    await pages.get(used),
    await pages.get(replaced),
    await pages.get('/choose-password?token=made-up'),
    await pages.get('/choose-password'),
  ];
  const inSpanish = await pages.get(used, 'es');
  const twice = await pages.send('/choose-password', { token: tokenOf(used), password: NEW });

  for (const { status, body } of answers) {
    expect(status).toBe(410);
    expect(body).toContain('This link no longer works.');
    expect(body).toContain('href="/staff/forgot-password"');
    expect(body).not.toContain('name="password"');
  }
  expect(inSpanish.body).toContain('Este enlace ya no funciona.');
  expect(twice.status).toBe(422);
  expect(twice.body).toContain('href="/staff/forgot-password"');
});

test('a user without access to a page may sign in with another account', async () => {
  const tenant = await stage.tenant();
  const officer = await tenant.signedIn('loan_officer');
  const borrower = await tenant.signedIn('borrower');
  const [atPortal, atOps, borrowerAtOps] = [
    await pageClient(officer).get(''),
    await pageClient(officer, '/ops').get(''),
    await pageClient(borrower, '/ops').get(''),
  ];

  for (const page of [atPortal, atOps, borrowerAtOps]) {
    expect(page.status).toBe(403);
    expect(page.body).toContain('You don’t have access to this page');
    expect(page.body).toContain('Sign in with another account.');
    expect(page.body).toContain('Sign out and use another account');
  }
  const out = await pageClient(officer, '/staff').send('/sign-out');
  const again = await pageClient(officer, '/ops').get('');

  expect(out.headers['location']).toBe('/staff/sign-in?done=signed_out');
  expect(again).toMatchObject({ status: 303, headers: { location: '/ops/sign-in' } });
});

test('staff whose session has ended see why, and return to the same page', async () => {
  const tenant = await stage.tenant();
  const pages = staffPages(tenant);
  const atOps = pageClient(tenant.anonymous(), '/ops');
  for (const [visitor, name] of [
    [pages, 'viewer'],
    [atOps, 'superadmin'],
  ] as const) {
    await visitor.get('/sign-in');
    await visitor.send('/sign-in', { email: `${name}@${tenant.slug}.test`, password: PASSWORD });
  }
  await stage.owner.query(`update sessions set absolute_expires_at = now()`);

  const [staff, ops] = [await pages.get('/factors'), await atOps.get('/jobs')];
  const door = await pages.get('/sign-in?back=/staff/factors&done=signed_out_by_time');

  expect(staff.headers['location']).toBe(
    '/staff/sign-in?back=/staff/factors&done=signed_out_by_time',
  );
  expect(ops.headers['location']).toBe('/ops/sign-in?back=/ops/jobs&done=signed_out_by_time');
  expect(hiddenValue(door.body, 'back')).toBe('/staff/factors');
});

test('an expired form offers its page again', async () => {
  const tenant = await stage.tenant();
  const pages = staffPages(tenant);
  await pages.get('/sign-in');

  const page = await pages.send('/forgot-password', {
    csrf_token: 'x'.repeat(32),
    email: 'a@b.example',
  });

  expect(page.status).toBe(403);
  expect(page.body).toContain('This page has expired');
  expect(page.body).toContain('href="/staff/forgot-password"');
  expect(page.body).not.toContain('another account');
});

test('an operator with one factor is sent to set up a second one', async () => {
  const tenant = await stage.tenant();
  await stage.owner.query("select app.set_operator_tenant($1, 'tests', 'They need one.')", [
    tenant.slug,
  ]);
  const admin = await tenant.signedIn('superadmin');

  const ops = await pageClient(admin, '/ops').get('');
  const factors = await pageClient(admin, '/staff').get('/factors');
  const app = await pageClient(admin, '/staff').get('/factors/app');

  expect(ops.status).toBe(403);
  expect(ops.body).toContain('Set up two-step verification, then sign in again.');
  expect(ops.body).toContain('href="/staff/factors"');
  expect(factors.body).toContain('href="/staff/factors/app"');
  expect(app.body).toContain('action="/staff/factors/app"');
});
