import { expect, test } from 'vitest';
import { hiddenValue, pageClient } from '../setup/pages.ts';
import { newPortalBorrower } from '../setup/portal.ts';
import { totpCode } from '../setup/second-factors.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage, PASSWORD } from '../setup/world.ts';

const stage = await newStage();

/** A visitor who opens the portal for the first time. */
async function stranger() {
  const tenant = await stage.tenant();
  const email = `borrower@${tenant.slug}.test`;
  return { tenant, email, pages: pageClient(tenant.anonymous()) };
}

test('a visitor without a session has to sign in and then returns to the same page', async () => {
  const { email, pages } = await stranger();

  const sent = await pages.get('/accounts');
  const form = await pages.get('/sign-in?back=/portal/accounts');
  const back = hiddenValue(form.body, 'back');
  const inside = await pages.send('/sign-in', { email, password: PASSWORD, back });
  const page = await pages.get('/accounts');

  expect(sent).toMatchObject({
    status: 303,
    headers: { location: '/portal/sign-in?back=/portal/accounts' },
  });
  expect(inside).toMatchObject({ status: 303, headers: { location: '/portal/accounts' } });
  expect(page.status).toBe(200);
  expect(page.body).toContain('<h1>Bank accounts</h1>');
});

test('signing in leads only to the portal, regardless of the form’s target', async () => {
  const { tenant, email } = await stranger();
  const places = [
    'https://evil.example',
    '//evil.example',
    '/portal/../api',
    '/portal\\evil',
    '/x',
  ];
  const seen: unknown[] = [];

  for (const back of places) {
    const pages = pageClient(tenant.anonymous());
    await pages.get('/sign-in');
    const inside = await pages.send('/sign-in', { email, password: PASSWORD, back });
    seen.push([inside.status, inside.headers['location']]);
  }

  expect(seen).toEqual(places.map(() => [303, '/portal']));
});

test('a wrong password and an unknown address are refused in the same words', async () => {
  const { email, pages } = await stranger();
  await pages.get('/sign-in');

  const wrong = await pages.send('/sign-in', { email, password: 'wrong' });
  const unknown = await pages.send('/sign-in', { email: 'no@body.test', password: 'wrong' });

  const main = (page: string) => page.replace(email, '').replace('no@body.test', '');
  expect(wrong.status).toBe(401);
  expect(wrong.body).toContain('The email address or password is wrong.');
  expect(main(unknown.body)).toBe(main(wrong.body));
  expect(wrong.body).not.toContain('value="wrong"');
});

test('a payment is previewed, ordered once by its key, and shown with its split', async () => {
  const { borrower, loan, id, account } = await newPortalBorrower(stage);
  const pages = pageClient(borrower);
  const order = { amount: '$500', payment_instrument_id: account, payment_date: '' };

  const home = await pages.get('');
  const preview = await pages.send(`/loans/${id}/pay`, { ...order, step: 'preview' });
  const idempotency_key = hiddenValue(preview.body, 'idempotency_key');
  const amount = hiddenValue(preview.body, 'amount');
  const sent = { ...order, amount, idempotency_key, step: 'pay' };
  const paid = await pages.send(`/loans/${id}/pay`, sent);
  const again = await pages.send(`/loans/${id}/pay`, sent);
  const receipt = await pages.get(String(paid.headers['location']).slice('/portal'.length));

  expect([home.status, preview.status, paid.status, again.status]).toEqual([200, 200, 303, 303]);
  expect(home.body).toContain('$315.68');
  expect(preview.body).toContain('Pay $500.00');
  expect(again.headers['location']).toBe(paid.headers['location']);
  expect(receipt.body).toContain(
    'We received your payment request. It may take 1–3 business days.',
  );
  const payments = await borrower.get(`${loan}/payments`);
  expect(payments.body).toMatchObject([{ amount: '500.00', source: 'portal' }]);
});

test('a form’s errors appear next to their fields, with the input', async () => {
  const { borrower, id, account } = await newPortalBorrower(stage);
  const pages = pageClient(borrower);
  const order = { amount: '0', payment_instrument_id: account, payment_date: '2020-01-01' };

  const refused = await pages.send(`/loans/${id}/pay`, { ...order, step: 'preview' });
  const more = await pages.send(`/loans/${id}/pay`, {
    ...order,
    payment_date: '',
    amount: '90000',
  });

  expect(refused.status).toBe(422);
  expect(refused.body).toContain('<p class="error" id="amount-error">Must be more than zero.</p>');
  expect(refused.body).toContain('value="2020-01-01"');
  expect(more.status).toBe(409);
  expect(more.body).toContain('You can pay at most $10,000.00.');
});

test('a form without the session’s token changes nothing', async () => {
  const { borrower, loan, id, account } = await newPortalBorrower(stage);
  const pages = pageClient(borrower);
  const order = { amount: '5.00', payment_instrument_id: account, step: 'pay' };

  const refused = await pages.send(`/loans/${id}/pay`, { ...order, csrf_token: 'x'.repeat(32) });

  expect(refused.status).toBe(403);
  expect(refused.headers['content-type']).toContain('text/html');
  expect((await borrower.get(`${loan}/payments`)).body).toEqual([]);
});

test('a borrower who needs a second factor must set it up first, and cannot remove the last one', async () => {
  const other = await stage.tenant();
  await saveSettings(other, { auth: { second_factor: { borrowers: true } } });
  const visitor = other.anonymous();
  const pages = pageClient(visitor);
  await pages.get('/sign-in');

  const half = await pages.send('/sign-in', {
    email: `borrower@${other.slug}.test`,
    password: PASSWORD,
  });
  const begun = await pages.send('/enroll-factor', { step: 'begin' });
  const secret = /<code>([A-Z2-7]+)<\/code>/.exec(begun.body)?.[1] ?? '';
  const wrong = await pages.send('/enroll-factor', { code: '123' });
  const right = await pages.send('/enroll-factor', { code: totpCode(secret) });
  const page = await pages.get('');

  const factors = await pages.get('/factors');
  const remove = /portal(\/factors\/[0-9a-f-]+\/remove)/.exec(factors.body)?.[1] ?? '';
  const refused = await pages.send('/factors/codes', { current_password: 'wrong' });
  const codes = await pages.send('/factors/codes', { current_password: PASSWORD });
  const last = await pages.send(remove, { current_password: PASSWORD });
  await saveSettings(other, { auth: {} });
  const fresh = pageClient(visitor.at(await stage.listen()));
  const removed = await fresh.send(remove, { current_password: PASSWORD });
  const none = await fresh.get('/factors');

  expect(factors.headers['content-security-policy']).toMatch(/; script-src 'sha256-[\w+/=]+';/);
  expect(refused).toMatchObject({ status: 422, body: expect.stringContaining('Is wrong.') });
  expect(codes.body.match(/<li><code>/g)).toHaveLength(right.body.match(/<li><code>/g).length);
  expect(last).toMatchObject({ status: 409, body: expect.stringContaining('Set up another one') });
  expect(removed.headers['location']).toBe('/portal/factors?done=factor_removed');
  expect(none.body).toContain('Two-step verification is off.');
  expect(half.headers['location']).toBe('/portal/enroll-factor');
  expect(begun.body).toContain('<svg');
  expect(wrong.status).toBe(422);
  expect(right.body.match(/<li><code>/g)?.length).toBeGreaterThan(5);
  expect(page.status).toBe(200);
});
