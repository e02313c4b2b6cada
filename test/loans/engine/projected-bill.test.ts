import { expect, test } from 'vitest';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

/** Loans of 1,000.00 over two months whose daily interest changes before the last due date. */
const KINDS = {
  'a promotion that ends': { product: {}, promo: true, asked: '497.92' },
  'the next period of a scheduled loan': {
    product: { interest_method: 'scheduled', day_count: '30_360' },
    asked: '505.31',
  },
  'the next period of a flat loan': { product: { interest_method: 'flat' }, asked: '507.09' },
};

test('a bill for the whole balance includes interest until its due date, for every accrual method', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const staff = tenant.officer;
  const loans = new Map<string, { id: string; asked: string }>();
  for (const [name, { product, asked, ...kind }] of Object.entries(KINDS)) {
    const product_id = await newProduct(tenant, product);
    const wish = { product_id, principal_amount: '1000.00', term_months: 2 };
    const { id } = await newLoan(tenant, wish);
    const promo = { promo_rate: '0', start_date: '2026-01-20', end_date: '2026-02-24' };
    if ('promo' in kind) await staff.post(`/loans/${id}/activate-promo`, promo);
    loans.set(name, { id, asked });
  }
  await travelTo(stage, tenant, '2026-02-05');
  for (const { id } of loans.values()) {
    const { body } = await staff.get(`/loans/${id}`);
    await staff.post(`/loans/${id}/payments`, { amount: body.next_payment_amount });
  }

  for (const day of ['2026-02-05', '2026-02-15', '2026-02-25', '2026-03-15']) {
    await travelTo(stage, tenant, day);
    for (const [name, { id, asked }] of loans) {
      const bill = { next_payment_date: '2026-03-15', next_payment_amount: asked };
      const read = (path = '') => staff.get(`/loans/${id}${path}`);
      expect((await read()).body, `${name} on ${day}`).toMatchObject({
        ...bill,
        final_payment_amount: asked,
        amount_due: asked,
      });
      expect((await read('/get-balances')).body, `${name} on ${day}`).toMatchObject(bill);
    }
  }

  for (const [name, { id, asked }] of loans) {
    await staff.post(`/loans/${id}/payments`, { amount: asked });
    const paid = { status: 'paid_off', total_balance: '0.00', suspense_balance: '0.00' };
    expect((await staff.get(`/loans/${id}`)).body, name).toMatchObject(paid);
  }
}, 120_000);
