import { expect, test } from 'vitest';
import { CANARIES } from '../setup/canaries.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const SSN = CANARIES.ssn;
const shared = await stage.tenant();
const DIGITS = SSN.replaceAll('-', '');

/** A tenant with two borrowers whose identities it may verify. */
async function twoBorrowers(tenant?: Tenant) {
  tenant ??= await stage.tenant();
  const { officer } = tenant;
  const add = async (first_name: string) =>
    (await officer.post('/borrowers', { first_name, last_name: 'Byron' })).body.id as string;
  const [ada, bo] = [await add('Ada'), await add('Bo')];
  const identify = (borrower: string, identity: object = { identifier: SSN }) =>
    officer.post(`/borrowers/${borrower}/identities`, { identity_type: 'ssn', ...identity });
  return { tenant, officer, ada, bo, identify };
}

test('an identity number is stored sealed, and only its last four digits are shown', async () => {
  const { officer, ada, identify } = await twoBorrowers();

  const made = await identify(ada);
  const changed = await officer.put(`/borrower-identities/${made.body.id}`, {
    ...made.body,
    issuing_authority: `Said to be ${SSN}`,
  });
  const shown = [
    made.body,
    changed.body,
    (await officer.get(`/borrowers/${ada}/identities`)).body,
    (await officer.get(`/borrowers/${ada}/history`)).body,
    (await officer.get(`/borrowers/${ada}`)).body,
    (await stage.owner.query('select * from borrower_identities')).rows,
    (await stage.owner.query('select * from audit_log')).rows,
    (await stage.owner.query('select * from events')).rows,
  ].map((some) => JSON.stringify(some));

  expect(made).toMatchObject({
    status: 201,
    body: { identifier_last_four: '9999', verification_status: 'unverified', other_borrowers: 0 },
  });
  for (const text of shown) for (const whole of [SSN, DIGITS]) expect(text).not.toContain(whole);
});

test('a borrower’s last four digits come from their number, unless entered separately', async () => {
  const { officer, ada, bo, identify } = await twoBorrowers(shared);
  await officer.put(`/borrowers/${bo}`, { ssn_last_four: '1111' });

  for (const borrower of [ada, bo]) await identify(borrower);
  const shown = async (id: string) => (await officer.get(`/borrowers/${id}`)).body.ssn_last_four;

  expect([await shown(ada), await shown(bo)]).toEqual(['9999', '1111']);
});

test('a borrower has an identity number once, and other borrowers with the same number are counted and found', async () => {
  const { tenant, officer, ada, bo, identify } = await twoBorrowers();
  const ours = (await identify(ada)).body;

  const again = await identify(ada, { identifier: DIGITS });
  const other = await identify(bo, { identifier: DIGITS });
  const counted = await officer.get(`/borrower-identities/${ours.id}`);
  const search = { identity_type: 'ssn', identifier: DIGITS };
  const found = await officer.post('/borrower-identities/search', search);
  const asEin = { ...search, identity_type: 'ein' };
  const none = await officer.post('/borrower-identities/search', asEin);
  await officer.delete(`/borrower-identities/${other.body.id}`);
  const alone = await officer.get(`/borrower-identities/${ours.id}`);
  const viewer = await tenant.signedIn('viewer');
  const refused = await viewer.post('/borrower-identities/search', search);
  const superadmin = await tenant.signedIn('superadmin');
  const log = await superadmin.get('/security-log?event=identity_search');

  expect(again).toMatchObject({
    status: 409,
    body: { code: 'already_exists', details: { id: ours.id } },
  });
  expect(other).toMatchObject({ status: 201, body: { other_borrowers: 1 } });
  expect([counted.body.other_borrowers, alone.body.other_borrowers]).toEqual([1, 0]);
  expect(found.body).toEqual({ borrower_ids: [ada, bo] });
  expect(none.body).toEqual({ borrower_ids: [] });
  expect(refused.status).toBe(403);
  expect(log.body).toHaveLength(3);
  expect(JSON.stringify(log.body)).not.toContain(DIGITS);
});

test('another tenant’s number is never found', async () => {
  const [one, other] = [await twoBorrowers(), await twoBorrowers()];
  await one.identify(one.ada);

  const search = { identity_type: 'ssn', identifier: SSN };
  const found = await other.officer.post('/borrower-identities/search', search);
  const same = await other.identify(other.ada);
  const { rows } = await stage.owner.query(
    `select distinct identifier_index from borrower_identities where borrower_id = any($1)`,
    [[one.ada, other.ada]],
  );

  expect(found.body).toEqual({ borrower_ids: [] });
  expect(same.body.other_borrowers).toBe(0);
  expect(rows).toHaveLength(2);
});

test.each([
  ['ssn', '000-12-3456'],
  ['ssn', '666-12-3456'],
  ['ssn', '123-00-3456'],
  ['ssn', '12345678'],
  ['itin', '123-45-6789'],
  ['ein', '12-34567'],
  ['passport', 'A1'],
  ['drivers_license', 'D1234<script>'],
])('a number with an invalid format for %s is refused: %s', async (identity_type, identifier) => {
  const { ada, identify } = await twoBorrowers(shared);

  const reply = await identify(ada, { identity_type, identifier });

  expect(reply).toMatchObject({
    status: 422,
    body: { errors: { identifier: expect.any(String) } },
  });
  expect(JSON.stringify(reply.body)).not.toContain(identifier);
});

test('a changed number is unverified, even if the request says that it is verified', async () => {
  const { officer, ada, identify } = await twoBorrowers();
  const made = (await identify(ada)).body;
  const path = `/borrower-identities/${made.id}`;

  const verified = await officer.put(path, {
    verification_status: 'verified',
    verification_method: 'document',
  });
  const renewed = await officer.put(path, { ...verified.body, issue_date: '2020-01-01' });
  const other = await officer.put(path, { ...renewed.body, identifier: '219-09-9998' });
  const asked = await officer.put(path, { ...renewed.body, identifier_last_four: '1234' });
  const search = { identity_type: 'ssn', identifier: '219-09-9998' };
  const forgotten = await officer.post('/borrower-identities/search', search);

  expect(verified.body).toMatchObject({
    verification_status: 'verified',
    verified_at: expect.any(String),
    verified_by: expect.any(String),
  });
  expect(renewed.body.verification_status).toBe('verified');
  expect(other.body).toMatchObject({
    identifier_last_four: '9998',
    verification_status: 'unverified',
    verified_at: null,
    verified_by: null,
  });
  expect(asked.body).toMatchObject({ identifier_last_four: '1234' });
  expect(forgotten.body).toEqual({ borrower_ids: [] });
});

test('an identity needs a number or its last characters, and a valid date range', async () => {
  const { ada, identify } = await twoBorrowers(shared);

  const nothing = await identify(ada, {});
  const dates = { issue_date: '2020-01-02', expiration_date: '2020-01-01' };
  const backwards = await identify(ada, { identifier_last_four: '1234', ...dates });

  expect(Object.keys(nothing.body.errors)).toEqual(['identifier_last_four']);
  expect(Object.keys(backwards.body.errors)).toEqual(['expiration_date']);
});
