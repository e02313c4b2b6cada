import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { addDays } from '../../jobs/dates.ts';
import { openLoan } from '../../jobs/loans/history/open-loan.ts';
import { recordEvents } from '../../jobs/loans/history/record-events.ts';
import { newEvent } from '../../jobs/loans/history/new-event.ts';
import { openPool } from '../../sql/database/db.ts';
import { checkInvariants } from '../../sql/invariants/invariants.ts';
import { anyEvent } from '../loans/arbitraries.ts';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const auditor = await openPool(stage.url, { role: 'servicing_auditor', size: 1 });
afterAll(() => auditor.end());

const START = '2026-01-31';
/** The days on which events are entered. They may be effective up to two months earlier. */
const VISITS = [0, 9, 29, 30, 61] as const;
const RUNS = Number(process.env['LIVES'] ?? 2);

/** Up to three events per visit, each some days before it. */
const anyStory = fc.array(
  fc.array(fc.tuple(anyEvent, fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 70 }))), {
    maxLength: 3,
  }),
  { minLength: VISITS.length, maxLength: VISITS.length },
);

async function loanOf(tenant: Tenant, interest_method: string) {
  const admin = await tenant.signedIn('admin');
  const product = await admin.post('/products', {
    program_id: await tenant.first('/programs'),
    name: interest_method,
    code: interest_method,
    interest_method,
  });
  if (product.status !== 201) throw new Error(JSON.stringify(product.body));
  return newLoan(tenant, { product_id: product.body.id, term_months: 12 });
}

test('the books are correct after any events on a loan, however late they are entered', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('simple_daily', 'scheduled', 'flat'),
      anyStory,
      async (method, story) => {
        const tenant = await stage.tenant(START);
        const { id } = await loanOf(tenant, method);
        const ids: string[] = [];
        const found: unknown[] = [];
        for (const [visit, known] of story.entries()) {
          const today = addDays(START, VISITS[visit] ?? 0);
          await travelTo(stage, tenant, today);
          for (const [draft, daysAgo] of known) {
            const then = addDays(today, -daysAgo);
            const facts: Record<string, unknown> = { ...draft };
            // Stories refer to earlier events by number. e1 is the first.
            for (const name of ['reverses', 'fee_id']) {
              const number = /^e(\d)$/.exec(String(facts[name]))?.[1];
              if (number) facts[name] = ids[Number(number) - 1] ?? ids[0];
            }
            if (['reverses', 'fee_id'].some((name) => name in facts && !facts[name])) continue;
            const effective_date = then < START ? START : then;
            const event = newEvent({ ...facts, kind: draft.kind, effective_date });
            ids.push(event.id);
            await tenant.within(async (work) =>
              recordEvents(work, await openLoan(work, id), [event]),
            );
          }
          const violations = await checkInvariants(auditor);
          found.push(...violations.filter(({ tenant_id }) => tenant_id === tenant.id));
        }
        expect(found).toEqual([]);
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  );
}, 900_000);
