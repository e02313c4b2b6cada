import { expect, test } from 'vitest';
import { setBusinessDate } from '../../setup/ledger.ts';
import { fetchDisclosures } from '../../setup/disclosures.ts';
import { newApprovedLoan, disburse, DISBURSEMENT_FEE } from '../../setup/funding.ts';
import { newLoan } from '../../setup/loans.ts';
import { saveSettings } from '../../setup/settings.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

const loanOf = async (tenant: Tenant, id: string) =>
  (await tenant.officer.get(`/loans/${id}`)).body;

const enforced = (tenant: Tenant) =>
  saveSettings(tenant, {
    compliance: { hard_enforcement: true, run_on_approve: false },
  });

test('if disclosures are enforced, the corrected one must precede the disbursement', async () => {
  const tenant = await stage.tenant('2026-01-15');
  await enforced(tenant);
  const { id } = await newApprovedLoan(tenant, [
    { ...DISBURSEMENT_FEE, calculation: 'flat', amount: '300.00' },
  ]);
  const [told] = await fetchDisclosures(tenant, id);

  const refused = await disburse(tenant, id, { amount: '6000.00' });
  const kept = await loanOf(tenant, id);
  const other = await disburse(tenant, id);
  const again = await disburse(tenant, id);

  expect(refused).toMatchObject({
    status: 409,
    body: {
      code: 'disclosure_outdated',
      details: {
        current_status: 'approved',
        disclosed: { apr: told?.apr, disclosed_on: '2026-01-15', amount_financed: '9700.00' },
        now: { amount_financed: '5700.00' },
      },
    },
  });
  expect(kept).toMatchObject({ status: 'approved', apr: refused.body.details.now.apr });
  expect(other.body.code).toBe('disclosure_outdated');
  expect(again).toMatchObject({ status: 200, body: { status: 'active', apr: told?.apr } });
  expect(await fetchDisclosures(tenant, id)).toHaveLength(3);
  const history = await tenant.officer.get(`/loans/${id}/history?action=disclose`);
  expect(history.body).toMatchObject([
    { changes: { apr: { old: kept.apr, new: told?.apr } } },
    { changes: { apr: { old: told?.apr, new: kept.apr } } },
  ]);
});

test('a disbursement record is blocked the same way, also with a second person’s approval', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  await enforced(tenant);
  const { id } = await newApprovedLoan(tenant, [
    { ...DISBURSEMENT_FEE, calculation: 'flat', amount: '300.00' },
  ]);
  const pay = () => tenant.officer.post(`/loans/${id}/disbursements`, { amount: '6000.00' });

  await saveSettings(tenant, { approvals: { four_eyes: ['disbursements'] } });
  const asked = await pay();
  const agree = () => admin.post(`/approvals/${asked.body.approval_id}/approve`, {});
  const refused = await agree();
  const corrected = (await fetchDisclosures(tenant, id)).length;
  const agreed = await agree();

  expect(asked.status).toBe(202);
  expect(refused).toMatchObject({ status: 409, body: { code: 'disclosure_outdated' } });
  expect(corrected).toBe(2);
  expect(agreed).toMatchObject({ status: 200, body: { status: 'approved' } });
  expect(await loanOf(tenant, id)).toMatchObject({ status: 'active', disbursed_amount: '6000.00' });
});

test('a rate difference below one eighth of a percentage point blocks nothing', async () => {
  const tenant = await stage.tenant('2026-01-15');
  await enforced(tenant);
  const { id } = await newLoan(tenant, { status: 'approved' });
  await setBusinessDate(tenant, '2026-01-17');

  const funded = await disburse(tenant, id);

  const [told, corrected] = await fetchDisclosures(tenant, id);
  expect(funded.body).toMatchObject({ status: 'active', apr: corrected?.apr });
  expect(told?.payment_schedule[0]?.first_due).toBe('2026-02-15');
  expect(corrected?.payment_schedule[0]?.first_due).toBe('2026-02-17');
});

test('a corrected disclosure restarts the right to rescind', async () => {
  const tenant = await stage.tenant('2026-01-14');
  await enforced(tenant);
  const rule = { ...DISBURSEMENT_FEE, calculation: 'flat', amount: '300.00' };
  const { id } = await newApprovedLoan(tenant, [rule], { rescission_days: 3 });
  await setBusinessDate(tenant, '2026-01-20');

  const refused = await disburse(tenant, id, { amount: '6000.00' });
  const again = await disburse(tenant, id, { amount: '6000.00' });

  expect(refused.body.code).toBe('disclosure_outdated');
  expect(again.body).toMatchObject({
    code: 'rescission_period',
    details: { rescission_ends: '2026-01-23' },
  });
});
