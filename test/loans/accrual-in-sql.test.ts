import { Big } from 'big.js';
import * as fc from 'fast-check';
import { Client, type QueryResultRow } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { addDays } from '../../jobs/dates.ts';
import { fold, foldWithCheckpoint } from '../../jobs/loans/engine/fold.ts';
import { cloneDatabase } from '../setup/database.ts';
import { balancesOn } from './checkpoint-days.ts';
import { anyLife } from './arbitraries.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Compares the SQL calculations with the TypeScript functions that they duplicate. */
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

/** Printed with every difference, so that the same cases can be repeated. */
const SEED = Date.now();

test('interest owed on any day after the last event is the same in SQL and in the fold', async () => {
  const cases = fc
    .sample(fc.tuple(anyLife, fc.integer({ min: 0, max: 90 })), { numRuns: 800, seed: SEED })
    .map(([life, days]) => {
      const events = life.events.filter((event) => event.effective_date <= life.as_of);
      const { checkpoint } = foldWithCheckpoint({ ...life, events });
      const until = checkpoint.accrual_until;
      const later = addDays(life.as_of, days);
      const day = until !== null && until < later ? until : later;
      return { checkpoint, day, state: fold({ ...life, events, as_of: day }) };
    });

  const answers = await rows<{ accrued: string; owed: string }>(
    `select app.accrued(loan, day)::text as accrued, app.interest_owed(loan, day)::text as owed
     from rows from (jsonb_to_recordset($1) as (checkpoint jsonb, day date))
       with ordinality as asked(checkpoint, day, place),
       jsonb_populate_record(null::loans, checkpoint) as loan
     order by place`,
    [JSON.stringify(cases.map(({ checkpoint, day }) => ({ checkpoint, day })))],
  );

  expect(
    answers.map(({ accrued, owed }) => [new Big(accrued).toFixed(10), new Big(owed).toFixed(2)]),
    `seed ${SEED}`,
  ).toEqual(cases.map(({ state }) => [state.interest_accrued, state.accrued_interest]));
  expect(cases.map(({ checkpoint, day }) => balancesOn(checkpoint, day).total_balance)).toEqual(
    cases.map(({ state }) => state.total_balance),
  );
});
