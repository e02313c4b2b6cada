import { expect, test } from 'vitest';
import { eventTypes, balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { saveSettings } from '../../setup/settings.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('with automation, a loan stops accruing at 90 days late and is charged off at 120', async () => {
  const tenant = await stage.tenant('2026-01-15');
  await saveSettings(tenant, { non_accrual: { auto: true }, charge_off: { auto_enabled: true } });
  const { id } = await newLoan(tenant);
  const loanOn = async (day: string) => {
    await travelTo(stage, tenant, day);
    return (await tenant.officer.get(`/loans/${id}`)).body;
  };

  const before = await loanOn('2026-05-16');
  const stopped = await loanOn('2026-05-17');
  const late = await loanOn('2026-06-15');
  const lost = await loanOn('2026-06-16');

  // The installment of February 15 is 90 days late on May 16 and 120 on June 15.
  expect(before).toMatchObject({ days_past_due: 90, is_non_accrual: false });
  expect(stopped).toMatchObject({ is_non_accrual: true, non_accrual_since: '2026-05-16' });
  expect(late).toMatchObject({ status: 'active', days_past_due: 120 });
  expect(lost).toMatchObject({
    status: 'charged_off',
    charge_off_reason: 'delinquency',
    charge_off_balance: '10000.00',
  });
  expect(await balancesByRole(tenant)).toEqual({
    cash: '-10000.00',
    charge_off_expense: '10000.00',
  });
  expect((await eventTypes(tenant)).at(-1)).toBe('loan.status_changed');
  expect(await violationsIn(stage)).toEqual([]);
});

test('without automation, a late loan keeps its status', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);

  await travelTo(stage, tenant, '2026-06-20');
  const loan = await tenant.officer.get(`/loans/${id}`);

  expect(loan.body).toMatchObject({ status: 'active', is_non_accrual: false, days_past_due: 125 });
});
