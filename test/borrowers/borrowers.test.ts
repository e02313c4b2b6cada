import { expect, test } from 'vitest';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('a borrower is created, found, changed and archived', async () => {
  const { officer } = await stage.tenant();

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

test('the first email is primary, and a new primary takes its place', async () => {
  const { officer } = await stage.tenant();
  const borrower = (await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron' }))
    .body;

  const first = await officer.post(`/borrowers/${borrower.id}/emails`, {
    email: 'Ada@Example.com',
  });
  await officer.post(`/borrowers/${borrower.id}/emails`, {
    email: 'countess@example.com',
    is_primary: true,
  });
  const read = await officer.get(`/borrowers/${borrower.id}`);
  const all = await officer.get(`/borrowers/${borrower.id}/emails`);

  expect(first.body).toMatchObject({ email: 'ada@example.com', is_primary: true });
  expect(read.body.email).toBe('countess@example.com');
  expect(all.body.map(({ is_primary }: { is_primary: boolean }) => is_primary)).toEqual([
    true,
    false,
  ]);
});
