import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('a loan’s modification count counts the days on which its own terms changed', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const other = await newLoan(tenant);
  const modify = async (new_interest_rate: string) => {
    const terms = { modification_type: 'rate_change', new_interest_rate };
    const made = await tenant.officer.post(`/loans/${id}/modifications`, terms);
    expect([made.status, made.body.status]).toEqual([201, 'completed']);
  };

  await modify('0.08');
  await modify('0.07');
  await travelTo(stage, tenant, '2026-01-17');
  await modify('0.06');
  await travelTo(stage, tenant, '2026-01-19');

  const { rows } = await stage.owner.query(
    `select loan_id, from_date::text, modification_count as days from loan_attribute_history
     where tenant_id = $1 order by loan_id, from_date`,
    [tenant.id],
  );
  expect(rows.map(({ loan_id, from_date, days }) => [loan_id, from_date, days])).toEqual([
    [id, '2026-01-15', 1],
    [id, '2026-01-17', 2],
    [other.id, '2026-01-15', 0],
  ]);
});

test('a reversed modification does not count', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const terms = { modification_type: 'rate_change', new_interest_rate: '0.08' };
  const made = await tenant.officer.post(`/loans/${id}/modifications`, terms);
  await travelTo(stage, tenant, '2026-01-17');

  const reversed = await tenant.officer.post(`/modifications/${made.body.id}/reverse`);
  await travelTo(stage, tenant, '2026-01-19');

  const { rows } = await stage.owner.query(
    `select from_date::text, modification_count as days from loan_attribute_history
     where loan_id = $1 order by from_date`,
    [id],
  );
  expect([made.status, reversed.status]).toEqual([201, 200]);
  expect(rows).toEqual([
    { from_date: '2026-01-15', days: 1 },
    { from_date: '2026-01-17', days: 0 },
  ]);
});
