import { expect, test } from 'vitest';
import {
  creditRecords,
  newReportingTenant,
  runCreditReports,
} from '../../setup/credit-reporting.ts';
import { openLineOfCredit } from '../../setup/lines-of-credit.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('an accelerated account keeps its terms and payment, at most what it owes, and is past due with its whole debt', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const admin = await tenant.signedIn('admin');
  const monthly = await newProduct(tenant, {});
  const single = await newProduct(tenant, { payment_frequency: 'single' });
  const biweekly = await newProduct(tenant, { payment_frequency: 'biweekly' });
  const loans = {
    monthly: (await newLoan(tenant, { product_id: monthly })).id,
    biweekly: (await newLoan(tenant, { product_id: biweekly, term_months: 12 })).id,
    single: (await newLoan(tenant, { product_id: single, term_months: 3 })).id,
    line: await openLineOfCredit(tenant),
    reversed: (await newLoan(tenant, { product_id: monthly })).id,
    paidDown: (await newLoan(tenant, { product_id: monthly })).id,
  };
  await travelTo(stage, tenant, '2026-02-20');
  for (const id of Object.values(loans))
    expect(await admin.post(`/loans/${id}/accelerate`)).toMatchObject({ status: 200 });
  await travelTo(stage, tenant, '2026-03-10');
  await admin.post(`/loans/${loans.reversed}/reverse-acceleration`);
  await admin.post(`/loans/${loans.paidDown}/payments`, { amount: '10000.00' });
  await travelTo(stage, tenant, '2026-05-01');
  await runCreditReports(stage);

  const reported = async (id: string) => {
    const records = (await creditRecords(tenant, id)).toReversed();
    const valuesOf = (field: string) => records.map((record) => record[field]);
    return {
      terms: [records[0]?.['terms_duration'], records[0]?.['terms_frequency']],
      payments: valuesOf('scheduled_monthly_payment'),
      past_due: valuesOf('amount_past_due'),
      balances: valuesOf('current_balance'),
      statuses: valuesOf('account_status'),
    };
  };
  const debt = { balances: [10039, 10104, 10176, 10246], past_due: [0, 0, 10174, 10244] };

  expect(await reported(loans.monthly)).toEqual({
    ...debt,
    terms: ['036', 'M'],
    payments: [315, 315, 315, 315],
    statuses: ['11', '11', '71', '78'],
  });
  expect(await reported(loans.biweekly)).toEqual({
    ...debt,
    terms: ['012', 'B'],
    payments: [870, 870, 870, 870],
    past_due: [0, 401, 10174, 10244],
    statuses: ['11', '71', '78', '80'],
  });
  // The single payment of 10,209.59 was agreed for April, with the interest until then.
  expect(await reported(loans.single)).toEqual({
    ...debt,
    terms: ['001', 'P'],
    payments: [0, 10104, 0, 0],
    statuses: ['11', '11', '71', '78'],
  });
  // The first minimum payment was billed in February, and the acceleration ends the bills.
  expect(await reported(loans.line)).toMatchObject({
    terms: ['LOC', 'M'],
    payments: [0, 101, 101, 101],
    statuses: ['11', '11', '71', '78'],
  });
  expect(await reported(loans.reversed)).toMatchObject({
    terms: ['036', 'M'],
    payments: [315, 315, 315, 315],
    past_due: [0, 0, 315, 631],
  });
  expect(await reported(loans.paidDown)).toMatchObject({
    payments: [315, 315, 315, 127],
    past_due: [0, 0, 126, 127],
    balances: [10039, 10104, 126, 127],
  });
});
