import { randomUUIDv7 } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openLoan } from '../../jobs/loans/history/open-loan.ts';
import { recordEvents } from '../../jobs/loans/history/record-events.ts';
import { anyEvent, type Draft } from '../loans/arbitraries.ts';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { newPortfolioForSale } from '../setup/sales.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const RUNS = Number(process.env['LIVES'] ?? 2);

test('a sold loan and its books agree after any events before and after the sale', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyEvent, { maxLength: 4 }),
      fc.array(fc.tuple(anyEvent, fc.boolean()), { maxLength: 4 }),
      fc.boolean(),
      async (before, after, servicing_retained) => {
        const tenant = await stage.tenant('2026-01-31');
        const { id } = await newLoan(tenant);
        const { sell, buyBack } = await newPortfolioForSale(tenant, id);
        await sell({ sale_price: '5000.00', settlement_date: '2026-03-05', servicing_retained });
        const doing = async (draft: Draft, effective_date: string) => {
          if ('reverses' in draft || 'fee_id' in draft) return;
          const event = { ...draft, id: randomUUIDv7(), effective_date };
          await tenant.within(async (work) =>
            recordEvents(work, await openLoan(work, id), [event]),
          );
        };

        await travelTo(stage, tenant, '2026-03-02');
        for (const draft of before) await doing(draft, '2026-03-01');
        await travelTo(stage, tenant, '2026-03-07');
        const settled = await violationsIn(stage);
        for (const [draft, isLate] of after)
          await doing(draft, isLate ? '2026-03-03' : '2026-03-06');
        await travelTo(stage, tenant, '2026-03-09');
        const passed = await violationsIn(stage);
        // The buyback does nothing if no part of the loan was sold or nothing was left to sell.
        await buyBack({ loan_ids: [id], price: '4000.00' });
        await travelTo(stage, tenant, '2026-03-11');

        expect([...settled, ...passed, ...(await violationsIn(stage))]).toEqual([]);
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  );
}, 300_000);
