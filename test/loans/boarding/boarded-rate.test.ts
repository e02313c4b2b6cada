import { expect, test } from 'vitest';
import { newProduct } from '../../setup/products.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('a boarded loan has the rate of its terms, by tape or by API', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const borrower = await tenant.officer.post('/borrowers', { first_name: 'A', last_name: 'B' });
  const board = async (more: object) =>
    (
      await tenant.officer.post('/loans/board', {
        borrower_id: borrower.body.id,
        program_id: await tenant.first('/programs'),
        product_id: await tenant.first('/products'),
        principal_amount: '10000.00',
        current_principal_balance: '7000.00',
        interest_rate: '0.085',
        term_months: 36,
        origination_date: '2025-01-15',
        ...more,
      })
    ).body;

  const regular = await board({});
  const late = await board({ first_payment_date: '2025-05-15', payment_amount: '315.68' });
  const closed = await board({ status: 'paid_off' });

  expect(Math.abs(Number(regular.apr) - 0.085)).toBeLessThan(0.0003);
  expect(Number(late.apr)).toBeGreaterThan(0.08);
  expect(closed.apr).toBe(regular.apr);
});

test('a single payment due on the origination date does not stop a boarding', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const borrower = await tenant.officer.post('/borrowers', { first_name: 'A', last_name: 'B' });
  const product_id = await newProduct(tenant, { payment_frequency: 'single' });

  const boarded = await tenant.officer.post('/loans/board', {
    borrower_id: borrower.body.id,
    program_id: await tenant.first('/programs'),
    product_id,
    principal_amount: '10000.00',
    interest_rate: '0.085',
    term_months: 12,
    origination_date: '2026-01-15',
    first_payment_date: '2026-01-15',
  });

  expect(boarded).toMatchObject({ status: 201, body: { apr: null } });
});

test('a boarded loan whose rate is too large to store has no stored rate', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const borrower = await tenant.officer.post('/borrowers', { first_name: 'A', last_name: 'B' });
  const product_id = await newProduct(tenant, { interest_method: 'flat', max_term_months: 360 });

  // Thirty years' interest is paid on the day after the disbursement.
  const boarded = await tenant.officer.post('/loans/board', {
    borrower_id: borrower.body.id,
    program_id: await tenant.first('/programs'),
    product_id,
    principal_amount: '100.00',
    interest_rate: '1',
    term_months: 360,
    origination_date: '2026-01-14',
    first_payment_date: '2026-01-15',
    payment_amount: '5000.00',
  });

  expect(boarded).toMatchObject({ status: 201, body: { apr: null } });
});
