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

test('a contact that was deleted is read by its id and listed only when asked for', async () => {
  const { officer } = await stage.tenant();
  const { id } = (await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron' })).body;
  const path = `/borrowers/${id}/phones`;
  const gone = (await officer.post(path, { phone_number: '+12025550100' })).body;
  await officer.post(path, { phone_number: '+12025550101' });

  await officer.delete(`/phones/${gone.id}`);
  const listed = await officer.get(path);
  const archived = await officer.get(`${path}?is_archived=true`);
  const read = await officer.get(`/phones/${gone.id}`);

  expect(listed.headers['content-range']).toBe('phones 0-0/1');
  expect(listed.body[0].phone_number).toBe('+12025550101');
  expect(archived.body).toMatchObject([{ id: gone.id, is_archived: true }]);
  expect(read).toMatchObject({ status: 200, body: { is_archived: true } });
});

test('an address that changes its type displaces the primary of that type', async () => {
  const { officer } = await stage.tenant();
  const { id } = (await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron' })).body;
  const path = `/borrowers/${id}/addresses`;
  const place = { street_line_1: '1 Main St', city: 'Austin', postal_code: '78701' };
  const home = (await officer.post(path, { ...place, address_type: 'residential' })).body;
  const mailing = (await officer.post(path, place)).body;

  const moved = await officer.put(`/addresses/${home.id}`, { address_type: 'mailing' });
  const other = await officer.get(`/addresses/${mailing.id}`);

  expect(moved).toMatchObject({ status: 200, body: { address_type: 'mailing', is_primary: true } });
  expect(other.body.is_primary).toBe(false);
});

test('an archived contact does not become primary', async () => {
  const { officer } = await stage.tenant();
  const { id } = (await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron' })).body;
  const path = `/borrowers/${id}/emails`;
  await officer.post(path, { email: 'ada@example.com' });
  const old = (await officer.post(path, { email: 'old@example.com' })).body;
  await officer.delete(`/emails/${old.id}`);

  const changed = await officer.put(`/emails/${old.id}`, { is_primary: true });
  const borrower = await officer.get(`/borrowers/${id}`);

  expect(changed).toMatchObject({ status: 200, body: { is_primary: false } });
  expect(borrower.body.email).toBe('ada@example.com');
});

test('what is missing is told from what is of the wrong kind', async () => {
  const { officer } = await stage.tenant();

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
    do_not_contact: 'Must be boolean.',
    borrower_type: 'Must be one of individual, business.',
    external_id: 'Must be string.',
  });
});

test('where the primary contact was deleted, the next one added is primary', async () => {
  const { officer } = await stage.tenant();
  const { id } = (await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron' })).body;
  const path = `/borrowers/${id}/emails`;
  const first = (await officer.post(path, { email: 'first@example.com' })).body;
  await officer.post(path, { email: 'second@example.com' });
  await officer.delete(`/emails/${first.id}`);

  const third = await officer.post(path, { email: 'third@example.com' });
  const borrower = await officer.get(`/borrowers/${id}`);

  expect(third.body.is_primary).toBe(true);
  expect(borrower.body.email).toBe('third@example.com');
});

test('a change that changes nothing has no row of history', async () => {
  const { officer } = await stage.tenant();
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
