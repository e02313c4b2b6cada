import { Big } from 'big.js';
import * as fc from 'fast-check';
import { Client } from 'pg';
import type { QueryResultRow } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { addDays } from '../../jobs/dates.ts';
import { balancesOn } from '../../jobs/loans/anchor.ts';
import { yearFraction } from '../../jobs/loans/day-count.ts';
import { bucketOf, daysPastDue } from '../../jobs/loans/delinquency.ts';
import { fold, foldWithAnchor } from '../../jobs/loans/fold.ts';
import { DAY_COUNTS } from '../../jobs/loans/terms.ts';
import { cloneDatabase } from '../setup/database.ts';
import { anyLife } from './arbitraries.ts';

vi.setConfig({ testTimeout: 120_000 });

/** What the database computes by itself, held against the functions that it repeats. */
let client: Client;
let drop: () => Promise<unknown>;

beforeAll(async () => {
  const database = await cloneDatabase();
  drop = database.drop;
  client = new Client({ connectionString: database.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await drop();
});

async function rows<Row extends QueryResultRow>(query: string, values: unknown[]) {
  return (await client.query<Row>(query, values)).rows;
}

/** Printed with any difference, so that the same cases can be drawn again. */
const SEED = Date.now();
const drawn = (numRuns: number) => ({ numRuns, seed: SEED });

const anyDay = fc.integer({ min: 0, max: 12_000 }).map((days) => addDays('1999-12-01', days));

test('a part of a year is the same in SQL to its last digit', async () => {
  const cases = fc.sample(
    fc.record({
      day_count: fc.constantFrom(...DAY_COUNTS),
      from: anyDay,
      days: fc.integer({ min: -3, max: 1500 }),
    }),
    drawn(5000),
  );
  const asked = cases.map(({ day_count, from, days }) => ({
    day_count,
    from,
    to: addDays(from, days),
  }));

  const answers = await rows<{ fraction: string }>(
    `select app.year_fraction(day_count, "from", "to")::text as fraction
     from rows from (jsonb_to_recordset($1) as (day_count text, "from" date, "to" date))
       with ordinality as asked(day_count, "from", "to", place)
     order by place`,
    [JSON.stringify(asked)],
  );

  expect(
    answers.map(({ fraction }) => new Big(fraction).toFixed(20)),
    `seed ${SEED}`,
  ).toEqual(asked.map(({ day_count, from, to }) => yearFraction(day_count, from, to).toFixed(20)));
});

test('interest owed on any day after the last event is the same in SQL as in the fold', async () => {
  const cases = fc
    .sample(fc.tuple(anyLife, fc.integer({ min: 0, max: 90 })), drawn(2000))
    .map(([life, days]) => {
      const events = life.events.filter((event) => event.effective_date <= life.as_of);
      const { anchor } = foldWithAnchor({ ...life, events });
      const until = anchor.linear_until;
      const later = addDays(life.as_of, days);
      const day = until !== null && until < later ? until : later;
      return { anchor, day, state: fold({ ...life, events, as_of: day }) };
    });

  const answers = await rows<{ accrued: string; owed: string }>(
    `select app.accrued(loan, day)::text as accrued, app.interest_owed(loan, day)::text as owed
     from rows from (jsonb_to_recordset($1) as (anchor jsonb, day date))
       with ordinality as asked(anchor, day, place),
       jsonb_populate_record(null::loans, anchor) as loan
     order by place`,
    [JSON.stringify(cases.map(({ anchor, day }) => ({ anchor, day })))],
  );

  expect(
    answers.map(({ accrued, owed }) => [new Big(accrued).toFixed(10), new Big(owed).toFixed(2)]),
    `seed ${SEED}`,
  ).toEqual(cases.map(({ state }) => [state.interest_accrued, state.accrued_interest]));
  expect(cases.map(({ anchor, day }) => balancesOn(anchor, day).total_balance)).toEqual(
    cases.map(({ state }) => state.total_balance),
  );
});

test('days past due and buckets are the same in SQL, pauses included', async () => {
  const anyPause = fc.record({ from: fc.nat(400), days: fc.nat(60) }).map(({ from, days }) => ({
    from: addDays('2026-01-01', from),
    to: addDays('2026-01-01', from + days),
  }));
  const cases = fc.sample(
    fc.record({
      oldest: fc.option(fc.nat(300).map((days) => addDays('2026-01-01', days))),
      day: fc.nat(500).map((days) => addDays('2026-01-01', days)),
      pauses: fc.array(anyPause, { maxLength: 3 }),
    }),
    drawn(3000),
  );

  const answers = await rows<{ days: number; bucket: string }>(
    `select days, app.bucket(days) as bucket
     from rows from (jsonb_to_recordset($1) as (oldest date, day date, pauses jsonb))
       with ordinality as asked(oldest, day, pauses, place),
       app.days_past_due(oldest, day, pauses) as days
     order by place`,
    [JSON.stringify(cases)],
  );

  const expected = cases.map(({ oldest, day, pauses }) => daysPastDue(oldest, day, pauses));
  expect(answers, `seed ${SEED}`).toEqual(
    expected.map((days) => ({ days, bucket: bucketOf(days) })),
  );
});
