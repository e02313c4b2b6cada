import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { newBorrower, newJointLoan } from '../setup/joint-loans.ts';
import { newOutside } from '../setup/outside.ts';
import { assertOk } from '../setup/portal.ts';
import { runJobs, travelTo } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const JOBS = ['issue-statements', 'render-document', 'export-borrower'];

test('everyone who owes a loan gets its statements and disclosures in their archive, and only their own letters', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id, borrower_id, other } = await newJointLoan(tenant);
  const released = await newBorrower(tenant, { last_name: 'Released' });
  const path = `/loans/${id}/co-borrowers`;
  const party = assertOk(
    await tenant.officer.post(path, { borrower_id: released, role: 'guarantor' }),
  );
  const left = { reason: 'other' };
  assertOk(await tenant.officer.post(`/co-borrowers/${String(party['id'])}/release`, left));
  await travelTo(stage, tenant, '2026-02-01');
  const outside = newOutside(stage.pool);
  await runJobs(stage, outside, JOBS);
  const [first] = (await tenant.officer.get(`/documents?loan_id=${id}`)).body as { id: string }[];
  await stage.owner.query(
    `insert into documents (tenant_id, loan_id, borrower_id, document_type, filename, content_type, source,
       storage_key, template, status)
     select tenant_id, loan_id, borrower_id, 'letter', 'letter.pdf', content_type, source,
       storage_key || '-letter', 'late_notice', status
     from documents where id = $1`,
    [first?.id],
  );

  const archiveOf = async (borrower: string) => {
    const superadmin = await tenant.signedIn('superadmin');
    const ordered = assertOk(await superadmin.post(`/borrowers/${borrower}/export`));
    await runJobs(stage, outside, JOBS);
    const place = [...outside.stored].find(([key]) => key.includes(String(ordered['id'])));
    const files = unzipSync(place?.[1] ?? new Uint8Array());
    const rows = JSON.parse(
      Buffer.from(files['documents/documents.json'] ?? Buffer.from('[]')).toString(),
    ) as Record<string, unknown>[];
    return {
      templates: rows.map(({ template }) => String(template)).toSorted(),
      kept: rows.filter((row) => 'template_data' in row).length,
      files: Object.keys(files).filter((name) => name.startsWith('documents/files/')).length,
    };
  };
  const [theirs, shared, none] = [
    await archiveOf(borrower_id),
    await archiveOf(other),
    await archiveOf(released),
  ];

  expect(theirs.templates).toEqual(
    expect.arrayContaining(['late_notice', 'monthly_statement', 'tila_disclosure']),
  );
  expect(shared.templates).toEqual(theirs.templates.filter((name) => name !== 'late_notice'));
  expect(shared.files).toBe(shared.templates.length);
  expect(shared.kept).toBe(0);
  expect(none).toEqual({ templates: [], kept: 0, files: 0 });
});
