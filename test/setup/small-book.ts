import { openLineOfCredit } from './lines-of-credit.ts';
import { newLoan } from './loans.ts';
import { assertOk } from './portal.ts';
import { travelTo } from './queue.ts';
import type { Stage, Tenant } from './world.ts';

const LATE_FEE = {
  fee_rules: [{ fee_type: 'late', trigger: 'past_due', calculation: 'flat', amount: '25.00' }],
};

/**
 * A book of 14 loans from 15 January to 20 June 2026: paid on time, late with a waived fee, paid off, charged off with a
 * recovery, with a bounced payment, scheduled and flat interest, 30/360, biweekly, a line of credit, and loans that are
 * not funded yet.
 */
export async function newSmallBook(stage: Stage, tenant: Tenant) {
  const { officer } = tenant;
  const admin = await tenant.signedIn('admin');
  let products = 0;
  const loanWith = async (product: object, terms: object = {}) => {
    products += 1;
    const made = await admin.post('/products', {
      name: `P${products}`,
      code: `P${products}`,
      ...product,
    });
    return (await newLoan(tenant, { product_id: assertOk(made)['id'], ...terms })).id;
  };
  const pay = async (id: string, amount: string, more: object = {}) =>
    assertOk(await officer.post(`/loans/${id}/payments`, { amount, ...more }));
  const onTime = await loanWith(LATE_FEE);
  const late = await loanWith(LATE_FEE);
  const scheduled = await loanWith({ interest_method: 'scheduled' });
  const flat = await loanWith({ interest_method: 'flat' });
  const thirty = await loanWith({ day_count: '30_360', allocation_order: 'interest_first' });
  const biweekly = await loanWith({ payment_frequency: 'biweekly' });
  const paidOff = await loanWith({}, { principal_amount: '500.00', term_months: 12 });
  const lost = await loanWith(LATE_FEE);
  const alsoOnTime = await loanWith(LATE_FEE);
  const bounced = await loanWith(LATE_FEE);
  const line = await openLineOfCredit(tenant);
  await newLoan(tenant, { status: 'pending' });
  await newLoan(tenant, { status: 'approved' });
  await newLoan(tenant, { status: 'pending' });
  for (const month of ['02', '03', '04', '05', '06']) {
    await travelTo(stage, tenant, `2026-${month}-14`);
    for (const id of [onTime, scheduled, flat, thirty, alsoOnTime])
      await pay(id, (await officer.get(`/loans/${id}`)).body.amount_due);
    await pay(biweekly, '300.00');
    await pay(line, '100.00');
    if (month === '02') {
      await pay(late, '100.00');
      assertOk(await officer.post(`/loans/${line}/draws`, { amount: '500.00' }));
      const { total_balance } = (await officer.get(`/loans/${paidOff}`)).body;
      await pay(paidOff, total_balance, { payment_type: 'payoff' });
    }
    if (month === '03') {
      const { id } = await pay(bounced, '315.68');
      assertOk(await admin.post(`/payments/${String(id)}/reverse`, { reason: 'nsf' }));
      assertOk(await admin.post(`/loans/${lost}/charge-off`, { reason: 'fraud' }));
      await pay(bounced, '200.00', { payment_date: '2026-03-05' });
    }
    if (month === '04') {
      await pay(lost, '75.00');
      const fees = (await officer.get(`/loans/${late}/fees`)).body as { id: string }[];
      assertOk(await admin.post(`/fees/${fees[0]?.id}/waive`, { reason: 'Goodwill' }));
    }
  }
  await travelTo(stage, tenant, '2026-06-20');
}
