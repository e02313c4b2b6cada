import { expect, test } from 'vitest';
import { compose } from '../../jobs/communications/compose.ts';
import { enqueueRemoval } from '../../jobs/documents/remove-old-files.job.ts';
import { renderDocumentJob } from '../../jobs/documents/render.job.ts';
import { signLink } from '../../jobs/files/links.ts';
import { listReferencedFiles } from '../../sql/moving/rows.ts';
import { multipartForm, postForm } from '../setup/forms.ts';
import { insertLoans } from '../setup/loan-rows.ts';
import { newLoan } from '../setup/loans.ts';
import { newOutside } from '../setup/outside.ts';
import { runJobs } from '../setup/queue.ts';
import { saveSettings } from '../setup/settings.ts';
import { newTapeConfig } from '../setup/tape-files.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const outside = newOutside(stage.pool);
const { stored } = outside;
Object.assign(stage.installation, { files: outside.files });
const RENDER = ['render-document', 'print-letter', 'send-communication'];
const GONE = /removed after its retention period/;

const travel = ({ id }: Tenant, day: string) =>
  stage.owner.query('update tenants set business_date = $1 where id = $2', [day, id]);

async function night(tenant: Tenant) {
  await tenant.within(enqueueRemoval);
  await runJobs(stage, outside, ['remove-old-files']);
}

/** A repaid loan with its printed documents and an uploaded appraisal. */
async function paidBack(tenant: Tenant) {
  const loan = await newLoan(tenant);
  const paid = await tenant.officer.post(`/loans/${loan.id}/payments`, { amount: '10000.00' });
  expect(paid.status, JSON.stringify(paid.body)).toBe(201);
  const form = multipartForm({ loan_id: loan.id, document_type: 'appraisal' }, [
    { content: '%PDF-1.7 a' },
  ]);
  const sent = await postForm(tenant.officer, '/documents', form);
  expect(sent.status, JSON.stringify(sent.body)).toBe(201);
  await runJobs(stage, outside, RENDER);
  return { ...loan, appraisal: sent.body.id as string };
}

const removalsOf = async (id: string) =>
  (
    await stage.owner.query(
      `select action, actor_type, changes -> 'status' ->> 'new' as status, reason from audit_log
       where entity_id = $1 and action in ('remove-file', 'keep-file') order by id`,
      [id],
    )
  ).rows;

test('a file is removed when its retention after the loan ends, and its document then says so', async () => {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const admin = await tenant.signedIn('admin');
  const { id: loan_id, appraisal } = await paidBack(tenant);
  const open = await newLoan(tenant);
  await runJobs(stage, outside, RENDER);
  const keysOf = (id: string) => [...stored.keys()].filter((key) => key.includes(id)).toSorted();
  const [before, ofOpen] = [keysOf(loan_id), keysOf(open.id)];
  const preview = (body: object) => admin.post('/documents/preview-removal', body);
  const document_years = { appraisal: 3, tila_disclosure: 5 };
  await travel(tenant, '2040-01-01');
  const { storage_key: key } = (await officer.get(`/documents/${appraisal}`)).body;
  const expires_at = new Date(Date.now() + 60_000);
  const wanted = { key, method: 'GET', expires_at, content_type: 'application/pdf' } as const;
  const link = `/storage/${signLink(wanted, stage.installation.link_secret)}`;
  const fetched = await officer.get(link);

  await night(tenant);
  const untouched = keysOf(loan_id);
  const early = await preview({ document_years, by: '2026-12-31' });
  const tried = await preview({ document_years });
  await saveSettings(tenant, { retention: { document_years } });
  await night(tenant);
  await renderDocumentJob.run({ tenant_id: tenant.id, document_id: appraisal }, outside);
  const read = await officer.get(`/documents/${appraisal}`);
  const refetched = await officer.get(link);
  const judged = await officer.post(`/documents/${appraisal}/verify`, {});
  await night(tenant);

  expect(before.some((key) => key.includes('tila_disclosure'))).toBe(true);
  expect(untouched).toEqual(before);
  expect(early.body).toMatchObject({ kinds: [], first: [] });
  expect(tried.body).toMatchObject({
    by: '2040-01-01',
    kinds: [
      { kind: 'appraisal', years: 3, documents: 1, bytes: 10, held: 0 },
      { kind: 'tila_disclosure', years: 5, documents: 1, held: 0 },
    ],
  });
  expect(tried.body.first.map(({ id }: { id: string }) => id)).toContain(appraisal);
  expect(keysOf(loan_id)).toEqual(
    before.filter((key) => !/\/(appraisal|tila_disclosure)\//.test(key)),
  );
  expect(keysOf(open.id)).toEqual(ofOpen);
  expect(read.body).toMatchObject({
    status: 'removed',
    download_url: null,
    filename: 'a.pdf',
    removed_at: expect.any(String),
  });
  expect(fetched.status).toBe(200);
  expect(refetched).toMatchObject({ status: 410, body: { code: 'removed' } });
  expect(judged).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect(await removalsOf(appraisal)).toEqual([
    {
      action: 'remove-file',
      actor_type: 'system',
      status: 'removed',
      reason: expect.stringMatching(/^Its retention of 3 years after \d{4}-\d\d-\d\d has ended\.$/),
    },
  ]);
  expect((await preview({})).body).toMatchObject({ kinds: [] });
  const named = await tenant.within(({ tx }) => listReferencedFiles(tx, tenant.id));
  expect(named.filter(({ key }) => key.includes(loan_id)).map(({ key }) => key)).toEqual(
    keysOf(loan_id),
  );
});

test('a borrower on legal hold keeps all files, including those of a killed worker', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const { appraisal, borrower_id, id: loan_id } = await paidBack(tenant);
  const cosigner = (
    await tenant.officer.post('/borrowers', { first_name: 'Co', last_name: 'Sign' })
  ).body.id;
  await stage.owner.query(
    `insert into co_borrowers (tenant_id, loan_id, borrower_id, role, liable_from)
     values ($1, $2, $3, 'co_signer', '2026-01-01')`,
    [tenant.id, loan_id, cosigner],
  );
  const hold = (id: string, is_on_legal_hold: boolean) =>
    admin.post(`/borrowers/${id}/legal-hold`, { is_on_legal_hold, reason: 'A court.' });
  const status = async () => (await tenant.officer.get(`/documents/${appraisal}`)).body.status;
  const isThere = () => [...stored.keys()].some((key) => key.includes(`${loan_id}/appraisal`));
  const { files } = outside;
  await saveSettings(tenant, { retention: { document_years: { appraisal: 3 } } });
  await travel(tenant, '2040-01-01');

  await hold(cosigner, true);
  await night(tenant);
  const held = await admin.post('/documents/preview-removal', {});
  const first = await status();
  await hold(cosigner, false);
  const remove = () => Promise.reject(new Error('The store is away.'));
  await tenant.within(enqueueRemoval);
  const broken = runJobs(stage, { ...outside, files: { ...files, remove } }, ['remove-old-files']);
  await expect(broken).rejects.toThrow('away');
  const cut = [await status(), isThere()];
  await hold(borrower_id, true);
  await stage.owner.query(
    'select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))',
  );
  await night(tenant);
  const kept = [await status(), isThere()];
  await hold(borrower_id, false);
  await night(tenant);
  await night(tenant);

  expect(held.body.kinds).toMatchObject([{ kind: 'appraisal', documents: 0, held: 1 }]);
  expect(first).toBe('uploaded');
  expect(cut).toEqual(['removed', true]);
  expect(kept).toEqual(['uploaded', true]);
  expect([await status(), isThere()]).toEqual(['removed', false]);
  expect((await removalsOf(appraisal)).map(({ action }) => action)).toEqual([
    'remove-file',
    'keep-file',
    'remove-file',
  ]);
  // The books violate other invariants, because these years were not closed.
  expect((await violationsIn(stage)).filter((said) => said.startsWith('documents'))).toEqual([]);
});

test('letters are removed with their originals, and messages that wait to send them fail', async () => {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const { appraisal, borrower_id, id: loan_id } = await paidBack(tenant);
  await officer.post(`/borrowers/${borrower_id}/emails`, { email: 'b@example.com' });
  await officer.post(`/borrowers/${borrower_id}/addresses`, {
    street_line_1: '1 Main Street',
    city: 'Arlington',
    state: 'VA',
    postal_code: '22201',
  });
  const send = async (channel: 'email' | 'letter') => {
    const about = { borrower_id, loan_id, document_id: appraisal, channel };
    const wish = { template_type: 'loan_approved', triggered_by: 'system', ...about } as const;
    return (await tenant.within((work) => compose(work, wish))).log_id;
  };
  const copiesOf = (id: string) => [...stored.keys()].filter((key) => key.includes(id)).length;
  const posted = await send('letter');
  await runJobs(stage, outside, RENDER);
  const copies = copiesOf(posted);
  const waiting = await send('email');
  await saveSettings(tenant, { retention: { document_years: { appraisal: 3 } } });
  await travel(tenant, '2040-01-01');

  await night(tenant);
  await runJobs(stage, outside, RENDER);
  const failed = (await officer.get(`/communication-logs/${waiting}`)).body;

  expect([copies, copiesOf(posted)]).toEqual([1, 0]);
  expect(failed).toMatchObject({
    status: 'failed',
    error_code: 'document_removed',
    error_message: expect.stringMatching(GONE),
  });
});

test('a tape whose file was removed is not delivered again', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  await insertLoans(tenant, { loan_number: 'A-1' });
  const config = { columns: ['loan_number'], delivery: 'email', recipients: ['a@fund.test'] };
  const tape = (await (await newTapeConfig(stage, tenant, admin, config)).generate()).body;
  await saveSettings(tenant, { retention: { document_years: { loan_tape: 1 } } });
  await travel(tenant, '2040-01-01');

  await night(tenant);
  await runJobs(stage, outside, ['deliver-tape']);
  const read = await admin.get(`/loan-tapes/${tape.id}`);
  const [delivery] = (await admin.get(`/loan-tapes/${tape.id}/deliveries`)).body;
  const again = await admin.post(`/loan-tapes/${tape.id}/retry-delivery`, {});

  expect(read.body).toMatchObject({ status: 'completed', download_url: null });
  expect(read.body.delivery_error).toMatch(GONE);
  expect(delivery).toMatchObject({ status: 'failed', error: expect.stringMatching(GONE) });
  expect(again).toMatchObject({ status: 409, body: { code: 'removed' } });
  expect(outside.mailbox.filter(({ to }) => to.address === 'a@fund.test')).toEqual([]);
});
