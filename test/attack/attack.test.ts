import { afterAll, expect, test } from 'vitest';
import { cloneDatabase } from '../setup/database.ts';
import { attack } from './attack.ts';
import { sinsOf } from './findings.ts';

const database = await cloneDatabase();
afterAll(() => database.drop());

test('fifteen hundred hostile requests find no fault, no long silence, no leak and no wrong books', async () => {
  const found = await attack({ url: database.url, requests: 1_500, seed: 1 });

  expect(sinsOf(found)).toEqual([]);
  expect(Math.min(...[...found.report.routes.values()].map(({ hits }) => hits))).toBeGreaterThan(0);
}, 120_000);
