import { afterAll, expect, test } from 'vitest';
import { Settings } from '../../jobs/users/settings/settings.ts';
import { cloneDatabase } from '../setup/database.ts';
import { attack } from './attack.ts';
import { problemsIn } from './findings.ts';
import { attackSettings } from './ground.ts';

const database = await cloneDatabase();
afterAll(() => database.drop());

test('the attack’s settings are valid and take effect', () => {
  expect(Settings.parse(attackSettings)).toMatchObject(attackSettings);
});

test('fifteen hundred hostile requests cause no fault, no long pause, no leak and no wrong books', async () => {
  const found = await attack({ url: database.url, requests: 1_500, seed: 1 });

  expect(problemsIn(found)).toEqual([]);
  expect(Math.min(...[...found.report.routes.values()].map(({ hits }) => hits))).toBeGreaterThan(0);
}, 120_000);
