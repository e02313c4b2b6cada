import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays } from '../../../jobs/dates.ts';
import { money, parseMoney, sum } from '../../../jobs/money.ts';
import { newLoan } from '../../setup/loans.ts';
import { addBankAccount } from '../../setup/nacha.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();
const START = '2026-01-15';
/** The day on which everything is agreed. The first installment, due February 15, is paid. */
const AGREED_ON = '2026-02-20';

type Agreement = { path: string; role?: 'admin'; body: Record<string, unknown> };

const startDay = fc.integer({ min: 0, max: 50 }).map((days) => addDays(AGREED_ON, days));
const days = fc.integer({ min: 0, max: 70 });

const freeze = fc.integer({ min: 1, max: 90 }).map((until): Agreement => ({
  path: 'freeze',
  role: 'admin',
  body: { until_date: addDays(AGREED_ON, until) },
}));

const forbearance = fc
  .record({
    start: startDay,
    days,
    forbearance_type: fc.constantFrom('full', 'reduced_payment', 'interest_only'),
    interest_accrues: fc.boolean(),
    end_treatment: fc.constantFrom(
      'reinstatement',
      'extend_term',
      'deferred_balance',
      'repayment_plan',
      're_amortize',
    ),
  })
  .map(({ start, days: length, ...rest }): Agreement => ({
    path: 'forbearances',
    body: {
      ...rest,
      start_date: start,
      end_date: addDays(start, length),
      reduced_payment_amount: rest.forbearance_type === 'reduced_payment' ? '100.00' : null,
      reason: 'hardship',
    },
  }));

const deferment = fc
  .record({
    start_date: startDay,
    periods: fc.integer({ min: 1, max: 3 }),
    deferment_type: fc.constantFrom('payment_skip', 'principal_only', 'full'),
    interest_treatment: fc.constantFrom('accrue', 'waive', 'capitalize_at_end'),
    extend_maturity: fc.boolean(),
    fee_amount: fc.constantFrom('0.00', '25.00'),
  })
  .map((body): Agreement => ({ path: 'deferments', body: { ...body, reason: 'Holiday' } }));

const promotion = fc
  .record({
    start_date: startDay,
    days,
    promo_type: fc.constantFrom(
      'reduced_rate',
      'zero_interest',
      'deferred_interest',
      'interest_only',
      'same_as_cash',
    ),
  })
  .map(({ days: length, ...rest }): Agreement => ({
    path: 'activate-promo',
    role: 'admin',
    body: {
      ...rest,
      end_date: addDays(rest.start_date, length),
      promo_rate: rest.promo_type === 'reduced_rate' ? '0.03' : null,
    },
  }));

const modification = fc
  .record({
    effective_date: startDay,
    terms: fc.constantFrom<Record<string, unknown>>(
      { modification_type: 'rate_change', new_interest_rate: '0.06' },
      { modification_type: 'term_extension', extend_months: 6 },
      { modification_type: 'capitalization', capitalize_interest: true },
      { modification_type: 'principal_forgiveness', principal_forgiven: '500.00' },
      { modification_type: 'due_date_change', new_payment_day: 25 },
      { modification_type: 'combined', new_interest_rate: '0.08', interest_treatment: 'waive' },
    ),
  })
  .map(({ effective_date, terms }): Agreement => ({
    path: 'modifications',
    body: { ...terms, effective_date, reason: 'hardship' },
  }));

const anyAgreements = fc.array(fc.oneof(freeze, forbearance, deferment, promotion, modification), {
  minLength: 1,
  maxLength: 3,
});

const LOANS = Number(process.env['LIVES'] ?? 12);
const sampled = <Value>(arbitrary: fc.Arbitrary<Value>, seed: number) =>
  fc.sample(arbitrary, { numRuns: LOANS, seed: Number(process.env['PROPERTY_SEED'] ?? seed) });

const PRODUCTS = [{}, { day_count: '30_360' }, { interest_method: 'scheduled' }];

type Life = { id: string; borrower_id: string; agreements: readonly Agreement[] };

/**
 * Loans that have paid their first installment, except every `late`th one. The API may refuse an agreement; the
 * others stay.
 */
async function agreedLives(
  tenant: Tenant,
  cases: readonly (readonly Agreement[])[],
  { late = Infinity } = {},
) {
  const admin = await tenant.signedIn('admin');
  const products: string[] = [];
  for (const product of PRODUCTS) products.push(await newProduct(tenant, product, admin));
  const lives: Life[] = [];
  for (const [at, agreements] of cases.entries()) {
    const product_id = products[at % products.length];
    const wish = { product_id, interest_rate: '0.12', term_months: 12 };
    lives.push({ ...(await newLoan(tenant, wish)), agreements });
  }
  await travelTo(stage, tenant, '2026-02-15');
  const isLate = (at: number) => at % late === late - 1;
  for (const [at, { id }] of lives.entries()) if (!isLate(at)) await payAsAsked(tenant, id);
  await travelTo(stage, tenant, AGREED_ON);
  for (const life of lives) {
    const made: Agreement[] = [];
    for (const agreement of life.agreements) {
      const client = agreement.role ? admin : tenant.officer;
      const { status } = await client.post(`/loans/${life.id}/${agreement.path}`, agreement.body);
      expect(status, JSON.stringify(agreement)).toBeLessThan(500);
      if (status < 300) made.push(agreement);
    }
    life.agreements = made;
  }
  return lives;
}

type Row = { due_date: string; open_amount: string; status: string };
const rowsOf = async (tenant: Tenant, id: string) =>
  (await tenant.officer.get(`/loans/${id}/amortization`)).body as Row[];

const askedOn = (rows: readonly Row[], day: string) =>
  rows.filter(({ due_date }) => due_date === day).map(({ open_amount }) => open_amount);

/** Pays what the schedule asks for on the business date. */
async function payAsAsked(tenant: Tenant, id: string, today = '2026-02-15') {
  for (const amount of askedOn(await rowsOf(tenant, id), today)) {
    if (amount === '0.00') continue;
    const body = { amount, payment_method: 'check' };
    const { status, body: reply } = await tenant.officer.post(`/loans/${id}/payments`, body);
    expect(status, JSON.stringify(reply)).toBe(201);
  }
}

test('a quote for a later day is what the loan owes on that day, whatever is agreed', async () => {
  const tenant = await stage.tenant(START);
  const lives = await agreedLives(tenant, sampled(anyAgreements, 11));
  const ahead = [1, 9, 26, 47, 68, 95].map((later) => addDays(AGREED_ON, later));
  const quoted = new Map<string, string>();
  for (const { id } of lives)
    for (const payoff_date of ahead) {
      const path = `/loans/${id}/payoff-quotes`;
      const quote = await tenant.officer.post(path, { payoff_date });
      expect(quote.status, JSON.stringify(quote.body)).toBe(201);
      quoted.set(`${id} ${payoff_date}`, quote.body.payoff_amount);
    }

  const found: unknown[] = [];
  for (const day of ahead) {
    await travelTo(stage, tenant, day);
    for (const { id, agreements } of lives) {
      const { body } = await tenant.officer.get(`/loans/${id}/get-balances`);
      const told = quoted.get(`${id} ${day}`);
      if (body.payoff_amount !== told)
        found.push({ day, told, owed: body.payoff_amount, agreements });
    }
  }

  expect(JSON.stringify(found, null, 1)).toBe('[]');
}, 900_000);

test('the schedule ahead asks for what is asked on each due date of a borrower who pays it', async () => {
  const tenant = await stage.tenant(START);
  const lives = await agreedLives(tenant, sampled(anyAgreements, 12));
  const told = new Map<string, readonly Row[]>();
  const final = new Map<string, string | null>();
  for (const { id } of lives) {
    told.set(id, await rowsOf(tenant, id));
    final.set(id, (await tenant.officer.get(`/loans/${id}`)).body.final_payment_amount);
  }
  const dues = [...told.values()].flat().map(({ due_date }) => due_date);
  const days = [...new Set(dues)].filter((day) => day >= AGREED_ON && day < '2026-07-01');

  const found: unknown[] = [];
  for (const day of days.toSorted()) {
    await travelTo(stage, tenant, day);
    for (const { id, agreements } of lives) {
      const before = askedOn(told.get(id) ?? [], day);
      const now = askedOn(await rowsOf(tenant, id), day);
      if (before.join() !== now.join()) found.push({ day, before, now, agreements });
      await payAsAsked(tenant, id, day);
    }
  }
  for (const { id, agreements } of lives) {
    const last = (told.get(id) ?? []).findLast(({ open_amount }) => open_amount !== '0.00');
    if (last?.open_amount !== final.get(id))
      found.push({ last: last?.open_amount, final: final.get(id), agreements });
  }

  expect(JSON.stringify(found, null, 1)).toBe('[]');
}, 900_000);

/** The bill of today, which the loan, the fold, an explanation and the schedule must agree on. */
async function billOf(tenant: Tenant, id: string) {
  const { body: shown } = await tenant.officer.get(`/loans/${id}`);
  const { body: folded } = await tenant.officer.get(`/loans/${id}/get-balances`);
  const { next_payment_date, next_payment_amount, past_due_amount, fees_due, amount_due } = shown;
  const bill = { next_payment_date, next_payment_amount, past_due_amount, fees_due, amount_due };
  expect(bill).toEqual({
    next_payment_date: folded.next_payment_date,
    next_payment_amount: folded.next_payment_amount,
    past_due_amount: folded.past_due_amount,
    fees_due: folded.bill.fees_due,
    amount_due: folded.bill.amount_due,
  });
  const path = `/loans/${id}/explain?figure=amount_due`;
  const { status, body: explained } = await tenant.officer.get(path);
  expect(status, JSON.stringify(explained)).toBe(200);
  const parts = explained.steps.map(({ amount }: { amount: string }) => parseMoney(amount));
  expect([explained.amount, money(sum(parts))]).toEqual([amount_due, amount_due]);
  if (next_payment_date !== null) {
    const asked = askedOn(await rowsOf(tenant, id), next_payment_date).map(parseMoney);
    expect(money(sum(asked))).toBe(next_payment_amount);
  }
  return bill as Record<keyof typeof bill, string>;
}

async function pay(tenant: Tenant, id: string, amount: string) {
  if (amount === '0.00') return;
  const body = { amount, payment_method: 'check' };
  const { status, body: reply } = await tenant.officer.post(`/loans/${id}/payments`, body);
  expect(status, JSON.stringify(reply)).toBe(201);
}

test('a bill equals the amount due on its due date, whatever is agreed until then', async () => {
  const tenant = await stage.tenant(START);
  const lives = await agreedLives(tenant, sampled(anyAgreements, 13), { late: 4 });
  const told = new Map<string, Awaited<ReturnType<typeof billOf>>>();
  for (const { id } of lives) {
    const bill = await billOf(tenant, id);
    told.set(id, bill);
    await pay(tenant, id, bill.past_due_amount);
  }

  const found: unknown[] = [];
  for (;;) {
    const dues = [...told.values()].map(({ next_payment_date }) => next_payment_date);
    const day = dues.filter((due) => due !== null && due < '2026-07-01').toSorted()[0];
    if (day === undefined) break;
    await travelTo(stage, tenant, day);
    for (const { id, agreements } of lives) {
      const { past_due_amount: _, amount_due: __, ...before } = told.get(id) as typeof now;
      const now = await billOf(tenant, id);
      if (before.next_payment_date !== day) continue;
      const { past_due_amount, amount_due, ...asked } = now;
      if (JSON.stringify(before) !== JSON.stringify(asked) || past_due_amount !== '0.00')
        found.push({ day, before, now, agreements });
      await pay(tenant, id, amount_due);
      told.set(id, await billOf(tenant, id));
    }
  }

  expect(JSON.stringify(found, null, 1)).toBe('[]');
}, 900_000);

const AMOUNT_TYPES = ['minimum_due', 'past_due_and_current', 'minimum_due_plus'];

async function enroll(tenant: Tenant, { id: loan_id, borrower_id }: Life, at: number) {
  const amount_type = AMOUNT_TYPES[at % AMOUNT_TYPES.length];
  const enrolled = await tenant.officer.post(`/borrowers/${borrower_id}/autopay-plans`, {
    loan_id,
    payment_instrument_id: await addBankAccount(tenant.officer, borrower_id),
    amount_type,
    ...(amount_type === 'minimum_due_plus' && { extra_amount: '50.00' }),
  });
  expect(enrolled.status, JSON.stringify(enrolled.body)).toBe(201);
}

type Draw = { date: string; amount: string };

test('autopay draws what was shown as its next draw, whatever is agreed until then', async () => {
  const tenant = await stage.tenant(START);
  const lives = await agreedLives(tenant, sampled(anyAgreements, 14));
  for (const [at, life] of lives.entries()) await enroll(tenant, life, at);
  const nextDrawOf = async ({ id }: Life) =>
    (await tenant.officer.get(`/loans/${id}/get-balances`)).body.next_draw as Draw | null;
  const drawsOf = async ({ id }: Life) => {
    const { body } = await tenant.officer.get(`/loans/${id}/payments?ordering=payment_date`);
    const drawn = (body as { source: string; payment_date: string; amount: string }[]).filter(
      ({ source }) => source === 'autopay',
    );
    return drawn.map(({ payment_date: date, amount }): Draw => ({ date, amount }));
  };
  const shown = new Map<string, { next: Draw | null; all: Draw[] }>();
  for (const life of lives) shown.set(life.id, { next: await nextDrawOf(life), all: [] });

  const found: unknown[] = [];
  for (;;) {
    const dates = [...shown.values()].map(({ next }) => next?.date ?? '9999-12-31');
    const day = dates.toSorted()[0] ?? '9999-12-31';
    if (day > '2026-06-30') break;
    await travelTo(stage, tenant, addDays(day, 1));
    for (const life of lives) {
      const { next, all } = shown.get(life.id) ?? { next: null, all: [] };
      const drawn = await drawsOf(life);
      const expected = next?.date === day ? [...all, next] : all;
      if (JSON.stringify(drawn) !== JSON.stringify(expected))
        found.push({ day, expected, drawn, agreements: life.agreements });
      if (next?.date === day) shown.set(life.id, { next: await nextDrawOf(life), all: drawn });
    }
  }

  const draws = [...shown.values()].flatMap(({ all }) => all);
  expect(draws.length).toBeGreaterThan(LOANS);
  expect(JSON.stringify(found, null, 1)).toBe('[]');
}, 900_000);
