import { expect, test } from 'vitest';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

type Body = Record<string, unknown>;
type Agree = (tenant: Tenant, id: string) => Promise<{ status: number; body: Body }>;

/** 10,000.00 at 12 % for 12 months, whose first installments of 888.49 are paid on their due dates. */
async function paidLoan(start: string, paidOn: readonly string[], today: string) {
  const tenant = await stage.tenant(start);
  const { id } = await newLoan(tenant, { interest_rate: '0.12', term_months: 12 });
  for (const day of paidOn) {
    await travelTo(stage, tenant, day);
    const paid = await tenant.officer.post(`/loans/${id}/payments`, { amount: '888.49' });
    expect(paid.status, JSON.stringify(paid.body)).toBe(201);
  }
  await travelTo(stage, tenant, today);
  return { tenant, id };
}

const quoteOn = async (tenant: Tenant, id: string, payoff_date: string) =>
  (await tenant.officer.post(`/loans/${id}/payoff-quotes`, { payoff_date })).body as Body;

const projectedOn = async (tenant: Tenant, id: string, day: string) =>
  (await tenant.officer.get(`/loans/${id}/get-future-balance-projection?as_of_date=${day}`))
    .body as Body;

const balancesNow = async (tenant: Tenant, id: string) =>
  (await tenant.officer.get(`/loans/${id}/get-balances`)).body as Body;

const post =
  (path: string, body: object, role?: string): Agree =>
  async (tenant, id) => {
    const client = role ? await tenant.signedIn(role) : tenant.officer;
    return client.post(`/loans/${id}/${path}`, body);
  };

/**
 * By hand, for a relief from March 17 in which no interest accrues and which ends on March 26: the
 * installment of March 12, 2028 paid 10000.00 × 0.12 × 29 / 365 = 95.3425 of interest, in cents 95.34, and
 * 793.15 of principal. The remaining 9206.85 earns interest from March 12 to 17 and from March 27 to April 1,
 * 10 days: 9206.85 × 0.12 × 10 / 365 = 30.2691. In total 125.6116, in cents 125.61, less 95.34: 30.27.
 * 9206.85 + 30.27 = 9237.12.
 */
const AGREED: { what: string; agree: Agree; payoff: string; owes: string; change: Body | null }[] =
  [
    {
      what: 'a freeze with an end date',
      agree: post('freeze', { until_date: '2028-03-27' }, 'admin'),
      payoff: '2028-04-01',
      owes: '9237.12',
      change: { date: '2028-03-27', change: 'freeze_end' },
    },
    {
      what: 'a forbearance without interest',
      agree: post('forbearances', {
        start_date: '2028-03-17',
        end_date: '2028-03-26',
        interest_accrues: false,
        reason: 'hardship',
      }),
      payoff: '2028-04-01',
      owes: '9237.12',
      change: { date: '2028-03-27', change: 'forbearance_end' },
    },
    {
      what: 'a deferment that waives interest',
      agree: post('deferments', { periods: 1, reason: 'Holiday', interest_treatment: 'waive' }),
      payoff: '2028-05-17',
      owes: '9237.12',
      change: { date: '2028-05-12', change: 'deferment_end' },
    },
  ];

test.each(AGREED)('$what is part of a quote for a day after its end', async (agreed) => {
  const { tenant, id } = await paidLoan('2028-02-12', ['2028-03-12'], '2028-03-17');

  const before = await quoteOn(tenant, id, agreed.payoff);
  const made = await agreed.agree(tenant, id);
  const quote = await quoteOn(tenant, id, agreed.payoff);
  const superseded = (await tenant.officer.get(`/payoff-quotes/${String(before['id'])}`)).body;
  await travelTo(stage, tenant, agreed.payoff);
  const owed = await balancesNow(tenant, id);

  expect(made.status, JSON.stringify(made.body)).toBeLessThan(300);
  expect(superseded).toMatchObject({ status: 'superseded', superseded_reason: expect.any(String) });
  expect(quote).toMatchObject({ payoff_amount: agreed.owes, agreed_changes: [agreed.change] });
  expect(owed['payoff_amount']).toBe(agreed.owes);
  expect((await tenant.officer.get(`/payoff-quotes/${String(quote['id'])}`)).body.status).not.toBe(
    'superseded',
  );
});

/**
 * By hand: the installments of December 5 and January 5 leave 8415.52. It earns 8415.52 × 0.12 × 27 / 365 =
 * 74.70 through January 31, and from February 1 to 10 half of 8415.52 × 0.12 × 9 / 365 = 24.90.
 */
const LATER: { what: string; agree: Agree; owes: string; change: string }[] = [
  {
    what: 'a lower rate',
    agree: post('modifications', {
      modification_type: 'rate_change',
      new_interest_rate: '0.06',
      effective_date: '2026-02-01',
      reason: 'hardship',
    }),
    owes: '8502.67',
    change: 'modification',
  },
  {
    what: 'a promotion without interest',
    agree: post(
      'activate-promo',
      { promo_type: 'zero_interest', start_date: '2026-02-01', end_date: '2026-03-31' },
      'admin',
    ),
    owes: '8490.22',
    change: 'promotion_start',
  },
  {
    what: 'a forbearance without interest',
    agree: post('forbearances', {
      start_date: '2026-02-01',
      end_date: '2026-03-31',
      interest_accrues: false,
      reason: 'hardship',
    }),
    owes: '8490.22',
    change: 'forbearance_start',
  },
];

test.each(LATER)('$what that starts later is part of a quote', async ({ agree, owes, change }) => {
  const { tenant, id } = await paidLoan('2025-11-05', ['2025-12-05', '2026-01-05'], '2026-01-20');

  const before = await quoteOn(tenant, id, '2026-02-10');
  const made = await agree(tenant, id);
  const superseded = (await tenant.officer.get(`/payoff-quotes/${String(before['id'])}`)).body;
  const quote = await quoteOn(tenant, id, '2026-02-10');
  const projection = await projectedOn(tenant, id, '2026-02-10');
  const preview = await tenant.officer.post(`/loans/${id}/payments/preview`, {
    amount: owes,
    payment_date: '2026-02-10',
    payment_type: 'payoff',
  });
  await travelTo(stage, tenant, '2026-02-10');

  expect(made.status, JSON.stringify(made.body)).toBeLessThan(300);
  expect(before['payoff_amount']).toBe('8515.12');
  expect(superseded).toMatchObject({
    status: 'superseded',
    superseded_reason: 'agreed_change',
  });
  expect(quote).toMatchObject({
    payoff_amount: owes,
    agreed_changes: [{ date: '2026-02-01', change, description: expect.any(String) }],
  });
  expect(projection['total_balance']).not.toBe('0.00');
  expect(preview.body['remaining_balance']).toBe('0.00');
  expect((await balancesNow(tenant, id))['payoff_amount']).toBe(owes);
});

test('a quote repays the loan on each of its days, whether or not scheduled payments come first', async () => {
  const { tenant, id } = await paidLoan('2025-11-05', ['2025-12-05', '2026-01-05'], '2026-01-20');
  const dates = { payoff_date: '2026-01-20', good_through_date: '2026-01-30' };
  const scheduled = { amount: '500.00', payment_date: '2026-01-25', payment_method: 'check' };

  const before = (await tenant.officer.post(`/loans/${id}/payoff-quotes`, dates)).body;
  const made = await tenant.officer.post(`/loans/${id}/payments`, scheduled);
  const kept = (await tenant.officer.get(`/payoff-quotes/${before.id}`)).body;
  const quote = (await tenant.officer.post(`/loans/${id}/payoff-quotes`, dates)).body;
  await travelTo(stage, tenant, '2026-01-26');
  const after = (await tenant.officer.get(`/payoff-quotes/${quote.id}`)).body;

  expect([made.status, made.body.status, kept.status]).toEqual([201, 'scheduled', 'active']);
  const { payoff_amount, payoff_amount_good_through } = before;
  expect(Number(payoff_amount_good_through)).toBeGreaterThan(Number(payoff_amount));
  expect(quote).toMatchObject({ payoff_amount, payoff_amount_good_through, agreed_changes: [] });
  expect(after).toMatchObject({ status: 'superseded', superseded_reason: 'payment' });
});

test('a quote ends before an agreed change lowers the debt, and a later last day is refused', async () => {
  const { tenant, id } = await paidLoan('2025-11-05', ['2025-12-05', '2026-01-05'], '2026-01-20');
  const forgiveness = { modification_type: 'principal_forgiveness', principal_forgiven: '1000.00' };
  const made = await post(
    'modifications',
    { ...forgiveness, effective_date: '2026-01-25', reason: 'hardship' },
    'admin',
  )(tenant, id);
  const quotes = `/loans/${id}/payoff-quotes`;
  const payoff_date = '2026-01-20';

  const across = await tenant.officer.post(quotes, {
    payoff_date,
    good_through_date: '2026-01-30',
  });
  const until = await tenant.officer.post(quotes, { payoff_date, good_through_date: '2026-01-24' });
  const usual = await tenant.officer.post(quotes, { payoff_date });

  expect(made.status, JSON.stringify(made.body)).toBe(201);
  expect([across.status, until.status]).toEqual([422, 201]);
  // The debt is lower from the close of January 25 on.
  expect(usual.body).toMatchObject({ payoff_date, good_through_date: '2026-01-25' });
  expect(JSON.stringify(across.body)).toContain('Quote an earlier last day.');
});
