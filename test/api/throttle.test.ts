import { expect, test } from 'vitest';
import type { Client } from '../setup/client.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

/** A tenant with these limits, and a process that has no cached settings. */
async function limitedTo(throttle: object) {
  const tenant = await stage.tenant();
  await saveSettings(tenant, { throttle });
  const port = await stage.listen();
  return { tenant, officer: tenant.officer.at(port), anonymous: tenant.anonymous().at(port) };
}

const statuses = async (client: Client, path: string, times: number) => {
  const found: number[] = [];
  for (let count = 0; count < times; count += 1) found.push((await client.get(path)).status);
  return found;
};

test('a throttled user learns when to try again', async () => {
  const { tenant, officer } = await limitedTo({ user: 30 });
  const admin = (await tenant.signedIn('admin')).at(stage.port);

  const replies = await statuses(officer, '/loans', 30);
  const late = await officer.get('/loans');
  const other = await admin.get('/loans');

  expect(replies).toEqual(Array.from({ length: 30 }, () => 200));
  expect(late).toMatchObject({ status: 429, body: { code: 'throttled' } });
  expect(Number(late.headers['retry-after'])).toBeGreaterThan(0);
  expect(late.body.details.retry_after).toBe(Number(late.headers['retry-after']));
  expect(other.status).toBe(200);
});

test('anonymous clients are counted by address, borrowers and staff by user', async () => {
  const { officer, anonymous } = await limitedTo({ anon: 30 });

  const strangers = await statuses(anonymous, '/portal/config', 31);
  const staff = await statuses(officer, '/loans', 31);

  expect(strangers.slice(-2)).toEqual([200, 429]);
  expect(new Set(staff)).toEqual(new Set([200]));
});

test('messages and uploads have their own rate limits', async () => {
  const { officer } = await limitedTo({ communication: 1, upload: 1 });
  const ask = async (path: string) => (await officer.post(path, {})).status;

  const paths = ['/communications/send', '/documents/create-upload-link'];
  const first = await Promise.all(paths.map(ask));
  const second = await Promise.all(paths.map(ask));
  const batch = await ask('/communications/send-batch');
  const preview = await ask('/communications/preview');

  expect([first, second]).toEqual([
    [422, 422],
    [429, 429],
  ]);
  expect([batch, preview]).toEqual([429, 422]);
});
