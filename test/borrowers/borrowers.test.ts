import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const { officer } = tenant;
const searched = await stage.tenant();
await officer.post('/borrowers', { first_name: 'Konrad', last_name: 'Zuse' });
{
  const ada = { first_name: 'Ada', last_name: 'Lovelace Zq' };
  const path = `/borrowers/${(await searched.officer.post('/borrowers', ada)).body.id}/emails`;
  await searched.officer.post(path, { email: 'countess@example.com' });
  const old = await searched.officer.post(path, { email: 'forgotten@example.com' });
  await searched.officer.delete(`/emails/${old.body.id}`);
}

test('a borrower is created, found, changed and archived', async () => {
  const created = await officer.post('/borrowers', {
    first_name: 'Ada',
    last_name: 'Byron',
    ssn_last_four: '1234',
    date_of_birth: '1990-12-10',
    external_id: 'B-1',
  });
  const found = await officer.get('/borrowers?q=byr');
  const changed = await officer.put(`/borrowers/${created.body.id}`, {
    ...created.body,
    last_name: 'Lovelace',
  });
  const archived = await officer.delete(`/borrowers/${created.body.id}`);
  const history = await officer.get(`/borrowers/${created.body.id}/history`);

  expect(created).toMatchObject({
    status: 201,
    body: { first_name: 'Ada', is_archived: false, do_not_contact: false },
  });
  expect(found.headers['content-range']).toBe('borrowers 0-0/1');
  expect(changed).toMatchObject({
    status: 200,
    body: { last_name: 'Lovelace', first_name: 'Ada' },
  });
  expect(archived).toMatchObject({ status: 200, body: { is_archived: true } });
  expect(history.body.map(({ action }: { action: string }) => action)).toEqual([
    'archive',
    'update',
    'create',
  ]);
  expect(history.body[1].changes).toEqual({ last_name: { old: 'Byron', new: 'Lovelace' } });
});

test.each([
  ['part of a name', 'ovelac', 1],
  ['a first and the beginning of a last name', 'ada lov', 1],
  ['part of an address', 'countess@', 1],
  ['two letters of a name', 'lo', 1],
  ['two letters that only a domain begins with', 'zq', 0],
  ['one letter of a first name', 'a', 1],
  ['one letter of a last name', 'l', 1],
  ['one letter of an address', 'c', 1],
  ['one letter from the middle of all of them', 'v', 0],
  ['letters that mean something elsewhere', 'a_a', 0],
  ['a percent sign', 'Lov%ace', 0],
  ['what an archived address says', 'forgotten', 0],
  ['another tenant’s name', 'Zuse', 0],
])('a search by %s is case-insensitive: %s', async (_, words, count) => {
  const found = await searched.officer.get(`/borrowers?q=${encodeURIComponent(words)}`);
  const upper = words.toUpperCase();
  const same = await searched.officer.get(`/borrowers?q=${encodeURIComponent(upper)}`);

  expect(found.body).toHaveLength(count);
  expect(same.body).toEqual(found.body);
  expect(found.headers['content-range']).toMatch(new RegExp(`/${count}$`));
});

test('a missing value is distinguished from one of the wrong type', async () => {
  const reply = await officer.post('/borrowers', {
    last_name: null,
    do_not_contact: 'perhaps',
    borrower_type: 'ghost',
    external_id: 7,
  });

  expect(reply.status).toBe(422);
  expect(reply.body.errors).toEqual({
    first_name: 'Is required.',
    last_name: 'Is required.',
    do_not_contact: 'Must be true or false.',
    borrower_type: 'Must be one of individual, business.',
    external_id: 'Must be text.',
  });
});

test('a borrower with an open loan cannot be archived, and one whose loans are closed can', async () => {
  const loan = await newLoan(tenant, { status: 'pending' });
  const path = `/borrowers/${loan.borrower_id}`;

  const refused = await officer.delete(path);
  const untouched = await officer.get(path);
  await officer.post(`/loans/${loan.id}/cancel`, {});
  const archived = await officer.delete(path);
  const back = await officer.post(`${path}/unarchive`, {});

  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'in_use', details: { loan_ids: [loan.id] } },
  });
  expect(untouched.body.is_archived).toBe(false);
  expect(archived).toMatchObject({ status: 200, body: { is_archived: true } });
  expect(back.body.is_archived).toBe(false);
});

test('when a borrower is archived while a loan is created, one of the two is refused', async () => {
  const terms = {
    program_id: await tenant.first('/programs'),
    product_id: await tenant.first('/products'),
    principal_amount: '1000.00',
    interest_rate: '0.05',
    term_months: 12,
  };

  for (let round = 0; round < 5; round += 1) {
    const name = { first_name: 'Ada', last_name: 'Byron' };
    const borrower_id = (await officer.post('/borrowers', name)).body.id as string;
    const [archived, begun] = await Promise.all([
      officer.delete(`/borrowers/${borrower_id}`),
      officer.post('/loans', { borrower_id, ...terms }),
    ]);

    expect([
      [200, 422],
      [409, 201],
    ]).toContainEqual([archived.status, begun.status]);
  }
});

test('a change without an effect has no history entry', async () => {
  const { body } = await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron' });

  const empty = await officer.put(`/borrowers/${body.id}`, {});
  const same = await officer.put(`/borrowers/${body.id}`, body);
  await officer.put(`/borrowers/${body.id}`, { last_name: 'Lovelace' });
  const history = await officer.get(`/borrowers/${body.id}/history`);

  expect([empty.status, same.status]).toEqual([200, 200]);
  expect(same.body.updated_at).toBe(body.updated_at);
  expect(history.body.map(({ action }: { action: string }) => action)).toEqual([
    'update',
    'create',
  ]);
});
