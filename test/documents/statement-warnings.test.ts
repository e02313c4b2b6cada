import { expect, test } from 'vitest';
import { z } from 'zod';
import { addDays } from '../../jobs/dates.ts';
import { sql } from '../../sql/database/db.ts';
import { addBankAccount } from '../setup/nacha.ts';
import { newLoan } from '../setup/loans.ts';
import { newProduct } from '../setup/products.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

const Figures = z.object({ figures: z.looseObject({ due: z.record(z.string(), z.unknown()) }) });
/** The amount due on the January statement. */
const dueOn = ({ within }: Tenant, id: string) =>
  within(({ tx }) =>
    tx.one(sql.type(Figures)`
      select figures from statements where loan_id = ${id} and statement_month = '2026-01-01'
    `),
  ).then(({ figures }) => figures.due);

const late = { fee_type: 'late', trigger: 'past_due' };
/** Due on January 22 and 29, and on February 5. */
const weekly = { payment_frequency: 'weekly', late_fee_grace_days: 12 };

/** Loans of 10,000.00 and what their statement says about autopay and late payments. */
const KINDS: Record<
  string,
  { product?: Record<string, unknown>; wish?: object; plan?: object; story?: string[] }
> = {
  'installments that are past due, and still within their grace': {
    product: { ...weekly, fee_rules: [{ ...late, calculation: 'flat', amount: '25.00' }] },
  },
  'a share of what is past due of an installment': {
    product: {
      ...weekly,
      fee_rules: [{ ...late, calculation: 'percent_of_past_due', percentage: '0.05' }],
    },
    story: ['20.00'],
  },
  'a fee that is less than what is past due by then, though more than an installment': {
    product: {
      ...weekly,
      fee_rules: [
        { ...late, calculation: 'flat', amount: '100.00', late_fee_rule: 'standard_fee' },
      ],
    },
  },
  'a fee that is more than an installment, and less than what comes due within the grace': {
    product: {
      ...weekly,
      fee_rules: [
        { ...late, calculation: 'flat', amount: '100.00', late_fee_rule: 'standard_fee' },
      ],
    },
    story: ['ahead'],
  },
  'past due, with a milder rule and a payment': {
    product: {
      ...weekly,
      fee_rules: [{ ...late, calculation: 'flat', amount: '25.00', late_fee_rule: 'current' }],
    },
    story: ['20.00'],
  },
  'a flat late fee': {
    product: {
      late_fee_grace_days: 2,
      fee_rules: [{ ...late, calculation: 'flat', amount: '25.00' }],
    },
  },
  'a share of what is past due, within bounds, after the grace of its own rule': {
    product: {
      late_fee_grace_days: 15,
      fee_rules: [
        {
          ...late,
          calculation: 'percent_of_past_due',
          percentage: '0.05',
          grace_days: 3,
          min_amount: '5.00',
          max_amount: '12.50',
        },
      ],
    },
    story: ['100.00'],
  },
  'a share of the payment, though a part of it is paid': {
    product: {
      late_fee_grace_days: 1,
      fee_rules: [{ ...late, calculation: 'percent_of_payment', percentage: '0.05' }],
    },
    story: ['115.68'],
  },
  'a milder rule, by which whoever pays something is current': {
    product: {
      late_fee_grace_days: 2,
      fee_rules: [{ ...late, calculation: 'flat', amount: '25.00', late_fee_rule: 'current' }],
    },
    story: ['50.00'],
  },
  'a deferment of principal': {
    product: {
      late_fee_grace_days: 2,
      fee_rules: [{ ...late, calculation: 'flat', amount: '25.00' }],
    },
    story: ['deferment'],
  },
  'minimum due': { plan: {} },
  'minimum due and more': { plan: { amount_type: 'minimum_due_plus', extra_amount: '50.00' } },
  'all that is due, with a fee': {
    plan: { amount_type: 'past_due_and_current' },
    story: ['fee'],
  },
  fixed: { plan: { amount_type: 'fixed', fixed_amount: '123.45' } },
  'the only installment': { wish: { term_months: 1 }, plan: {} },
  'a payoff with its penalty': {
    product: { prepayment_penalty: { calculation: 'flat', amount: '75.00' } },
    plan: { amount_type: 'payoff' },
  },
  'paid already': { plan: {}, story: ['315.68'] },
};

const STEPS: Record<string, { path: string; [field: string]: unknown }> = {
  /** Two weeks. */
  ahead: { path: 'payments', amount: '146.00', extra_payment_to: 'next_installment' },
  fee: { path: 'fees', fee_type: 'other', amount: '12.34' },
  deferment: {
    path: 'deferments',
    deferment_type: 'principal_only',
    periods: 1,
    reason: 'Hardship',
  },
};

test('a statement announces the autopay draw and the late fee, and both happen', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const admin = await tenant.signedIn('admin');
  const loans = new Map<string, string>();
  const borrowers = new Map<string, string>();
  for (const [name, { product, wish, plan, story = [] }] of Object.entries(KINDS)) {
    const product_id = product && (await newProduct(tenant, product, admin));
    const { id, borrower_id } = await newLoan(tenant, {
      ...(product_id && { product_id }),
      ...wish,
    });
    loans.set(name, id);
    borrowers.set(name, borrower_id);
    const account = plan && (await addBankAccount(officer, borrower_id));
    const enrolling = { loan_id: id, payment_instrument_id: account, ...plan };
    if (plan) await officer.post(`/borrowers/${borrower_id}/autopay-plans`, enrolling);
    for (const step of story) {
      const { path, ...body } = STEPS[step] ?? { path: 'payments', amount: step };
      expect(await officer.post(`/loans/${id}/${path}`, body)).toMatchObject({ status: 201 });
    }
  }
  await travelTo(stage, tenant, '2026-02-01');
  const told = new Map<string, Record<string, unknown>>();
  for (const [name, id] of loans) told.set(name, await dueOn(tenant, id));
  const notice = await officer.post('/communications/preview', {
    template_type: 'autopay_enrolled',
    channel: 'sms',
    loan_id: loans.get('minimum due'),
    borrower_id: borrowers.get('minimum due'),
    context: {
      autopay: {
        amount: '1.00',
        date: '2026-02-02',
      },
    },
  });
  expect(notice.body, JSON.stringify(notice.body)).toMatchObject({
    body: expect.stringContaining('$315.68 will be drawn on February 17, 2026'),
  });
  await travelTo(stage, tenant, '2026-02-20');

  const autopay = { date: '2026-02-17' };
  for (const [name, id] of loans) {
    const { late_fee, cure, next_due_date } = told.get(name) ?? {};
    const fees = (await officer.get(`/loans/${id}/fees?fee_type=late&ordering=-assessed_date`))
      .body;
    if (KINDS[name]?.plan) continue;
    // Each fee names its payment and is charged on the morning after the grace period.
    const charged: { due: string; fee: object }[] = fees.map((fee: Record<string, string>) => ({
      due: String(fee['description']).slice(-10),
      fee: { amount: fee['amount'], after: addDays(String(fee['assessed_date']), -1) },
    }));
    const next = charged.find(({ due }) => due === next_due_date);
    const behind = charged.findLast(({ due }) => due < '2026-02-01');
    expect([late_fee, cure], name).toEqual([next?.fee ?? null, behind?.fee ?? null]);
  }
  await travelTo(stage, tenant, '2026-03-18');
  for (const [name, id] of loans) {
    const payments = (await officer.get(`/loans/${id}/payments?ordering=payment_date`)).body;
    const draw = payments.find(({ source }: { source: string }) => source === 'autopay');
    const first = draw ? { date: draw.payment_date, amount: draw.amount } : null;
    expect(told.get(name)?.['autopay'], name).toEqual(first);
  }
  const toldOf = (name: string) => told.get(name);
  expect(toldOf('minimum due')).toMatchObject({ autopay: { ...autopay, amount: '315.68' } });
  expect(toldOf('a payoff with its penalty')).toMatchObject({ autopay });
  expect(toldOf('a flat late fee')).toMatchObject({
    late_fee: { amount: '25.00', after: '2026-02-17' },
    autopay: null,
  });
  expect(
    toldOf('a share of what is past due, within bounds, after the grace of its own rule'),
  ).toMatchObject({
    late_fee: { amount: '10.78', after: '2026-02-18' },
  });
  const within = 'installments that are past due, and still within their grace';
  const longGrace =
    'a fee that is more than an installment, and less than what comes due within the grace';
  expect(toldOf(longGrace)).toMatchObject({ late_fee: { amount: '100.00', after: '2026-02-17' } });
  expect(toldOf(within)).toMatchObject({ cure: { amount: '25.00', after: '2026-02-03' } });
}, 120_000);
