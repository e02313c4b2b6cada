import { Big } from 'big.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { newPortfolioForSale } from '../setup/sales.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const RUNS = Number(process.env['LIVES'] ?? 2);

const pay = (tenant: Tenant, id: string, amount: string, payment_date: string) =>
  tenant.officer.post(`/loans/${id}/payments`, { amount, payment_date });

test('a remittance lists an investor’s collections and their share', async () => {
  const tenant = await stage.tenant('2026-01-30');
  const { id, borrower_id } = await newLoan(tenant);
  // A boarded loan's balance is owed to the previous servicer and is not a collection.
  const boarded = await tenant.officer.post('/loans/board', {
    borrower_id,
    principal_amount: '6000.00',
    current_principal_balance: '5000.00',
    interest_rate: '0.06',
    term_months: 36,
    origination_date: '2026-01-02',
    program_id: await tenant.first('/programs'),
    product_id: await tenant.first('/products'),
  });
  const { admin, sell, balances, investor_id } = await newPortfolioForSale(
    tenant,
    id,
    boarded.body.id,
  );
  const remit = (body: object = {}) => admin.post(`/investors/${investor_id}/remittances`, body);
  const early = await remit();
  await sell({ sale_price: '10000.00' });
  await travelTo(stage, tenant, '2026-02-28');
  const paid = await pay(tenant, id, '315.68', '2026-02-28');
  await travelTo(stage, tenant, '2026-03-02');
  const open = await remit({ period_end: '2026-02-28' });
  await admin.post('/ledger/closings', { closed_through: '2026-02-28' });
  const refused = [await remit({ period_end: '2026-02-27' })];

  const twice = await Promise.all([remit(), remit({ period_end: '2026-02-28' })]);
  const told = twice.find(({ status }) => status === 201)?.body;
  const parts = (await admin.get(`/remittances/${told.id}/loans`)).body;
  const fee = (await admin.get(`/ledger/entries/${told.journal_entry_id}`)).body;
  // A later discovery does not change a remittance.
  await tenant.officer.post(`/payments/${paid.body.id}/reverse`, { reason: 'nsf' });
  const again = (await admin.get(`/remittances/${told.id}`)).body;
  const books = await balances();
  const sent = await admin.post(`/remittances/${told.id}/pay`, { reference_number: 'W-1' });
  const resent = await admin.post(`/remittances/${told.id}/pay`, {});
  const undone = await admin.post(`/ledger/entries/${told.journal_entry_id}/reverse`, {
    reason: 'A mistake.',
  });

  expect(early).toMatchObject({ status: 409, body: { code: 'period_open' } });
  expect(open).toMatchObject({ status: 409, body: { code: 'period_open' } });
  expect(refused.map(({ body }) => body.errors)).toEqual([
    { period_end: 'Must be the last day of a month.' },
  ]);
  expect(twice.map(({ status }) => status)).toEqual(expect.arrayContaining([201, 409]));
  expect(twice.find(({ status }) => status === 409)?.body.code).toBe('already_made');
  // A twelfth of half a percent of 10000.00 and of 5000.00: 4.17 and 2.08.
  expect(told).toMatchObject({
    period_start: '2026-02-01',
    period_end: '2026-02-28',
    loan_count: 2,
    status: 'due',
    principal_owned: '15000.00',
    principal_collected: '248.15',
    interest_collected: '67.53',
    fees_collected: '0.00',
    other_collected: '0.00',
    collected: '315.68',
    servicing_fee: '6.25',
    amount_due: '309.43',
  });
  expect(parts).toHaveLength(2);
  expect(parts).toContainEqual(
    expect.objectContaining({ loan_id: id, collected: '315.68', servicing_fee_rate: '0.005' }),
  );
  expect(fee).toMatchObject({ entry_date: '2026-03-01', effective_date: '2026-02-28' });
  expect(again).toEqual(told);
  expect(books).toMatchObject({ 'Due to Investors': '-4993.75', 'Servicing Fee Income': '-6.25' });
  expect(sent).toMatchObject({
    status: 200,
    body: { status: 'paid', paid_on: '2026-03-02', reference_number: 'W-1' },
  });
  expect(resent).toMatchObject({ status: 409, body: { code: 'already_paid' } });
  expect(undone).toMatchObject({ status: 409, body: { code: 'immutable' } });
  expect(await balances()).toMatchObject({ 'Due to Investors': '-4684.32' });
  expect(await violationsIn(stage)).toEqual([]);
});

const loan = fc.nat(1);
const anyStep = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('pay' as const),
      loan,
      cents: fc.integer({ min: 1, max: 90_000 }),
      ago: fc.nat(4),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('reverse' as const), loan, which: fc.nat(1) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('sell' as const), loan, buyer: fc.nat(1) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('buy back' as const), loan }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      days: fc.integer({ min: 1, max: 12 }),
    }),
  },
);
/** Every story starts with a loan and a payment for each investor, so that no remittance is empty. */
const BEGINNING: readonly Step[] = [0, 1].flatMap((which): Step[] => [
  { kind: 'sell', loan: which, buyer: which },
  { kind: 'pay', loan: which, cents: 31_568 + which, ago: 0 },
]);

test('all collections for investors are remitted once, across changes of ownership', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 10 }), async (steps) => {
      const story = await begin();
      for (const step of [...BEGINNING, ...steps]) await story.take(step);
      const { told, due, expected } = await story.end();

      expect(told).toEqual(expected);
      expect(due).toBe('0.00');
      expect(await violationsIn(stage)).toEqual([]);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
}, 300_000);

type Step = typeof anyStep extends fc.Arbitrary<infer One> ? One : never;
type Paid = { id: string; amount: Big; owner: string | null; reversed: boolean };

/** Two loans and two investors from January on, and the remittances that each investor should receive. */
async function begin() {
  const tenant = await stage.tenant('2026-01-10');
  const admin = await tenant.signedIn('admin');
  const named = async (name: string) =>
    (await admin.post('/investors', { name })).body.id as string;
  const buyers = [await named('One'), await named('Other')] as const;
  const loans = await Promise.all(
    [0, 1].map(async () => ({
      id: (await newLoan(tenant)).id,
      owner: null as { id: string; portfolio: string; since: string } | null,
      paid: [] as Paid[],
    })),
  );
  let today = '2026-01-10';
  const came: Record<string, Big> = {};
  const count = (owner: string | null, amount: Big) => {
    if (owner !== null) came[owner] = (came[owner] ?? new Big(0)).plus(amount);
  };
  const go = async (day: string) => {
    await travelTo(stage, tenant, day);
    today = day;
  };
  const after = (days: number) =>
    new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10);

  async function take(step: Step) {
    if (step.kind === 'wait') return go(after(step.days));
    const loan = loans[step.loan];
    if (!loan) return;
    const { owner } = loan;
    if (step.kind === 'pay') {
      // A payment dated before the sale belongs to the seller, regardless of when it is entered.
      const day = [after(-step.ago), owner?.since ?? '', '2026-01-10'].toSorted().at(-1) ?? today;
      const amount = new Big(step.cents).div(100);
      const reply = await pay(tenant, loan.id, amount.toFixed(2), day);
      if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
      loan.paid.push({ id: reply.body.id, amount, owner: owner?.id ?? null, reversed: false });
      return count(owner?.id ?? null, amount);
    }
    if (step.kind === 'reverse') {
      const payment = loan.paid.filter(({ reversed }) => !reversed)[step.which];
      if (!payment || payment.owner !== (owner?.id ?? null)) return;
      const reply = await tenant.officer.post(`/payments/${payment.id}/reverse`, { reason: 'nsf' });
      if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
      payment.reversed = true;
      return count(payment.owner, payment.amount.times(-1));
    }
    if (step.kind === 'buy back') {
      if (owner === null) return;
      const terms = { loan_ids: [loan.id], price: '5000.00' };
      await admin.post(`/portfolios/${owner.portfolio}/buyback`, terms);
      loan.owner = null;
      for (const payment of loan.paid) payment.reversed = true;
      return;
    }
    if (owner !== null) return;
    const investor_id = buyers[step.buyer] ?? buyers[0];
    const made = await admin.post('/portfolios', { name: `Sold with ${loan.id} on ${today}` });
    const portfolio = made.body.id as string;
    const path = `/portfolios/${portfolio}`;
    await admin.post(`${path}/assign-loans`, { loan_ids: [loan.id] });
    const sold = await admin.post(`${path}/sell`, { investor_id, sale_price: '9000.00' });
    if (sold.status !== 200) throw new Error(JSON.stringify(sold.body));
    await go(after(1));
    loan.owner = { id: investor_id, portfolio, since: today };
  }

  async function end() {
    const months = [];
    for (let day = '2026-01-31'; day < today; day = monthAfter(day)) months.push(day);
    months.push(months.length === 0 ? '2026-01-31' : monthAfter(months.at(-1) ?? ''));
    const last = months.at(-1) ?? '';
    await travelTo(stage, tenant, nextDay(last));
    await admin.post('/ledger/closings', { closed_through: last });
    const told: Record<string, string> = {};
    for (const investor of buyers) {
      let all = new Big(0);
      for (const period_end of months) {
        const reply = await admin.post(`/investors/${investor}/remittances`, { period_end });
        if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
        all = all.plus(reply.body.collected);
        await admin.post(`/remittances/${reply.body.id}/pay`, {});
      }
      told[investor] = all.toFixed(2);
    }
    const trial = (await admin.get('/ledger/trial-balance?include_zero=true')).body.accounts as {
      code: string;
      debit: string;
      credit: string;
    }[];
    const due = trial.find(({ code }) => code === '2200');
    const expected = Object.fromEntries(
      buyers.map((investor) => [investor, (came[investor] ?? new Big(0)).toFixed(2)]),
    );
    return { told, expected, due: new Big(due?.credit ?? 0).minus(due?.debit ?? 0).toFixed(2) };
  }
  return { take, end };
}

const nextDay = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
const monthAfter = (day: string) => {
  const [year = 0, month = 0] = day.split('-').map(Number);
  return new Date(Date.UTC(year, month + 1, 0)).toISOString().slice(0, 10);
};
