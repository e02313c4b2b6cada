import { expect, test } from 'vitest';
import { pageClient } from '../setup/pages.ts';
import { newPortalBorrower, assertOk } from '../setup/portal.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('a late loan is past due on every page, and the amount due shows the past due part', async () => {
  const late = await newPortalBorrower(stage, { disbursement_date: '2025-11-20' });
  const pages = pageClient(late.borrower);

  const [home, loan, pay] = [
    await pages.get(''),
    await pages.get(`/loans/${late.id}`),
    await pages.get(`/loans/${late.id}/pay`),
  ];

  expect(home.body).toMatch(/data-label="Status">Past due</);
  expect(loan.body).toContain('<dt>Status</dt><dd>Past due</dd>');
  for (const page of [loan, pay]) expect(page.body).toContain('includes $315.68 past due');
});

test('a charged-off loan shows the balance that the total includes', async () => {
  const { borrower, admin, id } = await newPortalBorrower(stage, {
    disbursement_date: '2025-08-20',
  });
  assertOk(await admin.post(`/loans/${id}/charge-off`, { reason: 'delinquency', override: true }));
  const { body } = await borrower.get('/portal/dashboard');
  const [row] = body.loans as { balance: string; status: string }[];
  const pages = pageClient(borrower);

  const [home, loan] = [await pages.get(''), await pages.get(`/loans/${id}`)];

  expect(row).toMatchObject({ status: 'charged_off', balance: body.total_balance });
  expect(Number(body.total_balance)).toBeGreaterThan(0);
  const shown = `$${Number(body.total_balance).toLocaleString('en-US', { minimumFractionDigits: 2 })}`;
  expect(home.body.split(shown)).toHaveLength(3);
  expect(loan.body).toContain(`<dt>Balance still owed</dt><dd>${shown}</dd>`);
});

test('a boarded loan says where its earlier payments were made', async () => {
  const { tenant, borrower, borrower_id } = await newPortalBorrower(stage);
  const boarded = await tenant.officer.post('/loans/board', {
    borrower_id,
    program_id: await tenant.first('/programs'),
    product_id: await tenant.first('/products'),
    principal_amount: '10000.00',
    current_principal_balance: '9000.00',
    interest_rate: '0.085',
    term_months: 36,
    origination_date: '2025-06-15',
    paid_through_date: '2026-01-15',
  });
  const pages = pageClient(borrower);

  const loan = await pages.get(`/loans/${boarded.body.id}`);
  const payments = await pages.get(`/loans/${boarded.body.id}/payments`);

  const sentence = 'Payments before January 15, 2026 were made to your previous servicer.';
  expect(loan.body).toContain(`There are no payments to us yet. ${sentence}`);
  expect(loan.body).not.toContain('Paid so far');
  expect(payments.body).toContain(sentence);
});

test('statements of several months and loans can be distinguished', async () => {
  const { borrower, borrower_id, tenant, id } = await newPortalBorrower(stage);
  const { rows } = await stage.owner.query<{ loan_number: string }>(
    'select loan_number from loans where id = $1',
    [id],
  );
  await stage.owner.query(
    `insert into documents (tenant_id, borrower_id, loan_id, template, document_type, filename, storage_key,
       content_type, source, status, language, is_visible_to_borrower, template_data)
     select $1, $2, $3, 'monthly_statement', 'monthly_statement', 'statement-' || month || '.pdf',
       'k' || month, 'application/pdf', 'generated', 'uploaded', 'en', true,
       jsonb_build_object('period_start', '2025-' || month || '-01', 'period_end', '2025-' || month || '-28')
     from unnest(array['10', '11']) as month`,
    [tenant.id, borrower_id, id],
  );

  const page = await pageClient(borrower).get('/documents');

  expect(page.body).toContain('October 1, 2025 to October 28, 2025');
  expect(page.body).toContain('November 1, 2025 to November 28, 2025');
  expect(page.body).toContain(`Loan ${rows[0]?.loan_number}`);
});
