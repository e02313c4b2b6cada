import { expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../sql/database/db.ts';
import { eventTypes } from '../../setup/ledger.ts';
import { addEvidence, addMilitaryReport } from '../../setup/evidence.ts';
import { DISBURSEMENT_FEE } from '../../setup/funding.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { saveSettings } from '../../setup/settings.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();
const ADDRESS = {
  street_line_1: '1 Main Street',
  city: 'Albany',
  state: 'NY',
  postal_code: '12207',
};

/** A pending loan at 20 percent to a borrower in New York, where the maximum is 16. */
async function dearLoan(tenant: Tenant) {
  const loan = await newLoan(tenant, { status: 'pending', interest_rate: '0.20' });
  const address = await tenant.officer.post(`/borrowers/${loan.borrower_id}/addresses`, ADDRESS);
  if (address.status !== 201) throw new Error(JSON.stringify(address.body));
  return loan;
}

const lastTold = (tenant: Tenant) =>
  tenant.within(({ tx }) =>
    tx.maybeOneFirst(sql.type(z.object({ data: z.looseObject({}) }))`
      select body::jsonb -> 'data' as data from events
      where event_type = 'compliance.failed' order by id desc limit 1
    `),
  );

test('every check reports its findings, and a warning does not stop the loan', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await dearLoan(tenant);

  const run = await tenant.officer.post(`/loans/${id}/run-compliance-checks`);
  const some = await tenant.officer.post(`/loans/${id}/run-compliance-checks`, {
    checks: ['product_limits'],
  });
  const unknown = await tenant.officer.post(`/loans/${id}/run-compliance-checks`, {
    checks: ['astrology'],
  });

  expect(run).toMatchObject({ status: 200, body: { loan_id: id, passed: true } });
  const status = (code: string) =>
    run.body.checks.find((check: { code: string }) => check.code === code)?.status;
  expect(run.body.checks).toHaveLength(12);
  expect(['usury_rate_cap', 'ofac_screening', 'tila_disclosure_ready'].map(status)).toEqual([
    'warn',
    'skipped',
    'pass',
  ]);
  expect(some.body.checks).toMatchObject([{ code: 'product_limits', status: 'pass' }]);
  expect(unknown).toMatchObject({
    status: 422,
    body: { errors: { 'checks.0': expect.any(String) } },
  });
  expect(await lastTold(tenant)).toMatchObject({
    loan_id: id,
    enforcement: 'soft',
    failed_checks: [{ code: 'usury_rate_cap', message: expect.stringContaining('16 percent') }],
  });
});

test('an approval with a warning succeeds and returns the rate to disclose', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await dearLoan(tenant);

  const approved = await tenant.officer.post(`/loans/${id}/approve`, { notes: 'Fine.' });
  const again = await tenant.officer.post(`/loans/${id}/approve`);

  expect(approved).toMatchObject({ status: 200, body: { status: 'approved', apr: '0.199778' } });
  expect(again).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect(await eventTypes(tenant)).toEqual([
    'loan.created',
    'compliance.failed',
    'loan.status_changed',
  ]);
});

test('an unenforced failure is reported as soft, and the loan is approved', async () => {
  const tenant = await stage.tenant('2026-01-15');
  await saveSettings(tenant, { compliance: { checks: { usury_rate_cap: 'hard' } } });
  const { id } = await dearLoan(tenant);

  const approved = await tenant.officer.post(`/loans/${id}/approve`);

  expect(approved.body.status).toBe('approved');
  expect(await lastTold(tenant)).toMatchObject({ enforcement: 'soft' });
});

test('a hard failure refuses the approval and is still reported and stored', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const compliance = { hard_enforcement: true, checks: { usury_rate_cap: 'hard' } };
  await saveSettings(tenant, { compliance });
  const { id, borrower_id } = await dearLoan(tenant);
  await addEvidence(tenant.officer, borrower_id);
  const key = { headers: { 'Idempotency-Key': 'approve-once' } };

  const refused = await tenant.officer.post(`/loans/${id}/approve`, {}, key);
  const repeated = await tenant.officer.post(`/loans/${id}/approve`, {}, key);
  const loan = await tenant.officer.get(`/loans/${id}`);
  const history = await tenant.officer.get(`/loans/${id}/history?action=approve`);
  await saveSettings(tenant, { compliance: { ...compliance, checks: { usury_rate_cap: 'off' } } });
  const approved = await tenant.officer.post(`/loans/${id}/approve`);

  expect(refused).toMatchObject({
    status: 409,
    body: {
      code: 'compliance_failed',
      details: { current_status: 'pending', failed_checks: [{ code: 'usury_rate_cap' }] },
    },
  });
  expect(repeated.status).toBe(409);
  expect(loan.body).toMatchObject({ status: 'pending', approved_at: null, apr: null });
  expect(history.body).toEqual([]);
  expect(await lastTold(tenant)).toMatchObject({ enforcement: 'hard' });
  expect(approved.body.status).toBe('approved');
  expect(await eventTypes(tenant)).toEqual([
    'loan.created',
    'compliance.failed',
    'loan.status_changed',
  ]);
});

/** Archives a borrower as earlier releases allowed. Such borrowers still exist. */
const archiveAsBefore = (borrowerId: string) =>
  stage.owner.query('update borrowers set is_archived = true where id = $1', [borrowerId]);

test('where checks are enforced, an unreviewed check blocks the approval', async () => {
  const tenant = await stage.tenant('2026-01-15');
  await saveSettings(tenant, { compliance: { hard_enforcement: true } });
  const { id, borrower_id } = await newLoan(tenant, { status: 'pending' });
  await addEvidence(tenant.officer, borrower_id);
  await archiveAsBefore(borrower_id);

  const refused = await tenant.officer.post(`/loans/${id}/approve`);

  expect(refused).toMatchObject({
    status: 409,
    body: {
      code: 'compliance_failed',
      details: { failed_checks: [{ code: 'borrower_archived' }] },
    },
  });
});

test('an approval runs exactly the checks that the program names', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  await saveSettings(tenant, { compliance: { hard_enforcement: true } });
  const { id, borrower_id } = await newLoan(tenant, { status: 'pending' });
  await addEvidence(tenant.officer, borrower_id);
  await archiveAsBefore(borrower_id);
  const program = `/programs/${await tenant.first('/programs')}`;

  const unknown = await admin.put(program, { compliance_checks: ['astrology'] });
  const refused = await tenant.officer.post(`/loans/${id}/approve`);
  await admin.put(program, { compliance_checks: ['age_minimum', 'product_limits'] });
  const run = await tenant.officer.post(`/loans/${id}/run-compliance-checks`);
  const approved = await tenant.officer.post(`/loans/${id}/approve`);

  expect(unknown).toMatchObject({
    status: 422,
    body: { errors: { 'compliance_checks.0': expect.any(String) } },
  });
  expect(refused.body.code).toBe('compliance_failed');
  expect(run.body.checks.map(({ code }: { code: string }) => code)).toEqual([
    'age_minimum',
    'product_limits',
  ]);
  expect(approved).toMatchObject({ status: 200, body: { status: 'approved' } });
});

test('the Military Lending Act cap applies to the rate including fees', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const found = async (fee_rules: object[]) => {
    const product_id = await newProduct(tenant, { fee_rules });
    const loan = await newLoan(tenant, { status: 'pending', product_id, interest_rate: '0.35' });
    await addMilitaryReport(tenant.officer, loan.borrower_id, {
      database: 'mla',
      result: 'covered',
      status_date: '2026-01-10',
    });
    const run = await tenant.officer.post(`/loans/${loan.id}/run-compliance-checks`, {
      checks: ['mla_36_percent'],
    });
    return run.body.checks[0];
  };

  const plain = await found([]);
  const late = await found([
    { fee_type: 'late', trigger: 'past_due', calculation: 'flat', amount: '500.00' },
  ]);
  const upfront = await found([{ ...DISBURSEMENT_FEE, calculation: 'flat', amount: '200.00' }]);
  const yearly = await found([
    { fee_type: 'annual', trigger: 'manual', calculation: 'flat', amount: '100.00' },
  ]);

  expect(plain).toMatchObject({ status: 'pass' });
  expect(late).toMatchObject({ status: 'pass' });
  expect(upfront).toMatchObject({ status: 'warn', message: expect.stringContaining('36 percent') });
  expect(yearly).toMatchObject({ status: 'warn' });
});
