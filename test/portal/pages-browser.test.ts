import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { localFiles } from '../../jobs/files/local-files.ts';
import { sendAccountMessage } from '../../jobs/users/send-account-message.job.ts';
import { newLoan } from '../setup/loans.ts';
import { addBankAccount } from '../setup/nacha.ts';
import { newOutside } from '../setup/outside.ts';
import { totpCode } from '../setup/second-factors.ts';
import { newVisitor, openBrowser, type Visitor } from '../setup/portal-browser.ts';
import { newStage, PASSWORD as OF_ALL } from '../setup/world.ts';

const stage = await newStage();
const folder = await mkdtemp(path.join(tmpdir(), 'servicing-files-'));
const secret = 'a secret of more than thirty-two characters';
Object.assign(stage.installation, { files: localFiles({ folder, secret }), link_secret: secret });

let browser: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => void (browser = await openBrowser()), 60_000);
afterAll(async () => {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
});

/** With PICTURES or LIVES all four visitors are tested, otherwise only one. */
const PHONE: Visitor = { language: 'es', width: 390, has_script: true };
const VISITORS: Visitor[] = [
  PHONE,
  { language: 'en', width: 1200, has_script: true },
  { language: 'en', width: 390, has_script: false },
  { language: 'es', width: 1200, has_script: false },
];
const asked = process.env['PICTURES'] || process.env['LIVES'] ? VISITORS : [PHONE];
const EMAIL = 'maria@example.com';
const PASSWORD = 'seventeen green bicycles';

/** A newly invited borrower with a loan, a second loan that she co-signed, and an account. */
async function invited() {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('superadmin');
  const made = await admin.post('/borrowers', {
    first_name: 'María',
    last_name: 'Núñez',
  });
  const borrower_id = made.body.id as string;
  const { id } = await newLoan(tenant, { borrower_id });
  await addBankAccount(admin, borrower_id, { is_verified: true, bank_name: 'First Bank' });
  const address = { email: EMAIL };
  const user = await admin.post(`/borrowers/${borrower_id}/invite-portal-user`, address);
  const { id: answered } = await newLoan(tenant);
  await admin.post(`/loans/${answered}/co-borrowers`, { borrower_id, role: 'guarantor' });
  const outside = newOutside(stage.pool);
  const letter = { tenant_id: tenant.id, user_id: user.body.id as string, attempt: 1 };
  await sendAccountMessage.run({ ...letter, message: 'invitation' }, outside);
  const html = outside.mailbox[0]?.html.replaceAll('&#x3D;', '=') ?? '';
  const link = /\/portal(\/choose-password\?token=[\w-]+)/.exec(html)?.[1] ?? '';
  return { tenant, admin, borrower_id, id, answered, link };
}

test.each(asked)(
  'a borrower’s visit, in $language on $width, script: $has_script',
  { timeout: 120_000 },
  async (visitor) => {
    const { tenant, admin, borrower_id, id, answered, link } = await invited();
    const here = `${tenant.host}:${stage.port}`;
    const guest = await newVisitor(browser, here, visitor);
    const { open, send, notice, title, t, page } = guest;

    await open(link, 'choose-password');
    await send({ password: PASSWORD }, t('choose_password.submit'), 'sign-in');
    expect(await notice()).toBe(t('done.password_chosen'));
    await send({ email: EMAIL, password: 'wrong' }, t('sign_in'), 'sign-in-refused');
    await send({ password: PASSWORD }, t('sign_in'), 'home');
    // Staff recorded English as her language. She chooses another.
    if (visitor.language === 'es') await send({}, 'Español', 'home-es');
    expect(await title()).toBe(t('home', { name: 'María Núñez' }));
    expect(await page.textContent('main')).toContain('315.68');

    await open(`/loans/${id}`, 'loan');
    await open(`/loans/${id}/schedule`, 'schedule');
    await open(`/loans/${id}/explain/amount-due`, 'explanation');
    expect(await page.textContent('main')).toContain(t('explain'));
    await open(`/loans/${id}/pay`, 'pay');
    await send({ amount: '0' }, t('pay.preview'), 'pay-refused');
    await send({ amount: '1,000.50' }, t('pay.preview'), 'pay-preview');
    await send({}, t('pay.submit', { amount: '$1,000.50' }), 'payment');
    expect(await notice()).toBe(t('done.paid'));
    expect(await page.textContent('main')).toContain(`María Núñez`);

    await open(`/loans/${id}/autopay`, 'autopay');
    await send({ amount_type: 'minimum_due' }, t('autopay.enroll'), 'autopay-on');
    expect(await notice()).toBe(t('done.autopay_enrolled'));
    expect(await page.innerText('.facts')).toContain('First Bank …6789');
    expect(await page.innerText('footer')).toContain('(202) 555-0100');

    await open(`/loans/${answered}`, 'loan-answered-for');
    expect(await page.textContent('main')).toContain(t('liable_as.guarantor'));
    expect(await page.locator('a[href$="/autopay"]').count()).toBe(0);
    await open(`/loans/${answered}/autopay`, 'autopay-answered-for');
    expect(await page.textContent('main')).toContain(t('refused.borrowers_only'));
    expect(await page.locator('button[value=enroll]').count()).toBe(0);
    await open(`/loans/${answered}/pay`, 'pay-answered-for');
    await send({ amount: '20.00' }, t('pay.preview'), 'pay-preview-answered-for');
    await send({}, t('pay.submit', { amount: '$20.00' }), 'payment-answered-for');
    expect(await notice()).toBe(t('done.paid'));

    await open('/accounts', 'accounts');
    await send(
      {
        account_holder_name: 'María Núñez',
        bank_name: 'Second Bank',
        routing_number: '021000021',
        account_number: '123456789',
      },
      t('accounts.add'),
      'accounts-added',
    );
    expect(await notice()).toBe(t('done.account_added'));

    await open('/documents', 'documents');
    await page.setInputFiles('input[type=file]', {
      name: 'stub.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('%PDF-1.7 stub'),
    });
    await send({ loan_id: id }, t('documents.send'), 'documents-sent');
    expect(await notice()).toBe(t('done.document_sent'));
    expect(await page.innerText('tbody td')).toMatch(/\n.*LN-2026-000001$/);

    await open('/messages', 'messages');
    const words = { subject: 'My address', description: 'I have moved. <b>Really</b>.' };
    await send({ ...words, loan_id: id }, t('send'), 'thread');
    await send({ message: 'And again.' }, t('send'), 'thread-more');
    expect(await notice()).toBe(t('done.message_sent'));

    await open('/hardship', 'hardship');
    const reason = { hardship_type: 'medical', requested_action: 'deferment' };
    const application = { ...reason, description: 'I was ill.', monthly_income: '2000' };
    await send(application, t('hardship.send'), 'application');
    expect(await notice()).toBe(t('done.hardship_sent'));
    await open('/messages', 'messages-more');
    expect(await page.textContent('main')).toContain(t('hardship.title', { number: 'H-' }));

    await open('/profile', 'profile');
    expect(await page.isChecked('[name=marketing_enabled]')).toBe(false);
    await page.check('[name=marketing_enabled]');
    await page.locator('button[value=preferences]').click();
    expect(await notice()).toBe(t('done.preferences_saved'));
    await page.locator('[name=phone]').fill('(202) 555-0143');
    await page.locator('button[value=contact]').click();
    await guest.look('profile-saved');
    expect(await notice()).toBe(t('done.profile_saved'));
    await page.locator('button[value=texts]').click();
    await guest.look('profile-texts-refused');
    expect(await page.isChecked('[name=agrees_to_texts]')).toBe(false);
    await page.check('[name=agrees_to_texts]');
    await page.locator('button[value=texts]').click();
    await guest.look('profile-texts');
    expect(await notice()).toBe(t('done.preferences_saved'));

    await open('/factors', 'factors-none');
    await open('/factors/app', 'factor-app');
    await send({ current_password: 'wrong' }, t('continue'), 'factor-app-refused');
    await send({ current_password: PASSWORD }, t('continue'), 'factor-app-begun');
    const secret = (await page.textContent('main code')) ?? '';
    await send({ code: totpCode(secret) }, t('continue'), 'recovery-codes');
    await page.getByRole('link', { name: t('continue') }).click();
    await guest.look('factors');
    expect(await notice()).toBe(t('done.factor_added'));

    await send({}, t('sign_out'), 'signed-out');
    expect(await notice()).toBe(t('done.signed_out'));
    await open('/profile', 'sign-in-again');
    expect(await title()).toBe(t('sign_in'));

    // The browser itself logs refused pages and features that it offers only over HTTPS.
    const expected = /status of 4(01|22)|Not supported for insecure origins/;
    expect(guest.complaints.filter((line) => !expected.test(line))).toEqual([]);
    const seen = async (at: string) => (await admin.get(at)).body;
    expect(await seen(`/loans/${id}/payments`)).toMatchObject([
      { amount: '1000.50', source: 'portal' },
    ]);
    expect(await seen(`/borrowers/${borrower_id}/autopay-plans`)).toMatchObject([
      { status: 'active' },
    ]);
    // The stored consent is the sentence that the page showed.
    const consents = await seen(`/borrowers/${borrower_id}/consents`);
    for (const [consent_type, key] of [
      ['autopay', 'autopay.agree'],
      ['tcpa_sms', 'consent.texts'],
      ['marketing', 'consent.marketing'],
    ] as const) {
      const consent_text = t(key, { tenant: `Tenant ${tenant.slug}` });
      expect(consents).toContainEqual(expect.objectContaining({ consent_type, consent_text }));
    }
    expect(await seen(`/borrowers/${borrower_id}/payment-instruments`)).toHaveLength(2);
    expect(await seen(`/documents?loan_id=${id}`)).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ source: 'portal', status: 'uploaded' })]),
    );
    expect(await seen(`/cases?borrower_id=${borrower_id}`)).toHaveLength(2);
    expect(await seen('/hardship-applications')).toMatchObject([{ hardship_type: 'medical' }]);
    expect(await seen(`/borrowers/${borrower_id}`)).toMatchObject({
      phone: '+12025550143',
      language_preference: visitor.language,
    });
    await guest.context.close();
  },
);

test('a passkey is created and used in the browser, and requested only by a form', async () => {
  const tenant = await stage.tenant();
  const host = `${tenant.slug}.localhost`;
  await stage.owner.query('insert into tenant_domains (tenant_id, domain) values ($1, $2)', [
    tenant.id,
    host,
  ]);
  const guest = await newVisitor(browser, `${host}:${stage.port}`, { ...PHONE, language: 'en' });
  const { open, send, notice, page, t } = guest;
  const devices = await guest.context.newCDPSession(page);
  await devices.send('WebAuthn.enable');
  await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      automaticPresenceSimulation: true,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  const who = { email: `borrower@${tenant.slug}.test`, password: OF_ALL };

  await open('/sign-in', 'sign-in');
  await send(who, t('sign_in'), 'home');
  await open('/factors', 'factors-able');
  await page.getByRole('link', { name: t('factors.add_passkey') }).click();
  await guest.look('factor-passkey');
  const named = { name: 'My phone', current_password: OF_ALL };
  await send(named, t('continue'), 'factor-passkey-begun');
  await page.getByRole('button', { name: t('passkey.create') }).click();
  await page.getByRole('link', { name: t('continue') }).click();
  const made = await notice();
  const shown = await page.textContent('main');
  await send({}, t('sign_out'), 'signed-out');
  await send(who, t('sign_in'), 'second-factor');
  await send({}, t('passkey.use'), 'second-factor-passkey');
  await page.getByRole('button', { name: t('passkey.use') }).click();
  await page.waitForURL(`**/portal`);

  expect(made).toBe(t('done.factor_added'));
  expect(shown).toContain('My phone');
  expect(await guest.title()).toContain('Bo Rower');
  expect(guest.complaints).toEqual([]);
  await guest.context.close();
});
