import { expect, test } from 'vitest';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('every tenant starts with a program and a product that loans can use', async () => {
  const { officer } = await stage.tenant();

  const programs = await officer.get('/programs');
  const products = await officer.get('/products?is_active=true');

  expect(programs.body).toMatchObject([{ code: 'DEFAULT', status: 'active', jurisdictions: [] }]);
  expect(products.body).toMatchObject([
    {
      program_id: programs.body[0].id,
      interest_method: 'simple_daily',
      day_count: 'actual_365',
      allocation_order: 'standard',
      small_balance_tolerance: '1.00',
      charge_off_dpd_threshold: 120,
      fee_rules: [],
    },
  ]);
});

test('an admin creates a product with its own limits, fee rules and waterfall', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const order = [
    { due_state: 'past_due', component: 'interest' },
    { due_state: 'past_due', component: 'principal' },
  ];
  const late = {
    fee_type: 'late',
    calculation: 'greater_of',
    amount: '15',
    percentage: '0.05',
    trigger: 'past_due',
  };

  const created = await admin.post('/products', {
    name: 'Line',
    code: 'LINE',
    loan_type: 'line_of_credit',
    min_amount: '500',
    max_amount: '20000.00',
    max_rate: '0.2999',
    allocation_order: order,
    fee_rules: [late],
  });
  const changed = await admin.put(`/products/${created.body.id}`, {
    ...created.body,
    allocation_order: 'delinquency_first',
    max_rate: '0.25',
  });
  const archived = await admin.delete(`/products/${created.body.id}`);
  const unarchived = await admin.post(`/products/${created.body.id}/unarchive`);

  expect(created).toMatchObject({
    status: 201,
    body: {
      min_amount: '500.00',
      max_rate: '0.2999',
      charge_off_dpd_threshold: 180,
      allocation_order: order,
      fee_rules: [{ amount: '15.00', treatment: 'upfront', late_fee_rule: 'standard' }],
    },
  });
  expect(changed).toMatchObject({
    status: 200,
    body: { allocation_order: 'delinquency_first', max_rate: '0.25', min_amount: '500.00' },
  });
  expect(archived.body.is_archived).toBe(true);
  expect(unarchived.body.is_archived).toBe(false);
});

test('a contradictory product is refused, and so are its unknown parts', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const made = await admin.post('/products', { name: 'A', code: 'A', max_amount: '1000' });
  const refusal = async (body: object) => (await admin.post('/products', body)).body.errors;
  const flat = { fee_type: 'late', calculation: 'flat', trigger: 'past_due' };
  const elsewhere = '0198a000-0000-7000-8000-000000000000';

  expect(await refusal({ name: 'B', code: 'A' })).toEqual({ code: 'Is already taken.' });
  expect(await refusal({ name: 'B', code: 'B', min_term_months: 24, max_term_months: 12 })).toEqual(
    {
      max_term_months: 'max_term_months is below min_term_months.',
    },
  );
  expect(await refusal({ name: 'B', code: 'B', fee_rules: [flat] })).toHaveProperty([
    'fee_rules.0.amount',
  ]);
  expect(await refusal({ name: 'B', code: 'B', program_id: elsewhere })).toHaveProperty(
    'program_id',
  );
  expect(await refusal({ name: 'B', code: 'B', gl_map: { cash: elsewhere } })).toHaveProperty([
    'gl_map.cash',
  ]);
  const low = await admin.put(`/products/${made.body.id}`, { min_amount: '1000.01' });
  expect(low).toMatchObject({
    status: 422,
    body: { errors: { min_amount: 'max_amount is below min_amount.' } },
  });
  expect((await tenant.officer.post('/products', { name: 'C', code: 'C' })).status).toBe(403);
});

test('a program’s default product is one of its own', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const program = await admin.post('/programs', {
    name: 'Auto',
    code: 'AUTO',
    program_type: 'auto',
    jurisdictions: ['TX', 'OK'],
  });
  const foreign = await tenant.first('/products');
  const own = await admin.post('/products', {
    name: 'Auto 60',
    code: 'AUTO-60',
    program_id: program.body.id,
  });

  const refused = await admin.put(`/programs/${program.body.id}`, { default_product_id: foreign });
  const accepted = await admin.put(`/programs/${program.body.id}`, {
    default_product_id: own.body.id,
    is_active: false,
  });

  expect(refused).toMatchObject({
    status: 422,
    body: { errors: { default_product_id: 'Is not a product of this program.' } },
  });
  expect(accepted.body).toMatchObject({ default_product_id: own.body.id, status: 'inactive' });
  expect(
    (await admin.post('/programs', { name: 'X', code: 'X', jurisdictions: ['ZZ'] })).status,
  ).toBe(422);
});

test('a product that names a waterfall pays its loans by it', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const interestOf = async (allocation_order: string) => {
    const product_id = await newProduct(tenant, { allocation_order });
    const { id } = await newLoan(tenant, { product_id, disbursement_date: '2026-01-05' });
    await tenant.officer.post(`/loans/${id}/fees`, { fee_type: 'other', amount: '30.00' });
    const { body } = await tenant.officer.post(`/loans/${id}/payments`, { amount: '25.00' });
    return [body.fees_applied, body.interest_applied];
  };

  // Ten days of 10000.00 at 0.085 are 23.29.
  expect(await interestOf('standard')).toEqual(['25.00', '0.00']);
  expect(await interestOf('interest_first')).toEqual(['1.71', '23.29']);
  expect(await interestOf('delinquency_first')).toEqual(['0.00', '23.29']);
});

test('a pending loan that moves to another product takes its terms', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const product_id = await newProduct(tenant, {
    payment_frequency: 'weekly',
    day_count: 'actual_360',
    late_fee_grace_days: 3,
  });
  const { id } = await newLoan(tenant, { status: 'pending' });

  const moved = await tenant.officer.put(`/loans/${id}`, { product_id });
  await tenant.officer.post(`/loans/${id}/approve`);
  await tenant.officer.post(`/loans/${id}/disburse`);
  const plan = await tenant.officer.get(`/loans/${id}/amortization`);

  expect(moved.body).toMatchObject({ payment_frequency: 'weekly', day_count: 'actual_360' });
  expect(plan.body).toHaveLength(156);
});

test('fee rules keep their ids, and their fees name them', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const rule = { fee_type: 'origination', trigger: 'disbursement', calculation: 'flat' };
  const rules = [
    { ...rule, amount: '50.00' },
    { ...rule, amount: '50.00' },
  ];
  const { body: product } = await admin.post('/products', {
    name: 'Fees',
    code: 'FEES',
    fee_rules: rules,
  });
  const ids = product.fee_rules.map(({ id }: { id: string }) => id);
  const { id: loan } = await newLoan(tenant, { product_id: product.id });

  const again = await admin.put(`/products/${product.id}`, { fee_rules: rules });
  const twice = await admin.put(`/products/${product.id}`, {
    fee_rules: rules.map((rule) => ({ ...rule, id: ids[0] })),
  });
  const fees = await tenant.officer.get(`/loans/${loan}/fees`);
  const byHand = await tenant.officer.post(`/loans/${loan}/fees`, {
    fee_type: 'other',
    amount: '1.00',
  });

  expect(new Set(ids).size).toBe(2);
  expect(again.body.fee_rules).toEqual(product.fee_rules);
  expect(twice).toMatchObject({ status: 422, body: { errors: { fee_rules: expect.any(String) } } });
  expect(fees.body.map((fee: { fee_rule_id: string }) => fee.fee_rule_id).toSorted()).toEqual(
    ids.toSorted(),
  );
  expect(byHand.body.fee_rule_id).toBeNull();
});
