import { expect, test } from 'vitest';
import { wholeMonthsBetween } from '../../../jobs/dates.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

const termOf = async (tenant: Tenant, id: string) => {
  const { body } = await tenant.officer.get(`/loans/${id}`);
  return [body.term_months, body.original_term_months, body.maturity_date];
};
const modify = (tenant: Tenant, id: string, body: object) =>
  tenant.officer.post(`/loans/${id}/modifications`, { reason: 'hardship', ...body });

test('a term extension lengthens the term and keeps the original one, and its reversal restores it', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);

  const before = await termOf(tenant, id);
  const extension = { modification_type: 'term_extension', extend_months: 6 };
  const made = await modify(tenant, id, extension);
  const after = await termOf(tenant, id);
  const second = await modify(tenant, id, {
    ...extension,
    extend_months: null,
    new_term_months: 48,
  });
  const longer = await termOf(tenant, id);
  await tenant.officer.post(`/modifications/${second.body.id}/reverse`);
  await tenant.officer.post(`/modifications/${made.body.id}/reverse`);

  expect(before).toEqual([36, 36, '2029-01-15']);
  expect(after).toEqual([42, 36, '2029-07-15']);
  expect(made.body).toMatchObject({
    previous_terms: { term_months: 36 },
    new_terms: { term_months: 42, remaining_payments: 42 },
  });
  expect(longer).toEqual([48, 36, '2030-01-15']);
  expect(await termOf(tenant, id)).toEqual(before);
});

test('a deferment and a forbearance that move the maturity change the term; a new due day does not', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const [deferred, forborne, moved, shorter] = await Promise.all(
    [1, 2, 3, 4].map(async () => (await newLoan(tenant)).id),
  );

  await tenant.officer.post(`/loans/${deferred}/deferments`, { periods: 2, reason: 'Holiday' });
  await tenant.officer.post(`/loans/${forborne}/forbearances`, {
    start_date: '2026-01-15',
    end_date: '2026-02-20',
    reason: 'hardship',
    end_treatment: 'extend_term',
  });
  await tenant.officer.post(`/loans/${moved}/change-due-date`, { payment_day: 28 });
  await modify(tenant, shorter ?? '', {
    modification_type: 'payment_change',
    new_payment_amount: '631.36',
  });
  await travelTo(stage, tenant, '2026-02-22');

  expect(await termOf(tenant, deferred ?? '')).toEqual([38, 36, '2029-03-15']);
  expect(await termOf(tenant, forborne ?? '')).toEqual([37, 36, '2029-02-15']);
  expect(await termOf(tenant, moved ?? '')).toEqual([36, 36, '2029-01-28']);
  expect(await termOf(tenant, shorter ?? '')).toEqual([17, 36, '2027-06-15']);
});

test('a maturity date that is not a due date is refused with the nearest ones', async () => {
  const tenant = await stage.tenant('2026-01-10');
  const { id } = await newLoan(tenant);
  const extend = (new_maturity_date: string) =>
    modify(tenant, id, { modification_type: 'term_extension', new_maturity_date });

  const between = await extend('2029-01-31');
  const early = await modify(tenant, id, {
    modification_type: 'combined',
    new_maturity_date: '2026-01-31',
  });
  const kept = await extend('2029-02-10');

  expect(between).toMatchObject({
    status: 422,
    body: {
      errors: {
        new_maturity_date: 'Must be a due date of the loan: 2029-01-10 or 2029-02-10.',
      },
    },
  });
  expect(early.body.errors.new_maturity_date).toMatch(/next due date, 2026-02-10\.$/);
  expect(kept.status).toBe(201);
  expect(await termOf(tenant, id)).toEqual([37, 36, '2029-02-10']);
});

test.each([
  ['new_term_months', 24],
  ['new_term_months', 36],
  ['new_maturity_date', '2028-01-15'],
])(
  'a term extension with %s %s does not shorten the term; a combined modification may',
  async (field, value) => {
    const tenant = await stage.tenant('2026-01-15');
    const { id } = await newLoan(tenant);

    const extension = await modify(tenant, id, {
      modification_type: 'term_extension',
      [field]: value,
    });
    const combined = await modify(tenant, id, { modification_type: 'combined', [field]: value });

    expect(extension).toMatchObject({
      status: 422,
      body: { errors: { [field]: expect.stringMatching(/due on 2029-01-15\..*"combined"/) } },
    });
    expect(combined.status).toBe(201);
  },
);

test('a quarterly loan is extended by whole quarters, and a single-payment loan keeps one payment', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const productWith = async (payment_frequency: string) =>
    (
      await (
        await tenant.signedIn('admin')
      ).post('/products', {
        program_id: await tenant.first('/programs'),
        name: payment_frequency,
        code: payment_frequency.toUpperCase(),
        loan_type: 'installment',
        payment_frequency,
      })
    ).body.id as string;
  const loanOf = async (frequency: string, term_months: number) =>
    (await newLoan(tenant, { product_id: await productWith(frequency), term_months })).id;
  const [quarterly, single] = [await loanOf('quarterly', 12), await loanOf('single', 6)];
  const extend = (id: string, extend_months: number) =>
    modify(tenant, id, { modification_type: 'term_extension', extend_months });

  const odd = await extend(quarterly, 1);
  const even = await extend(quarterly, 3);
  const later = await extend(single, 2);
  const { body: rows } = await tenant.officer.get(`/loans/${single}/amortization`);

  expect(odd.body.errors).toEqual({
    extend_months: 'Must be a multiple of 3, because payments are quarterly.',
  });
  expect(even.status).toBe(201);
  expect(await termOf(tenant, quarterly)).toEqual([15, 12, '2027-04-15']);
  expect(later.status).toBe(201);
  expect(rows).toMatchObject([{ due_date: '2026-09-15' }]);
  expect(await termOf(tenant, single)).toEqual([8, 6, '2026-09-15']);
});

test('whole months between two days', () => {
  expect(
    [
      ['2026-01-31', '2026-02-28'],
      ['2026-02-28', '2026-08-31'],
      ['2029-01-15', '2029-01-28'],
      ['2029-01-15', '2029-02-14'],
      ['2029-07-15', '2029-01-15'],
    ].map(([from = '', to = '']) => wholeMonthsBetween(from, to)),
  ).toEqual([1, 6, 0, 0, -6]);
});
