import { expect, test } from 'vitest';
import type { Client } from '../../setup/client.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

const productWith = async (admin: Client, rule: Record<string, unknown>): Promise<string> => {
  const late = { fee_type: 'late', calculation: 'flat', trigger: 'past_due', amount: '25.00' };
  const code = `LATE-${JSON.stringify(rule)}`.slice(0, 50);
  const made = await admin.post('/products', {
    name: code,
    code,
    fee_rules: [
      {
        ...late,
        ...rule,
      },
    ],
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return made.body.id as string;
};

const feesOf = async (tenant: Tenant, id: string) => {
  const { body } = await tenant.officer.get(`/loans/${id}/fees`);
  return (body as { assessed_date: string }[]).map(({ assessed_date }) => assessed_date);
};

test('a rule’s own grace period applies, shorter or longer than the product’s', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const short = await newLoan(tenant, { product_id: await productWith(admin, { grace_days: 5 }) });
  const long = await newLoan(tenant, { product_id: await productWith(admin, { grace_days: 12 }) });

  await travelTo(stage, tenant, '2026-03-02');

  expect(await feesOf(tenant, short.id)).toEqual(['2026-02-21']);
  expect(await feesOf(tenant, long.id)).toEqual(['2026-02-28']);
});

test('a lenient rule exempts small remainders, or borrowers who have paid a part', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const small = await productWith(admin, { late_fee_rule: 'standard_fee' });
  const current = await productWith(admin, { late_fee_rule: 'current' });
  const loans = {
    smallRest: await newLoan(tenant, { product_id: small }),
    greatRest: await newLoan(tenant, { product_id: small }),
    paidSome: await newLoan(tenant, { product_id: current }),
    paidNothing: await newLoan(tenant, { product_id: current }),
  };
  await travelTo(stage, tenant, '2026-02-15');
  const pay = (id: string, amount: string) =>
    tenant.officer.post(`/loans/${id}/payments`, { amount });
  await pay(loans.smallRest.id, '300.00');
  await pay(loans.greatRest.id, '200.00');
  await pay(loans.paidSome.id, '1.00');

  await travelTo(stage, tenant, '2026-03-01');

  expect(await feesOf(tenant, loans.smallRest.id)).toEqual([]);
  expect(await feesOf(tenant, loans.greatRest.id)).toEqual(['2026-02-26']);
  expect(await feesOf(tenant, loans.paidSome.id)).toEqual([]);
  expect(await feesOf(tenant, loans.paidNothing.id)).toEqual(['2026-02-26']);

  // The past due amount grows when the next installment is late. The first one stays exempt.
  await travelTo(stage, tenant, '2026-03-17');

  expect(await feesOf(tenant, loans.smallRest.id)).toEqual([]);
});

test('a borrower whose loan was frozen, or on an agreement, when the grace period ended is never charged for it', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const product_id = await productWith(admin, { grace_days: 5 });
  const frozen = await newLoan(tenant, { product_id });
  const forborne = await newLoan(tenant, { product_id });
  const neither = await newLoan(tenant, { product_id });
  await travelTo(stage, tenant, '2026-02-20');
  const asked = [
    await admin.post(`/loans/${frozen.id}/freeze`, { reason: 'fraud' }),
    await tenant.officer.post(`/loans/${forborne.id}/forbearances`, {
      forbearance_type: 'full',
      start_date: '2026-02-20',
      end_date: '2026-05-20',
      reason: 'Illness',
      end_treatment: 'reinstatement',
      suspend_late_fees: true,
    }),
  ];
  await travelTo(stage, tenant, '2026-02-23');
  asked.push(
    await admin.post(`/loans/${frozen.id}/unfreeze`, {}),
    await tenant.officer.post(`/forbearances/${asked[1]?.body.id}/end`, { status: 'broken' }),
  );

  await travelTo(stage, tenant, '2026-02-25');

  expect(
    asked.map(({ status }) => status),
    JSON.stringify(asked.map(({ body }) => body)),
  ).toEqual([200, 201, 200, 200]);
  expect(await feesOf(tenant, frozen.id)).toEqual([]);
  expect(await feesOf(tenant, forborne.id)).toEqual([]);
  expect(await feesOf(tenant, neither.id)).toEqual(['2026-02-21']);
});

test('a loan that was boarded past due is charged only for later installments', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const borrower = await tenant.officer.post('/borrowers', { first_name: 'Ada', last_name: 'B' });
  const boarded = await tenant.officer.post('/loans/board', {
    borrower_id: borrower.body.id,
    program_id: await tenant.first('/programs'),
    product_id: await productWith(admin, {}),
    principal_amount: '10000.00',
    interest_rate: '0.085',
    term_months: 36,
    origination_date: '2025-06-01',
    paid_through_date: '2025-08-01',
  });

  await travelTo(stage, tenant, '2026-01-20');
  const before = await feesOf(tenant, boarded.body.id);
  await travelTo(stage, tenant, '2026-02-14');

  expect(boarded.body.days_past_due).toBeGreaterThan(100);
  expect(before).toEqual([]);
  expect(await feesOf(tenant, boarded.body.id)).toEqual(['2026-02-12']);
});
