import { expect, test } from 'vitest';
import {
  fileLines,
  makeReportable,
  newReportedLoan,
  creditRecords,
  runCreditReports,
  REPORTER,
  newReportingTenant,
} from '../../setup/credit-reporting.ts';
import { newLoan } from '../../setup/loans.ts';
import { expectMetro2 } from '../../setup/metro2-layout.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

async function sentFor(tenant: Tenant) {
  const admin = await tenant.signedIn('admin');
  await runCreditReports(stage);
  const made = await admin.post('/credit-reporting-files');
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return expectMetro2(await fileLines(stage, tenant, made.body.filename));
}

type Product = Record<string, unknown>;

/** Each loan's story, and the status, rating and term that the bureaus receive at the end of August. */
const STORIES: Record<string, [status: string, rating: string, term: string]> = {
  'paid as agreed': ['11', '', '036'],
  'first late in July': ['71', '', '036'],
  'first late in June': ['78', '', '036'],
  'first late in May': ['80', '', '036'],
  'first late in April': ['82', '', '036'],
  'first late in March': ['83', '', '036'],
  'never paid': ['84', '', '036'],
  'paid off on time': ['13', '0', '036'],
  'paid off while late': ['13', '2', '036'],
  settled: ['13', '0', '036'],
  'charged off': ['97', '', '036'],
  'charged off and paid': ['64', '', '036'],
  'charged off and settled': ['64', '', '036'],
  'every week': ['11', '', '006'],
  'a mortgage of 30 months': ['11', '', '003'],
  'a line of credit': ['11', '', 'LOC'],
};

test('a file of loans in every status has valid and consistent fields', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const { officer } = tenant;
  const admin = await tenant.signedIn('admin');
  const loans = new Map<string, string>();
  const made = async (story: string, wish: Product = {}, product: Product | null = null) => {
    const product_id = product ? await newProduct(tenant, product) : undefined;
    const loan = await newReportedLoan(tenant, { ...wish, ...(product_id && { product_id }) });
    loans.set(story, loan.id);
    return loan;
  };
  const lineProduct = {
    loan_type: 'line_of_credit',
    minimum_payment: { percentage: '0.01', floor_amount: '25.00' },
    payment_due_days: 25,
    metro2_portfolio_type: 'C',
    metro2_account_type: '47',
  };
  const AUTUMN: Record<string, [Product, Product]> = {
    'every week': [{ term_months: 6 }, { payment_frequency: 'weekly' }],
    'a mortgage of 30 months': [
      { term_months: 30 },
      { metro2_portfolio_type: 'M', metro2_account_type: '26' },
    ],
    'a line of credit': [{ interest_rate: '0.2' }, lineProduct],
  };
  const paidUntil: Record<string, string> = {
    'first late in July': '2026-06',
    'first late in June': '2026-05',
    'first late in May': '2026-04',
    'first late in April': '2026-03',
    'first late in March': '2026-02',
    'paid off while late': '2026-05',
    'paid as agreed': '2026-12',
    'paid off on time': '2026-12',
    settled: '2026-12',
    'charged off': '2026-02',
    'charged off and paid': '2026-02',
    'charged off and settled': '2026-02',
  };
  for (const story of Object.keys(STORIES)) if (!(story in AUTUMN)) await made(story);
  const pay = async (story: string, amount: string) => {
    const paid = await officer.post(`/loans/${loans.get(story)}/payments`, { amount });
    expect(paid.status, JSON.stringify(paid.body)).toBe(201);
  };
  const settle = async (story: string) => {
    const plan = await officer.post(`/loans/${loans.get(story)}/payment-plans`, {
      plan_type: 'settlement',
      settlement_amount: '4000.00',
      waive_remaining: true,
      installments: [
        {
          due_date: '2026-08-20',
          amount: '4000.00',
        },
      ],
      grace_days: 0,
    });
    expect(plan.status, JSON.stringify(plan.body)).toBe(201);
    await pay(story, '4000.00');
  };
  for (const month of ['02', '03', '04', '05', '06', '07', '08']) {
    await travelTo(stage, tenant, `2026-${month}-15`);
    for (const [story, last] of Object.entries(paidUntil))
      if (`2026-${month}` <= last) await pay(story, '315.68');
  }
  for (const [story, [wish, product]] of Object.entries(AUTUMN)) await made(story, wish, product);
  for (const story of ['charged off', 'charged off and paid', 'charged off and settled'])
    expect(
      await admin.post(`/loans/${loans.get(story)}/charge-off`, { reason: 'fraud' }),
    ).toMatchObject({ status: 200 });
  await travelTo(stage, tenant, '2026-08-20');
  for (const story of ['paid off on time', 'paid off while late'])
    expect((await officer.post(`/loans/${loans.get(story)}/pay-off`)).status).toBe(200);
  const owed = (await officer.get(`/loans/${loans.get('charged off and paid')}`)).body;
  await pay('charged off and paid', owed.charge_off_balance);
  await settle('settled');
  await settle('charged off and settled');
  await travelTo(stage, tenant, '2026-09-01');

  const bases = await sentFor(tenant);

  const told: Record<string, unknown> = {};
  for (const [story, id] of loans) {
    const { loan_number } = (await officer.get(`/loans/${id}`)).body;
    const number = loan_number.replaceAll('-', '');
    const base = bases.find((base) => base['consumer account number'] === number);
    told[story] = [base?.['account status'], base?.['payment rating'], base?.['terms duration']];
  }
  expect(told).toEqual(STORIES);
  const recordOf = async (story: string) => {
    const [record] = await creditRecords(tenant, loans.get(story) ?? '');
    return record;
  };
  expect(await recordOf('paid off while late')).toMatchObject({
    date_first_delinquency: '2026-06-15',
  });
  expect(await recordOf('charged off and settled')).toMatchObject({ special_comment: 'AU' });
  expect(await recordOf('a line of credit')).toMatchObject({
    portfolio_type: 'C',
    account_type: '47',
  });
});

test('records that every bureau would reject are not sent, and each loan gets a task with the reason', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const { officer } = tenant;
  const whole = await newReportedLoan(tenant);
  const [homeless, ageless] = [await newLoan(tenant), await newLoan(tenant)];
  const board = async (loan_number: string) => {
    const { body } = await officer.post('/loans/board', {
      borrower_id: whole.borrower_id,
      loan_number,
      principal_amount: '1000.00',
      program_id: await tenant.first('/programs'),
      term_months: 12,
      interest_rate: '0.1',
      product_id: await tenant.first('/products'),
      origination_date: '2026-01-15',
    });
    return body.id as string;
  };
  const shared = [await board('AB-12'), await board('a/b 12'), await board('–/–')];
  await officer.put(`/borrowers/${homeless.borrower_id}`, { date_of_birth: '1980-12-09' });
  await makeReportable(tenant, ageless.borrower_id);
  await officer.put(`/borrowers/${ageless.borrower_id}`, { date_of_birth: null });
  await travelTo(stage, tenant, '2026-02-03');

  const bases = await sentFor(tenant);

  const { loan_number } = (await officer.get(`/loans/${whole.id}`)).body;
  expect(bases.map((base) => base['consumer account number'])).toContain(
    loan_number.replaceAll('-', ''),
  );
  const reasons = async (id: string) =>
    (await creditRecords(tenant, id)).map(({ suppression_reason }) => suppression_reason);
  expect(await reasons(whole.id)).toEqual([null]);
  expect(await reasons(homeless.id)).toEqual(['address_missing']);
  expect(await reasons(ageless.id)).toEqual(['date_of_birth_missing']);
  for (const id of shared) expect(await reasons(id)).toEqual(['account_number_not_unique']);
  const tasks = (await officer.get('/tasks?source=system')).body as Record<string, string>[];
  expect(
    tasks.map(({ loan_id, title }) => [loan_id, title?.replace(/ of every person.*/, '')]),
  ).toEqual(
    expect.arrayContaining([
      [homeless.id, 'Credit reporting: enter the street, city, state and postal code'],
      [ageless.id, 'Credit reporting: enter the date of birth'],
    ]),
  );
});

test('names and account numbers have no special characters, and names keep their hyphens', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const loan = await newReportedLoan(tenant);
  await tenant.officer.put(`/borrowers/${loan.borrower_id}`, {
    first_name: 'Mary-Ann (May)',
    middle_name: 'St. John',
    last_name: "O'Neil/de la Cruz",
  });
  await travelTo(stage, tenant, '2026-02-03');

  const [base] = await sentFor(tenant);

  expect(base).toMatchObject({
    surname: 'ONEIL DE LA CRUZ',
    'first name': 'MARY-ANN MAY',
    'middle name': 'ST JOHN',
  });
});

test('a file needs everything that its header and records say about the reporter', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const superadmin = await tenant.signedIn('superadmin');
  const { identification_number: _, program_ids: __, ...reporter } = REPORTER;
  const unnumbered = async (identification_number: string) =>
    superadmin.put('/tenant/settings', {
      credit_reporting: { ...REPORTER, identification_number },
    });

  const refusals = [await unnumbered('00000'), await unnumbered('AB-12'), await unnumbered('AB12')];
  await superadmin.put('/tenant/settings', {
    credit_reporting: { ...reporter, reporter_address: '' },
  });
  const refused = await admin.post('/credit-reporting-files');

  expect(refusals.map(({ status }) => status)).toEqual([422, 422, 422]);
  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'credit_reporting_not_configured' },
  });
  expect(refused.body.details.missing).toEqual([
    'credit_reporting.reporter_address',
    'credit_reporting.identification_number',
    'credit_reporting.program_ids',
  ]);
});
