import { expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../sql/database/db.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

const LATE = { fee_type: 'late', trigger: 'past_due', calculation: 'flat', amount: '25.00' };
const lateProduct = (tenant: Tenant, wish: Record<string, unknown> = {}, rule: object = {}) =>
  newProduct(tenant, { late_fee_grace_days: 5, fee_rules: [{ ...LATE, ...rule }], ...wish });

const Ahead = z.object({
  late_fee: z.string().nullable(),
  last_day: z.string().nullable(),
  cure: z.string().nullable(),
  cure_last_day: z.string().nullable(),
});

/** The stored fees, and those that the balances show. */
async function feesAhead(tenant: Tenant, id: string) {
  const stored = await tenant.within(({ tx }) =>
    tx.one(sql.type(Ahead)`
      select late_fee_amount as late_fee, late_fee_after as last_day,
             case when cure_fee_after >= app.business_date() then cure_fee_amount end as cure,
             case when cure_fee_after >= app.business_date() then cure_fee_after end as cure_last_day
      from loan_outlook
      where loan_id = ${id} and app.business_date() between from_date and until_date
    `),
  );
  const { body } = await tenant.officer.get(`/loans/${id}/get-balances`);
  expect({
    late_fee: body.late_fee?.amount ?? null,
    last_day: body.late_fee?.last_day_on_time ?? null,
    cure: body.past_due_late_fee?.amount ?? null,
    cure_last_day: body.past_due_late_fee?.last_day_on_time ?? null,
  }).toEqual(stored);
  return stored;
}

const NONE = { late_fee: null, last_day: null, cure: null, cure_last_day: null };
const FEBRUARY = { ...NONE, late_fee: '25.00', last_day: '2026-02-20' };

const feesOf = async ({ officer }: Tenant, id: string) =>
  (await officer.get(`/loans/${id}/fees?fee_type=late&ordering=assessed_date`)).body.map(
    ({ assessed_date, amount }: Record<string, string>) => `${assessed_date} ${amount}`,
  );

const relief = (start_date: string, end_date: string, more: object = {}) => ({
  forbearance_type: 'full',
  start_date,
  end_date,
  reason: 'Illness',
  interest_accrues: true,
  suspend_delinquency: false,
  ...more,
});

test('no late fee is announced after a relief is agreed, until it is canceled or broken', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const { id } = await newLoan(tenant, { product_id: await lateProduct(tenant) });
  const seen = [await feesAhead(tenant, id)];
  const add = async (body: object) => {
    const made = await officer.post(`/loans/${id}/forbearances`, body);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    seen.push(await feesAhead(tenant, id));
    return made.body.id as string;
  };

  const coming = await add(relief('2026-02-01', '2026-02-20'));
  await officer.delete(`/forbearances/${coming}`);
  seen.push(await feesAhead(tenant, id));
  // It has no event: interest accrues, and the borrower counts as late.
  const begun = await add(relief('2026-01-15', '2026-03-31'));
  await officer.post(`/forbearances/${begun}/end`, { status: 'broken' });
  seen.push(await feesAhead(tenant, id));
  await add(relief('2026-01-16', '2026-03-31', { suspend_late_fees: false }));
  await travelTo(stage, tenant, '2026-02-22');

  expect(seen).toEqual([FEBRUARY, NONE, FEBRUARY, NONE, FEBRUARY, FEBRUARY]);
  expect(await feesOf(tenant, id)).toEqual(['2026-02-21 25.00']);
});

test('a relief exempts an installment if it covers the last day on time or the next day', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const product_id = await lateProduct(tenant);
  const periods = {
    'ends before the last day': ['2026-01-16', '2026-02-19'],
    'ends on the last day': ['2026-01-16', '2026-02-20'],
    'begins the night after': ['2026-02-21', '2026-03-01'],
    'begins a day later': ['2026-02-22', '2026-03-01'],
  };
  const loans: Record<string, string> = {};
  const announced: Record<string, string | null> = {};
  for (const [name, [from = '', to = '']] of Object.entries(periods)) {
    const { id } = await newLoan(tenant, { product_id });
    await tenant.officer.post(`/loans/${id}/forbearances`, relief(from, to));
    loans[name] = id;
    announced[name] = (await feesAhead(tenant, id)).late_fee;
  }

  await travelTo(stage, tenant, '2026-02-25');

  expect(announced).toEqual({
    'ends before the last day': '25.00',
    'ends on the last day': null,
    'begins the night after': null,
    'begins a day later': '25.00',
  });
  for (const [name, id] of Object.entries(loans))
    expect((await feesOf(tenant, id)).length, name).toBe(announced[name] === null ? 0 : 1);
});

test('no late fee is announced during a deferment, a payment plan or a freeze', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const admin = await tenant.signedIn('admin');
  const product_id = await lateProduct(tenant);
  const newOne = async () => (await newLoan(tenant, { product_id })).id;

  const planned = await newOne();
  const plan = await officer.post(`/loans/${planned}/payment-plans`, {
    plan_type: 'repayment',
    status: 'proposed',
    installments: [{ due_date: '2026-06-01', amount: '100.00' }],
  });
  expect(plan.status, JSON.stringify(plan.body)).toBe(201);
  const plans = [await feesAhead(tenant, planned)];
  await officer.put(`/payment-plans/${plan.body.id}`, { status: 'active' });
  plans.push(await feesAhead(tenant, planned));
  await officer.put(`/payment-plans/${plan.body.id}`, { status: 'canceled' });
  plans.push(await feesAhead(tenant, planned));

  const frozen = await newOne();
  await admin.post(`/loans/${frozen}/freeze`, { reason: 'fraud' });
  const freezes = [await feesAhead(tenant, frozen)];
  await admin.post(`/loans/${frozen}/unfreeze`, {});
  freezes.push(await feesAhead(tenant, frozen));
  await admin.post(`/loans/${frozen}/freeze`, { reason: 'fraud', until_date: '2026-02-21' });
  freezes.push(await feesAhead(tenant, frozen));

  const longFrozen = await newOne();
  await admin.post(`/loans/${longFrozen}/freeze`, { reason: 'fraud', until_date: '2026-02-22' });
  freezes.push(await feesAhead(tenant, longFrozen));

  const deferred = await newOne();
  await officer.post(`/loans/${deferred}/deferments`, {
    deferment_type: 'principal_only',
    periods: 1,
    reason: 'Hardship',
  });
  const deferment = await feesAhead(tenant, deferred);
  await travelTo(stage, tenant, '2026-02-25');

  expect(plans).toEqual([FEBRUARY, NONE, FEBRUARY]);
  expect(freezes).toEqual([NONE, FEBRUARY, FEBRUARY, NONE]);
  expect(await feesOf(tenant, frozen)).toEqual(['2026-02-21 25.00']);
  expect(await feesOf(tenant, longFrozen)).toEqual([]);
  expect((await feesOf(tenant, deferred)).length).toBe(deferment.late_fee === null ? 0 : 1);
}, 60_000);

test('two past-due installments within their grace periods show their last days one after the other', async () => {
  const tenant = await stage.tenant('2026-01-15');
  // Due on January 22 and 29, and on February 5.
  const product_id = await lateProduct(tenant, {
    payment_frequency: 'weekly',
    late_fee_grace_days: 12,
  });
  const { id } = await newLoan(tenant, { product_id });

  const seen: Record<string, unknown> = {};
  for (const day of ['2026-01-30', '2026-02-03', '2026-02-04', '2026-02-05', '2026-02-06']) {
    await travelTo(stage, tenant, day);
    const { cure, cure_last_day, last_day } = await feesAhead(tenant, id);
    seen[day] = [cure, cure_last_day, last_day];
  }

  expect(seen).toEqual({
    '2026-01-30': ['25.00', '2026-02-03', '2026-02-17'],
    '2026-02-03': ['25.00', '2026-02-03', '2026-02-17'],
    '2026-02-04': ['25.00', '2026-02-10', '2026-02-17'],
    '2026-02-05': ['25.00', '2026-02-10', '2026-02-17'],
    '2026-02-06': ['25.00', '2026-02-10', '2026-02-24'],
  });
  expect(await feesOf(tenant, id)).toEqual(['2026-02-04 25.00']);
}, 60_000);

test('a recorded exemption is final, and the next installment is decided separately', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const product_id = await lateProduct(tenant, {}, { late_fee_rule: 'current' });
  const { id } = await newLoan(tenant, { product_id });
  await tenant.officer.post(`/loans/${id}/payments`, { amount: '10.00' });
  const Decision = z.object({ day: z.string().nullable() });
  const decisions = () =>
    tenant.within(({ tx }) =>
      tx.anyFirst(sql.type(Decision)`
        select late_fee_decision_on as day from loan_outlook where loan_id = ${id} order by number
      `),
    );
  const announced = await feesAhead(tenant, id);
  const before = await decisions();

  await travelTo(stage, tenant, '2026-02-22');

  expect(announced).toEqual(NONE);
  expect(before).toContain('2026-02-21');
  expect(await decisions()).not.toContain('2026-02-21');
  expect(await decisions()).toContain('2026-03-21');
  await travelTo(stage, tenant, '2026-03-22');
  expect(await feesOf(tenant, id)).toEqual(['2026-03-21 25.00']);
});

test('a matured or accelerated loan shows its upcoming late fees, and a charged-off loan shows none', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const product_id = await lateProduct(tenant);
  const loans = {
    matured: (await newLoan(tenant, { product_id, term_months: 1 })).id,
    accelerated: (await newLoan(tenant, { product_id })).id,
    'charged off': (await newLoan(tenant, { product_id })).id,
  };
  await travelTo(stage, tenant, '2026-02-17');
  await admin.post(`/loans/${loans.accelerated}/accelerate`);
  await admin.post(`/loans/${loans['charged off']}/charge-off`, { force: true });
  const ahead: Record<string, string | null> = {};
  for (const [name, id] of Object.entries(loans)) ahead[name] = (await feesAhead(tenant, id)).cure;

  await travelTo(stage, tenant, '2026-02-22');

  expect(ahead).toMatchObject({ matured: '25.00', 'charged off': null });
  for (const [name, id] of Object.entries(loans))
    expect((await feesOf(tenant, id)).length, name).toBe(ahead[name] === null ? 0 : 1);
});

test('a loan with an unreadable late fee rule accepts payments', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant, { product_id: await lateProduct(tenant) });
  await stage.owner.query(
    `update loans set terms = jsonb_set(terms, '{fee_rules,0,amount}', '"unreadable"') where id = $1`,
    [id],
  );

  const paid = await tenant.officer.post(`/loans/${id}/payments`, { amount: '10.00' });

  expect(paid.status).toBe(201);
  expect(await feesAhead(tenant, id)).toEqual(NONE);
});
