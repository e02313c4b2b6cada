import { expect, test } from 'vitest';
import {
  explainFigure,
  type Explanation,
} from '../../../jobs/loans/explanations/explain-figure.ts';
import { FIGURES } from '../../../jobs/loans/explanations/explanation.ts';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { newEvent } from '../../../jobs/loans/history/new-event.ts';
import { openLoan } from '../../../jobs/loans/history/open-loan.ts';
import { recordEvents } from '../../../jobs/loans/history/record-events.ts';
import { money, parseMoney, sum } from '../../../jobs/money.ts';
import { setBusinessDate } from '../../setup/ledger.ts';
import { openLineOfCredit } from '../../setup/lines-of-credit.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

const explain = async ({ officer }: Tenant, id: string, figure: string, more = '') => {
  const { status, body } = await officer.get(`/loans/${id}/explain?figure=${figure}${more}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Explanation;
};

const totalOf = ({ steps }: Explanation) =>
  money(sum(steps.map(({ amount }) => parseMoney(amount ?? '0.00'))));
const daysOf = ({ steps }: Explanation) =>
  steps.reduce((total, { days }) => total + (days ?? 0), 0);

/** The figures that `get-balances` shows on a day, under the names by which they are explained. */
const figuresOf = (body: Record<string, unknown> & { bill: { amount_due: string } }) => ({
  accrued_interest: body['accrued_interest'],
  amount_due: body.bill.amount_due,
  past_due_amount: body['past_due_amount'],
  days_past_due: body['days_past_due'],
  payoff_amount: body['payoff_amount'],
});

const LATE_FEE = {
  fee_type: 'late',
  calculation: 'percent_of_past_due',
  percentage: '0.05',
  trigger: 'past_due',
  grace_days: 10,
};

const FUNDED_ON = '2026-01-15';

/** One loan of each kind, most of them with something special in their lives. */
async function everyKind(tenant: Tenant) {
  const admin = await tenant.signedIn('admin');
  const made = async (product: Record<string, unknown>, terms: object = {}) =>
    (
      await newLoan(tenant, {
        disbursement_date: FUNDED_ON,
        ...terms,
        product_id: await newProduct(tenant, product, admin),
      })
    ).id;
  const done = async (path: string, body: object = {}, client = tenant.officer) => {
    const reply = await client.post(path, body);
    expect(reply.status, `${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
    return reply.body as { id: string };
  };
  const loans = {
    'actual/365': await made({ fee_rules: [LATE_FEE] }),
    'actual/360': await made({ day_count: 'actual_360', delinquency_grace_days: 5 }),
    'actual/actual': await made({ day_count: 'actual_actual' }),
    '30/360': await made({ day_count: '30_360' }),
    scheduled: await made({ interest_method: 'scheduled' }),
    'scheduled, paid ahead': await made({ interest_method: 'scheduled' }),
    flat: await made({ interest_method: 'flat' }),
    'zero rate': await made({}, { interest_rate: '0' }),
    'interest only': await made({ interest_method: 'interest_only' }),
    'with a penalty': await made({
      prepayment_penalty: { calculation: 'percent_of_principal', percentage: '0.0123' },
    }),
    matured: await made({}, { term_months: 1 }),
    'paid in part': await made({}),
    frozen: await made({}),
    'charged off': await made({}),
    accelerated: await made({}),
    'on non-accrual': await made({}),
    'paid off': await made({}),
    'forbearance with pauses': await made({}),
    'line of credit': await openLineOfCredit(tenant, { grace_on_purchases: true }),
  };
  const live = async () => {
    await done(`/loans/${loans['paid in part']}/payments`, { amount: '100.00' });
    await done(`/loans/${loans['paid in part']}/fees`, { fee_type: 'other', amount: '12.00' });
    await done(`/loans/${loans['scheduled, paid ahead']}/payments`, { amount: '315.68' });
    await done(`/loans/${loans['with a penalty']}/payments`, { amount: '315.68' });
    await done(`/loans/${loans.frozen}/freeze`, { reason: 'fraud' }, admin);
    await done(`/loans/${loans['charged off']}/charge-off`, { reason: 'delinquency' }, admin);
    await done(`/loans/${loans.accelerated}/accelerate`, { reason: 'default' }, admin);
    await done(`/loans/${loans['on non-accrual']}/non-accrual`, {}, admin);
    const { payoff_amount: amount } = (
      await tenant.officer.get(`/loans/${loans['paid off']}/get-balances`)
    ).body as { payoff_amount: string };
    await done(`/loans/${loans['paid off']}/payments`, { amount, payment_type: 'payoff' });
    await done(`/loans/${loans['forbearance with pauses']}/forbearances`, {
      forbearance_type: 'full',
      start_date: '2026-02-20',
      end_date: '2026-04-20',
      reason: 'Illness',
      end_treatment: 'reinstatement',
    });
  };
  return { loans, live };
}

test('the steps add up to what get-balances and the loan show, for each kind of loan, on today and past days', async () => {
  const tenant = await stage.tenant('2026-02-12');
  const { loans, live } = await everyKind(tenant);
  await travelTo(stage, tenant, '2026-02-20');
  await live();
  const today = '2026-03-18';
  await travelTo(stage, tenant, today);

  const seen: unknown[] = [];
  const expected: unknown[] = [];
  for (const [kind, id] of Object.entries(loans)) {
    const { body: loan } = await tenant.officer.get(`/loans/${id}`);
    for (const day of [today, '2026-03-15', '2026-02-21', '2026-02-12']) {
      const { body: balances } = await tenant.officer.get(
        `/loans/${id}/get-balances?as_of_date=${day}`,
      );
      const shown = { ...figuresOf(balances), late_fee: null };
      for (const figure of FIGURES) {
        const found = await tenant.within((work) =>
          explainFigure(work, id, { figure, as_of_date: day, language: 'en' }),
        );
        const value = found.amount ?? found.days;
        seen.push([
          kind,
          day,
          figure,
          value,
          found.amount === null ? daysOf(found) : totalOf(found),
        ]);
        const wanted = figure === 'late_fee' ? value : shown[figure];
        expected.push([kind, day, figure, wanted, wanted]);
        if (day === today && Object.hasOwn(loan, figure))
          expect([kind, figure, value]).toEqual([kind, figure, loan[figure]]);
      }
    }
  }

  expect(seen).toEqual(expected);
}, 240_000);

test('interest is explained by its days, balances and rates', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  await setBusinessDate(tenant, '2026-02-04');
  await tenant.officer.post(`/loans/${id}/payments`, {
    amount: '1000.00',
    effective_date: '2026-01-25',
  });

  const now = await explain(tenant, id, 'accrued_interest');
  const then = await explain(tenant, id, 'accrued_interest', '&known=then&as_of_date=2026-02-03');
  const spanish = await explain(tenant, id, 'accrued_interest', '&language=es');
  const payoff = await explain(tenant, id, 'payoff_amount');

  expect(now).toMatchObject({
    loan_id: id,
    figure: 'accrued_interest',
    as_of_date: '2026-02-04',
    amount: '21.01',
    days: null,
    summary:
      'As of February 4, 2026, $21.01 in interest is owed. This includes every day through February 3, 2026.',
  });
  expect(now.steps).toMatchObject([
    {
      rule: 'accrued',
      amount: '21.01',
      days: 10,
      from: '2026-01-25',
      to: '2026-02-04',
      interest: {
        balance: '9023.29',
        rate: '0.085',
        day_count: 'actual_365',
        exact_amount: '21.0131410959',
        period_interest: null,
      },
      text: 'January 25, 2026 through February 3, 2026: 10 days on a balance of $9,023.29 at 8.50% a year ($9,023.29 × 8.50% × 10 ÷ 365).',
    },
  ]);
  expect(then.steps).toMatchObject([{ amount: '44.25', days: 19 }]);
  expect(spanish.steps[0]?.text).toBe(
    'Del 25 de enero de 2026 al 3 de febrero de 2026: 10 días sobre un saldo de $9,023.29 al 8.50% anual ($9,023.29 × 8.50% × 10 ÷ 365).',
  );
  expect(payoff.steps).toMatchObject([
    { rule: 'principal', amount: '9023.29', explained_by: null },
    { rule: 'interest', amount: '21.01', explained_by: 'accrued_interest' },
  ]);
});

test('deferred interest, paused interest and interest-free balances are explained', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id: frozen } = await newLoan(tenant);
  const { id: promoted } = await newLoan(tenant);
  const line = await openLineOfCredit(tenant, { grace_on_purchases: true });
  const record = (id: string, ...events: LoanEvent[]) =>
    tenant.within(async (work) => recordEvents(work, await openLoan(work, id), events));
  await setBusinessDate(tenant, '2026-01-25');
  const stop = { kind: 'accrual_stop', effective_date: '2026-01-25' } as const;
  await record(frozen, newEvent({ ...stop, reason: 'freeze' }));
  await record(promoted, newEvent({ ...stop, reason: 'promo' }));
  await setBusinessDate(tenant, '2026-01-30');

  const stepsOf = async (id: string) =>
    (await explain(tenant, id, 'accrued_interest')).steps.map(({ rule, amount, text }) => [
      rule,
      amount,
      text,
    ]);
  const first = 'January 15, 2026 through January 24, 2026: 10 days on a balance of $10,000.00';
  const accrued = ['accrued', '23.29', expect.stringContaining(first)];

  expect(await stepsOf(frozen)).toEqual([
    accrued,
    [
      'suspended',
      '0.00',
      'January 25, 2026 through January 29, 2026: interest was paused, so these days add nothing to this figure.',
    ],
  ]);
  expect(await stepsOf(promoted)).toEqual([
    accrued,
    ['suspended', '0.00', expect.stringContaining('a promotion defers $11.64 in interest')],
  ]);
  expect(await stepsOf(line)).toEqual([
    [
      'interest_free',
      '0.00',
      expect.stringContaining('$3,650.00 of the principal bears no interest'),
    ],
  ]);
});

test('installments explain the bill, and the oldest unpaid one explains the days past due', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  await setBusinessDate(tenant, '2026-03-01');
  await tenant.officer.post(`/loans/${id}/payments`, { amount: '100.00' });

  const due = await explain(tenant, id, 'amount_due');
  const late = await explain(tenant, id, 'past_due_amount');
  const days = await explain(tenant, id, 'days_past_due');

  expect(due).toMatchObject({
    amount: '531.36',
    summary: 'As of March 1, 2026, $531.36 is due by March 15, 2026.',
  });
  expect(due.steps.map(({ amount, text }) => [amount, text])).toEqual([
    ['215.68', 'Payment 1, due February 15, 2026: $315.68, of which $100.00 has been paid.'],
    ['315.68', 'Payment 2, due March 15, 2026: $315.68, of which nothing has been paid.'],
  ]);
  expect(late.steps).toEqual(due.steps.slice(0, 1));
  expect(days).toMatchObject({ amount: null, days: 14 });
  expect(days.steps).toMatchObject([
    { rule: 'since_due_date', days: 14, from: '2026-02-15', to: '2026-03-01', amount: null },
  ]);
});

test('late fees are explained by their rule, its condition and the next decision', async () => {
  const tenant = await stage.tenant('2026-02-20');
  const admin = await tenant.signedIn('admin');
  const [charging, sparing] = [
    await newProduct(tenant, { fee_rules: [LATE_FEE] }, admin),
    await newProduct(tenant, { fee_rules: [{ ...LATE_FEE, late_fee_rule: 'current' }] }, admin),
  ];
  const on = { disbursement_date: '2026-01-15' };
  const { id } = await newLoan(tenant, { ...on, product_id: charging });
  const { id: spared } = await newLoan(tenant, { ...on, product_id: sparing });
  const { id: free } = await newLoan(tenant, {
    ...on,
    product_id: await newProduct(tenant, {}, admin),
  });
  for (const paid of [id, spared])
    await tenant.officer.post(`/loans/${paid}/payments`, { amount: '115.68' });
  const before = await explain(tenant, id, 'late_fee');
  await travelTo(stage, tenant, '2026-02-28');
  await tenant.officer.post(`/loans/${id}/payments`, { amount: '4.00', payment_type: 'fee_only' });

  const after = await explain(tenant, id, 'late_fee');
  const exempt = await explain(tenant, spared, 'late_fee');

  const texts = ({ steps }: Explanation) => steps.map(({ amount, text }) => [amount, text]);
  const rule = [
    '0.00',
    'The agreement charges 5.00% of the amount past due if a payment is not complete 10 days after its due date.',
  ];
  const next = [
    '0.00',
    'The payment due March 15, 2026 avoids a late fee of $15.78 if it is paid in full by March 25, 2026.',
  ];
  expect(before.amount).toBe('0.00');
  expect(texts(before)).toEqual([
    rule,
    [
      '0.00',
      'The payment due February 15, 2026 avoids a late fee of $10.00 if it is paid in full by February 25, 2026.',
    ],
    next,
  ]);
  expect(after.amount).toBe('6.00');
  expect(texts(after)).toEqual([
    [
      '10.00',
      'Late fee of February 26, 2026 for the payment due February 15, 2026, which was not paid in full by February 25, 2026: 5.00% of the amount past due, here of $200.00.',
    ],
    [
      '-4.00',
      'Part of the late fee of February 26, 2026 that was paid, waived or moved to another balance.',
    ],
    rule,
    next,
  ]);
  expect(exempt).toMatchObject({ amount: '0.00' });
  expect(exempt.steps).toMatchObject([
    { rule: 'late_fee_rule', late_fee: { condition: 'current', grace_days: 10 } },
    { rule: 'late_fee_exempt', late_fee: { exemption: 'partly_paid' } },
    { rule: 'late_fee_pending', late_fee: { last_day_on_time: '2026-03-25', fee_amount: '15.78' } },
  ]);
  expect(texts(await explain(tenant, free, 'late_fee'))).toEqual([
    ['0.00', 'The agreement has no late fee.'],
  ]);
});

test('a request for a day without figures is refused with an error that says what to do', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const { id: approved } = await newLoan(tenant, { status: 'approved' });
  const ask = (loan: string, query: string) =>
    tenant.officer.get(`/loans/${loan}/explain?${query}`);

  const future = await ask(id, 'figure=amount_due&as_of_date=2026-01-16');
  const early = await ask(id, 'figure=amount_due&as_of_date=2026-01-14');
  const unfunded = await ask(approved, 'figure=amount_due');
  const unnamed = await ask(id, '');
  const unknown = await ask(id, 'figure=apr');
  const foreign = await ask('00000000-0000-7000-8000-000000000000', 'figure=amount_due');

  expect(future).toMatchObject({
    status: 422,
    body: { errors: { as_of_date: expect.stringContaining('get-future-balance-projection') } },
  });
  expect(early).toMatchObject({
    status: 422,
    body: { errors: { as_of_date: 'Must not be before the loan was funded, 2026-01-15.' } },
  });
  expect(unfunded).toMatchObject({ status: 409, body: { code: 'loan_not_funded' } });
  for (const { status, body } of [unnamed, unknown]) {
    expect(status).toBe(422);
    expect(body.errors).toHaveProperty('figure');
  }
  expect(foreign.status).toBe(404);
});
