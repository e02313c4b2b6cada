import { expect, test } from 'vitest';
import { insertLoans } from '../setup/loan-rows.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('an item’s value is its estimate until it has an appraisal', async () => {
  const tenant = await stage.tenant('2026-06-15');
  const { officer } = tenant;
  const [loan_id] = await insertLoans(tenant, { principal_balance: '8000.00' });
  const item = await officer.post('/collateral', {
    loan_id,
    collateral_type: 'vehicle',
    description: 'Blue',
    estimated_value: '20000',
    metadata: { make: 'Ford', vin: '1FTFW1ET5DFC10312', colour: 'blue' },
  });
  const path = `/collateral/${item.body.id}`;

  const first = await officer.post(`${path}/valuations`, {
    valuation_type: 'appraisal',
    valuation_date: '2026-06-01',
    appraised_value: '16000.00',
    appraiser_name: 'A. Praiser',
  });
  await officer.post(`${path}/valuations`, {
    valuation_type: 'avm',
    valuation_date: '2026-05-01',
    appraised_value: '17000.00',
    confidence: '0.9',
  });
  const ahead = await officer.post(`${path}/valuations`, {
    valuation_type: 'bpo',
    valuation_date: '2026-06-16',
    appraised_value: '1',
  });
  const read = await officer.get(path);
  const all = await officer.get(`${path}/valuations`);

  expect(item).toMatchObject({
    status: 201,
    body: { current_value: '20000.00', ltv: '0.400000', status: 'active', currency: 'USD' },
  });
  expect(first.body).toMatchObject({ is_current: true, loan_id });
  expect(ahead.body.errors).toEqual({ valuation_date: 'Must not be after the business date.' });
  expect(read.body).toMatchObject({ current_value: '16000.00', ltv: '0.500000' });
  expect(all.body.map(({ is_current }: { is_current: boolean }) => is_current)).toEqual([
    false,
    true,
  ]);
  expect(all.headers['content-range']).toBe('valuations 0-1/2');
});

test('known metadata is checked by type, and unknown keys are kept', async () => {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const [loan_id] = await insertLoans(tenant, {});

  const refused = await officer.post('/collateral', {
    loan_id,
    collateral_type: 'vehicle',
    metadata: { year: '2020', vin: 'IOQ', make: 'Ford' },
  });
  const foreign = await officer.post('/collateral', {
    loan_id: '0198a000-0000-7000-8000-000000000000',
    collateral_type: 'other',
    metadata: { anything: ['goes'] },
  });

  expect(refused).toMatchObject({ status: 422 });
  expect(Object.keys(refused.body.errors)).toEqual(['metadata.year', 'metadata.vin']);
  expect(foreign).toMatchObject({ status: 422, body: { errors: { loan_id: 'Does not exist.' } } });
});

test('an item can be released only after its liens, and an edit cannot liquidate it', async () => {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const [loan_id] = await insertLoans(tenant, {});
  const item = await officer.post('/collateral', { loan_id, collateral_type: 'other' });
  const path = `/collateral/${item.body.id}`;
  const lien = await officer.post(`${path}/liens`, { lien_type: 'other' });

  const tooEarly = await officer.put(path, { status: 'released' });
  const byEdit = await officer.put(path, { status: 'liquidated' });
  await officer.post(`/liens/${lien.body.id}/release`);
  const released = await officer.put(path, { ...item.body, status: 'released' });
  const archived = await officer.delete(path);
  const list = await officer.get(`/collateral?loan_id=${loan_id}`);

  expect(tooEarly).toMatchObject({ status: 409, body: { code: 'active_liens' } });
  expect(byEdit).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect(released).toMatchObject({ status: 200, body: { status: 'released', ltv: null } });
  expect(archived.body.is_archived).toBe(true);
  expect(list.headers['content-range']).toBe('collateral */0');
});
