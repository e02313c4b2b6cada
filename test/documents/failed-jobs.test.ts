import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { startClose } from '../../jobs/business-day/close-loans.job.ts';
import { compose } from '../../jobs/communications/compose.ts';
import { enqueue } from '../../jobs/job.ts';
import { generateTape, requestTape } from '../../jobs/portfolios/generate-tape.job.ts';
import { allJobs } from '../../jobs/all-jobs.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { openPool } from '../../sql/database/db.ts';
import { listFailures, retryFailedJob } from '../../sql/queue/worker-operations.ts';
import { recordFailedJobs } from '../../sql/queue/workers.ts';
import { startFailureNotices } from '../../workers/queue/notify-failures.ts';
import { multipartForm, postForm } from '../setup/forms.ts';
import { newLoan } from '../setup/loans.ts';
import { newOutside } from '../setup/outside.ts';
import { runJobs } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const owner = await openPool(stage.url, { role: 'servicing_owner', size: 2 });
afterAll(() => owner.end());
const reason = expect.stringMatching(/^Our work on it failed \d+ times.* retry it\.$/);

/** Makes every waiting job of this kind exhaust its attempts, as the workers record it. */
async function failForGood(task: string) {
  await stage.owner.query(
    `update graphile_worker._private_jobs as job
     set attempts = max_attempts, last_error = 'The browser is gone.', run_at = now()
     from graphile_worker._private_tasks as task
     where task.id = job.task_id and task.identifier = $1`,
    [task],
  );
  await recordFailedJobs(owner);
  const telling = startFailureNotices(
    owner,
    createWithin(stage.pool, SYSTEM),
    pino({ level: 'silent' }),
  );
  await expect
    .poll(async () => {
      const { rows } = await stage.owner.query(
        'select from app.failed_jobs where handled_at is null and retried_at is null',
      );
      return rows.length;
    })
    .toBe(0);
  await telling.stop();
}

async function retryAll() {
  for (const { id } of await listFailures(owner, 100)) await retryFailedJob(owner, id);
}

test('a document whose rendering failed for good shows it until it is retried', async () => {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const loan = await newLoan(tenant);
  const quote = await officer.post(`/loans/${loan.id}/payoff-quotes`, {});
  const document = `/documents/${quote.body.document_id}`;

  await failForGood('render-document');
  const failed = await officer.get(document);
  const waiting = await officer.get(`/payoff-quotes/${quote.body.id}`);
  await retryAll();
  await runJobs(stage, newOutside(stage.pool), ['render-document']);
  const done = await officer.get(document);
  const served = await officer.get(`/payoff-quotes/${quote.body.id}`);

  expect(quote.body).toMatchObject({ document_status: 'pending', document_failure_reason: null });
  expect(failed.body).toMatchObject({ status: 'failed', rejection_reason: reason });
  expect(JSON.stringify(failed.body)).not.toContain('browser');
  expect(waiting.body).toMatchObject({
    document_status: 'failed',
    document_failure_reason: reason,
  });
  expect(done.body).toMatchObject({ status: 'uploaded', rejection_reason: null });
  expect(served.body).toMatchObject({
    document_status: 'uploaded',
    document_failure_reason: null,
  });
});

test('a file that was never scanned stays held with a reason until it is scanned', async () => {
  const tenant = await stage.tenant();
  const { id: loan_id } = await newLoan(tenant);
  const form = multipartForm({ loan_id, document_type: 'other' }, [{ content: '%PDF-1.7 stub' }]);
  const outside = newOutside(stage.pool);
  Object.assign(stage.installation, { scans_uploads: true, files: outside.files });
  const sent = await postForm(tenant.officer, '/documents', form);
  Object.assign(stage.installation, { scans_uploads: false });
  const read = async () => (await tenant.officer.get(`/documents/${sent.body.id}`)).body;

  await failForGood('scan-document');
  const failed = await read();
  await retryAll();
  await runJobs(stage, outside, ['scan-document']);

  expect(failed).toMatchObject({ status: 'held', rejection_reason: reason, download_url: null });
  expect(await read()).toMatchObject({ status: 'uploaded', rejection_reason: null });
});

test('a message whose sending failed for good shows it, and is sent on retry', async () => {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const loan = await newLoan(tenant);
  await officer.post(`/borrowers/${loan.borrower_id}/emails`, { email: 'g@example.com' });
  await tenant.within((work) =>
    compose(work, {
      template_type: 'loan_approved',
      triggered_by: 'system',
      borrower_id: loan.borrower_id,
      loan_id: loan.id,
    }),
  );
  const message = async () => (await officer.get('/communication-logs')).body[0];
  const outside = newOutside(stage.pool);

  await failForGood('send-communication');
  const failed = await message();
  await retryAll();
  await runJobs(stage, outside, ['send-communication']);
  const sent = await message();

  expect(failed).toMatchObject({
    status: 'failed',
    error_code: 'job_failed',
    error_message: reason,
  });
  expect(sent).toMatchObject({ status: 'sent', error_code: null, error_message: null });
  expect(outside.mailbox).toHaveLength(1);
});

test('a tape whose generation failed for good shows it, and is generated on retry', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const config = await admin.post('/loan-tape-configs', { name: 'T', columns: ['loan_number'] });
  const tape_id = await tenant.within(async (work) => {
    const id = await requestTape(work, config.body.id, {});
    await enqueue(work.tx, generateTape, { tenant_id: tenant.id, tape_id: id });
    return id;
  });

  await failForGood('generate-tape');
  const failed = await admin.get(`/loan-tapes/${tape_id}`);
  await retryAll();
  await runJobs(stage, newOutside(stage.pool), ['generate-tape']);
  const made = await admin.get(`/loan-tapes/${tape_id}`);

  expect(failed.body).toMatchObject({ status: 'failed', failure_reason: reason });
  expect(made.body).toMatchObject({ status: 'completed', failure_reason: null });
});

test('a tape that was being generated is left to the workers if the process dies', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const config = await admin.post('/loan-tape-configs', { name: 'T', columns: ['loan_number'] });

  const made = await admin.post(`/loan-tape-configs/${config.body.id}/generate`);
  const waiting = await stage.owner.query(
    "select from graphile_worker.jobs where key = 'generate-tape:' || $1 and run_at <= now()",
    [made.body.id],
  );
  await runJobs(stage, newOutside(stage.pool), ['generate-tape']);
  const after = await admin.get(`/loan-tapes/${made.body.id}`);

  expect(waiting.rows).toHaveLength(1);
  expect(after.body).toMatchObject({
    document_id: made.body.document_id,
    checksum: made.body.checksum,
  });
});

test('a close with a failed part shows it until the part is retried', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const superadmin = await tenant.signedIn('superadmin');
  await tenant.within((work) => startClose(work, '2026-01-15'));
  const run = async () => (await superadmin.get('/jobs/runs')).body[0];

  await failForGood('close-loans');
  const failed = await run();
  const listed = await superadmin.get('/jobs/runs?status=failed');
  await retryAll();
  const again = await run();
  await runJobs(stage, {}, ['close-loans']);

  expect(failed).toMatchObject({
    status: 'failed',
    failure_reason: expect.stringContaining('failed permanently: 1.'),
  });
  expect(listed.body).toHaveLength(1);
  expect(again).toMatchObject({ status: 'running', failure_reason: null });
  expect(await run()).toMatchObject({ status: 'finished', failure_reason: null });
});

/** Jobs that run again by schedule, or that no record depends on. */
const NOBODY_WAITS = [
  'analyze-tables',
  'clean-up',
  'start-close-of-business',
  'warn-of-lapsing-liens',
  'snapshot-portfolios',
  'screen-borrowers',
  'issue-statements',
  'report-credit',
  // The error is stored with the provider. Saving the provider starts the job again.
  'read-identity-provider',
  // Letters wait for the next batch, and files for the next night.
  'make-mail-batch',
  'remove-old-files',
  // No record of a redacted borrower depends on it.
  'remove-redacted-files',
  // The provider posts an event again if it was not accepted.
  'read-certificate',
  'confirm-subscription',
  // The close reports the failure itself, from the failed job.
  'close-loans',
  // Saving the setting, or recording the transfer, starts it again; the loans keep their state until then.
  'follow-case-settings',
  'protect-loans',
  // Letters that were not sent keep the loan in service, and its task stays open.
  'send-transfer-notices',
];

test('every job that a record waits for reports its failure to the record', () => {
  const silent = allJobs.filter(({ failed }) => !failed).map(({ name }) => name);

  expect(silent.toSorted()).toEqual(NOBODY_WAITS.toSorted());
});
