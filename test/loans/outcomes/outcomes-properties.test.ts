import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays } from '../../../jobs/dates.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage, type Tenant } from '../../setup/world.ts';
import { pay } from '../history/conclusion-steps.ts';

const stage = await newStage();

const START = '2026-01-15';
const DAYS = 16;
const RUNS = Number(process.env['LIVES'] ?? 2);

/**
 * A payment on a day or found some days later, and the number of days after which it is reversed, if at
 * all.
 */
const anyPayment = fc.record({
  day: fc.integer({ min: 0, max: 10 }),
  found_after: fc.constantFrom(0, 0, 2),
  amount: fc.constantFrom('300.00', '2000.00', '4000.00'),
  reversed_after: fc.constantFrom(null, null, 0, 1, 4),
});
type Payment = { day: number; found_after: number; amount: string; reversed_after: number | null };

async function agreed(tenant: Tenant) {
  const { id } = await newLoan(tenant);
  await tenant.officer.post(`/loans/${id}/promises-to-pay`, {
    promised_amount: '300.00',
    promised_date: addDays(START, 3),
    grace_days: 0,
  });
  await tenant.officer.post(`/loans/${id}/payment-plans`, {
    plan_type: 'settlement',
    settlement_amount: '4000.00',
    installments: [
      { due_date: addDays(START, 3), amount: '2000.00' },
      { due_date: addDays(START, 8), amount: '2000.00' },
    ],
    waive_remaining: true,
    grace_days: 1,
  });
  return id;
}

async function concluded(tenant: Tenant, id: string) {
  const get = async (path: string) => (await tenant.officer.get(path)).body;
  const pick = (row: Record<string, unknown>, ...names: string[]) => names.map((name) => row[name]);
  const loan = await get(`/loans/${id}`);
  const [promise] = await get(`/loans/${id}/promises-to-pay`);
  const [plan] = await get(`/loans/${id}/payment-plans`);
  const forms = (await get(`/loans/${id}/1099c`)) as Record<string, unknown>[];
  return {
    loan: pick(loan, 'status', 'total_balance', 'suspense_balance', 'first_delinquency_date'),
    promise: pick(promise, 'status', 'fulfilled_amount'),
    plan: pick(plan, 'status', 'paid_amount', 'installments'),
    forms: forms
      .filter(({ status }) => status !== 'void' && status !== 'corrected')
      .map((form) => pick(form, 'tax_year', 'amount_discharged', 'identifiable_event_date')),
  };
}

async function live(tenant: Tenant, payments: readonly Payment[]) {
  const [id, twin] = [await agreed(tenant), await agreed(tenant)];
  const ids = new Map<Payment, string>();
  for (let today = 0; today <= DAYS; today += 1) {
    await travelTo(stage, tenant, addDays(START, today));
    for (const payment of payments) {
      const { day, found_after, amount, reversed_after } = payment;
      const dated = { payment_date: addDays(START, day) };
      if (day + found_after === today) {
        ids.set(payment, await pay(tenant, id, amount, dated));
        if (reversed_after === null) await pay(tenant, twin, amount, dated);
      }
      if (reversed_after === null || day + found_after + reversed_after !== today) continue;
      const reversed = await tenant.officer.post(`/payments/${ids.get(payment)}/reverse`, {
        reason: 'clerical_error',
      });
      expect(reversed.status, JSON.stringify(reversed.body)).toBe(200);
    }
  }
  await travelTo(stage, tenant, addDays(START, DAYS + 2));
  return { lived: await concluded(tenant, id), twin: await concluded(tenant, twin) };
}

test('reversing payments leaves a loan as if they had never been made', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyPayment, { minLength: 2, maxLength: 5 }), async (payments) => {
      const tenant = await stage.tenant(START);
      const { lived, twin } = await live(tenant, payments);

      expect(lived).toEqual(twin);
      expect(await violationsIn(stage)).toEqual([]);
    }),
    { numRuns: RUNS, endOnFailure: true, seed: Number(process.env['PROPERTY_SEED'] ?? 1) },
  );
}, 900_000);
