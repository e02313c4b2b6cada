import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { boardLoan } from '../../../jobs/loans/boarding/board-loan.ts';
import { Boarding } from '../../../jobs/loans/boarding/boarding-input.ts';
import { historyFromEvents } from '../../../jobs/loans/boarding/history-from-events.ts';
import { EarlierTransaction } from '../../../jobs/loans/boarding/history-input.ts';
import { translateHistory } from '../../../jobs/loans/boarding/translate-history.ts';
import { addDays } from '../../../jobs/dates.ts';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { newEvent } from '../../../jobs/loans/history/new-event.ts';
import { openLoan, readLoan } from '../../../jobs/loans/history/open-loan.ts';
import { recordEvents } from '../../../jobs/loans/history/record-events.ts';
import { refoldLoan } from '../../../jobs/loans/history/refold-loan.ts';
import { readTerms } from '../../../jobs/loans/products/loan-terms.ts';
import { newId } from '../../../sql/new-id.ts';
import { setBusinessDate } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();
vi.setConfig({ testTimeout: 600_000 });

/**
 * Random histories, each lived here event by event and brought by an identical loan. More with LIVES=100.
 */
const LIVES = Number(process.env['LIVES'] ?? 4);
const LENT = '2026-01-15';
const TODAY = '2026-12-20';

const PRODUCTS = [
  {},
  { interest_method: 'scheduled', day_count: '30_360' },
  { extra_payment_to: 'next_installment' },
  { day_count: 'actual_360', rounding_mode: 'half_even', delinquency_grace_days: 5 },
] as const;

const cents = fc.integer({ min: 1, max: 60_000 }).map((amount) => (amount / 100).toFixed(2));
const anyTransaction = fc.record({
  day: fc.integer({ min: 0, max: 330 }),
  what: fc.oneof(
    { weight: 8, arbitrary: fc.record({ type: fc.constant('payment'), amount: cents }) },
    {
      weight: 3,
      arbitrary: fc.record({ type: fc.constant('payment'), amount: fc.constant('450.00') }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('payment_reversal') }) },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constantFrom('fee', 'late_fee'),
        amount: fc.constant('25.00'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('fee_waiver') }) },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant('rate_change'),
        rate: fc.constantFrom('0', '0.05', '0.2'),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant('deferment'), count: fc.constantFrom(1, 2) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant('modification'), count: fc.constantFrom(6, 30) }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('service_credit'), amount: cents }) },
  ),
});

const histories = fc.sample(fc.array(anyTransaction, { minLength: 6, maxLength: 16 }), {
  numRuns: LIVES,
  seed: Number(process.env['PROPERTY_SEED'] ?? 1),
});

const toTransactions = (history: (typeof histories)[number]) =>
  history
    .toSorted((one, other) => one.day - other.day)
    .map(({ day, what }, index) =>
      EarlierTransaction.parse({ ...what, transaction_id: `T${index}`, date: addDays(LENT, day) }),
    );

/** The same events for another loan, in the same order. */
function copyEvents(events: readonly LoanEvent[]): LoanEvent[] {
  const ids = new Map(events.map(({ id }) => [id, newId()]));
  const fees = new Map<string, string>();
  const feeOf = (id: string) => {
    fees.set(id, fees.get(id) ?? newId());
    return fees.get(id) ?? '';
  };
  return events.map(({ is_replayed: _, ...event }) => ({
    ...event,
    id: ids.get(event.id) ?? '',
    ...('reverses' in event && { reverses: ids.get(event.reverses) ?? '' }),
    ...('fee_id' in event && event.fee_id !== undefined && { fee_id: feeOf(event.fee_id) }),
  }));
}

async function compared(tenant: Tenant, id: string) {
  const { body } = await tenant.officer.get(`/loans/${id}`);
  const own = 'id loan_number created_at updated_at final_payment_amount paid_off_at'.split(' ');
  // Without closes, nobody counts days past due, and workouts set the rate next to their events.
  const byOthers = [
    'times_delinquent_30',
    'times_delinquent_60',
    'times_delinquent_90',
    'delinquency_bucket',
    'first_delinquency_date',
    'interest_rate',
  ];
  for (const field of [...own, ...byOthers]) delete body[field];
  const { state } = await tenant.within((work) => readLoan(work, id));
  const { allocations, coverage, fees, ...plain } = state;
  return {
    body,
    plain,
    fees: fees.map(({ fee_id: _, ...fee }) => fee),
    allocations: allocations.map(({ event_id: _, fee_id: __, ...line }) => line),
    coverage: coverage.map(({ event_id: _, ...line }) => line),
  };
}

for (const [index, history] of histories.entries())
  test(`a random history gives the same loan, lived or brought (${index + 1})`, async () => {
    const tenant = await stage.tenant(LENT);
    const { borrower_id } = await newLoan(tenant, { status: 'pending' });
    const product_id = await newProduct(tenant, PRODUCTS[index % PRODUCTS.length] ?? {});
    const parents = { borrower_id, program_id: await tenant.first('/programs'), product_id };
    const input = Boarding.parse({
      ...parents,
      principal_amount: '5000.00',
      interest_rate: '0.12',
      term_months: 18,
      origination_date: LENT,
      first_payment_date: '2026-02-15',
    });
    const lived = await tenant.within((work) => boardLoan(work, input));
    const first = await tenant.within((work) => readLoan(work, lived));
    const { schedule, events } = first;
    const [boarding] = events;
    if (boarding === undefined) throw new Error('The loan has no event.');
    const translated = translateHistory(toTransactions(history), {
      terms: readTerms(first.row),
      schedule,
      boarding,
      today: TODAY,
    });
    const brought = translated.events.map(({ event }) => event);
    const recorded = copyEvents(brought);
    for (const event of recorded) {
      await setBusinessDate(tenant, event.effective_date);
      await tenant.within(async (work) => recordEvents(work, await openLoan(work, lived), [event]));
    }
    await setBusinessDate(tenant, TODAY);
    // Whoever pays everything off, in any order, is an ordinary end of a history.
    const { status } = (await tenant.officer.get(`/loans/${lived}`)).body;

    const imported = await tenant.within((work) =>
      boardLoan(work, { ...input, status }, undefined, () =>
        historyFromEvents([{ ...boarding, id: newId() }, ...brought], schedule),
      ),
    );

    expect(await compared(tenant, imported)).toEqual(await compared(tenant, lived));
    expect(await violationsOf(tenant, imported)).toEqual([]);
    const entries = (await tenant.officer.get(`/ledger/entries?loan_id=${imported}`)).body;
    await tenant.within((work) => refoldLoan(work, imported));
    expect((await tenant.officer.get(`/ledger/entries?loan_id=${imported}`)).body).toEqual(entries);

    const place = brought.findIndex(
      ({ id, kind }) => kind === 'payment' && !isReversed(id, brought),
    );
    const found = { kind: 'payment', effective_date: '2026-06-30', amount: '123.45' } as const;
    for (const id of [lived, imported])
      await tenant.within(async (work) =>
        recordEvents(work, await openLoan(work, id), [newEvent(found)]),
      );
    const [payment, twin] = [brought[place], recorded[place]];
    if (payment && twin) {
      await tenant.officer.post(`/payments/${payment.id}/reverse`, { reason: 'other' });
      const reversal = { kind: 'reversal', effective_date: TODAY, reverses: twin.id } as const;
      await tenant.within(async (work) =>
        recordEvents(work, await openLoan(work, lived), [newEvent(reversal)]),
      );
    }
    const [after, expected] = [await compared(tenant, imported), await compared(tenant, lived)];
    expect(after.plain).toEqual(expected.plain);
    await tenant.within((work) => refoldLoan(work, imported));
    expect(await violationsOf(tenant, imported)).toEqual([]);
  });

/** Without those of the lived loan, whose days are not closed here. */
async function violationsOf(tenant: Tenant, id: string) {
  const { loan_number } = (await tenant.officer.get(`/loans/${id}`)).body;
  const violations = await violationsIn(stage);
  return violations.filter((text) => text.includes(loan_number));
}

const isReversed = (id: string, events: readonly LoanEvent[]) =>
  events.some((event) => event.kind === 'reversal' && event.reverses === id);
