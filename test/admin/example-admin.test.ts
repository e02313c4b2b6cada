import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { openBrowser } from '../setup/portal-browser.ts';
import { newStage, PASSWORD } from '../setup/world.ts';
import { serveAdmin } from './serve-admin.ts';

const stage = await newStage();
const admin = await serveAdmin(stage.port);
const browser = await openBrowser();
afterAll(async () => {
  await browser.close();
  admin.close();
});

const pictures = process.env['PICTURES'];

async function look(page: Page, name: string) {
  if (!pictures) return;
  await mkdir(pictures, { recursive: true });
  await page.screenshot({ path: path.join(pictures, `admin-${name}.png`) });
}

/** A new page, signed in with a role. */
async function signIn(tenant: Awaited<ReturnType<typeof stage.tenant>>, role: string) {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(30_000);
  await page.goto(`http://${tenant.host}:${admin.port}/`);
  await page.fill('input[name=username]', `${role}@${tenant.slug}.test`);
  await page.fill('input[name=password]', PASSWORD);
  await page.click('button[type=submit]');
  await page.waitForSelector('a[href="#/borrowers"]');
  return page;
}

test('staff list, search, create, edit and follow references with the unmodified data provider', async () => {
  const tenant = await stage.tenant();
  await newLoan(tenant);
  const page = await signIn(tenant, 'loan_officer');

  await page.click('a[href="#/borrowers/create"]');
  await page.fill('input[name=first_name]', 'Nora');
  await page.fill('input[name=last_name]', 'Whitfield');
  await page.fill('input[name=date_of_birth]', 'last year');
  await page.click('button[aria-label=Save]');
  await page.waitForSelector('.MuiFormHelperText-root.Mui-error');
  const refusal = await page.textContent('.MuiFormHelperText-root.Mui-error');
  await page.fill('input[name=date_of_birth]', '1980-04-30');
  await page.click('button[aria-label=Save]');
  await page.fill('input[name=q]', 'Whitfield');
  await page.click('tbody tr:has-text("Whitfield"):only-child');
  await page.fill('input[name=last_name]', 'Whitfield-Jones');
  await page.click('button[aria-label=Save]');
  await page.waitForSelector('tbody tr:has-text("Whitfield-Jones")');
  await look(page, 'borrowers');
  await page.click('a[href="#/loans"]');
  await page.click('tbody a:has-text("Hopper")');
  await page.waitForFunction("document.querySelector('input[name=last_name]')?.value === 'Hopper'");

  expect(refusal).toContain('date');
  const { body } = await tenant.officer.get('/borrowers?q=Whitfield');
  expect(body).toMatchObject([{ last_name: 'Whitfield-Jones', date_of_birth: '1980-04-30' }]);
});

test('an action changes the loan, and a refused action says why', async () => {
  const tenant = await stage.tenant();
  const loan = await newLoan(tenant, { status: 'pending' });
  const officer = await signIn(tenant, 'loan_officer');
  const viewer = await signIn(tenant, 'viewer');
  const open = (page: Page) =>
    page.goto(`http://${tenant.host}:${admin.port}/#/loans/${loan.id}/show`);
  const notice = async (page: Page) => page.textContent('.RaNotification-error, .MuiAlert-message');

  await open(viewer);
  await viewer.click('button:has-text("Approve")');
  const refused = await notice(viewer);
  await look(viewer, 'refused');
  await open(officer);
  await officer.click('button:has-text("Approve")');
  await officer.waitForSelector('.RaShow-main >> text=approved');
  await look(officer, 'loan');
  await officer.click('button:has-text("Approve")');
  const conflict = await notice(officer);

  expect(refused).toMatch(/\S+ \S+/);
  expect(conflict).toMatch(/\S+ \S+/);
  const shown = await tenant.officer.get(`/loans/${loan.id}`);
  expect(shown.body).toMatchObject({ status: 'approved' });
});
