import { expect, test } from 'vitest';
import { addIdentity, findBorrowersByNumber } from '../../jobs/borrowers/identity.ts';
import { addInstrument } from '../../jobs/borrowers/payment-instrument.ts';
import { setProvider } from '../../jobs/communications/inbound/provider-callbacks.ts';
import { readLink, signLink } from '../../jobs/files/links.ts';
import { DEFAULT_INSTALLATION } from '../../jobs/installation.ts';
import { assertKeysPresent } from '../../jobs/sealing/reseal.ts';
import { deriveKeys } from '../../jobs/sealing/secrets.ts';
import { subscribe } from '../../jobs/webhooks/subscription.ts';
import { openPool } from '../../sql/database/db.ts';
import { SEALED_COLUMNS } from '../../sql/sealed-columns.ts';
import { resealSecrets } from '../../workers/ops/reseal-secrets.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const A = 'the secret that was there before ids';
const B = '2026b:another secret that is long enough as well';
const C = '2026c:a third secret that nobody has given';
const worker = await openPool(stage.url, { role: 'servicing_worker', size: 1 });

const SUBSCRIPTION = { url: 'https://receiver.example/', events: ['*'] };
const ACCOUNT = {
  instrument_type: 'bank_account',
  account_holder_name: 'Grace Hopper',
  routing_number: '021000021',
  account_number: '000123456789',
  account_type: 'checking',
  token: 'tok_of_a_processor',
};

const NUMBER = { identity_type: 'ssn', identifier: '123-45-6789' } as const;

/** Every sealed column, opened with the stage's current keys. */
async function everything() {
  const { keys } = stage.installation;
  const found = [];
  for (const { table, column } of SEALED_COLUMNS) {
    const { rows } = await stage.owner.query<{
      tenant_id: string;
      sealed: string;
      at: string | null;
    }>(
      `select tenant_id, ${column} as sealed, to_jsonb(kept) ->> 'updated_at' as at from ${table} as kept
       where ${column} is not null order by tenant_id, to_jsonb(kept) ->> 'created_at'`,
    );
    found.push(...rows.map((row) => ({ ...row, text: keys.unseal(row.tenant_id, row.sealed) })));
  }
  return found;
}

const operate = (secret: string) => {
  const { pool: app, url } = stage;
  const given = { url, owner: worker, app, words: [], options: {}, newPassword: undefined };
  return resealSecrets.run({ ...given, secret, installation: DEFAULT_INSTALLATION });
};
/** Continues with another SECRET. */
const use = (secret: string) => void (stage.installation.keys = deriveKeys(secret));
const start = (secret: string) =>
  assertKeysPresent(stage.pool, { secret, environment: 'production' }, () => {});

test('data sealed or signed with a key opens only while SECRET contains the key', () => {
  const link = { key: 'demo/a', method: 'GET' as const, expires_at: new Date('2030-01-01') };
  const whole = { ...link, content_type: 'text/plain' };
  const sealed = deriveKeys(A).seal('t', 'receiver’s');
  const [, token = ''] = signLink(whole, A).split('/');
  const [payload, , signature] = token.split('.');

  const both = deriveKeys(`${B},${A}`);

  expect(both.unseal('t', sealed)).toBe('receiver’s');
  expect(both.unseal('t', sealed.replace('v2:first:', 'v1:'))).toBe('receiver’s');
  expect(both.seal('t', 'new')).toMatch(/^v2:2026b:/);
  expect(readLink(token, 'GET', `${B},${A}`, new Date(0))).toEqual(whole);
  expect(readLink(`${payload}.${signature}`, 'GET', `${B},${A}`, new Date(0))).toEqual(whole);
  expect(signLink(whole, `${B},${A}`)).toContain('.2026b.');
  expect(readLink(token, 'GET', B, new Date(0))).toBeNull();
  for (const other of [B, C.replace('2026c:', 'first:')])
    expect(() => deriveKeys(other).unseal('t', sealed)).toThrow('does not hold the key "first"');
});

test('a SECRET with a short key or duplicate ids is refused without being shown', () => {
  expect(() => deriveKeys('short')).toThrow('at least 32 characters');
  expect(() => deriveKeys(`${B},2026a:tiny`)).toThrow('The key 2026a must have');
  expect(() => deriveKeys(`${B},${B}`)).toThrow('Two keys have the id 2026b');
  expect(() => deriveKeys('with,commas,as,it,was,before,keys,had,ids')).not.toThrow();
});

test('every sealed column is resealed by a key change', async () => {
  const { rows } = await stage.owner.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
     where column_name like '%sealed' and table_schema = 'public' order by 1`,
  );

  const known = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);

  expect(rows.map(({ name }) => name)).toEqual(known.sort());
});

test('a key can be removed once everything is sealed with another one; until then no process starts without it', async () => {
  use(A);
  await start(A);
  const tenants = [await stage.tenant(), await stage.tenant()];
  const admin = await tenants[0]!.signedIn('admin');
  const headers = { 'Idempotency-Key': 'subscribe-once' };
  const first = await admin.post('/webhooks', SUBSCRIPTION, { headers });
  for (const { within, first: firstOf } of tenants) {
    const borrower_id = await firstOf('/borrowers');
    await within(async (work) => {
      await subscribe(work, { ...SUBSCRIPTION, is_active: true }, 'receiver’s own secret');
      await setProvider(work, 'sms', { name: 'one', secret: 'provider’s first' });
      await setProvider(work, 'sms', { name: 'one', secret: 'provider’s second' });
      await addInstrument(work, { ...ACCOUNT, borrower_id });
      await addIdentity(work, { ...NUMBER, borrower_id });
    });
  }
  const foundByNumber = async () => {
    const found = await tenants[0]!.within((work) => findBorrowersByNumber(work, NUMBER));
    return found.borrower_ids.length;
  };
  const before = await everything();

  await start(`${B},${A}`);
  use(`${B},${A}`);
  await expect(start(B)).rejects.toThrow('SECRET lacks the key first, which is still in use');
  await expect(start(`${B.replace('another', 'x')},${A}`)).rejects.toThrow('differs from');
  expect(await foundByNumber()).toBe(1);
  const answer = await operate(`${B},${A}`);
  const after = await everything();

  expect(answer.rows).toEqual([
    { key: '2026b', sealed: 14, is_current: true, may_go: false },
    { key: 'first', sealed: 0, is_current: false, may_go: true },
  ]);
  expect((await operate(`${B},${A}`)).say).toContain('Resealed: 0.');
  const again = await admin.post('/webhooks', SUBSCRIPTION, { headers });
  expect(again.body).toEqual(first.body);
  await start(B);
  use(B);
  expect(await foundByNumber()).toBe(1);
  expect(before.map(({ text }) => text)).toEqual(after.map(({ text }) => text));
  expect(after.every(({ sealed }) => sealed.startsWith('v2:2026b:'))).toBe(true);
  expect(after.map(({ at }) => at)).toEqual(before.map(({ at }) => at));
  // The stored request hash uses a key that no longer exists, so the API cannot recognize the repeated
  // request.
  const late = await admin.post('/webhooks', SUBSCRIPTION, { headers });
  expect([late.status, late.body.code]).toEqual([409, 'idempotency_key_reuse']);
  await worker.end();
});
