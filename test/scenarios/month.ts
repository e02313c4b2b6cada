import { Big } from 'big.js';
import { csvOf } from '../setup/books.ts';
import type { Client } from '../setup/client.ts';
import { importTape } from '../setup/imports.ts';
import { newLoan } from '../setup/loans.ts';
import { newProduct } from '../setup/products.ts';
import { travelTo } from '../setup/queue.ts';
import type { Stage, Tenant } from '../setup/world.ts';
import { cents, text } from './by-hand.ts';
import { rowsOf, START, WISHES, type Wish } from './kinds.ts';
import { deedsOf, done, type Deed } from './manners.ts';
import type { Lent, Month, Told } from './month-by-hand.ts';

/** Each investor's yearly fee, as text and in millionths, and the date of the purchase. */
export const INVESTORS = [
  { name: 'First Fund', rate: '0.005', millionths: 5000n, agreed: '2027-10-20', on: '2027-10-25' },
  {
    name: 'Second Bank',
    rate: '0.0025',
    millionths: 2500n,
    agreed: '2027-10-20',
    on: '2027-10-28',
  },
  {
    name: 'Third House',
    rate: '0.00375',
    millionths: 3750n,
    agreed: '2027-11-03',
    on: '2027-11-10',
  },
] as const;
export const [FIRST_MONTH, MONTH, LAST] = ['2027-10-31', '2027-11-30', '2027-12-03'];

/** All rows of a list, fetched a hundred at a time. */
export async function allOf(client: Client, path: string): Promise<Told[]> {
  const found: Told[] = [];
  for (;;) {
    const range = JSON.stringify([found.length, found.length + 99]);
    const { body } = await client.get(`${path}?range=${encodeURIComponent(range)}`);
    found.push(...(body as Told[]));
    if ((body as Told[]).length < 100) return found;
  }
}

/** Runs some in parallel, in any order. */
export async function some<One>(all: readonly One[], run: (one: One) => Promise<unknown>) {
  const left = [...all];
  const turn = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await run(next);
  };
  await Promise.all(Array.from({ length: 6 }, turn));
}

const millionthsOf = (rate: string) => BigInt(new Big(rate).times(1_000_000).toFixed(0));
const BOARDED = { ...WISHES[0], name: 'from another servicer' } as Wish;
const KINDS = [...WISHES, BOARDED];

/** Loans of every kind and amount, the same in every run. */
async function lend({ tenant, admin }: { tenant: Tenant; admin: Client }, count: number) {
  const usual = { program_id: await tenant.first('/programs') };
  const products = new Map<string, string>();
  for (const { name, product } of WISHES)
    products.set(name, await newProduct(tenant, product, admin));
  const wishes = Array.from({ length: count }, (_, number) => {
    const wish = KINDS[number % KINDS.length] ?? BOARDED;
    const amount = text(cents(wish.amount) + 1_731n * BigInt(Math.floor(number / KINDS.length)));
    return { number, ...wish, amount };
  });
  const loans: Lent[] = [];
  const keep = (id: string, { number, ...wish }: Wish & { number: number }) => {
    const { name: kind, rate, amount, product, year = 365n } = wish;
    const buyer = (Math.floor(number / 2) % 4) - 1;
    const sold = buyer < 0 ? undefined : { to: buyer, on: INVESTORS[buyer]?.on ?? '' };
    loans.push({
      number,
      id,
      kind,
      rate,
      rows: rowsOf(wish),
      isBoarded: wish.name === BOARDED.name,
      pace: {
        millionths: millionthsOf(rate),
        year,
      },
      isPlanned: product['interest_method'] === 'scheduled',
      facts: [
        {
          kind: 'fund',
          date: START,
          cents: cents(amount),
          known: START,
        },
      ],
      ...(sold && { sold }),
    });
  };
  const boarded = wishes.filter(({ name }) => name === BOARDED.name);
  const rows = boarded.map((wish) => tapeRow(wish, text(rowsOf(wish)[0]?.payment ?? 0n)));
  const ids = await importTape(tenant, csvOf(...rows));
  ids.forEach((id, index) => keep(id, boarded[index] as Wish & { number: number }));
  await some(
    wishes.filter(({ name }) => name !== BOARDED.name),
    async (wish) => {
      const { rate, months, amount, first, name } = wish;
      const terms = { principal_amount: amount, interest_rate: rate, term_months: months };
      const made = { ...usual, ...terms, product_id: products.get(name), status: 'approved' };
      const { id } = await newLoan(tenant, made as never);
      const funded = { ...(first && { first_payment_date: first }) };
      await done(tenant.officer.post(`/loans/${id}/disburse`, funded));
      keep(id, wish);
    },
  );
  return loans.toSorted((one, other) => one.number - other.number);
}

const tapeRow = (
  { number, rate, months, amount }: Wish & { number: number },
  payment_amount: string,
) => ({
  loan_number: `M-${number}`,
  borrower_external_id: `MB-${number}`,
  borrower_first_name: 'Ada',
  borrower_last_name: 'Byron',
  borrower_state: 'NY',
  principal_amount: amount,
  current_principal_balance: amount,
  interest_rate: rate,
  term_months: String(months),
  payment_amount,
  origination_date: START,
  first_payment_date: '2027-11-15',
  status: 'active',
});

/** An investor agrees to buy their loans as one portfolio for one percent above the principal. */
async function agree({ admin, loans, prices, investors }: Month, to: number) {
  const { name, on, agreed } = INVESTORS[to] ?? INVESTORS[0];
  const theirs = loans.filter(({ sold }) => sold?.to === to).map(({ id }) => id);
  const { id } = await done(admin.post('/portfolios', { name }));
  for (let at = 0; at < theirs.length; at += 500)
    await done(
      admin.post(`/portfolios/${id}/assign-loans`, { loan_ids: theirs.slice(at, at + 500) }),
    );
  const sale_price = text(BigInt(theirs.length) * 900_001n);
  const sale = { investor_id: investors[to], sale_price, sale_date: agreed, settlement_date: on };
  await done(admin.post(`/portfolios/${id}/sell`, sale));
  prices.push({ on, cents: cents(sale_price) });
}

/**
 * Closes the books of a month, creates every investor's remittance, and pays the named investors a day
 * later.
 */
async function tell({ admin, investors, told, remitted }: Month, month: string) {
  await done(admin.post('/ledger/closings', { closed_through: month }));
  for (const [investor, id] of investors.entries()) {
    const made = admin.post(`/investors/${id}/remittances`, { period_end: month });
    const remittance: Told = await done(made);
    const parts = await allOf(admin, `/remittances/${remittance['id']}/loans`);
    told.push({ investor, month, remittance, parts });
    const [fee, due] = [remittance['servicing_fee'], remittance['amount_due']];
    const bookedOn = `${month.slice(0, 5)}${String(Number(month.slice(5, 7)) + 1)}-01`;
    remitted.push({ bookedOn, fee: cents(fee ?? ''), due: cents(due ?? '') });
  }
}

/**
 * Loans of every kind from mid-October, kept or sold to one of three investors, and their borrowers'
 * actions through November and the first days of December.
 */
export async function liveTheMonth(stage: Stage, count: number): Promise<Month> {
  const tenant = await stage.tenant(START);
  const admin = await tenant.signedIn('admin');
  const investors: string[] = [];
  for (const { name, rate } of INVESTORS)
    investors.push((await done(admin.post('/investors', { name, servicing_fee_rate: rate }))).id);
  const loans = await lend({ tenant, admin }, count);
  const month: Month = {
    stage,
    tenant,
    admin,
    loans,
    investors,
    prices: [],
    remitted: [],
    told: [],
  };
  const deeds: Deed[] = [
    { on: '2027-10-20', run: () => agree(month, 0) },
    { on: '2027-10-20', run: () => agree(month, 1) },
    { on: '2027-11-03', run: () => agree(month, 2) },
    { on: '2027-11-03', run: () => tell(month, FIRST_MONTH) },
    { on: '2027-12-01', run: () => tell(month, MONTH) },
    { on: '2027-12-02', run: () => payOut(month) },
    ...loans.flatMap((loan) => deedsOf(month, loan)),
  ];
  const days = Map.groupBy(deeds, ({ on }) => on);
  for (const on of [...days.keys()].toSorted()) {
    await travelTo(stage, tenant, on);
    await some(days.get(on) ?? [], ({ run }) => run());
  }
  await travelTo(stage, tenant, '2027-12-04');
  return month;
}

/** Pays two of three investors on the second day of the next month. */
async function payOut({ admin, told, remitted }: Month) {
  for (const [at, { investor, month, remittance }] of told.entries()) {
    const kept = remitted[at];
    if (investor === 2 || month !== MONTH || !kept) continue;
    await done(admin.post(`/remittances/${remittance['id']}/pay`, {}));
    kept.paidOn = '2027-12-02';
  }
}
