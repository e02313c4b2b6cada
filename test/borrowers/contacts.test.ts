import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { newOutside } from '../setup/outside.ts';
import { runJobs } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const { officer } = tenant;

test('the first email is primary, and a new primary takes its place', async () => {
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

test('a deleted contact can be read by its id and is listed only on request', async () => {
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

test('an address that changes its type replaces the primary address of that type', async () => {
  const { id } = (await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron' })).body;
  const path = `/borrowers/${id}/addresses`;
  const place = { street_line_1: '1 Main St', city: 'Austin', postal_code: '78701' };
  const home = (await officer.post(path, { ...place, address_type: 'residential' })).body;
  const mailing = (await officer.post(path, { ...place, street_line_1: '2 Oak St' })).body;

  const moved = await officer.put(`/addresses/${home.id}`, { address_type: 'mailing' });
  const other = await officer.get(`/addresses/${mailing.id}`);

  expect(moved).toMatchObject({ status: 200, body: { address_type: 'mailing', is_primary: true } });
  expect(other.body.is_primary).toBe(false);
});

test('an archived contact does not become primary', async () => {
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

/** A borrower with three email addresses, the first of which is primary. */
async function threeEmails() {
  const { id } = (await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron' })).body;
  const path = `/borrowers/${id}/emails`;
  const add = async (name: string) =>
    (await officer.post(path, { email: `${name}@example.com` })).body;
  const [first, second, third] = [await add('first'), await add('second'), await add('third')];
  const primary = async () => (await officer.get(`/borrowers/${id}`)).body.email as string;
  return { id, path, first, second, third, primary };
}

test('when the primary contact is removed, the next one becomes primary, and the history records it', async () => {
  const { id, first, second, third, primary } = await threeEmails();
  await officer.put(`/emails/${second.id}`, { status: 'bounced' });

  await officer.delete(`/emails/${first.id}`);
  const working = await primary();
  await officer.delete(`/emails/${third.id}`);
  const last = await primary();
  const { body } = await officer.get(`/borrowers/${id}/history?entity_id=${third.id}`);

  expect([working, last]).toEqual(['third@example.com', 'second@example.com']);
  expect(body.map(({ changes }: { changes: object }) => changes)).toContainEqual({
    is_primary: { old: false, new: true },
  });
});

test('when a primary contact is unset, the next one becomes primary; the only one stays primary', async () => {
  const { first, second, third, primary } = await threeEmails();

  const back = await officer.put(`/emails/${first.id}`, { is_primary: false });
  const next = await primary();
  await officer.delete(`/emails/${first.id}`);
  await officer.delete(`/emails/${third.id}`);
  const only = await officer.put(`/emails/${second.id}`, { is_primary: false });

  expect(back).toMatchObject({ status: 200, body: { is_primary: false } });
  expect(next).toBe('second@example.com');
  expect(only).toMatchObject({ status: 200, body: { is_primary: true } });
});

test('when an address changes its type, the next address of its old type becomes primary', async () => {
  const { id } = (await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron' })).body;
  const path = `/borrowers/${id}/addresses`;
  const place = { city: 'Austin', state: 'TX', postal_code: '78701' };
  const old = (await officer.post(path, { ...place, street_line_1: '1 Main St' })).body;
  const next = (await officer.post(path, { ...place, street_line_1: '2 Oak St' })).body;

  const moved = await officer.put(`/addresses/${old.id}`, { address_type: 'previous' });
  const heir = await officer.get(`/addresses/${next.id}`);

  expect([moved.body.is_primary, heir.body.is_primary]).toEqual([true, true]);
});

test.each([
  ['emails', { email: 'ada@example.com' }, { email: 'ADA@Example.com' }],
  ['phones', { phone_number: '+12025550100' }, { phone_number: '+12025550100' }],
  [
    'addresses',
    { street_line_1: '1 Main St', city: 'Austin', state: 'TX', postal_code: '78701' },
    {
      street_line_1: '1 MAIN ST',
      city: 'austin',
      state: 'TX',
      postal_code: '78701',
      country: 'US',
    },
  ],
])('a duplicate %s of a borrower is refused in any spelling', async (kind, one, same) => {
  const [ada, bo] = await Promise.all(
    ['Ada', 'Bo'].map(
      async (first_name) => (await officer.post('/borrowers', { first_name, last_name: 'B' })).body,
    ),
  );
  const path = `/borrowers/${ada.id}/${kind}`;
  const kept = (await officer.post(path, one)).body;

  const [again, simultaneous] = await Promise.all([
    officer.post(path, same),
    officer.post(path, same),
  ]);
  const elsewhere = await officer.post(`/borrowers/${bo.id}/${kind}`, same);
  const unchanged = await officer.put(`/${kind}/${kept.id}`, kept);
  await officer.delete(`/${kind}/${kept.id}`);
  const afterwards = await officer.post(path, same);

  const refusal = { status: 409, body: { code: 'already_exists', details: { id: kept.id } } };
  expect([again, simultaneous]).toMatchObject([refusal, refusal]);
  expect([elsewhere.status, unchanged.status, afterwards.status]).toEqual([201, 200, 201]);
});

test('a changed number is no longer marked as not working', async () => {
  const { id } = (await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron' })).body;
  const phone = await officer.post(`/borrowers/${id}/phones`, { phone_number: '+12025550100' });
  const path = `/phones/${phone.body.id}`;

  const invalid = await officer.put(path, { status: 'invalid' });
  const other = await officer.put(path, { ...invalid.body, phone_number: '+12025550101' });

  expect([invalid.body.status, other.body.status]).toEqual(['invalid', 'active']);
});

test('letters are held while all addresses are undeliverable, and staff are notified', async () => {
  const outside = newOutside(stage.pool);
  const { borrower_id, id: loan_id } = await newLoan(tenant, { status: 'pending' });
  const path = `/borrowers/${borrower_id}`;
  const place = {
    street_line_1: '1 Main Street',
    city: 'Arlington',
    state: 'VA',
    postal_code: '22201',
  };
  const mailing = (await officer.post(`${path}/addresses`, place)).body;
  const home = { ...place, street_line_1: '2 Side Street', address_type: 'residential' };
  const letter = { borrower_id, loan_id, channel: 'letter', template_type: 'statement_ready' };
  const send = async () => {
    const { id } = (await officer.post('/communications/send', letter)).body;
    return async () => (await officer.get(`/communication-logs/${id}`)).body;
  };
  const print = () => runJobs(stage, outside, ['print-letter']);

  const waiting = await send();
  const marked = await officer.post(`/addresses/${mailing.id}/mail-returned`, { note: 'Moved' });
  await print();
  const held = await officer.post('/communications/send', letter);
  await officer.post(`/addresses/${mailing.id}/mail-returned`, { note: 'Moved, left no address' });
  const other = (await officer.post(`${path}/addresses`, home)).body;
  const elsewhere = await send();
  await officer.delete(`/addresses/${other.id}`);
  // A form sends the whole record back, including the indicator.
  const corrected = await officer.put(`/addresses/${mailing.id}`, {
    ...marked.body,
    street_line_1: '3 New Street',
  });
  const again = await send();
  await print();
  const tasks = (await officer.get(`/tasks?borrower_id=${borrower_id}`)).body;

  expect(marked).toMatchObject({ status: 200, body: { address_indicator: 'U' } });
  expect(await waiting()).toMatchObject({ status: 'failed', error_message: 'contact_invalid' });
  expect(held).toMatchObject({ status: 409, body: { reasons: ['contact_invalid'] } });
  expect((await elsewhere()).recipient).toMatch(/^2 Side Street/);
  expect(corrected.body.address_indicator).toBeNull();
  expect(await again()).toMatchObject({
    status: 'sent',
    recipient: expect.stringMatching(/^3 New/),
  });
  expect(tasks).toMatchObject([
    { title: expect.stringMatching(/Mail was returned/), description: 'Moved, left no address' },
  ]);
});

test('authorized users mark the mail of a current address as returned', async () => {
  const viewer = await tenant.signedIn('viewer');
  const { borrower_id } = await newLoan(tenant, { status: 'pending' });
  const place = { street_line_1: '1 Main Street', city: 'Arlington', postal_code: '22201' };
  const { id } = (await officer.post(`/borrowers/${borrower_id}/addresses`, place)).body;

  const seen = await viewer.post(`/addresses/${id}/mail-returned`);
  await officer.delete(`/addresses/${id}`);
  const gone = await officer.post(`/addresses/${id}/mail-returned`);

  expect(seen.status).toBe(403);
  expect(gone).toMatchObject({ status: 409, body: { code: 'archived' } });
});
