import { expect, test } from 'vitest';
import { eventTypes, balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('a disbursement moves principal from cash to loans receivable and notifies subscribers', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant, { status: 'approved' });

  const reply = await tenant.officer.post(`/loans/${loan.id}/disburse`, {
    disbursement_date: '2026-01-15',
  });

  expect(reply).toMatchObject({
    status: 200,
    body: {
      status: 'active',
      principal_balance: '10000.00',
      payment_amount: '315.68',
      next_payment_date: '2026-02-15',
      next_payment_amount: '315.68',
    },
  });
  expect(await balancesByRole(tenant)).toEqual({ loans_receivable: '10000.00', cash: '-10000.00' });
  expect(await eventTypes(tenant)).toEqual([
    'loan.created',
    'loan.status_changed',
    'loan.status_changed',
    'loan.disbursed',
  ]);
});

test('a backdated disbursement and fee have entries with their own dates', async () => {
  const tenant = await stage.tenant('2026-02-15');
  const { id } = await newLoan(tenant, { disbursement_date: '2026-01-15' });
  await tenant.officer.post(`/loans/${id}/fees`, {
    fee_type: 'other',
    amount: '10.00',
    effective_date: '2026-01-20',
  });
  const entryOf = async (path: string) => {
    const { body } = await tenant.officer.get(path);
    return (await tenant.officer.get(`/ledger/entries/${body[0].journal_entry_id}`)).body;
  };

  const funding = await entryOf(`/loans/${id}/disbursements`);
  const fee = await entryOf(`/loans/${id}/fees`);

  expect(funding).toMatchObject({ reference_type: 'disbursement', entry_date: '2026-01-15' });
  expect(fee).toMatchObject({ reference_type: 'fee_assessment', entry_date: '2026-01-20' });
});

test('the approved amount is disbursed in parts, and never exceeded', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant, { status: 'approved' });
  const disburse = (body: object) => tenant.officer.post(`/loans/${loan.id}/disburse`, body);

  const first = await disburse({ amount: '4000.00' });
  const more = await disburse({ amount: '6000.01' });
  const rest = await disburse({});
  const again = await disburse({});

  expect(first.body).toMatchObject({ status: 'active', disbursed_amount: '4000.00' });
  expect(more).toMatchObject({
    status: 409,
    body: { code: 'exceeds_commitment', details: { available: '6000.00' } },
  });
  expect(rest).toMatchObject({
    status: 200,
    body: {
      principal_balance: '10000.00',
      disbursed_amount: '10000.00',
      remaining_term: 36,
      payment_amount: '315.68',
    },
  });
  expect(again).toMatchObject({ status: 409, body: { code: 'exceeds_commitment' } });
  expect(await balancesByRole(tenant)).toEqual({ loans_receivable: '10000.00', cash: '-10000.00' });
});

test('a fee on disbursements is a share of each, and a fee on the principal is charged once', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const rule = { fee_type: 'origination', trigger: 'disbursement' };
  const product_id = await newProduct(tenant, {
    fee_rules: [
      { ...rule, calculation: 'percent_of_disbursement', percentage: '0.02' },
      { ...rule, fee_type: 'other', calculation: 'percent_of_principal', percentage: '0.001' },
    ],
  });
  const { id } = await newLoan(tenant, { product_id, status: 'approved' });

  await tenant.officer.post(`/loans/${id}/disburse`, { amount: '4000.00' });
  const first = await tenant.officer.get(`/loans/${id}/fees`);
  await tenant.officer.post(`/loans/${id}/disburse`, {});
  const both = await tenant.officer.get(`/loans/${id}/fees`);

  const amounts = ({ body }: { body: { amount: string }[] }) =>
    body.map(({ amount }) => amount).toSorted();
  expect(amounts(first)).toEqual(['10.00', '80.00']);
  expect(amounts(both)).toEqual(['10.00', '120.00', '80.00']);
});

test('a loan that is not approved is left unchanged', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant, { status: 'pending' });

  const reply = await tenant.officer.post(`/loans/${loan.id}/disburse`, {
    disbursement_date: '2026-01-15',
  });

  expect(reply).toMatchObject({
    status: 409,
    body: { code: 'invalid_transition', details: { current_status: 'pending' } },
  });
  expect(await balancesByRole(tenant)).toEqual({});
});

test('a payment 31 days after disbursement pays interest first, then principal', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-15');

  const before = await tenant.officer.get(`/loans/${loan.id}/get-balances`);
  const preview = await tenant.officer.post(`/loans/${loan.id}/payments/preview`, {
    amount: '315.68',
  });
  const paid = await tenant.officer.post(`/loans/${loan.id}/payments`, { amount: '315.68' });
  const after = await tenant.officer.get(`/loans/${loan.id}`);

  expect(before.body).toMatchObject({ accrued_interest: '72.19', total_balance: '10072.19' });
  expect(preview.body).toMatchObject({
    principal_applied: '243.49',
    interest_applied: '72.19',
    remaining_balance: '9756.51',
  });
  expect(paid).toMatchObject({
    status: 201,
    body: {
      status: 'completed',
      principal_applied: '243.49',
      interest_applied: '72.19',
      remaining_balance: '9756.51',
    },
  });
  expect(after.body).toMatchObject({
    principal_balance: '9756.51',
    accrued_interest: '0.00',
    next_payment_date: '2026-03-15',
    days_past_due: 0,
    remaining_term: 35,
  });
  expect(await balancesByRole(tenant)).toMatchObject({
    loans_receivable: '9756.51',
    cash: '-9684.32',
    interest_income: '-72.19',
  });
});

test('a reversed payment leaves balances and books unchanged', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-15');
  const paid = await tenant.officer.post(`/loans/${loan.id}/payments`, { amount: '315.68' });

  const reversed = await tenant.officer.post(`/payments/${paid.body.id}/reverse`, {
    reason: 'nsf',
    return_code: 'R01',
  });
  const after = await tenant.officer.get(`/loans/${loan.id}`);

  expect(reversed).toMatchObject({ status: 200, body: { status: 'returned', return_code: 'R01' } });
  expect(after.body).toMatchObject({
    principal_balance: '10000.00',
    accrued_interest: '72.19',
    next_payment_date: '2026-02-15',
  });
  expect(await balancesByRole(tenant)).toMatchObject({
    loans_receivable: '10000.00',
    cash: '-10000.00',
  });
});

test('no schedule leaves the calendar: a first payment is due within 40 years', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant, { status: 'approved' });
  const { borrower_id } = loan;
  const [program_id, product_id] = [
    await tenant.first('/programs'),
    await tenant.first('/products'),
  ];
  const terms = { principal_amount: '10000.00', interest_rate: '0.085', term_months: 36 };

  const late = { first_payment_date: '9999-12-31' };
  const funded = await tenant.officer.post(`/loans/${loan.id}/disburse`, late);
  const boarded = await tenant.officer.post('/loans/board', {
    borrower_id,
    program_id,
    product_id,
    ...terms,
    ...late,
    origination_date: '2026-01-10',
    status: 'active',
  });
  const paid = await tenant.officer.post('/loans/board', {
    borrower_id,
    program_id,
    product_id,
    ...terms,
    paid_through_date: '9999-12-31',
    origination_date: '2026-01-10',
    status: 'active',
  });
  await tenant.officer.post(`/loans/${loan.id}/disburse`);
  const moved = await tenant.officer.post(`/loans/${loan.id}/reschedule`, {
    installments: [{ number: 36, due_date: '9999-12-31' }],
  });

  for (const reply of [funded, boarded]) {
    expect(reply).toMatchObject({ status: 422 });
    expect(Object.keys(reply.body.errors)).toEqual(['first_payment_date']);
  }
  expect(paid).toMatchObject({
    status: 422,
    body: { errors: { paid_through_date: expect.anything() } },
  });
  expect(moved.body.errors).toEqual({ 'installments.0.due_date': 'Must be within 40 years.' });
  expect((await tenant.officer.get('/loans')).body).toHaveLength(1);
});

test('loans of a borrower with the longest name can be listed', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { borrower_id } = await newLoan(tenant, { status: 'pending' });
  const long = { first_name: 'a'.repeat(200), last_name: 'b'.repeat(200) };

  const named = await tenant.officer.put(`/borrowers/${borrower_id}`, long);
  const list = await tenant.officer.get('/loans');

  expect(named.status).toBe(200);
  expect(list.status).toBe(200);
  expect(list.body[0].borrower_name).toBe(`${long.first_name} ${long.last_name}`);
});
