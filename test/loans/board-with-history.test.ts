import { expect, test } from 'vitest';
import { readLoan } from '../../jobs/loans/history/open-loan.ts';
import { refoldLoan } from '../../jobs/loans/history/refold-loan.ts';
import { newLoan } from '../setup/loans.ts';
import { newProduct } from '../setup/products.ts';
import { travelTo } from '../setup/queue.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

const TERMS = {
  principal_amount: '10000.00',
  interest_rate: '0.085',
  term_months: 36,
  origination_date: '2025-01-10',
  first_payment_date: '2025-02-10',
};
const INSTALLMENT = '315.68';

async function parentsOf(tenant: Tenant) {
  const { borrower_id } = await newLoan(tenant, { status: 'pending' });
  const product_id = await newProduct(tenant, {
    fee_rules: [
      {
        fee_type: 'late',
        calculation: 'flat',
        amount: '25.00',
        trigger: 'past_due',
        grace_days: 10,
      },
    ],
  });
  return { borrower_id, program_id: await tenant.first('/programs'), product_id };
}

const paid = (transaction_id: string, date: string, amount = INSTALLMENT) => ({
  transaction_id,
  date,
  type: 'payment',
  amount,
});

/** Everything that the loan shows, without what says how it came here. */
async function shown(tenant: Tenant, id: string) {
  const { body } = await tenant.officer.get(`/loans/${id}`);
  // The final payment is as of the last event, which is the boarding of one of the loans.
  const { id: _, ...loan } = body;
  const own = ['loan_number', 'created_at', 'updated_at', 'paid_off_at', 'final_payment_amount'];
  for (const field of own) delete loan[field];
  const payoff = await tenant.officer.post(`/loans/${id}/payoff-quotes`, {
    payoff_date: loan.next_payment_date,
  });
  const { payoff_amount, per_diem } = payoff.body;
  const { state } = await tenant.within((work) => readLoan(work, id));
  const fees = state.fees.map(({ fee_id: __, ...fee }) => fee);
  return { loan, schedule: state.installments, payoff_amount, per_diem, fees };
}

test('a loan that lived elsewhere owes the same as one that lived here, and both continue alike', async () => {
  const tenant = await stage.tenant('2025-01-10');
  const parents = await parentsOf(tenant);
  const { body: lived } = await tenant.officer.post('/loans/board', { ...parents, ...TERMS });
  const pay = (id: string, amount = INSTALLMENT) =>
    tenant.officer.post(`/loans/${id}/payments`, { amount });
  await travelTo(stage, tenant, '2025-02-08');
  await pay(lived.id);
  await travelTo(stage, tenant, '2025-03-14');
  const bounced = await pay(lived.id);
  await travelTo(stage, tenant, '2025-03-18');
  await tenant.officer.post(`/payments/${bounced.body.id}/reverse`, { reason: 'other' });
  await travelTo(stage, tenant, '2025-04-15');
  await pay(lived.id, '400.00');
  await travelTo(stage, tenant, '2025-05-20');

  const charged = (await tenant.officer.get(`/loans/${lived.id}/fees`)).body;
  const lateFees = charged.map((fee: Record<string, string>, n: number) => ({
    transaction_id: `L${n}`,
    date: fee['effective_date'],
    type: 'late_fee',
    amount: fee['amount'],
  }));
  const history = {
    transactions: [
      ...lateFees,
      paid('P1', '2025-02-08'),
      paid('P2', '2025-03-14'),
      { transaction_id: 'R2', date: '2025-03-18', type: 'payment_reversal', reverses: 'P2' },
      paid('P3', '2025-04-15', '400.00'),
    ],
  };
  const boarded = await tenant.officer.post('/loans/board', { ...parents, ...TERMS, history });
  expect(boarded.status, JSON.stringify(boarded.body)).toBe(201);
  const imported = boarded.body;

  expect(await violationsIn(stage)).toEqual([]);
  expect(await shown(tenant, imported.id)).toEqual(await shown(tenant, lived.id));
  const entries = (await tenant.officer.get(`/ledger/entries?loan_id=${imported.id}`)).body;
  await tenant.within((work) => refoldLoan(work, imported.id));
  expect((await tenant.officer.get(`/ledger/entries?loan_id=${imported.id}`)).body).toEqual(
    entries,
  );
  expect(entries).toHaveLength(1);

  const both = [lived.id, imported.id];
  const each = async (act: (id: string) => Promise<{ status: number; body: unknown }>) => {
    for (const id of both) {
      const { status, body } = await act(id);
      expect(status, JSON.stringify(body)).toBeLessThan(300);
    }
    expect(await shown(tenant, imported.id)).toEqual(await shown(tenant, lived.id));
    expect(await violationsIn(stage)).toEqual([]);
  };
  const paymentOf = async (id: string, date: string) => {
    const { body } = await tenant.officer.get(`/loans/${id}/payments`);
    return body.find((payment: Record<string, string>) => payment['effective_date'] === date).id;
  };
  const reverse = async (id: string, date: string) =>
    tenant.officer.post(`/payments/${await paymentOf(id, date)}/reverse`, { reason: 'other' });
  await each((id) => pay(id, '700.00'));
  await each((id) => reverse(id, '2025-02-08'));
  await each((id) =>
    tenant.officer.post(`/loans/${id}/payments`, { amount: '50.00', effective_date: '2025-03-01' }),
  );
  await each(async (id) => {
    const fees = (await tenant.officer.get(`/loans/${id}/fees`)).body;
    const first = fees.find((fee: Record<string, unknown>) => fee['installment_number'] === 2);
    return tenant.officer.post(`/fees/${first.id}/waive`, { reason: 'Goodwill' });
  });
  await travelTo(stage, tenant, '2025-07-05');
  await each((id) => pay(id, '900.00'));
  await each((id) => reverse(id, '2025-04-15'));
  await travelTo(stage, tenant, '2025-08-12');
  await each((id) => tenant.officer.post(`/loans/${id}/pay-off`, {}));
  expect((await tenant.officer.get(`/loans/${imported.id}`)).body.status).toBe('paid_off');
});
