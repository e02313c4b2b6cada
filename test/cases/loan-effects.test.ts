import { expect, test } from 'vitest';
import { newEnrolledLoan } from '../setup/autopay.ts';
import { correctCase, openCase } from '../setup/cases.ts';
import { newLoan } from '../setup/loans.ts';
import { newProduct } from '../setup/products.ts';
import { travelTo } from '../setup/queue.ts';
import { saveSettings } from '../setup/settings.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const LATE_FEE = {
  fee_type: 'late',
  calculation: 'flat',
  trigger: 'past_due',
  amount: '25.00',
  grace_days: 5,
};
const PETITION = { chapter: '13', petition_date: '2026-02-10' };

type Fee = { assessed_date: string; amount: string; amount_waived: string; status: string };
const feesOf = async ({ officer }: Tenant, id: string) =>
  ((await officer.get(`/loans/${id}/fees?ordering=assessed_date`)).body as Fee[]).map(
    ({ assessed_date, amount, amount_waived, status }) =>
      `${assessed_date} ${amount} ${amount_waived} ${status}`,
  );

/** A loan that is never paid. Its late fee of February 21 is charged. */
async function lateLoan(today = '2026-03-03') {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const product_id = await newProduct(tenant, { fee_rules: [LATE_FEE] }, admin);
  const loan = await newLoan(tenant, { product_id });
  await travelTo(stage, tenant, today);
  return { tenant, admin, ...loan };
}

test('a petition that becomes known later takes back the late fees charged since, and forbids new ones', async () => {
  const { tenant, id, borrower_id } = await lateLoan();
  const { officer } = tenant;
  const charged = await feesOf(tenant, id);

  const petition = await openCase(officer, borrower_id, 'bankruptcy', PETITION);
  const waived = await feesOf(tenant, id);
  const during = (await officer.get(`/loans/${id}`)).body;
  await travelTo(stage, tenant, '2026-03-27');
  const later = await feesOf(tenant, id);
  await correctCase(officer, petition.id, { ...PETITION, dismissal_date: '2026-03-26' });
  await travelTo(stage, tenant, '2026-04-22');
  const dismissed = await feesOf(tenant, id);
  const after = (await officer.get(`/loans/${id}`)).body;

  expect(charged).toEqual(['2026-02-21 25.00 0.00 assessed']);
  expect(waived).toEqual(['2026-02-21 25.00 25.00 waived']);
  expect(during).toMatchObject({ sub_status: 'bankruptcy', outstanding_fees: '0.00' });
  expect(later).toEqual(waived);
  // The installment of March got late during the stay, that of April after the dismissal.
  expect(dismissed).toEqual([...waived, '2026-04-21 25.00 0.00 assessed']);
  expect(after.sub_status).toBe(null);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a case that was opened in error leaves the loan as if it had never been opened', async () => {
  const { tenant, id, borrower_id } = await lateLoan();
  const { officer } = tenant;
  const before = (await officer.get(`/loans/${id}`)).body;

  const petition = await openCase(officer, borrower_id, 'bankruptcy', PETITION);
  const error = await officer.put(`/cases/${petition.id}`, {
    opened_in_error: true,
    resolution: 'Another person',
  });
  const again = (await officer.get(`/loans/${id}`)).body;

  expect(error.status, JSON.stringify(error.body)).toBe(200);
  expect(await feesOf(tenant, id)).toEqual(['2026-02-21 25.00 0.00 assessed']);
  // The final payment is shown as of the last event.
  const { updated_at: _, final_payment_amount: __, ...shown } = again;
  expect(before).toMatchObject(shown);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a loan under a stay is not accelerated, until the stay ends', async () => {
  const { tenant, admin, id, borrower_id } = await lateLoan();
  const petition = await openCase(tenant.officer, borrower_id, 'bankruptcy', PETITION);

  const actions = async () => (await admin.get(`/loans/${id}`)).body.allowed_actions as string[];
  const offered = await actions();
  const refused = await admin.post(`/loans/${id}/accelerate`, {});
  await correctCase(tenant.officer, petition.id, { ...PETITION, dismissal_date: '2026-03-03' });
  const offeredAgain = await actions();
  const done = await admin.post(`/loans/${id}/accelerate`, {});

  expect(refused).toMatchObject({ status: 409, body: { code: 'legal_condition' } });
  expect(JSON.stringify(refused.body)).not.toMatch(/stay|bankrupt/i);
  expect(done.status, JSON.stringify(done.body)).toBe(200);
  expect(offered).not.toContain('accelerate');
  expect(offeredAgain).toContain('accelerate');
});

test('a tenant that decides otherwise charges late fees during a disaster', async () => {
  const { tenant, id, borrower_id } = await lateLoan();
  await openCase(tenant.officer, borrower_id, 'disaster', { from: '2026-02-01', to: '2026-06-30' });
  const ours = await feesOf(tenant, id);
  const other = await lateLoan();
  await saveSettings(other.tenant, { cases: { effects: { disaster: { late_fees: true } } } });
  await openCase(other.tenant.officer, other.borrower_id, 'disaster', {
    from: '2026-02-01',
    to: '2026-06-30',
  });

  expect(ours).toEqual(['2026-02-21 25.00 25.00 waived']);
  expect(await feesOf(other.tenant, other.id)).toEqual(['2026-02-21 25.00 0.00 assessed']);
});

test('autopay of a person under a stay draws nothing and announces nothing', async () => {
  const { tenant, officer, loan, draws, payments } = await newEnrolledLoan(stage);
  const balances = async () => (await officer.get(`/loans/${loan.id}/get-balances`)).body;
  const before = await balances();

  await openCase(officer, loan.borrower_id, 'bankruptcy', {
    chapter: '7',
    petition_date: '2026-01-15',
  });
  const during = await balances();
  await travelTo(stage, tenant, '2026-02-20');

  expect(before.next_draw).toMatchObject({ date: '2026-02-17', amount: '315.68' });
  expect(during.next_draw).toBe(null);
  expect(await draws()).toMatchObject([
    { due_date: '2026-02-15', status: 'skipped', reason: 'legal_condition' },
  ]);
  expect(await payments()).toEqual([]);
});

test('the close does not charge off a loan under a stay', async () => {
  const { tenant, id, borrower_id } = await lateLoan('2026-02-20');
  await saveSettings(tenant, { charge_off: { auto_enabled: true } });
  const petition = await openCase(tenant.officer, borrower_id, 'bankruptcy', PETITION);
  await travelTo(stage, tenant, '2026-06-25');
  const during = (await tenant.officer.get(`/loans/${id}`)).body.status;

  await correctCase(tenant.officer, petition.id, { ...PETITION, dismissal_date: '2026-06-25' });
  await travelTo(stage, tenant, '2026-06-26');

  expect(during).toBe('active');
  expect((await tenant.officer.get(`/loans/${id}`)).body.status).toBe('charged_off');
});

test('a person under a stay who begins to owe a loan, or is released, changes what the loan shows', async () => {
  const { tenant, id } = await lateLoan();
  const { officer } = tenant;
  const other = (await officer.post('/borrowers', { first_name: 'Al', last_name: 'So' })).body;
  await openCase(officer, other.id, 'bankruptcy', PETITION);
  const shown = async () => (await officer.get(`/loans/${id}`)).body.sub_status as string | null;

  const added = await officer.post(`/loans/${id}/co-borrowers`, {
    borrower_id: other.id,
    role: 'co_borrower',
    liable_from: '2026-01-15',
  });
  const during = await shown();
  const released = await officer.post(`/co-borrowers/${added.body.id}/release`, {
    reason: 'divorce',
  });

  expect([added.status, released.status], JSON.stringify(released.body)).toEqual([201, 200]);
  expect([during, await shown()]).toEqual(['bankruptcy', null]);
});

test('a loan shows a disaster on its days only', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id, borrower_id } = await newLoan(tenant);
  await openCase(tenant.officer, borrower_id, 'disaster', { from: '2026-01-17', to: '2026-01-18' });
  const shown: unknown[] = [];
  for (const day of ['2026-01-16', '2026-01-17', '2026-01-18', '2026-01-19']) {
    await travelTo(stage, tenant, day);
    shown.push((await tenant.officer.get(`/loans/${id}`)).body.sub_status);
  }

  expect(shown).toEqual([null, 'disaster', 'disaster', null]);
});
