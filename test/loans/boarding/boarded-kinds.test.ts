import { Big } from 'big.js';
import { expect, test } from 'vitest';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();
const TODAY = '2026-06-20';

type Row = Record<'due_date' | 'payment_amount' | 'principal_amount' | 'interest_amount', string>;

/** A calculation of its own, with its own dates: it shares no code with the schedule. */
const dayOf = (date: string) => Date.parse(`${date}T00:00:00Z`) / 86_400_000;
const daysFrom = (from: string, to: string) => dayOf(to) - dayOf(from);
const dateOf = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10);
/** The 15th of the months from the first on. */
const monthly = (first: string, count: number) =>
  Array.from({ length: count }, (_, index) => {
    const month = Number(first.slice(0, 4)) * 12 + Number(first.slice(5, 7)) - 1 + index;
    return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-15`;
  });

/** Each day counts as 1/365, or as 1/366 in a leap year. */
const actualActual = (from: string, to: string) => {
  let years = new Big(0);
  for (let day = dayOf(from); day < dayOf(to); day += 1) {
    const isLeap = Number(dateOf(day).slice(0, 4)) % 4 === 0;
    years = years.plus(new Big(1).div(isLeap ? 366 : 365));
  }
  return years;
};
const actualOver = (basis: number) => (from: string, to: string) =>
  new Big(daysFrom(from, to)).div(basis);

type Kind = {
  product: Record<string, unknown>;
  terms?: Record<string, unknown>;
  balance: string;
  /** The day through which interest is paid. */
  from?: string;
  dues?: string[];
  years?: (from: string, to: string) => Big;
  /** The payment of every row but the last, given its interest. */
  ask: (interest: Big) => Big;
};

/** Months of 30 days. The first one has 30 real days, 5 of which were over on the boarding date. */
const months = (from: string, to: string) =>
  new Big([from, to].includes(TODAY) ? daysFrom(from, to) : 30).div(360);

/** The interest of a period is the rounded total so far less what the earlier rows asked for. */
function byHand({
  balance,
  from = '2026-06-15',
  dues = DUES,
  years = actualOver(365),
  ...kind
}: Kind) {
  Big.DP = 40;
  const earned = (on: Big, since: string, to: string) => on.times('0.085').times(years(since, to));
  let [left, asked, since] = [new Big(balance), new Big(0), TODAY];
  // The interest until the boarding is booked in cents.
  let accrued = earned(left, from, TODAY).round(2, 1);
  return dues.map((due_date, index) => {
    accrued = accrued.plus(earned(left, since, due_date));
    const interest = accrued.round(2, 1).minus(asked);
    asked = asked.plus(interest);
    since = due_date;
    const whole = left.plus(interest);
    const wanted = index === dues.length - 1 ? whole : kind.ask(interest);
    const payment = wanted.lt(whole) ? wanted : whole;
    left = whole.minus(payment);
    return {
      due_date,
      payment_amount: payment.toFixed(2),
      principal_amount: payment.minus(interest).toFixed(2),
      interest_amount: interest.toFixed(2),
    };
  });
}

/** 13 of 36 monthly installments are paid; 23 are left, the last on May 15, 2028. */
const DUES = monthly('2026-07-15', 23);
const level = (amount: string) => () => new Big(amount);

/**
 * 10,000.00 at 8.5 % over 36 months from May 15, 2025. A level installment is 315.68 (12 a year), 145.45
 * (26 a year), or 193.25 down to a balloon of 5,000.00.
 */
const KINDS: Record<string, Kind> = {
  'interest-only': {
    product: { amortization: 'interest_only' },
    balance: '10000.00',
    ask: (interest) => interest,
  },
  'with level principal': {
    product: { amortization: 'level_principal' },
    // 13 of 36 times 277.78 are repaid, so 277.78 remains the part of each month.
    balance: '6388.86',
    ask: (interest) => interest.plus('277.78'),
  },
  'with a balloon': {
    product: { amortization: 'balloon', balloon_amount: '5000.00' },
    balance: '8307.00',
    ask: level('193.25'),
  },
  'paid every two weeks': {
    product: { payment_frequency: 'biweekly' },
    terms: { first_payment_date: '2025-05-29', paid_through_date: '2026-06-11' },
    balance: '6700.00',
    from: '2026-06-11',
    // 28 of 78 installments are paid.
    dues: Array.from({ length: 50 }, (_, index) => dateOf(dayOf('2026-06-25') + 14 * index)),
    ask: level('145.45'),
  },
  'by actual/actual, across a leap year': {
    product: { day_count: 'actual_actual' },
    balance: '6700.00',
    years: actualActual,
    ask: level('315.68'),
  },
  'by actual/360': {
    product: { day_count: 'actual_360' },
    balance: '6700.00',
    years: actualOver(360),
    ask: level('315.68'),
  },
  'by 30/360': {
    product: { day_count: '30_360' },
    balance: '6700.00',
    years: months,
    ask: level('315.68'),
  },
};

async function board(
  tenant: Tenant,
  admin: Tenant['officer'],
  terms: object,
  product: Kind['product'],
) {
  const { borrower_id } = await newLoan(tenant, { status: 'pending' });
  const { status, body } = await tenant.officer.post('/loans/board', {
    borrower_id,
    program_id: await tenant.first('/programs'),
    product_id: await newProduct(tenant, product, admin),
    principal_amount: '10000.00',
    interest_rate: '0.085',
    term_months: 36,
    origination_date: '2025-05-15',
    first_payment_date: '2025-06-15',
    paid_through_date: '2026-06-15',
    ...terms,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id as string;
}

const readLoan = async ({ officer }: Tenant, id: string) => ({
  ...(await officer.get(`/loans/${id}`)).body,
  ...(await officer.get(`/loans/${id}/get-balances`)).body,
});

const openRowsOf = async ({ officer }: Tenant, id: string) => {
  const { body } = await officer.get(`/loans/${id}/amortization?limit=100`);
  return (body as (Row & { status: string })[])
    .filter(({ status }) => status !== 'paid')
    .map(({ due_date, payment_amount, principal_amount, interest_amount }) => ({
      due_date,
      payment_amount,
      principal_amount,
      interest_amount,
    }));
};

test('a loan of any kind that is boarded within a period has the installments, the interest and the payoff of its contract', async () => {
  const tenant = await stage.tenant(TODAY);
  const admin = await tenant.signedIn('admin');
  const boarded: { name: string; kind: Kind; id: string }[] = [];
  for (const [name, kind] of Object.entries(KINDS)) {
    const terms = { ...kind.terms, current_principal_balance: kind.balance };
    boarded.push({ name, kind, id: await board(tenant, admin, terms, kind.product) });
  }

  for (const { name, kind, id } of boarded) {
    const rows = byHand(kind);
    const loan = await readLoan(tenant, id);
    expect(await openRowsOf(tenant, id), name).toEqual(rows);
    expect(loan, name).toMatchObject({
      next_payment_date: rows[0]?.due_date,
      next_payment_amount: rows[0]?.payment_amount,
      final_payment_amount: rows.at(-1)?.payment_amount,
      maturity_date: rows.at(-1)?.due_date,
      days_past_due: 0,
      past_due_amount: '0.00',
    });
  }

  const payoffs = async () =>
    Object.fromEntries(
      await Promise.all(
        boarded.map(async ({ name, id }) => [name, (await readLoan(tenant, id)).payoff_amount]),
      ),
    );
  const today = await payoffs();
  await travelTo(stage, tenant, '2026-06-23');
  // The balance and the interest since June 15, or June 11: 5 and 9 days, then 8 and 12.
  expect(today).toEqual({
    'interest-only': '10011.64',
    'with level principal': '6396.30',
    'with a balloon': '8316.67',
    'paid every two weeks': '6714.04',
    'by actual/actual, across a leap year': '6707.80',
    'by actual/360': '6707.91',
    'by 30/360': '6707.91',
  });
  expect(await payoffs()).toEqual({
    'interest-only': '10018.63',
    'with level principal': '6400.76',
    'with a balloon': '8322.47',
    'paid every two weeks': '6718.72',
    'by actual/actual, across a leap year': '6712.48',
    'by actual/360': '6712.66',
    'by 30/360': '6712.66',
  });
  expect(await violationsIn(stage)).toEqual([]);
}, 120_000);

test('a loan with flat interest keeps the interest on its whole principal after boarding', async () => {
  const tenant = await stage.tenant(TODAY);
  const admin = await tenant.signedIn('admin');
  const terms = { current_principal_balance: '6388.86' };
  const id = await board(tenant, admin, terms, { interest_method: 'flat' });

  const rows = await openRowsOf(tenant, id);
  const interest = rows.reduce((sum, row) => sum.plus(row.interest_amount), new Big(0));
  const today = (await readLoan(tenant, id)).payoff_amount;
  await travelTo(stage, tenant, '2026-06-23');

  // 10,000.00 at 8.5 % for a month are 70.83, whatever the balance. With 1/36 of the principal: 348.61.
  expect(rows).toHaveLength(23);
  for (const row of rows.slice(0, -1)) {
    expect(row.payment_amount).toBe('348.61');
    expect(['70.83', '70.84']).toContain(row.interest_amount);
  }
  // 23 times 70.8333.
  expect(interest.minus('1629.17').abs().lte('0.01')).toBe(true);
  // 5 and 8 of 30 days of 70.83.
  expect(today).toBe('6400.67');
  expect((await readLoan(tenant, id)).payoff_amount).toBe('6407.75');
  expect(await violationsIn(stage)).toEqual([]);
}, 120_000);

test('a boarded loan that is late, paid ahead or charged off stands where its past left it', async () => {
  const tenant = await stage.tenant(TODAY);
  const admin = await tenant.signedIn('admin');
  const boarding = (terms: object) => board(tenant, admin, terms, {});
  const late = await boarding({
    current_principal_balance: '7600.00',
    paid_through_date: '2026-03-15',
  });
  const ahead = await boarding({
    current_principal_balance: '6200.00',
    paid_through_date: '2026-08-15',
  });
  const lost = await boarding({
    current_principal_balance: '5000.00',
    status: 'charged_off',
    charge_off_date: '2026-02-01',
    charge_off_amount: '5000.00',
  });

  // Three installments are past due, the first for 66 days. 97 days of 7,600.00 are 171.68.
  expect(await readLoan(tenant, late)).toMatchObject({
    days_past_due: 66,
    delinquency_bucket: 'dpd_60_89',
    past_due_amount: '947.04',
    accrued_interest: '171.68',
    payoff_amount: '7771.68',
    next_payment_date: '2026-07-15',
  });
  expect(await readLoan(tenant, ahead)).toMatchObject({
    days_past_due: 0,
    accrued_interest: '0.00',
    payoff_amount: '6200.00',
    next_payment_date: '2026-09-15',
    next_payment_amount: '315.68',
  });
  // The first bill after boarding has the interest of 87 days of 6,200.00.
  expect((await openRowsOf(tenant, ahead))[0]).toMatchObject({
    interest_amount: '125.61',
    principal_amount: '190.07',
  });
  expect(await readLoan(tenant, lost)).toMatchObject({
    charge_off_balance: '5000.00',
    principal_balance: '0.00',
    accrued_interest: '0.00',
    next_payment_date: null,
  });
  await travelTo(stage, tenant, '2026-06-23');

  // 3 more days of 7,600.00 and of 6,200.00: 5.31 and 4.33.
  expect(await readLoan(tenant, late)).toMatchObject({
    days_past_due: 69,
    payoff_amount: '7776.99',
  });
  expect(await readLoan(tenant, ahead)).toMatchObject({ payoff_amount: '6204.33' });
  expect(await readLoan(tenant, lost)).toMatchObject({ charge_off_balance: '5000.00' });
  const paid = await tenant.officer.post(`/loans/${lost}/payments`, { amount: '100.00' });
  expect(paid.body).toMatchObject({ payment_type: 'recovery' });
  expect(await readLoan(tenant, lost)).toMatchObject({ charge_off_balance: '4900.00' });
  expect(await violationsIn(stage)).toEqual([]);
}, 120_000);
