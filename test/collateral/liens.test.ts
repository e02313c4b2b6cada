import { expect, test } from 'vitest';
import { warnOfLapsingLiens } from '../../jobs/collateral/warn-of-lapsing-liens.job.ts';
import { insertLoans } from '../setup/loan-rows.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

async function collateralOf(tenant: Tenant) {
  const [loan_id] = await insertLoans(tenant, {});
  const item = await tenant.officer.post('/collateral', { loan_id, collateral_type: 'equipment' });
  return `/collateral/${item.body.id}`;
}

const watch = (tenant: Tenant, day: string) =>
  tenant.within((work) => warnOfLapsingLiens(work, day));

test('a financing statement lapses five years after its filing by default', async () => {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const path = await collateralOf(tenant);

  const ucc1 = await officer.post(`${path}/liens`, {
    lien_type: 'ucc1',
    filing_number: '2024-0001',
    filing_date: '2024-02-29',
    filing_jurisdiction: 'DE',
  });
  const mortgage = await officer.post(`${path}/liens`, {
    lien_type: 'mortgage',
    filing_date: '2024-02-29',
    lien_position: 2,
  });
  const samePlace = await officer.post(`${path}/liens`, { lien_type: 'other', lien_position: 2 });
  const backwards = await officer.put(`/liens/${ucc1.body.id}`, { expiration_date: '2024-02-29' });

  expect(ucc1).toMatchObject({
    status: 201,
    body: { expiration_date: '2029-02-28', lien_position: 1, status: 'active' },
  });
  expect(mortgage.body.expiration_date).toBeNull();
  expect(samePlace).toMatchObject({
    status: 422,
    body: { errors: { lien_position: 'Is already taken.' } },
  });
  expect(backwards.body.errors).toEqual({ expiration_date: 'Must be after the filing date.' });
});

test('concurrent requests release a lien only once', async () => {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const path = await collateralOf(tenant);
  const lien = await officer.post(`${path}/liens`, {
    lien_type: 'ucc1',
    filing_date: '2025-01-01',
  });
  const url = `/liens/${lien.body.id}/release`;
  const body = { reason: 'collateral_released', filing_number: 'T-1', notes: 'Terminated' };

  const early = await officer.post(url, { release_date: '2024-12-31' });
  const late = await officer.post(url, { release_date: '2026-01-16' });
  const answers = await Promise.all([officer.post(url, body), officer.post(url, body)]);
  const released = answers.find(({ status }) => status === 200);
  const refused = answers.find(({ status }) => status === 409);

  expect([early.status, late.status]).toEqual([422, 422]);
  expect(released?.body).toMatchObject({
    status: 'released',
    release_date: '2026-01-15',
    release_reason: 'collateral_released',
    release_filing_number: 'T-1',
    released_by: tenant.userIds['loan_officer'],
  });
  expect(refused?.body).toMatchObject({ code: 'already_released' });
});

test('a lien that lapses within 180 days is announced once, with an alert that becomes more urgent', async () => {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const path = await collateralOf(tenant);
  const lien = await officer.post(`${path}/liens`, {
    lien_type: 'ucc1',
    filing_number: 'F-7',
    filing_date: '2022-01-01',
    expiration_date: '2026-07-14',
  });

  const dayBefore = await watch(tenant, '2026-01-14');
  const raised = [await watch(tenant, '2026-01-15'), await watch(tenant, '2026-01-15')];
  const tasks = await officer.get('/tasks?task_type=lien_renewal');
  const severities: number[] = [];
  for (const day of ['2026-04-15', '2026-05-15', '2026-06-14', '2026-07-07', '2026-07-15']) {
    await watch(tenant, day);
    severities.push((await officer.get('/lien-alerts')).body[0].severity);
  }
  const pressing = await officer.get('/tasks?task_type=lien_renewal');

  expect(dayBefore).toBe(0);
  expect(raised).toEqual([1, 0]);
  expect(tasks.body).toMatchObject([
    {
      due_date: '2026-07-14',
      priority: 'normal',
      source: 'system',
      related_type: 'lien',
      related_id: lien.body.id,
      status: 'open',
    },
  ]);
  expect(severities).toEqual([90, 60, 30, 7, 0]);
  expect(pressing.body).toMatchObject([{ priority: 'urgent' }]);
});

test('a renewal ends the alert and its task, and the next lapse is announced again', async () => {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const path = await collateralOf(tenant);
  const lien = await officer.post(`${path}/liens`, {
    lien_type: 'ucc1',
    expiration_date: '2026-02-01',
  });
  await watch(tenant, '2026-01-15');

  const renewed = await officer.put(`/liens/${lien.body.id}`, { expiration_date: '2031-02-01' });
  const alerts = await officer.get('/lien-alerts');
  const tasks = await officer.get('/tasks?task_type=lien_renewal');
  const again = [await watch(tenant, '2026-01-16'), await watch(tenant, '2030-12-01')];

  expect(renewed.status).toBe(200);
  expect(alerts.body).toMatchObject([{ status: 'resolved', days_to_expiry: 17 }]);
  expect(tasks.body).toMatchObject([{ status: 'completed' }]);
  expect(again).toEqual([0, 1]);
});

test('a lien lapses on the morning after its last day, not earlier', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const path = await collateralOf(tenant);
  await tenant.officer.post(`${path}/liens`, { lien_type: 'ucc1', expiration_date: '2026-01-15' });
  const status = async () => (await tenant.officer.get(`${path}/liens`)).body[0].status;

  const then = await status();
  await travelTo(stage, tenant, '2026-01-16');

  expect([then, await status()]).toEqual(['active', 'expired']);
});

test('a released or archived item cannot have a new lien', async () => {
  const tenant = await stage.tenant();
  const path = await collateralOf(tenant);
  const lien = () => tenant.officer.post(`${path}/liens`, { lien_type: 'other' });

  await tenant.officer.put(path, { status: 'repossessed' });
  const repossessed = await lien();
  await tenant.officer.post(`/liens/${repossessed.body.id}/release`);
  await tenant.officer.put(path, { status: 'released' });
  const released = await lien();
  await tenant.officer.put(path, { status: 'active' });
  await tenant.officer.delete(path);
  const archived = await lien();

  expect(repossessed.status).toBe(201);
  expect([released, archived]).toMatchObject([
    { status: 409, body: { code: 'collateral_not_active' } },
    { status: 409, body: { code: 'collateral_not_active' } },
  ]);
});
