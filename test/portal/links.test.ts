import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolvePage, sectionOf } from '../../api/pages/page-routing.ts';
import { routes } from '../../api/routes.ts';
import { sendAccountMessage } from '../../jobs/users/send-account-message.job.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { ACCOUNT_MESSAGES, accountMessage } from '../../templates/account-messages.ts';
import { defaultMessages } from '../../templates/messages.ts';
import { renderMessage } from '../../templates/render-message.ts';
import { newLoan } from '../setup/loans.ts';
import { newOutside } from '../setup/outside.ts';
import { newVisitor, openBrowser } from '../setup/portal-browser.ts';
import { newStage, PASSWORD, type Tenant } from '../setup/world.ts';

const stage = await newStage();
stage.installation.local_port = stage.port;

let browser: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => void (browser = await openBrowser()), 60_000);
afterAll(async () => browser.close());

const NEW = 'seventeen green bicycles';
const MAILS = [
  ...ACCOUNT_MESSAGES.flatMap((name) =>
    (['en', 'es'] as const).map((language) => ({
      called: `${name} ${language}`,
      ...accountMessage(name, language),
    })),
  ),
  ...defaultMessages()
    .filter(({ channel }) => channel === 'email')
    .map(({ template_type, language, subject, body }) => ({
      called: `${template_type} ${language}`,
      subject,
      body,
    })),
];

/** Links that mails may contain. Each is followed below to the page that it opens. */
const FOLLOWED = new Set(['tenant.url', 'link.url']);

test.each(MAILS)(
  'the email $called links only to pages that exist, and keeps its links',
  (mail) => {
    const wanted = [...mail.body.matchAll(/href="\{\{\s*([\w.]+)\s*\}\}"/g)].map(
      ([, name]) => name,
    );
    const all = [...mail.body.matchAll(/href=/g)];

    const { body } = renderMessage(
      { channel: 'email', subject: mail.subject, body: mail.body },
      {
        locale: 'en-US',
        tenant: { url: `http://lender.localhost:3000/portal` },
        link: { url: 'http://lender.localhost:3000/staff/choose-password?token=A' },
      },
    );

    expect(wanted).toHaveLength(all.length);
    expect(wanted.filter((name) => !FOLLOWED.has(name ?? ''))).toEqual([]);
    expect([...body.matchAll(/<a href="http/g)]).toHaveLength(wanted.length);
  },
);

const FOLDERS = ['../../templates/portal/pages/', '../../templates/ops/pages/'];
const pages = FOLDERS.flatMap((folder) =>
  readdirSync(new URL(folder, import.meta.url)).map((name) => ({
    name,
    text: readFileSync(new URL(`${folder}${name}`, import.meta.url), 'utf8'),
  })),
);

test.each(pages)('the links and forms of the page $name lead to pages that exist', ({ text }) => {
  const addresses = [...text.matchAll(/(?:href|action)="([^"]*)"/g)]
    .map(([, address = '']) => address)
    .flatMap((address) =>
      address.startsWith('{{@root.section}}')
        ? ['/portal', '/staff'].map((section) => address.replace('{{@root.section}}', section))
        : [address.replace('{{@root.factors_at}}', '/staff/factors')],
    )
    .filter((address) => address.startsWith('/'))
    .map((address) => address.replaceAll(/\{\{#[^}]*\}\}.*?\{\{\/\w+\}\}/g, ''))
    .map((address) => (address.split('?')[0] ?? '').replaceAll(/\{\{[^}]*\}\}/g, 'x'));

  const missing = addresses.filter((address) => {
    if (address === '/portalx') return false; // The navigation, whose pages other tests open.
    const section = sectionOf(address);
    if (section === undefined) return !address.startsWith('/api/v1/docs');
    try {
      return resolvePage(section, address) === undefined;
    } catch {
      return true;
    }
  });

  expect(routes.length).toBeGreaterThan(0);
  expect(missing).toEqual([]);
});

/** The first link in an account mail. */
async function mailed(tenant: Tenant, user_id: string, message: 'invitation' | 'password_reset') {
  const within = createWithin(stage.pool, SYSTEM, stage.installation);
  const outside = { ...newOutside(stage.pool), within };
  await sendAccountMessage.run({ tenant_id: tenant.id, user_id, attempt: 1, message }, outside);
  const [mail] = newMails(outside);
  return /<a href="([^"]*)"/.exec(mail ?? '')?.[1]?.replaceAll('&#x3D;', '=') ?? '';
}
const newMails = ({ mailbox }: { mailbox: { html: string }[] }) => mailbox.map(({ html }) => html);

async function signIn(page: Page, email: string, password: string) {
  await page.fill('[name=email]', email);
  await page.fill('[name=password]', password);
  await page.getByRole('button', { name: 'Sign in' }).first().click();
  await page.waitForLoadState();
}

const PHONE = { language: 'en', width: 390, has_script: true } as const;
const expected = /status of 4(01|03|10|22)|Not supported for insecure origins/;

test(
  'an invited colleague follows the link, chooses a password and reaches a working page',
  { timeout: 120_000 },
  async () => {
    const tenant = await stage.tenant();
    const admin = await tenant.signedIn('superadmin');
    const email = 'ines@lender.example';
    const person = { email, first_name: 'Ines', last_name: 'Roth', tenant_role: 'viewer' };
    const { body: user } = await admin.post('/users/invite', person);
    const link = await mailed(tenant, user.id as string, 'invitation');
    const { page, look, complaints, context, title } = await newVisitor(browser, '', PHONE);

    await page.goto(link);
    await look('staff-choose-password');
    await page.fill('[name=password]', NEW);
    await page.getByRole('button', { name: 'Save password' }).click();
    await look('staff-sign-in');
    await signIn(page, email, NEW);
    await look('staff-home');
    expect(await title()).toBe('You are signed in');
    await page.getByRole('link', { name: 'API documentation' }).click();
    await page.waitForSelector('.cards');

    await page.goto(link);
    await look('staff-link-over');
    expect(await page.textContent('main')).toContain('This link no longer works.');
    await page.getByRole('link', { name: 'Get a new link' }).click();
    await look('staff-forgot-password');
    expect(await title()).toBe('Forgot your password?');

    await page.goto(`http://${tenant.host}:${stage.port}/ops`);
    await look('ops-no-access');
    expect(await title()).toBe('You don’t have access to this page');
    await page.getByRole('button', { name: 'Sign out and use another account' }).click();
    await signIn(page, `superadmin@${tenant.slug}.test`, PASSWORD);
    expect(new URL(page.url()).pathname).toBe('/ops');
    expect(await title()).toBe('Overview');
    expect(complaints.filter((line) => !expected.test(line))).toEqual([]);
    await context.close();
  },
);

test(
  'a borrower follows email links to the portal, and an expired one to a page that says what to do',
  { timeout: 120_000 },
  async () => {
    const tenant = await stage.tenant();
    const admin = await tenant.signedIn('superadmin');
    const { borrower_id } = await newLoan(tenant);
    const address = { email: 'bo@borrower.example' };
    const invited = await admin.post(`/borrowers/${borrower_id}/invite-portal-user`, address);
    const old = await mailed(tenant, invited.body.id as string, 'invitation');
    const link = await mailed(tenant, invited.body.id as string, 'password_reset');
    const { page, look, complaints, context } = await newVisitor(browser, '', PHONE);

    await page.goto(old);
    await look('portal-link-over');
    expect(await page.textContent('main')).toContain('This link no longer works.');
    await page.goto(link);
    await page.fill('[name=password]', NEW);
    await page.getByRole('button', { name: 'Save password' }).click();
    await signIn(page, address.email, NEW);
    expect(new URL(page.url()).pathname).toBe('/portal');

    // The target of {{ tenant.url }}.
    await page.goto(new URL('/portal', link).href);
    expect(await page.textContent('main')).toContain('Your loans');
    await page.goto(`http://${tenant.host}:${stage.port}/ops`);
    expect(await page.textContent('main')).toContain('Sign in with another account.');
    expect(complaints.filter((line) => !expected.test(line))).toEqual([]);
    await context.close();
  },
);
