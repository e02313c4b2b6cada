import { expect, test } from 'vitest';
import { wholeMonthsBetween } from '../../jobs/dates.ts';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

const termOf = async (tenant: Tenant, id: string) => {
  const { body } = await tenant.officer.get(`/loans/${id}`);
  return [body.term_months, body.original_term_months, body.maturity_date];
};
const modify = (tenant: Tenant, id: string, body: object) =>
  tenant.officer.post(`/loans/${id}/modifications`, { reason: 'hardship', ...body });

test('a term extension makes the term longer, keeps the original one, and its reversal brings that back', async () => {
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
    ...{ start_date: '2026-01-15', end_date: '2026-02-20', reason: 'hardship' },
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
