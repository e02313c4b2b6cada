import { describe, expect, test } from 'vitest';
import { isRescissionDay } from '../../../jobs/banks/bank-calendar.ts';
import { setBusinessDate } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

describe('a business day for rescission', () => {
  test.each([
    ['2026-07-03', true, 'the Friday on which Saturday the fourth is observed'],
    ['2026-07-04', false, 'a holiday on a Saturday'],
    ['2026-07-11', true, 'any other Saturday'],
    ['2026-07-12', false, 'a Sunday'],
    ['2027-07-05', true, 'the Monday on which Sunday the fourth is observed'],
    ['2026-11-26', false, 'Thanksgiving'],
  ])('%s is one: %s, as %s', (date, expected) => {
    expect(isRescissionDay(date)).toBe(expected);
  });
});

test('no money is disbursed before midnight of the third business day after approval', async () => {
  // A Wednesday before a holiday Monday: Thursday, Friday and Saturday count.
  const tenant = await stage.tenant('2026-01-14');
  const product_id = await newProduct(tenant, { rescission_days: 3 });
  const { id } = await newLoan(tenant, { product_id, status: 'approved' });
  const disburse = (body: object = {}) => tenant.officer.post(`/loans/${id}/disburse`, body);

  await setBusinessDate(tenant, '2026-01-17');
  const early = await disburse();
  await setBusinessDate(tenant, '2026-01-20');
  const backdated = await disburse({ disbursement_date: '2026-01-17' });
  const record = await tenant.officer.post(`/loans/${id}/disbursements`, {
    disbursement_date: '2026-01-16',
  });
  const funded = await disburse({ disbursement_date: '2026-01-18' });

  expect(early).toMatchObject({
    status: 409,
    body: {
      code: 'rescission_period',
      details: { rescission_ends: '2026-01-17', disbursable_from: '2026-01-18' },
    },
  });
  expect(backdated).toMatchObject({ status: 409, body: { code: 'rescission_period' } });
  expect(record).toMatchObject({ status: 409, body: { code: 'rescission_period' } });
  expect(funded).toMatchObject({ status: 200, body: { status: 'active' } });
});

test('the schedule of a loan that is approved late starts later', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const product_id = await newProduct(tenant, { rescission_days: 3 });
  const borrower = await tenant.officer.post('/borrowers', { first_name: 'A', last_name: 'B' });
  const boarded = await tenant.officer.post('/loans/board', {
    borrower_id: borrower.body.id,
    program_id: await tenant.first('/programs'),
    product_id,
    principal_amount: '1000.00',
    interest_rate: '0.1',
    term_months: 12,
    status: 'approved',
    origination_date: '2026-01-14',
  });

  const refused = await tenant.officer.post(`/loans/${boarded.body.id}/disburse`);

  expect(refused.body).toMatchObject({
    code: 'rescission_period',
    details: { rescission_ends: '2026-01-17' },
  });
});

test('a product without the right to rescind allows funding on the same day', async () => {
  const tenant = await stage.tenant('2026-01-14');

  const { id } = await newLoan(tenant);

  expect((await tenant.officer.get(`/loans/${id}`)).body.status).toBe('active');
});
