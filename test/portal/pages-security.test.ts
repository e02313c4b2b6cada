import { expect, test } from 'vitest';
import { newClient } from '../setup/client.ts';
import { hiddenValue, pageClient } from '../setup/pages.ts';
import { newPortalBorrower } from '../setup/portal.ts';
import { totpCode, enrollApp, allowCodeReuse } from '../setup/second-factors.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage, PASSWORD } from '../setup/world.ts';

const stage = await newStage();
const home = await newPortalBorrower(stage);
const { tenant, officer, borrower, id } = home;
const email = `borrower@${tenant.slug}.test`;
const inside = pageClient(borrower);

const newcomer = () => pageClient(tenant.anonymous());
const BOUNDARY = 'a-line-between';

/** A form with a file, as a browser sends it. */
function withFile(
  fields: Record<string, string>,
  file: { name: string; type: string; text: string },
) {
  const parts = Object.entries(fields).map(
    ([name, value]) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const last =
    `Content-Disposition: form-data; name="file"; filename="${file.name}"\r\n` +
    `Content-Type: ${file.type}\r\n\r\n${file.text}\r\n`;
  const raw = [...parts, last].map((part) => `--${BOUNDARY}\r\n${part}`).join('');
  const headers = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };
  return { raw: `${raw}--${BOUNDARY}--\r\n`, headers };
}

test('a page loads only its own stylesheet, which is cached for a year', async () => {
  const page = await inside.get('');
  const name = /href="(\/portal\/style-[0-9a-f]{16}\.css)"/.exec(page.body)?.[1] ?? '';
  const style = await tenant.anonymous().get(`/${name}`);
  const other = await tenant.anonymous().get('//portal/style-0000000000000000.css');

  expect(page.headers['content-security-policy']).toBe(
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  );
  expect(page.headers['cache-control']).toBe('no-store');
  expect(page.body).not.toMatch(/<script|style=|onclick|javascript:/i);
  expect(style.headers['content-type']).toContain('text/css');
  expect(style.headers['cache-control']).toContain('immutable');
  expect(other.status).toBe(404);
});

test('a logo is allowed only from its own host', async () => {
  const other = await stage.tenant();
  const branding = { logo_url: 'https://pictures.example/logo.png?a=1', primary_color: '#ffcc00' };
  await saveSettings(other, { branding });

  const page = await pageClient(other.anonymous()).get('/sign-in');

  expect(page.headers['content-security-policy']).toContain(
    "img-src 'self' https://pictures.example;",
  );
  expect(page.body).toContain('<img src="https://pictures.example/logo.png?a&#x3D;1" alt="">');
});

test('an error page uses plain words in the reader’s language', async () => {
  const nobodys = '00000000-0000-4000-8000-000000000000';

  const replies = [
    await inside.get('/nowhere'),
    await inside.get(`/loans/${nobodys}`),
    await inside.get('/loans/x%00y'),
    await inside.get(`/loans/${id}/payments/${nobodys}`),
    await pageClient(officer).get(''),
    await borrower.send('PUT', '//portal/profile', {}),
    await inside.get('/nowhere', 'es'),
  ];

  expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 403, 405, 404]);
  for (const { headers, body } of replies) {
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(body).toContain('<h1>');
  }
  expect(replies[5]?.headers['allow']).toBe('GET, HEAD, POST');
});

test('an unknown address shows a page that offers nothing', async () => {
  const page = await pageClient(newClient(stage.port, 'nobody.test')).get('');

  expect(page.status).toBe(404);
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.body).not.toContain('<form');
});

test('an expired session leads to the sign-in page, which says why', async () => {
  const visitor = tenant.anonymous();
  const pages = pageClient(visitor);
  await pages.get('/sign-in');
  await pages.send('/sign-in', { email, password: PASSWORD });
  await stage.owner.query(
    `update sessions set absolute_expires_at = now() where user_id = $1 and created_at = (
       select max(created_at) from sessions where user_id = $1
     )`,
    [tenant.userIds['borrower']],
  );

  const sent = await pages.get(`/loans/${id}/pay`);
  const door = await visitor.get(`/${String(sent.headers['location'])}`);

  expect(sent).toMatchObject({
    status: 303,
    headers: {
      location: `/portal/sign-in?back=/portal/loans/${id}/pay&done=signed_out_by_time`,
    },
  });
  expect(door.body).toContain('You were signed out after a period of inactivity.');
});

test('the portal uses the chosen language, which is also that of letters', async () => {
  const visitor = newcomer();

  const asked = await visitor.get('/sign-in', 'es-MX,es;q=0.9');
  await inside.send('/language', { language: 'es', back: '/portal' });
  const spanish = await inside.get('');
  const profile = await borrower.get('/portal/profile');
  await inside.send('/language', { language: 'en', back: '/portal' });

  expect(asked.body).toContain('<html lang="es">');
  expect(asked.body).toContain('Iniciar sesión');
  expect(spanish.body).toContain('a más tardar el 15 de febrero de 2026');
  expect(profile.body.language_preference).toBe('es');
});

test('an invitation can be read in another language, and shows its errors in that language', async () => {
  const pages = newcomer();
  const token = 'A'.repeat(43);

  const form = await pages.get(`/choose-password?token=${token}`);
  const back = /name="back" value="([^"]*)"/.exec(form.body)?.[1]?.replace('&#x3D;', '=') ?? '';
  const sent = await pages.send('/language', { language: 'es', back });
  const short = await pages.send('/choose-password', { token, password: 'x' });

  expect(sent.headers['location']).toBe(`/portal/choose-password?token=${token}`);
  expect(short.status).toBe(422);
  expect(short.body).toContain('El enlace no es válido.');
});

test('text written by people is escaped on every page', async () => {
  const words = '<img src=x onerror=alert(1)>"\'{{t}}';
  await inside.send('/messages', { subject: words, description: words, case_type: 'general' });

  const page = await inside.get('/messages');

  expect(page.body).not.toContain('<img src=x');
  expect(page.body).toContain('&lt;img src&#x3D;x onerror&#x3D;alert(1)&gt;');
});

test('autopay offers to pay the past due amount as well, and shows what it draws otherwise', async () => {
  const page = await inside.get(`/loans/${id}/autopay`);

  expect(page.body).toMatch(/"minimum_due"[^>]*>The payment due</);
  expect(page.body).toMatch(/"past_due_and_current"[^>]*>The payment due, plus fees/);
});

test.each([
  ['1,50', 422],
  ['12,34.00', 422],
  ['1e3', 422],
  ['$ 1,000.00', 200],
  ['200', 200],
])('an amount written as %s is read as intended or refused', async (amount, status) => {
  const order = { amount, payment_instrument_id: home.account, step: 'preview' };

  expect((await inside.send(`/loans/${id}/pay`, order)).status).toBe(status);
});

test('a file of an undeclared or unaccepted type is refused next to its field', async () => {
  const csrf_token = borrower.cookies.get('csrftoken') ?? '';
  const about = { csrf_token, loan_id: id, document_type: 'other' };
  const send = (file: Parameters<typeof withFile>[1], fields: Record<string, string> = about) =>
    borrower.post('//portal/documents', undefined, withFile(fields, file));
  const file = { name: 'a.pdf', type: 'application/pdf', text: '%PDF-1.7' };

  const page = await send({ ...file, type: 'text/html' });
  const none = await send({ ...file, name: '' });
  const forged = await send(file, { ...about, csrf_token: 'x'.repeat(32) });
  const stranger = await tenant
    .anonymous()
    .post('//portal/documents', undefined, withFile(about, file));

  expect([page.status, none.status, forged.status, stranger.status]).toEqual([422, 422, 403, 303]);
  expect(page.body).toContain('This file type is not supported');
  expect(none.body).toContain('<p class="error" id="file-error">Is required.</p>');
});

test('a second factor is requested, and set up if it is required', async () => {
  const other = await newPortalBorrower(stage);
  const address = `borrower@${other.tenant.slug}.test`;
  const { secret, recovery_codes } = await enrollApp(other.borrower);
  await allowCodeReuse(stage, other.tenant);
  const pages = pageClient(other.tenant.anonymous());
  await pages.get('/sign-in');

  const half = await pages.send('/sign-in', { email: address, password: PASSWORD });
  const outside = await pages.get('');
  const wrong = await pages.send('/second-factor', { code: '000000' });
  const right = await pages.send('/second-factor', { code: totpCode(secret) });
  const page = await pages.get('');
  const again = pageClient(other.tenant.anonymous());
  await again.get('/sign-in');
  await again.send('/sign-in', { email: address, password: PASSWORD });
  const lost = await again.send('/second-factor', { recovery_code: recovery_codes[0] ?? '' });

  expect(half.headers['location']).toBe('/portal/second-factor?back=/portal');
  expect(outside.status).toBe(303);
  expect(wrong.status).toBe(401);
  expect(wrong.body).toContain('The code is wrong or was already used.');
  expect([right.status, page.status, lost.status]).toEqual([303, 200, 303]);
});

test('a device that has signed in here stays known, also while others guess', async () => {
  const visitor = tenant.anonymous();
  const pages = pageClient(visitor);
  const form = await pages.get('/sign-in?back=/portal/accounts');
  await pages.send('/sign-in', { email, password: PASSWORD });

  expect(hiddenValue(form.body, 'back')).toBe('/portal/accounts');
  expect(visitor.cookies.get('known_device')).toBeTruthy();
});
