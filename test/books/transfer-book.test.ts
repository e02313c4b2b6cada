import { expect, test } from 'vitest';
import { exportedFiles } from '../setup/exported-books.ts';
import { newLoan } from '../setup/loans.ts';
import { assertOk } from '../setup/portal.ts';
import { newProduct } from '../setup/products.ts';
import { newPortfolioForSale } from '../setup/sales.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

/** A sold loan with an officer and two notes, which moves to another servicer. */
async function newTransfer() {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const loan = await newLoan(tenant);
  const { admin, sell } = await newPortfolioForSale(tenant, loan.id);
  assertOk(await sell({ sale_price: '9812.34', settlement_date: '2026-03-01' }));
  const { email } = (await officer.get('/users/me')).body as { email: string };
  const loan_officer_id = tenant.userIds['loan_officer'];
  assertOk(await admin.post(`/loans/${loan.id}/assign-officer`, { loan_officer_id }));
  const note = (body: string, visibility: string) =>
    officer.post(`/borrowers/${loan.borrower_id}/notes`, { loan_id: loan.id, body, visibility });
  assertOk(await note('Sounds evasive', 'internal'));
  assertOk(await note('You will get a letter', 'borrower'));
  const made = await admin.post('/servicing-transfers', {
    direction: 'out',
    effective_date: '2026-03-18',
    servicer_name: 'Next Servicing',
    servicer_address_line_1: '1 Next Street',
    servicer_address_line_2: 'Austin, TX 78701',
    servicer_phone: '+15125550100',
    loan_ids: [loan.id],
  });
  const transfer_id = String(assertOk(made)['id']);
  const bookOf = async (with_internal_records: boolean, servicing_transfer_id: string | null) => {
    const scope = { portfolio_id: null, servicing_transfer_id };
    const files = await exportedFiles(stage, tenant, { scope, with_internal_records });
    return [...files.values()].map(String).join('\n');
  };
  return { tenant, transfer_id, email, bookOf };
}

test('the book of a servicing transfer has no prices of sales, internal notes and officers, unless they are asked for', async () => {
  const { transfer_id, email, bookOf } = await newTransfer();

  const plain = await bookOf(false, transfer_id);
  const asked = await bookOf(true, transfer_id);
  const whole = await bookOf(false, null);

  const internal = ['9812.34', 'Sounds evasive', email];
  expect(internal.filter((text) => plain.includes(text))).toEqual([]);
  expect(plain).toContain('You will get a letter');
  expect(plain).toContain('Prices of sales, internal notes and the names of officers are left out');
  for (const book of [asked, whole])
    expect(internal.filter((text) => !book.includes(text))).toEqual([]);
  expect(asked).not.toContain('are left out, because they concern');
});

test('a request over HTTP asks for internal records of a servicing transfer only', async () => {
  const { tenant, transfer_id } = await newTransfer();
  const superadmin = await tenant.signedIn('superadmin');
  const request = (body: object) => superadmin.post('/book-exports', body);

  const whole = await request({ with_internal_records: true });
  const plain = await request({ servicing_transfer_id: transfer_id });
  const asked = await request({ servicing_transfer_id: transfer_id, with_internal_records: true });

  expect([whole.status, Object.keys(whole.body.errors as object)]).toEqual([
    422,
    ['with_internal_records'],
  ]);
  expect([plain.status, plain.body.with_internal_records]).toEqual([201, false]);
  expect([asked.status, asked.body.with_internal_records]).toEqual([201, true]);
  expect(asked.body.id).not.toBe(plain.body.id);
});

test('the book of a servicing transfer has no programs and products of other loans', async () => {
  const { transfer_id, tenant } = await newTransfer();
  const admin = await tenant.signedIn('admin');
  assertOk(await admin.post('/programs', { name: 'Other program', code: 'OTHER-PROGRAM' }));
  await newProduct(tenant, { name: 'Other product' }, admin);
  const namesIn = async (servicing_transfer_id: string | null) => {
    const scope = { portfolio_id: null, servicing_transfer_id };
    const files = await exportedFiles(stage, tenant, { scope });
    const texts = ['programs.csv', 'products.csv'].map((name) => String(files.get(name)));
    return texts.join('\n').match(/Other (program|product)|Default (program|product)/g);
  };

  expect(await namesIn(transfer_id)).toEqual(['Default program', 'Default product']);
  expect(await namesIn(null)).toHaveLength(4);
});
