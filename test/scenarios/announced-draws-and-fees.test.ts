import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { addDays } from '../../jobs/dates.ts';
import { AUTOPAY_AMOUNT_TYPES } from '../../jobs/payments/autopay/autopay-terms.ts';
import { sql } from '../../sql/database/db.ts';
import type { Client } from '../setup/client.ts';
import { newLoan } from '../setup/loans.ts';
import { addBankAccount } from '../setup/nacha.ts';
import { newProduct } from '../setup/products.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';

vi.setConfig({ testTimeout: 3_600_000 });
const stage = await newStage();
const START = '2026-01-15';
const DAYS = Number(process.env['DAYS'] ?? 34);
const LOANS = Number(process.env['LOANS'] ?? 24);

const late = { fee_type: 'late', trigger: 'past_due', calculation: 'flat', amount: '25.00' };
const half = { ...late, calculation: 'percent_of_past_due', amount: null, percentage: '0.05' };
const PRODUCTS = [
  { late_fee_grace_days: 2, fee_rules: [late] },
  { late_fee_grace_days: 4, fee_rules: [{ ...half, late_fee_rule: 'standard_fee' }] },
  {
    payment_frequency: 'weekly',
    late_fee_grace_days: 9,
    fee_rules: [
      { ...late, late_fee_rule: 'current' },
      { ...half, grace_days: 12 },
    ],
  },
  { payment_frequency: 'biweekly', late_fee_grace_days: 0, fee_rules: [late] },
];

const cents = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).map((amount) => (amount / 100).toFixed(2));
const anyPlan = fc.record({
  amount_type: fc.constantFrom(...AUTOPAY_AMOUNT_TYPES.filter((type) => type !== 'payoff')),
  frequency: fc.constantFrom('on_due_date', 'weekly', 'biweekly', 'monthly'),
  days_before_due: fc.constantFrom(0, 0, 3),
  fixed_amount: fc.constant('80.00'),
  extra_amount: fc.constant('10.00'),
  extra_toward: fc.constantFrom('principal', 'next_payment'),
});
const anyLoan = fc.record({
  product: fc.nat(PRODUCTS.length - 1),
  plan: fc.option(anyPlan, { freq: 2 }),
});

const ACTIONS = [
  ...(['pay', 'pay', 'pay', 'schedule', 'fee', 'return'] as const),
  ...([
    'forbear',
    'end forbearance',
    'cancel forbearance',
    'defer',
    'plan',
    'cancel plan',
  ] as const),
  ...(['freeze', 'unfreeze', 'pause', 'resume', 'change autopay', 'accelerate'] as const),
] as const;
const anyAction = fc.record({
  what: fc.constantFrom(...ACTIONS),
  loan: fc.nat(LOANS - 1),
  amount: cents(500, 70_000),
  days: fc.integer({ min: 0, max: 20 }),
  flag: fc.boolean(),
  plan: anyPlan,
});
type Action = typeof anyAction extends fc.Arbitrary<infer Value> ? Value : never;

type Loan = { id: string; plan: string | null };

/** Tries the action. If it is refused, nothing changes. */
async function act(
  { officer, admin }: { officer: Client; admin: Client },
  { id, plan }: Loan,
  today: string,
  { what, amount, days, flag, plan: wish }: Action,
) {
  const loan = `/loans/${id}`;
  const latest = async (path: string) => (await officer.get(`${loan}/${path}`)).body.at(0)?.id;
  const until = addDays(today, days + 1);
  switch (what) {
    case 'pay':
      return officer.post(`${loan}/payments`, { amount });
    case 'schedule':
      return officer.post(`${loan}/payments`, { amount, payment_date: until });
    case 'fee':
      return officer.post(`${loan}/fees`, { fee_type: 'other', amount: '12.34' });
    case 'return': {
      const payment = await latest('payments?source=autopay&ordering=-created_at');
      return officer.post(`/payments/${payment}/return`, { return_code: 'R01' });
    }
    case 'forbear':
      return officer.post(`${loan}/forbearances`, {
        start_date: flag ? today : addDays(today, 3),
        end_date: addDays(until, 3),
        reason: 'Illness',
        suspend_late_fees: days % 3 > 0,
        suspend_delinquency: days % 2 > 0,
      });
    case 'end forbearance': {
      const status = flag ? 'broken' : 'completed';
      return officer.post(`/forbearances/${await latest('forbearances')}/end`, { status });
    }
    case 'cancel forbearance':
      return officer.delete(`/forbearances/${await latest('forbearances')}`);
    case 'defer':
      return officer.post(`${loan}/deferments`, {
        deferment_type: flag ? 'principal_only' : 'payment_skip',
        start_date: days > 10 ? addDays(today, 4) : today,
        periods: 1,
        reason: 'Hardship',
      });
    case 'plan':
      return officer.post(`${loan}/payment-plans`, {
        plan_type: 'repayment',
        installments: [{ due_date: until, amount }],
        grace_days: 1,
      });
    case 'cancel plan':
      return officer.put(`/payment-plans/${await latest('payment-plans')}`, { status: 'canceled' });
    case 'freeze':
      return admin.post(`${loan}/freeze`, { reason: 'other', ...(flag && { until_date: until }) });
    case 'unfreeze':
      return admin.post(`${loan}/unfreeze`, {});
    case 'accelerate':
      return days === 0 ? admin.post(`${loan}/accelerate`) : null;
    case 'pause':
      return officer.put(`/autopay-plans/${plan}`, { status: 'paused' });
    case 'resume':
      return officer.put(`/autopay-plans/${plan}`, { status: 'active' });
    default:
      return officer.put(`/autopay-plans/${plan}`, wish);
  }
}

const Announced = z.object({
  id: z.string(),
  late_fee: z.string().nullable(),
  past_due_late_fee: z.string().nullable(),
  next_draw: z.string().nullable(),
});
type Announced = z.output<typeof Announced>;

/** The late fees and draws that are stored for each active loan. */
const listAnnounced = (tenant: Tenant) =>
  tenant.within(({ tx }) =>
    tx.any(sql.type(Announced)`
      select loan.id, ahead.late_fee_amount || ' ' || ahead.late_fee_after as late_fee,
             case when ahead.cure_fee_after >= today.day
               then ahead.cure_fee_amount || ' ' || ahead.cure_fee_after end as past_due_late_fee,
             (
               select plan.next_draw_amount || ' ' || plan.next_draw_date from autopay_plans as plan
               where plan.loan_id = loan.id and plan.status = 'active' and plan.is_enabled
                 and plan.next_draw_date >= today.day
             ) as next_draw
      from loans as loan
      cross join (select app.business_date() as day) as today
      join loan_outlook as ahead
        on ahead.loan_id = loan.id and today.day between ahead.from_date and ahead.until_date
      where loan.status = 'active' order by loan.id
    `),
  );

/** The same, computed from the loan's history and its current records. */
async function foldAnnounced({ officer }: Tenant, id: string): Promise<Announced> {
  const { body } = await officer.get(`/loans/${id}/get-balances`);
  const feeOf = (fee: { amount: string; last_day_on_time: string } | null) =>
    fee && `${fee.amount} ${fee.last_day_on_time}`;
  return {
    id,
    late_fee: feeOf(body.late_fee),
    past_due_late_fee: feeOf(body.past_due_late_fee),
    next_draw: body.next_draw && `${body.next_draw.amount} ${body.next_draw.date}`,
  };
}

const Executed = z.object({ id: z.string(), figure: z.string() });

const drawsOf = (tenant: Tenant, day: string) =>
  tenant.within(({ tx }) =>
    tx.any(sql.type(Executed)`
      select loan_id as id, sum(amount) || ' ' || payment_date as figure from payments
      where source = 'autopay' and payment_date = ${day} group by loan_id, payment_date
      order by loan_id
    `),
  );

/** The late fees charged on a day, each with the last day to avoid it: the day before. */
const lateFeesOf = (tenant: Tenant, day: string) =>
  tenant.within(({ tx }) =>
    tx.any(sql.type(Executed)`
      select loan_id as id, string_agg(amount || ' ' || (assessed_date - 1), ', ') as figure
      from fees where fee_type = 'late' and assessed_date = ${day} group by loan_id order by loan_id
    `),
  );

test('each close draws and charges exactly what was announced, whatever happens to the loans before', async () => {
  const tenant = await stage.tenant(START);
  const { officer } = tenant;
  const admin = await tenant.signedIn('admin');
  const products = [];
  for (const wish of PRODUCTS) products.push(await newProduct(tenant, wish, admin));
  const loans: Loan[] = [];
  for (const { product, plan } of fc.sample(anyLoan, LOANS)) {
    const terms = { product_id: products[product], principal_amount: '1500.00', term_months: 12 };
    const { id, borrower_id } = await newLoan(tenant, terms);
    const account = await addBankAccount(officer, borrower_id);
    const body = { loan_id: id, payment_instrument_id: account, ...plan };
    const made = plan && (await officer.post(`/borrowers/${borrower_id}/autopay-plans`, body));
    loans.push({ id, plan: made?.body.id ?? null });
  }
  const actions = fc.sample(anyAction, DAYS * 3);
  const totals = { drawn: 0, charged: 0, accepted: 0 };
  let announcedBefore = new Map<string, Announced>();

  for (let day = START; day < addDays(START, DAYS); day = addDays(day, 1)) {
    const touched = new Set<string>();
    for (const action of actions.splice(0, 3)) {
      const loan = loans[action.loan] as Loan;
      const answer = await act({ officer, admin }, loan, day, action);
      expect(answer?.status ?? 200, JSON.stringify([action, answer?.body])).toBeLessThan(500);
      if (answer && answer.status < 300) {
        touched.add(loan.id);
        totals.accepted += 1;
      }
      const stored = (await listAnnounced(tenant)).find(({ id }) => id === loan.id);
      if (stored)
        expect(stored, JSON.stringify([day, action])).toEqual(await foldAnnounced(tenant, loan.id));
    }
    const announced = await listAnnounced(tenant);
    for (const stored of announced)
      expect(stored, day).toEqual(await foldAnnounced(tenant, stored.id));
    await travelTo(stage, tenant, addDays(day, 1));

    const drawn = await drawsOf(tenant, day);
    const due = announced.filter(({ next_draw }) => next_draw?.endsWith(day));
    expect(drawn, `draws of ${day}`).toEqual(
      due.map(({ id, next_draw }) => ({ id, figure: next_draw })),
    );
    const charged = await lateFeesOf(tenant, day);
    const paid = new Set(drawn.map(({ id }) => id));
    const last = addDays(day, -1);
    for (const { id } of announced) {
      const before = announcedBefore.get(id);
      if (touched.has(id) || paid.has(id) || !before) continue;
      const expected = [before.late_fee, before.past_due_late_fee].find((fee) =>
        fee?.endsWith(last),
      );
      const figure = charged.find((fee) => fee.id === id)?.figure ?? null;
      expect(figure, `late fee of ${id} on ${day}`).toBe(expected ?? null);
      if (figure !== null) totals.charged += 1;
    }
    totals.drawn += drawn.length;
    announcedBefore = new Map(announced.map((one) => [one.id, one]));
    for (const { id } of drawn) announcedBefore.delete(id);
  }

  expect(totals.drawn).toBeGreaterThan(0);
  expect(totals.charged).toBeGreaterThan(0);
  expect(totals.accepted).toBeGreaterThan(DAYS);
});
