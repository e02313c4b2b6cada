import { expect, test } from 'vitest';
import { findIgnoredFields } from '../../api/http/ignored-fields.ts';
import { z } from 'zod';
import { newLoan } from '../setup/loans.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const { officer } = tenant;
const NAMES = { first_name: 'Ada', last_name: 'Byron' };

const ignoredIn = (reply: { headers: Record<string, unknown> }) =>
  reply.headers['x-ignored-fields'];

test('the unknown fields of a creation are ignored, and named in a header', async () => {
  const complete = await officer.post('/borrowers', NAMES);
  const unknown = await officer.post('/borrowers', { ...NAMES, nickname: 'Countess', tag: 1 });
  const readonly = await officer.post('/borrowers', { ...NAMES, is_archived: true });

  expect([complete, unknown, readonly].map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(ignoredIn(complete)).toBeUndefined();
  expect(ignoredIn(unknown)).toBe('nickname, tag');
  expect(ignoredIn(readonly)).toBe('is_archived');
});

test('a record sent back whole is no mistake, but a field that an update cannot change is named', async () => {
  const { body } = await officer.post('/borrowers', NAMES);
  const path = `/borrowers/${body.id}`;

  const whole = await officer.put(path, { ...body, last_name: 'King' });
  const again = await officer.put(path, { ...body, last_name: 'King', metadata: { a: 1 } });
  const changed = await officer.put(path, { ...body, phone: '+12025550143', nickname: 'Countess' });

  expect(whole.body.last_name).toBe('King');
  expect(ignoredIn(whole)).toBeUndefined();
  expect(ignoredIn(again)).toBeUndefined();
  expect(changed).toMatchObject({ status: 200, body: { phone: null } });
  expect(ignoredIn(changed)).toBe('nickname, phone');
});

test('the status of a loan in an update is named, because only actions change it', async () => {
  const { id } = await newLoan(tenant, { status: 'pending' });

  const reply = await officer.put(`/loans/${id}`, { status: 'active', external_id: 'L-1' });

  expect(reply).toMatchObject({ status: 200, body: { status: 'pending', external_id: 'L-1' } });
  expect(ignoredIn(reply)).toBe('status');
});

test('the header names nested fields, also those of an action and of a refused request', async () => {
  const { id } = await newLoan(tenant, { status: 'pending' });

  const action = await officer.post(`/loans/${id}/approve`, { nots: 'x' });
  const refused = await officer.post('/borrowers', { frist_name: 'Ada', last_name: 'Byron' });

  expect([ignoredIn(action), action.status]).toEqual(['nots', 200]);
  expect(refused.body.errors).toEqual({
    first_name: 'Is required. "frist_name" is not a field.',
  });
  expect(ignoredIn(refused)).toBe('frist_name');
});

test('the header stays short and printable whatever the names are', async () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`field_${at}`, at]));
  const odd = { 'a\r\nSet-Cookie: x=1': 1, ['x'.repeat(5_000)]: 1, näme: 1, '': 1, fine: 1 };

  const replies = [
    await officer.post('/borrowers', { ...NAMES, ...many }),
    await officer.post('/borrowers', { ...NAMES, ...odd }),
  ];

  expect(replies.map(({ status }) => status)).toEqual([201, 201]);
  expect(String(ignoredIn(replies[0] as never)).split(', ')).toHaveLength(21);
  expect(ignoredIn(replies[0] as never)).toMatch(/^field_0, .*, and 480 more$/);
  expect(ignoredIn(replies[1] as never)).toBe('fine, and 4 more');
});

test('unknown fields are found in lists, options and wrapped schemas', () => {
  const schema = z
    .object({
      lines: z.array(z.object({ amount: z.string() }).nullable()),
      method: z.union([
        z.object({ kind: z.literal('card'), brand: z.string() }),
        z.object({ kind: z.literal('bank'), bank: z.string() }),
      ]),
      free: z.record(z.string(), z.unknown()),
      inner: z.object({ a: z.string().optional() }).default({}),
    })
    .refine(() => true);

  const ignored = findIgnoredFields(schema, {
    lines: [{ amount: '1.00', amuont: '2.00' }, null],
    method: { kind: 'bank', bank: 'First', brand: 'visa', color: 'red' },
    free: { anything: 1 },
    inner: { a: 'x', b: 'y' },
    extra: 1,
  });

  expect(ignored).toEqual(['lines.0.amuont', 'method.color', 'inner.b', 'extra']);
});

test('a dashboard of another origin may read the header', async () => {
  const superadmin = await tenant.signedIn('superadmin');
  const origin = 'https://dashboard.lender.test';
  await superadmin.put('/tenant/settings', { auth: { trusted_origins: [origin] } });

  const fresh = await stage.listen();
  const reply = await officer.at(fresh).get('/borrowers?limit=1', { headers: { Origin: origin } });

  expect(reply.headers['access-control-expose-headers']).toContain('X-Ignored-Fields');
});
