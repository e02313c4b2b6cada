import { expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../sql/database/db.ts';
import type { Reply } from '../../setup/client.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

type Ground = { tenant: Tenant; loan_id: string };
type Step = (ground: Ground, before: string) => Promise<Reply>;

const pay: Step = ({ tenant, loan_id }) =>
  tenant.officer.post(`/loans/${loan_id}/payments`, { amount: '100.00', payment_method: 'check' });
const charge: Step = ({ tenant, loan_id }) =>
  tenant.officer.post(`/loans/${loan_id}/fees`, { fee_type: 'other', amount: '15.00' });
const credit: Step = ({ tenant, loan_id }) =>
  tenant.officer.post(`/loans/${loan_id}/service-credits`, {
    amount: '25.00',
    credit_type: 'goodwill',
    reason: 'Sorry',
    apply_to: 'principal',
  });
const modify =
  (terms: object): Step =>
  ({ tenant, loan_id }) =>
    tenant.officer.post(`/loans/${loan_id}/modifications`, terms);
const chargeOff: Step = async ({ tenant, loan_id }) =>
  (await tenant.signedIn('admin')).post(`/loans/${loan_id}/charge-off`, { reason: 'fraud' });

/** An event on a quoted loan, and the events that must precede the quote. */
const HAPPENINGS: { what: string; does: Step; first?: Step; leaves?: string }[] = [
  { what: 'a payment', does: pay },
  {
    what: 'a payment that comes back',
    first: pay,
    does: ({ tenant }, id) => tenant.officer.post(`/payments/${id}/reverse`, { reason: 'nsf' }),
  },
  { what: 'a fee', does: charge },
  {
    what: 'a waived fee',
    first: charge,
    does: ({ tenant }, id) => tenant.officer.post(`/fees/${id}/waive`, { reason: 'Goodwill' }),
  },
  { what: 'a service credit', does: credit },
  {
    what: 'a credit that is taken back',
    first: credit,
    does: ({ tenant }, id) => tenant.officer.post(`/service-credits/${id}/reverse`),
  },
  {
    what: 'another rate',
    does: modify({ modification_type: 'rate_change', new_interest_rate: '0.04' }),
  },
  {
    what: 'a capitalization',
    first: async (loan) => {
      const charged = await charge(loan, '');
      await travelTo(stage, loan.tenant, '2026-01-16');
      return charged;
    },
    does: modify({ modification_type: 'capitalization', capitalize_fees: true }),
  },
  {
    what: 'a draw',
    does: ({ tenant, loan_id }) =>
      tenant.officer.post(`/loans/${loan_id}/draws`, { amount: '500.00' }),
  },
  { what: 'a charge-off', does: chargeOff },
  {
    what: 'a longer term',
    does: modify({ modification_type: 'term_extension', extend_months: 6 }),
    leaves: 'active',
  },
];

async function ground(): Promise<Ground> {
  const tenant = await stage.tenant('2026-01-15');
  const product_id = await newProduct(tenant, { loan_type: 'line_of_credit' });
  const { id } = await newLoan(tenant, { product_id, status: 'approved' });
  await tenant.officer.post(`/loans/${id}/disburse`, { amount: '4000.00' });
  return { tenant, loan_id: id };
}

for (const { what, does, first, leaves = 'superseded' } of HAPPENINGS)
  test(`after ${what}, a payoff quote is ${leaves}`, async () => {
    const loan = await ground();
    const { tenant, loan_id } = loan;
    const before = await first?.(loan, '');
    const quote = await tenant.officer.post(`/loans/${loan_id}/payoff-quotes`, {});

    const done = await does(loan, String(before?.body.id));

    const after = await tenant.officer.get(`/payoff-quotes/${quote.body.id}`);
    expect(done.body.message ?? '').toBe('');
    expect([200, 201]).toContain(done.status);
    expect(after.body.status).toBe(leaves);
    expect(await historyOf(loan, quote.body.id)).toEqual(
      leaves === 'superseded' ? [{ old: 'active', new: 'superseded' }] : [],
    );
  });

const historyOf = ({ tenant }: Ground, id: string) =>
  tenant.within(({ tx }) =>
    tx.anyFirst(sql.type(z.object({ status: z.record(z.string(), z.string()) }))`
      select changes -> 'status' as status from audit_log
      where entity_type = 'payoff_quotes' and entity_id = ${id} and action = 'update'
      order by id
    `),
  );

test('a superseded quote cannot be used for a payoff, and the refusal asks for a new quote', async () => {
  const loan = await ground();
  const { tenant, loan_id } = loan;
  const path = `/loans/${loan_id}/payoff-quotes`;
  const old = await tenant.officer.post(path, {});
  await charge(loan, '');

  const payoff_quote_id = old.body.id;
  const refused = await tenant.officer.post(`/loans/${loan_id}/pay-off`, { payoff_quote_id });
  const fresh = await tenant.officer.post(path, {});
  const paid = await tenant.officer.post(`/loans/${loan_id}/pay-off`, {
    payoff_quote_id: fresh.body.id,
  });

  expect(refused).toMatchObject({
    status: 409,
    body: {
      code: 'quote_not_active',
      message: expect.stringContaining('Request a new quote'),
      details: { quote_status: 'superseded' },
    },
  });
  expect(paid.body.status).toBe('paid_off');
  expect(await historyOf(loan, fresh.body.id)).toEqual([{ old: 'active', new: 'accepted' }]);
});

test('a quote is valid until the close of its last day, and stays expired afterwards', async () => {
  const loan = await ground();
  const { tenant, loan_id } = loan;
  const quote = await tenant.officer.post(`/loans/${loan_id}/payoff-quotes`, {
    good_through_date: '2026-01-17',
  });
  const status = async () =>
    (await tenant.officer.get(`/payoff-quotes/${quote.body.id}`)).body.status;

  await travelTo(stage, tenant, '2026-01-17');
  const lastDay = await status();
  await travelTo(stage, tenant, '2026-01-18');
  const dayAfter = await status();
  const removed = await tenant.officer.delete(`/payoff-quotes/${quote.body.id}`);
  await pay(loan, '');
  await tenant.officer.post(`/loans/${loan_id}/payoff-quotes`, {});

  expect([lastDay, dayAfter, await status()]).toEqual(['active', 'expired', 'expired']);
  expect(removed).toMatchObject({ status: 409, body: { code: 'immutable' } });
});
