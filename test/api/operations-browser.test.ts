import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { job } from '../../jobs/job.ts';
import { openLog } from '../../jobs/monitoring/log.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { startWorker, type Worker } from '../../workers/queue/worker.ts';
import { nothingOutside } from '../faults/nothing-outside.ts';
import { insertRunningClose, newOperator, enqueueJobs } from '../setup/operators.ts';
import { newVisitor, openBrowser, type Visitor } from '../setup/portal-browser.ts';
import { totpCode, allowCodeReuse } from '../setup/second-factors.ts';
import { attemptDelivery, newSubscriber, REFUSED_POST } from '../setup/subscriber.ts';
import { newStage, PASSWORD } from '../setup/world.ts';

const stage = await newStage();
const lender = await stage.tenant();
const operators = await stage.tenant();
const { secret } = await newOperator(stage, operators);
const here = `http://${operators.host}:${stage.port}`;

/** The jobs of this test take a moment each, and job 13 fails. */
let isPoisoned = true;
const story = job({
  name: 'close-loans',
  pool: 'ledger',
  payload: z.object({ tenant_id: z.uuid(), chunk: z.int() }),
  attempts: 2,
  run: async ({ chunk }) => {
    await wait(20);
    if (chunk === 1 && isPoisoned) throw new Error('Plan 4711 of the loan is missing.');
  },
});

let browser: Awaited<ReturnType<typeof openBrowser>>;
let worker: Worker;
beforeAll(async () => {
  browser = await openBrowser();
  worker = await startWorker(
    {
      name: 'ledger',
      url: stage.url,
      jobs: [story],
      log: openLog('silent', {}),
      settings: {
        concurrency: 1,
        deadlineMs: 5e3,
      },
      outside: {
        ...nothingOutside,
        within: createWithin(stage.pool, SYSTEM),
      },
      onFatal: (reason) => {
        throw reason;
      },
    },
    new AbortController().signal,
  );
}, 60_000);
afterAll(async () => {
  await worker.stop();
  await browser.close();
});

const seeing = (page: Page) => (where: string, what: RegExp | string) =>
  page.locator(where).filter({ hasText: what }).first().waitFor({ timeout: 20_000 });

/** Signs in with both factors from the operations page that requires it. */
async function signIn(page: Page) {
  await allowCodeReuse(stage, operators);
  await page.fill('[name=email]', `superadmin@${operators.slug}.test`);
  await page.fill('[name=password]', PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.fill('[name=code]', totpCode(secret));
  await page.getByRole('button', { name: 'Continue' }).first().click();
  await page.waitForLoadState();
}

/** The browser's complaints, without those that these tests cause on purpose. */
const unexpected = (complaints: readonly string[]) =>
  complaints.filter((line) => !/status of 4(01|22)|Not supported for insecure origins/.test(line));

const PHONE: Visitor = { language: 'en', width: 390, has_script: true };
const DESK: Visitor = { ...PHONE, width: 1200 };
const visitors = process.env['PICTURES'] ? [PHONE, DESK] : [PHONE];

test.each(visitors)(
  'a pool is paused, fills, gets slots and drains; a failed job is found, fixed and gone, on $width',
  { timeout: 120_000 },
  async (visitor) => {
    isPoisoned = true;
    const { page, look, complaints, context } = await newVisitor(browser, '', visitor);
    const pool = page.locator('#pool-ledger');
    const saw = seeing(page);
    const change = async (fields: Record<string, string>, button: string) => {
      await page.getByText('Change ledger').click();
      const form = page.locator('form', { has: page.locator('[name=pool][value=ledger]') });
      for (const [name, value] of Object.entries(fields))
        await form.locator(`[name=${name}]`).fill(value);
      await form.getByRole('button', { name: button }).click();
      await page.locator('.notice').waitFor();
    };
    await page.goto(`${here}/ops`);
    await look('ops-sign-in');
    await signIn(page);
    await saw('h1', 'Overview');

    await change({ reason: 'The bank is away.' }, 'Pause ledger');
    await saw('#pool-ledger', /paused/);
    await enqueueJobs(stage, 'close-loans', { tenant_id: lender.id }, 40, 1);
    // Live, without a click: jobs accumulate, and the oldest has waited for seconds.
    await saw('#pool-ledger', /Waiting\s*40/);
    await saw('#pool-ledger', /Lag\s*[2-9]/);
    await look('ops-paused');

    await change({ reason: 'It is back.', slots: '8' }, 'Set slots for ledger');
    await change({ reason: 'It is back.' }, 'Resume ledger');
    await saw('#pool-ledger', /Waiting\s*0/);
    await saw('#pool-ledger', /of 8 slots/);
    await saw('#failures', 'Plan');
    await look('ops-failed');

    await page.locator('#failures a').first().click();
    await saw('h1', 'Jobs');
    await look('ops-jobs');
    await page.locator('tbody a').first().click();
    await saw('dl', 'failed since');
    // Workers record the errors of attempts every few seconds.
    const tries = () => page.reload().then(() => page.locator('tbody tr').count());
    await expect.poll(tries, { timeout: 20_000 }).toBe(1);
    await saw('tbody', 'Plan');
    await look('ops-job');
    isPoisoned = false;
    await page.fill('[name=reason]', 'The plan was repaired.');
    await page.getByRole('button', { name: 'retry' }).click();
    await saw('.notice', '1 changed');
    await saw('main', 'No job matches.');
    await page.goto(`${here}/ops`);
    await saw('#failures', 'No failed jobs.');
    await saw('#pool-ledger', /Waiting\s*0/);
    const changes = (await page.locator('#changes tbody').textContent()) ?? '';
    await look('ops-drained');
    for (const [action, why] of [
      ['retry-jobs', 'The plan was repaired.'],
      ['resume', 'It is back.'],
      ['slots', 'It is back.'],
      ['pause', 'The bank is away.'],
    ] as const) {
      expect(changes).toMatch(new RegExp(`superadmin@\\S+\\s*${action}`));
      expect(changes).toContain(why);
    }

    expect(await pool.count()).toBe(1);
    expect(unexpected(complaints)).toEqual([]);
    await stage.owner.query('delete from app.pool_slots');
    await context.close();
  },
);

test.each(visitors)(
  'a job kind of one tenant is paused, a sub-pool gets slots, a close continues and a receiver fails, on $width',
  { timeout: 120_000 },
  async (visitor) => {
    const { page, look, complaints, context } = await newVisitor(browser, '', visitor);
    const saw = seeing(page);
    await stage.owner.query(
      `select app.define_sub_pool('ledger:closes', '{close-loans}', 'ann', 'Month ends.')`,
    );
    await page.goto(`${here}/ops/pauses`);
    await signIn(page);
    await page.goto(`${here}/ops/pauses`);
    await saw('main', 'Nothing is paused.');
    const fields = page.locator('form', { has: page.locator('select') });
    await fields.locator('[name=reason]').fill('Their tape is wrong.');
    await fields.getByRole('button', { name: 'Pause' }).click();
    await saw('.problem', 'Choose at least one of pool, kind and tenant');
    await fields.locator('[name=kind]').selectOption('close-loans');
    await fields.locator('[name=tenant_id]').selectOption({ label: lender.slug });
    // The form keeps its input after a refusal.
    expect(await fields.locator('[name=reason]').inputValue()).toBe('Their tape is wrong.');
    await fields.getByRole('button', { name: 'Pause' }).click();
    await saw('.notice', 'Paused');
    await look('ops-pauses');

    await page.goto(`${here}/ops`);
    await saw('#pauses', new RegExp(`close-loans, tenant ${lender.slug}`));
    await page.getByText('Change ledger').click();
    const change = page.locator('form', { has: page.locator('select[name=pool]') });
    await change.locator('[name=pool]').selectOption('ledger:closes');
    await change.locator('[name=reason]').fill('Month end.');
    await change.locator('[name=slots]').fill('3');
    await change.getByRole('button', { name: 'Set slots' }).click();
    await saw('#pool-ledger', 'set to 3 slots per process');

    const { closeAPart } = await insertRunningClose(stage, lender);
    await saw('#closes', /running\s*1 of 4/);
    const receiver = await newSubscriber(stage, 'https://hooks.example.com/T0/secret-path');
    await saw('#receivers', new RegExp(`${receiver.tenant.slug}\\s*hooks.example.com\\s*on`));
    await receiver.emitPayment();
    receiver.outside.answers.post.push(REFUSED_POST);
    const { id } = await receiver.relayed();
    await attemptDelivery(receiver.tenant, receiver.outside, id, 1);
    await closeAPart();
    // Both update live, without reloading the page.
    await saw('#receivers', /failing since .*The receiver answered 500/);
    await saw('#closes', /running\s*2 of 4/);
    await look('ops-close-and-receiver');
    expect(await page.content()).not.toContain('secret-path');
    await attemptDelivery(receiver.tenant, receiver.outside, id, 2);
    await saw('#receivers', new RegExp(`${receiver.tenant.slug}\\s*hooks.example.com\\s*on`));

    await page.goto(`${here}/ops/pauses`);
    await page.locator('.pause [name=reason]').fill('A new one came.');
    await page.getByRole('button', { name: 'Resume' }).click();
    await saw('main', 'Nothing is paused.');
    expect(unexpected(complaints)).toEqual([]);
    await stage.owner.query('delete from app.pool_slots; delete from app.sub_pools');
    await stage.owner.query('delete from cob_chunks; delete from cob_runs');
    await context.close();
  },
);

test('the pages work without script, refuse a form without its token, and show a tenant only its own data', async () => {
  const { page, context } = await newVisitor(browser, '', { ...PHONE, has_script: false });
  const own = `http://${lender.host}:${stage.port}`;
  await page.goto(`${own}/ops/jobs`);
  await page.fill('[name=email]', `superadmin@${lender.slug}.test`);
  await page.fill('[name=password]', PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const overview = (await page.textContent('main')) ?? '';
  await page.goto(`${own}/ops/pauses`);
  const pauses = (await page.textContent('main')) ?? '';
  const forms = await page.locator('main form').count();
  await page.locator('form[action="/ops/sign-out"] [name=csrf_token]').evaluate((field) => {
    field.setAttribute('value', 'x'.repeat(32));
  });
  const answered = page.waitForResponse(/sign-out$/);
  await page.getByRole('button', { name: 'Sign out' }).click();
  const forged = await answered;
  const asset = await page.goto(`${own}/ops/style-x.css`);

  expect(overview).toContain('Kinds of jobs');
  expect(overview).not.toContain('Pause ledger');
  expect(overview).not.toContain('process');
  expect([pauses.includes('Nothing is paused.'), forms]).toEqual([true, 0]);
  expect([forged.status(), asset?.status()]).toEqual([403, 404]);
  await context.close();
});
