import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays } from '../../jobs/dates.ts';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { newPortfolioForSale } from '../setup/sales.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const RUNS = Number(process.env['LIVES'] ?? 2);
const SETTLED_ON = '2026-02-20';

type Paid = { amount: string; on: string; found: string };

/** The final balances of seller and investor for a loan sold for 9,800.00. */
async function livesOf(payments: readonly Paid[]) {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const { admin, sell, balances } = await newPortfolioForSale(tenant, id);
  await sell({ sale_price: '9800.00', settlement_date: SETTLED_ON });
  for (const { amount, on, found } of payments.toSorted((a, b) => (a.found < b.found ? -1 : 1))) {
    await travelTo(stage, tenant, found);
    const path = `/loans/${id}/payments`;
    const made = await tenant.officer.post(path, { amount, payment_date: on });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  }
  await travelTo(stage, tenant, '2026-03-05');
  const books = await balances();
  const [sale] = (await admin.get('/ledger/entries?reference_type=portfolio_sale&limit=1')).body;
  const loan = (await tenant.officer.get(`/loans/${id}`)).body;
  const sum = (...names: string[]) =>
    names.reduce((total, name) => total + BigInt((books[name] ?? '0.00').replace('.', '')), 0n);
  return {
    loan: [loan.principal_balance, loan.accrued_interest, loan.total_balance],
    cash: sum('Cash'),
    investor: sum('Due to Investors'),
    // Interest booked before the payment was found remains income and reduces the gain.
    result: sum('Interest Income', 'Gain on Sale', 'Loss on Sale'),
    receivable: sum('Loans Receivable', 'Interest Receivable'),
    sale,
    books,
    admin,
    id,
  };
}

test('a payment dated before the settlement but entered later belongs to the seller', async () => {
  const { books, admin, id } = await livesOf([
    { amount: '300.00', on: '2026-02-16', found: '2026-02-25' },
    { amount: '200.00', on: '2026-02-26', found: '2026-02-26' },
  ]);
  const shares = await admin.get(`/ledger/loans/${id}/sub-ledger?limit=1000`);
  const entries = shares.body as { reference_type: string; entry_date: string }[];
  const dated = entries
    .filter(({ reference_type }) => reference_type === 'portfolio_sale')
    .map(({ entry_date }) => entry_date);

  // 10,000.00 lent, 9,800.00 and 300.00 received. The interest accrued by then was sold with the loan.
  expect(books).toEqual({
    Cash: '300.00',
    'Due to Investors': '-200.00',
    'Interest Income': '-83.84',
    'Gain on Sale': '-300.00',
    'Loss on Sale': '283.84',
  });
  expect(dated).toEqual([SETTLED_ON, SETTLED_ON]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a returned payment from before the settlement is the seller’s loss', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const { sell, balances } = await newPortfolioForSale(tenant, id);
  await sell({ sale_price: '9800.00', settlement_date: SETTLED_ON });
  await travelTo(stage, tenant, '2026-02-16');
  const paid = await tenant.officer.post(`/loans/${id}/payments`, { amount: '300.00' });
  await travelTo(stage, tenant, '2026-02-25');

  const back = await tenant.officer.post(`/payments/${paid.body.id}/reverse`, { reason: 'nsf' });
  const books = await balances();

  expect(back.status, JSON.stringify(back.body)).toBeLessThan(300);
  expect(books).toMatchObject({ Cash: '-200.00' });
  expect(books).not.toHaveProperty('Due to Investors');
  expect(await violationsIn(stage)).toEqual([]);
});

test('seller and investor get the same amounts, whenever payments are entered', async () => {
  const payment = fc.record({
    amount: fc.integer({ min: 1, max: 40_000 }).map((cents) => (cents / 100).toFixed(2)),
    on: fc.integer({ min: 0, max: 40 }).map((days) => addDays('2026-01-16', days)),
    delay: fc.integer({ min: 0, max: 20 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(payment, { minLength: 1, maxLength: 4 }), async (payments) => {
      const inTime = payments.map(({ amount, on }) => ({ amount, on, found: on }));
      const late = payments.map(({ amount, on, delay }) => {
        const found = [addDays(on, delay), '2026-03-05'].toSorted()[0] ?? on;
        // A payment dated on the settlement day is the seller's until that day's close and the investor's
        // afterwards.
        const isMoved = on === SETTLED_ON && found > on;
        return { amount, on, found: isMoved ? on : found };
      });

      const [one, other] = [await livesOf(inTime), await livesOf(late)];

      const told = ({ loan, cash, investor, result, receivable }: typeof one) => ({
        loan,
        cash,
        investor,
        result,
        receivable,
      });
      expect(told(other)).toEqual(told(one));
      expect(one.receivable).toBe(0n);
      expect(await violationsIn(stage)).toEqual([]);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
}, 300_000);

test('a manual entry posted between sale and buyback is the investor’s, whenever it was drafted', async () => {
  const tenant = await stage.tenant('2026-01-30');
  const { id } = await newLoan(tenant);
  const { admin, accounts, sell, investor_id, buyBack } = await newPortfolioForSale(tenant, id);
  const draft = (amount: string, entry_date: string) =>
    admin.post('/ledger/entries', {
      loan_id: id,
      entry_date,
      lines: [
        {
          account_id: accounts['cash'],
          debit: amount,
        },
        {
          account_id: accounts['due_to_investors'],
          credit: amount,
        },
      ],
    });
  const post = (entry: { body: { id: string } }) =>
    admin.post(`/ledger/entries/${entry.body.id}/post`);
  const early = await draft('50.00', '2026-02-02');
  await sell({ sale_price: '10000.00' });
  await travelTo(stage, tenant, '2026-02-02');

  const posted = await post(early);
  const late = await draft('7.00', '2026-02-03');
  await buyBack({ loan_ids: [id], price: '10000.00' });
  const after = await post(late);
  await travelTo(stage, tenant, '2026-03-02');
  await admin.post('/ledger/closings', { closed_through: '2026-02-28' });
  const told = await admin.post(`/investors/${investor_id}/remittances`, {});

  expect([posted, after, told].map(({ status }) => status)).toEqual([200, 200, 201]);
  expect(told.body).toMatchObject({ collected: '50.00', other_collected: '50.00' });
});
