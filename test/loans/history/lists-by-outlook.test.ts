import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseList } from '../../../api/endpoints/lists.ts';
import { routes } from '../../../api/routes.ts';
import { addDays } from '../../../jobs/dates.ts';
import { bucketForDays, DELINQUENCY_BUCKETS } from '../../../jobs/loans/engine/delinquency.ts';
import { openLoan } from '../../../jobs/loans/history/open-loan.ts';
import { recordEvents } from '../../../jobs/loans/history/record-events.ts';
import { sql } from '../../../sql/database/db.ts';
import { listRows } from '../../../sql/list.ts';
import { loans } from '../../../sql/loans/loans.ts';
import { sqlTypeOf } from '../../../sql/types.ts';
import { openLineOfCredit } from '../../setup/lines-of-credit.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { newStage, type Tenant } from '../../setup/world.ts';
import { aStory, eventOn, START } from '../any-story.ts';

const stage = await newStage();
const LIVES = Number(process.env['LIVES'] ?? 24);
/** The first day after all events. */
const TODAY = addDays(START, 520);
/** Days on which the lists are compared. No loan is refolded in between. */
const DAYS = [0, 1, 2, 7, 15, 20].map((days) => addDays(TODAY, days));
const REQUESTS = 60;

const list = routes.find(({ method, path }) => method === 'GET' && path === '/loans')?.list;
if (!list) throw new Error('There is no list of loans.');
const SORTS = ['id', ...Object.keys(list.fields)].filter(
  (field) => field === 'id' || sqlTypeOf(list.fields[field] as never) !== 'jsonb',
);
const OUTLOOK = ['days_past_due', 'delinquency_bucket', 'next_payment_date'];

/** The same list without indexes: computes every loan, then filters and sorts. */
const { own: _own, lookups: _lookups, orders: _orders, ...computed } = loans;

const date = fc.integer({ min: -400, max: 400 }).map((days) => addDays(TODAY, days));
const bucket = fc.constantFrom(...DELINQUENCY_BUCKETS);
const partOfBucket = fc.constantFrom('dpd', 'CURRENT', '_30', 'dpd_30_60');
const days = fc.oneof(
  fc.integer({ min: -2, max: 200 }),
  fc.constantFrom(0, 1, 29, 30, 2_147_483_647, -2_147_483_647),
);
const ordered = ['', '__ne', '__gt', '__gte', '__lt', '__lte'] as const;
const compared = (
  field: string,
  value: fc.Arbitrary<string | number>,
  operators: readonly string[] = ordered,
) =>
  fc.oneof(
    fc.tuple(fc.constantFrom(...operators), value).map(([how, it]) => ({ [`${field}${how}`]: it })),
    fc.array(value, { maxLength: 4 }).map((values) => ({ [field]: values })),
    fc.boolean().map((isNull) => ({ [`${field}__isnull`]: isNull })),
    fc.constantFrom({ [field]: null }, { [`${field}__ne`]: null }),
  );
const aFilter = fc
  .array(
    fc.oneof(
      compared('days_past_due', days),
      compared('delinquency_bucket', bucket),
      partOfBucket.map((part) => ({ delinquency_bucket__icontains: part })),
      compared('next_payment_date', date),
      fc.constantFrom<Record<string, unknown>>(
        { status: 'active' },
        { status: ['active', 'pending'] },
        { is_archived: true },
        { is_frozen: false },
        { principal_balance__gt: '3000' },
        { q: '1' },
        { q: 'LN-' },
      ),
    ),
    { maxLength: 3 },
  )
  .map((filters) => Object.assign({}, ...filters) as Record<string, unknown>);

const aRequest = fc.record({
  filter: aFilter.map((filter) => JSON.stringify(filter)),
  sort: fc
    .tuple(
      fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...OUTLOOK) },
        { weight: 1, arbitrary: fc.constantFrom(...SORTS) },
      ),
      fc.constantFrom('ASC', 'DESC'),
    )
    .map((pair) => JSON.stringify(pair)),
  range: fc
    .tuple(fc.integer({ min: 0, max: LIVES + 8 }), fc.constantFrom(0, 4, 24, 99))
    .map(([start, more]) => JSON.stringify([start, start + more])),
});

/** Moves the business date without refolding loans. */
const setBusinessDate = ({ within }: Tenant, day: string) =>
  within(({ tx }) =>
    tx.query(sql.typeAlias('void')`
      update tenants set business_date = ${day} where id = app.current_tenant()
    `),
  );

/** Loans of all kinds of products with any history, and unfunded loans. */
async function writeBook(tenant: Tenant) {
  const products = [
    await tenant.first('/products'),
    await newProduct(tenant, { payment_frequency: 'weekly' }),
    await newProduct(tenant, { interest_method: 'interest_only', delinquency_grace_days: 5 }),
    await newProduct(tenant, { interest_method: 'scheduled', day_count: '30_360' }),
    await newProduct(tenant, { interest_method: 'flat', extra_payment_to: 'next_installment' }),
  ];
  for (const { product, events, looks: _, ...terms } of fc.sample(aStory, LIVES)) {
    await setBusinessDate(tenant, START);
    const { id } = await newLoan(tenant, { ...terms, product_id: products[product] });
    for (const { after, what } of events.toSorted((one, other) => one.after - other.after)) {
      await setBusinessDate(tenant, addDays(START, after));
      await tenant.within(async (work) =>
        recordEvents(work, await openLoan(work, id), [eventOn(work.today, what)]),
      );
    }
  }
  await setBusinessDate(tenant, addDays(TODAY, -40));
  await openLineOfCredit(tenant);
  for (const days of [-35, -10, 0]) {
    await setBusinessDate(tenant, addDays(TODAY, days));
    await newLoan(tenant, { term_months: 12, product_id: products[0] });
  }
  await setBusinessDate(tenant, addDays(START, 300));
  for (const days of [10, 60, 400]) {
    const { id } = await newLoan(tenant, { term_months: 12, product_id: products[0] });
    const what = { kind: 'delinquency_pause' as const, days };
    const pause = eventOn(addDays(TODAY, -5), what);
    await setBusinessDate(tenant, addDays(TODAY, -5));
    await tenant.within(async (work) => recordEvents(work, await openLoan(work, id), [pause]));
    await setBusinessDate(tenant, addDays(START, 300));
  }
  await setBusinessDate(tenant, TODAY);
  await newLoan(tenant, { status: 'pending' });
  await newLoan(tenant, { status: 'approved' });
  const archived = await newLoan(tenant, { status: 'pending' });
  await tenant.officer.delete(`/loans/${archived.id}`);
  await tenant.within(async (work) => {
    const ids = await work.tx.anyFirst(sql.typeAlias('id')`
      select id from loans where disbursement_date is not null order by id`);
    for (const id of ids) await recordEvents(work, await openLoan(work, id), []);
  });
}

/** The kinds of outlooks that the parts of a list distinguish. */
const KINDS = ['counting', 'due', 'matured', 'none', 'paused', 'undated'];

const kindsOnDay = ({ within }: Tenant) =>
  within(({ tx }) =>
    tx.anyFirst(sql.type(z.object({ kind: z.string() }))`
      select distinct unnest(array_remove(array[
        case when past_due_from is not null then 'counting' when paused_days > 0 then 'paused' end,
        case when loan.id is not null and ahead.loan_id is null then 'none'
          when next_payment_date is null then 'undated'
          when next_payment_date < from_date then 'matured' else 'due' end
      ], null)) as kind
      from loans as loan
      left join loan_outlook as ahead
        on ahead.loan_id = loan.id and app.business_date() between from_date and until_date
    `),
  );

test('a list by days past due, bucket or next payment date equals the list that computes every loan, on each day', async () => {
  const tenant = await stage.tenant(START);
  await writeBook(tenant);
  const seen = new Set<string>();

  for (const [at, day] of DAYS.entries()) {
    await setBusinessDate(tenant, day);
    for (const request of fc.sample(aRequest, { numRuns: REQUESTS, seed: at + 1 })) {
      const parsed = parseList(list, request);
      const { found, expected } = await tenant.within(async (work) => ({
        found: await listRows(work.tx, loans, parsed),
        expected: await listRows(work.tx, computed, parsed),
      }));
      const shown = (rows: readonly Record<string, unknown>[]) =>
        rows.map((row) => [row['loan_number'], row[parsed.sort.field], row['days_past_due']]);

      expect(shown(found.rows), `${day}: ${JSON.stringify(request)}`).toEqual(shown(expected.rows));
      expect(found.total, `${day}: ${JSON.stringify(request)}`).toBe(expected.total);
    }
    for (const kind of await kindsOnDay(tenant)) seen.add(kind);
  }

  expect([...seen].toSorted()).toEqual(KINDS);
}, 240_000);

test('the name of a bucket states its days', () => {
  const named = (days: number) => {
    const name = DELINQUENCY_BUCKETS.findLast((bucket) => {
      const [, first = 0] = /^dpd_(\d+)_/.exec(bucket) ?? [];
      return Number(first) <= days;
    });
    const last = /_(\d+)$/.exec(name ?? '')?.[1];
    return last === undefined || days <= Number(last) ? name : null;
  };

  for (let day = 0; day <= 400; day += 1) expect(named(day)).toBe(bucketForDays(day));
});
