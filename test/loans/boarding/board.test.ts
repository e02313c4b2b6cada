import { expect, test } from 'vitest';
import { eventTypes } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('subscribers get only the boarding event of a boarded loan, however late it is', async () => {
  const tenant = await stage.tenant('2026-06-15');
  const { borrower_id } = await newLoan(tenant, { status: 'pending' });
  const told = (await eventTypes(tenant)).length;

  const boarded = await tenant.officer.post('/loans/board', {
    borrower_id,
    program_id: await tenant.first('/programs'),
    product_id: await tenant.first('/products'),
    principal_amount: '10000.00',
    current_principal_balance: '9000.00',
    interest_rate: '0.085',
    term_months: 36,
    origination_date: '2025-12-15',
    paid_through_date: '2026-03-15',
  });

  expect(boarded.body).toMatchObject({ days_past_due: 61, delinquency_bucket: 'dpd_60_89' });
  expect((await eventTypes(tenant)).slice(told)).toEqual(['loan.created']);
});

test('a balance above the amount lent is boarded only if the lender declares a capitalization', async () => {
  const tenant = await stage.tenant('2026-06-15');
  const { borrower_id } = await newLoan(tenant, { status: 'pending' });
  const board = async (wish: object) =>
    tenant.officer.post('/loans/board', {
      borrower_id,
      program_id: await tenant.first('/programs'),
      product_id: await tenant.first('/products'),
      principal_amount: '10000.00',
      current_principal_balance: '10250.00',
      interest_rate: '0.085',
      term_months: 36,
      origination_date: '2026-02-15',
      paid_through_date: '2026-05-15',
      ...wish,
    });

  const refused = await board({});
  const boarded = await board({ has_capitalization: true });

  expect(refused.status).toBe(422);
  expect(refused.body).toMatchObject({
    errors: {
      current_principal_balance:
        'Must not be more than the principal amount, unless has_capitalization is true.',
    },
  });
  expect(boarded.body).toMatchObject({ principal_balance: '10250.00', status: 'active' });
});
