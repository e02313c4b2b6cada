import { randomUUIDv7 } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openLoan } from '../../jobs/loans/history/open-loan.ts';
import { recordEvents } from '../../jobs/loans/history/record-events.ts';
import { anyEvent } from '../loans/arbitraries.ts';
import { balancesByRole } from '../setup/ledger.ts';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { saveSettings } from '../setup/settings.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const RUNS = Number(process.env['LIVES'] ?? 2);

const pay = async (tenant: Tenant, id: string, amount: string, payment_date: string) =>
  (await tenant.officer.post(`/loans/${id}/payments`, { amount, payment_date })).body as {
    id: string;
  };

test('without relief, a payment posts exactly the rows of the specification', async () => {
  const tenant = await stage.tenant('2026-01-15');
  await saveSettings(tenant, { accounting: { accrual_relief: false } });
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-15');
  await tenant.officer.post(`/loans/${id}/fees`, { fee_type: 'other', amount: '25.00' });

  const { id: payment } = await pay(tenant, id, '315.68', '2026-02-15');
  const [entry] = (await tenant.officer.get(`/ledger/entries?reference_id=${payment}`)).body;
  const books = await balancesByRole(tenant);
  const found = await violationsIn(stage);
  await tenant.officer.post(`/payments/${payment}/reverse`, { reason: 'clerical_error' });
  const reversed = await balancesByRole(tenant);

  expect(entry.lines).toMatchObject([
    { role: 'cash', debit: '315.68' },
    { role: 'fee_income', credit: '25.00' },
    { role: 'interest_income', credit: '72.19' },
    { role: 'loans_receivable', credit: '218.49' },
  ]);
  expect(books).toEqual({
    cash: '-9684.32',
    loans_receivable: '9781.51',
    interest_receivable: '72.19',
    interest_income: '-144.38',
    fees_receivable: '25.00',
    fee_income: '-50.00',
  });
  expect(reversed).toMatchObject({ interest_income: '-72.19', fee_income: '-25.00' });
  expect([...found, ...(await violationsIn(stage))]).toEqual([]);
});

test('a loan keeps its booking method when the setting changes', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const relieved = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-10');
  const early = await pay(tenant, relieved.id, '100.00', '2026-02-10');
  await saveSettings(tenant, { accounting: { accrual_relief: false } });
  await travelTo(stage, tenant, '2026-02-15');

  await pay(tenant, relieved.id, '315.68', '2026-02-15');
  await tenant.officer.post(`/payments/${early.id}/reverse`, { reason: 'clerical_error' });
  const books = await balancesByRole(tenant);

  expect(books['interest_receivable']).toBeUndefined();
  expect(await violationsIn(stage)).toEqual([]);
});

test('without relief, a loan’s receivable equals its unrelieved amount, after any events', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyEvent, { minLength: 3, maxLength: 6 }), async (story) => {
      const tenant = await stage.tenant('2026-01-31');
      await saveSettings(tenant, { accounting: { accrual_relief: false } });
      const { id } = await newLoan(tenant);
      await travelTo(stage, tenant, '2026-03-02');
      for (const draft of story) {
        if ('reverses' in draft || 'fee_id' in draft) continue;
        const event = { ...draft, id: randomUUIDv7(), effective_date: '2026-03-01' };
        await tenant.within(async (work) => recordEvents(work, await openLoan(work, id), [event]));
      }
      await travelTo(stage, tenant, '2026-03-04');

      expect(await violationsIn(stage)).toEqual([]);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
}, 300_000);
