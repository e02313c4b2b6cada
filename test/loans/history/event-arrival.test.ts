import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { openLoan } from '../../../jobs/loans/history/open-loan.ts';
import { recordEvents } from '../../../jobs/loans/history/record-events.ts';
import { sql } from '../../../sql/database/db.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { newStage, type Tenant } from '../../setup/world.ts';
import { anyAgreement, day, START } from '../agreed/any-agreement.ts';
import { anyEvent, type Draft } from '../arbitraries.ts';

const stage = await newStage();
vi.setConfig({ testTimeout: 600_000 });

const TODAY = '2027-09-10';
const LIVES = Number(process.env['LIVES'] ?? 5);

const PRODUCTS = [
  {},
  { interest_method: 'scheduled', day_count: '30_360' },
  { extra_payment_to: 'next_installment' },
  { day_count: 'actual_360', rounding_mode: 'half_even', delinquency_grace_days: 5 },
  { interest_method: 'flat' },
] as const;

const plan: fc.Arbitrary<Draft> = fc
  .tuple(day, anyAgreement)
  .map(([effective_date, agreement]) => ({ kind: 'schedule_agreed', effective_date, agreement }));

const anything = fc.oneof({ weight: 3, arbitrary: anyEvent }, { weight: 1, arbitrary: plan });

const lives = fc.sample(
  fc.record({
    drafts: fc.array(anything, { minLength: 4, maxLength: 12 }),
    dice: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
  }),
  { numRuns: LIVES, seed: Number(process.env['PROPERTY_SEED'] ?? 1) },
);

/** The same place in the order of a day for each loan. */
const idOf = (loan: number, place: number) =>
  `019f0000-0000-7000-8000-${loan.toString(16).padStart(4, '0')}${place.toString(16).padStart(8, '0')}`;

const namesOf = (draft: Draft): string | undefined =>
  draft.kind === 'reversal'
    ? draft.reverses
    : draft.kind === 'fee_waiver'
      ? draft.fee_id
      : undefined;
const placeNamed = (draft: Draft): number => Number(namesOf(draft)?.slice(1) ?? 0) - 1;

/** Events that can have happened by now. An event that refers to another comes after it. */
const possible = (drafts: readonly Draft[]) =>
  drafts
    .map((draft, place) => ({ draft, place }))
    .filter(({ draft }) => draft.effective_date <= TODAY && draft.effective_date >= START)
    // A full charge-off also changes the loan's status.
    .filter(({ draft }) => draft.kind !== 'charge_off' || draft.principal_amount !== undefined)
    .filter(
      ({ draft }) => !('to' in draft) || draft.to === null || draft.to >= draft.effective_date,
    )
    .filter(({ draft, place }, _, all) => {
      if (namesOf(draft) === undefined) return true;
      const named = placeNamed(draft);
      return named < place && all.some((other) => other.place === named);
    });

type Known = ReturnType<typeof possible>[number];

const eventOf = (loan: number, { draft, place }: Known): LoanEvent => {
  const named = idOf(loan, placeNamed(draft));
  return {
    ...draft,
    id: idOf(loan, place),
    ...(draft.kind === 'reversal' && { reverses: named }),
    ...(draft.kind === 'fee_waiver' && { fee_id: named }),
  };
};

/** Another order in which every event still follows the event that it refers to. */
function shuffled(known: readonly Known[], dice: readonly number[]): Known[] {
  const at = new Map<number, number>();
  for (const { draft, place } of known) {
    const named = namesOf(draft) === undefined ? undefined : at.get(placeNamed(draft));
    at.set(place, Math.max(dice[place] ?? 0, named === undefined ? 0 : named + 1));
  }
  return known.toSorted((one, other) => (at.get(one.place) ?? 0) - (at.get(other.place) ?? 0));
}

async function enter(tenant: Tenant, id: string, events: readonly LoanEvent[]) {
  for (const event of events)
    await tenant.within(async (work) => recordEvents(work, await openLoan(work, id), [event]));
}

const Ledger = z.object({ account_id: z.string(), balance: z.string() });
const Json = z.object({ value: z.unknown() });

/** Everything that could depend on the order of entry. */
async function outcome(tenant: Tenant, id: string) {
  return tenant.within(async (work) => {
    const { state } = await openLoan(work, id);
    const rows = await work.tx.anyFirst(sql.type(Json)`
      select to_jsonb(row) - array['tenant_id', 'loan_id', 'version', 'created_at', 'reason'] as value
      from installments as row
      join loans as loan on loan.id = row.loan_id and loan.schedule_version = row.version
      where loan.id = ${id} order by period_number
    `);
    const loan = await work.tx.oneFirst(sql.type(Json)`
      select to_jsonb(loan) - array[
        'id', 'loan_number', 'borrower_id', 'schedule_version', 'created_at', 'updated_at',
        'paid_off_at', 'approved_at', 'posted_chunk', 'chunk'
      ] as value from loans as loan where id = ${id}
    `);
    const ledger = await work.tx.any(sql.type(Ledger)`
      select line.account_id, sum(line.debit - line.credit)::text as balance
      from journal_lines as line
      join journal_entries as entry on entry.id = line.entry_id and entry.status = 'posted'
      where entry.loan_id = ${id}
      group by line.account_id having sum(line.debit - line.credit) <> 0 order by 1
    `);
    const { allocations: _, coverage: __, fees: ___, ...told } = state;
    return { rows, loan, ledger, told, coverage: state.coverage.map((line) => line.amount) };
  });
}

test('the order in which events become known does not affect a loan’s records', async () => {
  const tenant = await stage.tenant(TODAY);
  const products = [];
  for (const product of PRODUCTS) products.push(await newProduct(tenant, product));
  let count = 0;
  for (const [index, { drafts, dice }] of lives.entries()) {
    const wish = {
      product_id: products[index % products.length],
      disbursement_date: START,
      term_months: 12,
    };
    const known = possible(drafts);
    const outcomes = [];
    for (const order of [known, shuffled(known, dice)]) {
      count += 1;
      const loan = count;
      const { id } = await newLoan(tenant, wish);
      await enter(
        tenant,
        id,
        order.map((one) => eventOf(loan, one)),
      );
      outcomes.push(await outcome(tenant, id));
    }
    expect(outcomes[1], JSON.stringify(known)).toEqual(outcomes[0]);
  }
});
