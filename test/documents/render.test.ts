import { expect, test } from 'vitest';
import { compose } from '../../jobs/communications/compose.ts';
import { orderDocument } from '../../jobs/documents/order-document.ts';
import { renderDocumentJob } from '../../jobs/documents/render.job.ts';
import { DocumentNotPrintable } from '../../jobs/files/render-errors.ts';
import { eventTypes } from '../setup/ledger.ts';
import { newLoan } from '../setup/loans.ts';
import { newOutside } from '../setup/outside.ts';
import { runJobs } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';
import { tila } from '../templates/samples.ts';

const stage = await newStage();

async function ordered() {
  const tenant = await stage.tenant();
  const loan = await newLoan(tenant);
  const document_id = await tenant.within((work) =>
    orderDocument(work, {
      template: 'tila_disclosure',
      document_type: 'tila_disclosure',
      filename: 'tila-disclosure.pdf',
      borrower_id: loan.borrower_id,
      loan_id: loan.id,
      data: tila,
    }),
  );
  const outside = newOutside(stage.pool);
  return { tenant, loan, document_id, outside, payload: { tenant_id: tenant.id, document_id } };
}

test('a document is rendered and announced once, however often its job runs', async () => {
  const { tenant, document_id, outside, payload } = await ordered();

  const before = await tenant.officer.get(`/documents/${document_id}`);
  await renderDocumentJob.run(payload, outside);
  await renderDocumentJob.run(payload, outside);
  const after = await tenant.officer.get(`/documents/${document_id}`);

  expect(before.body).toMatchObject({ status: 'pending', download_url: null, file_size: null });
  expect(after.body).toMatchObject({ status: 'uploaded', source: 'generated', page_count: 1 });
  expect(after.body.sha256_hash).toMatch(/^[0-9a-f]{64}$/);
  expect(outside.pages).toHaveLength(1);
  expect((await eventTypes(tenant)).filter((type) => type === 'document.generated')).toHaveLength(
    1,
  );
});

test('a page that cannot be printed fails its document, not its job', async () => {
  const { tenant, document_id, outside, payload } = await ordered();
  const jammed = {
    ...outside,
    pdf: () => Promise.reject(new DocumentNotPrintable('The page is too long.')),
  };

  await renderDocumentJob.run(payload, jammed);

  const { body } = await tenant.officer.get(`/documents/${document_id}`);
  expect(body).toMatchObject({ status: 'failed', rejection_reason: 'The page is too long.' });
});

test('a document with unprintable characters is kept, with one task that names both', async () => {
  const { tenant, loan, document_id, outside, payload } = await ordered();
  const printing = {
    ...outside,
    pdf: async (html: string) => ({ ...(await outside.pdf(html)), unprintable: ['Cherokee'] }),
  };

  await renderDocumentJob.run(payload, printing);
  await renderDocumentJob.run(payload, printing);

  const { body: document } = await tenant.officer.get(`/documents/${document_id}`);
  const { body: tasks } = await tenant.officer.get(`/tasks?loan_id=${loan.id}`);
  expect(document).toMatchObject({ status: 'uploaded' });
  expect(tasks).toMatchObject([
    {
      title: `Check the characters in ${document.filename}`,
      description: expect.stringContaining('(Cherokee)'),
      related_id: document_id,
    },
  ]);
});

test('a message with an attached document waits until the document exists', async () => {
  const { tenant, loan, document_id, outside } = await ordered();
  await tenant.officer.post(`/borrowers/${loan.borrower_id}/emails`, { email: 'g@example.com' });
  await tenant.within((work) =>
    compose(work, {
      template_type: 'loan_approved',
      borrower_id: loan.borrower_id,
      loan_id: loan.id,
      document_id,
      triggered_by: 'system',
    }),
  );

  await runJobs(stage, outside, ['send-communication']);
  const early = outside.mailbox.length;
  await runJobs(stage, outside, ['render-document', 'send-communication']);

  expect(early).toBe(0);
  expect(outside.mailbox).toMatchObject([
    { attachments: [{ filename: expect.stringMatching(/^tila-disclosure-\w+\.pdf$/) }] },
  ]);
});

test('a document is verified, refused with a reason, and archived', async () => {
  const { tenant, document_id, outside, payload } = await ordered();
  const { officer } = tenant;

  const early = await officer.post(`/documents/${document_id}/verify`);
  await renderDocumentJob.run(payload, outside);
  const verified = await officer.post(`/documents/${document_id}/verify`, { notes: 'Fine.' });
  const silent = await officer.post(`/documents/${document_id}/reject`);
  const refused = await officer.post(`/documents/${document_id}/reject`, { reason: 'Blurred.' });
  const archived = await officer.delete(`/documents/${document_id}`);
  const read = await officer.get(`/documents/${document_id}`);

  expect(early).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect(verified.body).toMatchObject({
    status: 'verified',
    verified_by: tenant.userIds['loan_officer'],
    verification_notes: 'Fine.',
  });
  expect(silent).toMatchObject({ status: 422, body: { errors: { reason: expect.any(String) } } });
  expect(refused.body).toMatchObject({ status: 'rejected', rejection_reason: 'Blurred.' });
  expect(archived.body.is_archived).toBe(true);
  expect(read.body.download_url).toBe(null);
});
