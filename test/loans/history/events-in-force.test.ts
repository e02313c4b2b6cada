import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { eventsInForce } from '../../../jobs/loans/engine/event-order.ts';
import { newEvent } from '../../../jobs/loans/history/new-event.ts';
import { openLoan } from '../../../jobs/loans/history/open-loan.ts';
import { recordEvents } from '../../../jobs/loans/history/record-events.ts';
import { sql } from '../../../sql/database/db.ts';
import { newLoan } from '../../setup/loans.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();
vi.setConfig({ testTimeout: 300_000 });

const TODAY = '2026-01-15';
const RULE = 'an event is reversed exactly while a reversal of it is in force';

/** A fee, a payment, or the reversal of any earlier event: the number counts from the first. */
const anyStep = fc.oneof(
  fc.constantFrom('fee' as const, 'payment' as const),
  fc.record({ reverses: fc.nat(15) }),
);
type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;

/** Several recordings, each of several steps. */
const anyLife = fc.array(fc.array(anyStep, { minLength: 1, maxLength: 4 }), {
  minLength: 3,
  maxLength: 7,
});

function eventOf(step: Step, known: readonly LoanEvent[]): LoanEvent {
  if (step === 'fee') return newEvent({ kind: 'fee', effective_date: TODAY, amount: '5.00' });
  if (step === 'payment')
    return newEvent({ kind: 'payment', effective_date: TODAY, amount: '10.00' });
  // The disbursement and its schedule come first and stay.
  const reversible = known.filter(({ kind }) => ['fee', 'payment', 'reversal'].includes(kind));
  const reverses = reversible[step.reverses % Math.max(reversible.length, 1)]?.id;
  return reverses === undefined
    ? newEvent({ kind: 'fee', effective_date: TODAY, amount: '7.00' })
    : newEvent({ kind: 'reversal', effective_date: TODAY, reverses });
}

/** The events without those that a reversal undoes, judged from the last to the first. */
function withoutUndone(events: readonly LoanEvent[]): string[] {
  const undone = new Set<string>();
  for (const event of events.toReversed())
    if (event.kind === 'reversal' && !undone.has(event.id)) undone.add(event.reverses);
  return events
    .filter(({ id, kind }) => kind !== 'reversal' && !undone.has(id))
    .map(({ id }) => id)
    .toSorted();
}

const Stored = z.object({ id: z.string() });
const storedInForce = ({ within }: Tenant, loanId: string) =>
  within(({ tx }) =>
    tx.anyFirst(sql.type(Stored)`
      select id from loan_events
      where loan_id = ${loanId} and kind <> 'reversal' and reversed_by is null order by id
    `),
  );

test('the stored events in force equal those of the fold, however often reversals are reversed', async () => {
  const tenant = await stage.tenant(TODAY);

  await fc.assert(
    fc.asyncProperty(anyLife, async (life) => {
      const { id } = await newLoan(tenant);
      for (const steps of life) {
        const events = await tenant.within(async (work) => {
          const loan = await openLoan(work, id);
          const events: LoanEvent[] = [];
          for (const step of steps) events.push(eventOf(step, [...loan.events, ...events]));
          await recordEvents(work, loan, events);
          return [...loan.events, ...events];
        });
        const folded = eventsInForce(events, TODAY).map((event) => event.id);

        expect(await storedInForce(tenant, id)).toEqual(folded.toSorted());
        expect(withoutUndone(events)).toEqual(folded.toSorted());
      }
    }),
    { numRuns: 12, endOnFailure: true },
  );

  expect((await violationsIn(stage)).filter((violation) => violation.startsWith(RULE))).toEqual([]);
});

test('`npm run invariants` finds an event that is wrongly stored as reversed or in force', async () => {
  const tenant = await stage.tenant(TODAY);
  const { id } = await newLoan(tenant);
  const fee = newEvent({ kind: 'fee', effective_date: TODAY, amount: '5.00' });
  const other = newEvent({ kind: 'fee', effective_date: TODAY, amount: '6.00' });
  const reversal = newEvent({ kind: 'reversal', effective_date: TODAY, reverses: fee.id });
  await tenant.within(async (work) =>
    recordEvents(work, await openLoan(work, id), [fee, other, reversal]),
  );
  const set = (event: string, reversed_by: string | null) =>
    stage.owner.query('update loan_events set reversed_by = $2 where id = $1', [
      event,
      reversed_by,
    ]);
  const found = async () =>
    (await violationsIn(stage)).filter((violation) => violation.startsWith(RULE));
  const before = await found();

  await set(fee.id, null);
  const missing = await found();
  await set(other.id, reversal.id);
  const wrong = await found();
  await set(other.id, null);
  await set(fee.id, reversal.id);

  expect(before).toEqual([]);
  expect(missing).toEqual([
    expect.stringContaining(`${fee.id} of loan ${id} is stored as in force`),
  ]);
  expect(wrong).toContainEqual(
    expect.stringContaining(`${other.id} of loan ${id} is stored as reversed by ${reversal.id}`),
  );
});

test('an event never changes, except for the reversal that undoes it', async () => {
  const tenant = await stage.tenant(TODAY);
  const { id } = await newLoan(tenant);
  const change = (assignment: ReturnType<typeof sql.fragment>) =>
    tenant.within(({ tx }) =>
      tx.query(sql.typeAlias('void')`update loan_events set ${assignment} where loan_id = ${id}`),
    );

  await expect(change(sql.fragment`effective_date = effective_date - 1`)).rejects.toThrow(
    /permission denied/,
  );
  await expect(
    stage.owner.query(`update loan_events set details = '{}' where loan_id = $1`, [id]),
  ).rejects.toThrow(/append-only/);
  await expect(
    stage.owner.query(
      'update loan_events set kind = kind, recorded_on = recorded_on + 1 where loan_id = $1',
      [id],
    ),
  ).rejects.toThrow(/append-only/);
  await expect(
    stage.owner.query('delete from loan_events where loan_id = $1', [id]),
  ).rejects.toThrow(/append-only/);
});
