import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { newLoan } from '../../setup/loans.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('installments are written only for loans of their tenant', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const other = await stage.tenant('2026-01-15');
  const [loan, foreign] = [(await newLoan(tenant)).id, (await newLoan(other)).id];
  const copyTo = (id: string) =>
    stage.owner
      .query(
        `insert into installments (tenant_id, loan_id, version, period_number, due_date, payment_amount,
           principal_amount, interest_amount, beginning_balance, ending_balance, days_in_period)
         select tenant_id, case when period_number = 2 then $3 else loan_id end, 99, period_number, due_date,
           payment_amount, principal_amount, interest_amount, beginning_balance, ending_balance, days_in_period
         from installments where tenant_id = $1 and loan_id = $2`,
        [tenant.id, loan, id],
      )
      .then(
        () => 'written',
        ({ code }: { code: string }) => code,
      );

  expect(await copyTo(randomUUID())).toBe('23503');
  expect(await copyTo(foreign)).toBe('23503');
  expect(await copyTo(loan)).toBe('written');
});

test('a loan with installments is not deleted', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);

  await expect(
    stage.owner.query('delete from loans where tenant_id = $1 and id = $2', [tenant.id, id]),
  ).rejects.toMatchObject({ code: '23503' });
});
