import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

const serve = async (tenant: Tenant, borrower_id: string, facts: object) => {
  const opened = await (
    await tenant.signedIn('collector')
  ).post('/cases', {
    borrower_id,
    case_type: 'servicemember',
    subject: 'Service',
    description: 'The orders arrived.',
    facts,
  });
  expect(opened.status, JSON.stringify(opened.body)).toBe(201);
};

const capsOf = async ({ officer }: Tenant, id: string) =>
  ((await officer.get(`/loans/${id}/rate-caps`)).body as Record<string, string | null>[]).map(
    ({ start_date, end_date, interest_rate }) =>
      `${interest_rate} ${start_date} – ${end_date ?? 'open'}`,
  );

test('service caps the debts from before it, a mortgage for one year longer', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const car = await newLoan(tenant);
  const { borrower_id } = car;
  const another = async (origination_date: string) => {
    const made = await officer.post('/loans', {
      borrower_id,
      program_id: await tenant.first('/programs'),
      product_id: await tenant.first('/products'),
      principal_amount: '10000.00',
      interest_rate: '0.085',
      term_months: 36,
    });
    const { id } = made.body as { id: string };
    await officer.post(`/loans/${id}/approve`);
    const funded = await officer.post(`/loans/${id}/disburse`, {
      disbursement_date: origination_date,
    });
    expect(funded.status, JSON.stringify(funded.body)).toBe(200);
    return id;
  };
  const house = await another('2026-01-15');
  await travelTo(stage, tenant, '2026-02-15');
  const later = await another('2026-02-15');

  await serve(tenant, borrower_id, {
    service_from: '2026-02-01',
    service_to: '2026-02-10',
    mortgage_loan_ids: [house],
  });

  expect(await capsOf(tenant, car.id)).toEqual(['0.06 2026-02-01 – 2026-02-10']);
  expect(await capsOf(tenant, house)).toEqual(['0.06 2026-02-01 – 2027-02-10']);
  expect(await capsOf(tenant, later)).toEqual([]);
});

test('the service of a joint borrower caps the rate, that of a guarantor does not', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const people = [];
  for (const role of ['co_borrower', 'guarantor']) {
    const loan = await newLoan(tenant);
    const person = await tenant.officer.post('/borrowers', { first_name: 'Ada', last_name: role });
    const borrower_id = String(person.body.id);
    const added = await tenant.officer.post(`/loans/${loan.id}/co-borrowers`, {
      borrower_id,
      role,
    });
    expect(added.status, JSON.stringify(added.body)).toBe(201);
    people.push({ ...loan, borrower_id });
  }
  await travelTo(stage, tenant, '2026-02-15');

  for (const { borrower_id } of people)
    await serve(tenant, borrower_id, { service_from: '2026-02-01' });

  const [joint, guaranteed] = people;
  expect(await capsOf(tenant, joint?.id ?? '')).toEqual(['0.06 2026-02-01 – open']);
  expect(await capsOf(tenant, guaranteed?.id ?? '')).toEqual([]);
});

test('a loan that is boarded during the service is capped from the day of boarding', async () => {
  const tenant = await stage.tenant('2026-06-15');
  const { officer } = tenant;
  const person = await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Lovelace' });
  await serve(tenant, String(person.body.id), { service_from: '2026-02-01' });

  const boarded = await officer.post('/loans/board', {
    borrower_id: person.body.id,
    program_id: await tenant.first('/programs'),
    product_id: await tenant.first('/products'),
    principal_amount: '10000.00',
    current_principal_balance: '8000.00',
    interest_rate: '0.12',
    term_months: 36,
    origination_date: '2025-06-15',
    first_payment_date: '2025-07-15',
    paid_through_date: '2026-06-15',
    status: 'active',
  });

  expect(boarded.status, JSON.stringify(boarded.body)).toBe(201);
  const { id } = boarded.body as { id: string };
  expect(await capsOf(tenant, id)).toEqual(['0.06 2026-02-01 – open']);
  expect((await officer.get(`/loans/${id}`)).body).toMatchObject({ current_rate: '0.06' });
});

test('the borrower gets a letter when the cap ends, with the agreed installment', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const { id, borrower_id } = await newLoan(tenant, { interest_rate: '0.12' });
  await officer.post(`/borrowers/${borrower_id}/emails`, { email: 'grace@example.com' });
  const agreed = (await officer.get(`/loans/${id}`)).body.payment_amount as string;
  await serve(tenant, borrower_id, { service_from: '2026-01-20', service_to: '2026-02-20' });
  await travelTo(stage, tenant, '2026-02-25');

  const logs = (await officer.get(`/communication-logs?loan_id=${id}&ordering=created_at`))
    .body as { body: string; status: string }[];
  expect(logs.map(({ status }) => status)).toEqual(['queued', 'queued']);
  expect(logs[0]?.body).toContain('limits the interest');
  expect(logs[1]?.body).toContain('ended on February 20, 2026');
  expect(logs[1]?.body).not.toContain('limits the interest');
  // The installment of March is lower, because its period began under the cap.
  expect(logs[1]?.body).toContain(
    `It is now <strong>$${agreed}</strong>, from <strong>April 15, 2026</strong>`,
  );
});
