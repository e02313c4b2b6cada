import { expect, test } from 'vitest';
import { newJointLoan } from '../setup/joint-loans.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

/** A loan of two obligors that ended long ago, and a function that redacts one of them. */
async function overTogether() {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  const { id, borrower_id, other } = await newJointLoan(tenant);
  const { body: loan } = await tenant.officer.get(`/loans/${id}`);
  const paid = await tenant.officer.post(`/loans/${id}/payments`, { amount: loan.total_balance });
  expect(paid.status, JSON.stringify(paid.body)).toBe(201);
  await saveSettings(tenant, { retention: { borrower_years: 1 } });
  await stage.owner.query(`update tenants set business_date = '2028-06-01'`);
  const nameOf = async (who: string) =>
    (await tenant.officer.get(`/borrowers/${who}`)).body.last_name as string;
  const redact = async (who: string) =>
    superadmin.post(`/borrowers/${who}/redact`, { confirm: await nameOf(who) });
  return { tenant, superadmin, id, borrower_id, other, redact };
}

test('a co-borrower is redacted after the borrower', async () => {
  const { id, borrower_id, other, redact } = await overTogether();

  const early = await redact(other);
  const done = [await redact(borrower_id), await redact(other)];

  expect([early.status, early.body.details]).toEqual([409, { loan_ids: [id] }]);
  expect(done.map(({ status }) => status)).toEqual([200, 200]);
});

test('a borrower is kept while another obligor of the loan is on legal hold', async () => {
  const { superadmin, id, borrower_id, other, redact } = await overTogether();
  const hold = async (is_on_legal_hold: boolean) =>
    superadmin.post(`/borrowers/${other}/legal-hold`, { is_on_legal_hold, reason: 'A lawsuit' });

  expect((await hold(true)).status).toBe(200);
  const kept = await redact(borrower_id);
  expect((await hold(false)).status).toBe(200);
  const gone = await redact(borrower_id);

  expect([kept.status, kept.body.code, kept.body.details]).toEqual([
    409,
    'legal_hold',
    { loan_ids: [id] },
  ]);
  expect(gone.status, JSON.stringify(gone.body)).toBe(200);
});
