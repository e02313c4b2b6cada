import { expect, test } from 'vitest';
import { z } from 'zod';
import { openEndRates } from '../../../jobs/loans/arithmetic/apr.ts';
import { sql } from '../../../sql/database/db.ts';
import type { AccountOpeningDisclosure } from '../../../templates/disclosures.ts';
import { renderDocument } from '../../../templates/render-document.ts';
import { fetchDisclosures } from '../../setup/disclosures.ts';
import { disburse } from '../../setup/funding.ts';
import { LINE_OF_CREDIT } from '../../setup/lines-of-credit.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { saveSettings } from '../../setup/settings.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

const FEES = [
  { fee_type: 'annual', trigger: 'manual', calculation: 'flat', amount: '45.00' },
  {
    fee_type: 'origination',
    trigger: 'disbursement',
    treatment: 'capitalized',
    calculation: 'percent_of_principal',
    percentage: '0.2',
  },
  {
    fee_type: 'draw',
    trigger: 'draw',
    calculation: 'greater_of',
    amount: '5.00',
    percentage: '0.03',
  },
  { fee_type: 'late', trigger: 'past_due', calculation: 'flat', amount: '29.00', grace_days: 7 },
  { fee_type: 'nsf', trigger: 'payment_returned', calculation: 'flat', amount: '31.00' },
  { fee_type: 'legal', trigger: 'manual', calculation: 'flat', amount: '150.00' },
  { fee_type: 'due_date_change', trigger: 'due_date_change', calculation: 'flat', amount: '8.88' },
];

const Row = z.object({ template: z.string(), data: z.unknown() });

/** The disclosures of a line of credit, oldest first, as data and as a page in a language. */
async function toldOf(tenant: Tenant, id: string) {
  const rows = await tenant.within(({ tx }) =>
    tx.any(sql.type(Row)`
      select template, template_data as data from documents where loan_id = ${id} order by id
    `),
  );
  return rows.map(({ template, data }) => {
    const told = data as AccountOpeningDisclosure;
    const page = (language: string) =>
      renderDocument('account_opening_disclosure', language, told)
        .replace(/[^]*<body/, '<body')
        .replace(/<[^>]+>/g, ' ')
        .replace(/\s+/g, ' ');
    return { template, told, page };
  });
}

const loanOf = async ({ officer }: Tenant, id: string) => (await officer.get(`/loans/${id}`)).body;

test('a borrower who opens a line gets its terms at approval, as set in the line and its product', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const product_id = await newProduct(tenant, {
    ...LINE_OF_CREDIT,
    grace_on_purchases: true,
    day_count: 'actual_360',
    fee_rules: FEES,
    prepayment_penalty: {
      calculation: 'flat',
      amount: '60.00',
    },
  });
  const { id } = await newLoan(tenant, { product_id, interest_rate: '0.18', status: 'approved' });

  const [first, ...more] = await toldOf(tenant, id);
  const loan = await loanOf(tenant, id);
  const english = first?.page('en') ?? '';

  expect(more).toEqual([]);
  expect(first?.template).toBe('account_opening_disclosure');
  expect(first?.told).toMatchObject({
    apr: loan.apr,
    credit_limit: loan.credit_limit,
    interest_rate: loan.interest_rate,
    available_credit: '8000.00',
    daily_rate: '0.0005',
    days_of_year: '360',
    cycle: {
      due_days: 25,
      minimum: LINE_OF_CREDIT.minimum_payment,
    },
  });
  // 0.18 on a 360-day year, charged for 365 days.
  expect(loan).toMatchObject({ apr: '0.1825', credit_limit: '10000.00', interest_rate: '0.18' });
  for (const words of [
    'Annual Percentage Rate (APR) 18.25% It does not vary',
    'How to Avoid Paying Interest Your payment is due at least 25 days after the close',
    'Annual fee $45.00 a year',
    'Opening the line $2,000.00',
    'Of your credit limit of $10,000.00 you will then have about $8,000.00 available',
    'Each draw the greater of $5.00 and 3.00% of the draw',
    'Late payment $29.00, if a payment is more than 7 days late',
    'Returned payment $31.00',
    'a method called “daily balance”',
    'Credit limit $10,000.00',
    'Daily rate 0.05%, which is the interest rate of 18.00% divided by 360',
    'the greater of $25.00 and 1.00% of what you owe when it ends plus the interest and fees',
    'Legal costs $150.00',
    'you may have to pay a penalty',
    '100 Example Avenue, Springfield, IL 62701. Tell us',
    'within 60 days after the mistake first appeared',
  ])
    expect(english).toContain(words);
  for (const words of ['$8.88', 'Paying Interest Interest is charged', 'Total of Payments'])
    expect(english).not.toContain(words);
});

test('a line without billing cycles is open-end credit too, and a line without fees says so', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const product_id = await newProduct(tenant, { loan_type: 'line_of_credit' });
  const { id, borrower_id } = await newLoan(tenant, { product_id, status: 'pending' });
  await tenant.officer.put(`/borrowers/${borrower_id}`, { language_preference: 'es' });
  await tenant.officer.post(`/loans/${id}/approve`);

  await disburse(tenant, id, { amount: '1000.00' });

  const [first, ...more] = await toldOf(tenant, id);
  const spanish = first?.page('es') ?? '';
  expect(more).toEqual([]);
  expect(await fetchDisclosures(tenant, id)).toEqual([]);
  expect(await loanOf(tenant, id)).toMatchObject({ apr: '0.085', status: 'active' });
  for (const words of [
    'Tasa de Porcentaje Anual (APR) 8.50%',
    'Se cobran intereses desde el día de cada retiro',
    'No hay cargos por abrir, usar o mantener la línea',
    'Límite de crédito $10,000.00',
    'Lo que retire se paga a plazos (periodicidad: mensual) en 36 meses',
    'You may ask us for this disclosure in English',
  ])
    expect(spanish).toContain(words);
});

test('no line is approved if it lacks an address for billing errors', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const product_id = await newProduct(tenant, LINE_OF_CREDIT);
  const { id } = await newLoan(tenant, { product_id, status: 'pending' });
  await saveSettings(tenant, { branding: {} });

  const refused = await tenant.officer.post(`/loans/${id}/approve`);

  const settings = ['branding.address_line_1'];
  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'tenant_incomplete', details: { settings } },
  });
  expect(await loanOf(tenant, id)).toMatchObject({ status: 'pending', apr: null });
});

test('if disclosures are enforced, a line cannot open before its terms are disclosed', async () => {
  const tenant = await stage.tenant('2026-01-15');
  await saveSettings(tenant, {
    compliance: { hard_enforcement: true, run_on_approve: false },
  });
  const product_id = await newProduct(tenant, LINE_OF_CREDIT);
  const { id } = await newLoan(tenant, { product_id, status: 'approved' });
  // The state of a line that was approved before this disclosure existed.
  await tenant.within(({ tx }) =>
    tx.query(sql.typeAlias('void')`
      update documents set template = 'tila_disclosure' where loan_id = ${id}
    `),
  );

  const refused = await disburse(tenant, id, { amount: '100.00' });
  const again = await disburse(tenant, id, { amount: '100.00' });

  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'disclosure_outdated', details: { disclosed: null } },
  });
  expect(again).toMatchObject({ status: 200, body: { status: 'active' } });
  const templates = (await toldOf(tenant, id)).map(({ template }) => template);
  expect(templates).toEqual(['tila_disclosure', 'account_opening_disclosure']);
});

test('a year of open-end credit has 365 days of interest', () => {
  expect(openEndRates('0.2', 'actual_365').apr).toBe('0.2');
  expect(openEndRates('0.2', 'actual_actual').apr).toBe('0.2');
  expect(openEndRates('0.2', '30_360')).toMatchObject({ apr: '0.2', daily_rate: null });
  expect(openEndRates('0.18', 'actual_360').apr).toBe('0.1825');
  expect(openEndRates('0.182', 'actual_364').apr).toBe('0.1825');
});
