import { expect, test } from 'vitest';
import type { Client, Reply } from '../setup/client.ts';
import { fieldNamesIn, newStaff } from '../setup/team.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

const SSN = '7391';
const borrower = async (client: Client, more: object = {}): Promise<Reply> =>
  client.post('/borrowers', { first_name: 'Ada', last_name: 'Byron', ssn_last_four: SSN, ...more });

test('a denied field is in no answer, and cannot be filtered, sorted or searched by', async () => {
  const { officer, superadmin, deny } = await newStaff(stage);
  const { id } = (await borrower(superadmin)).body;
  await deny('borrowers', 'ssn_last_four', 'first_name');

  const answers = [
    await officer.get(`/borrowers/${id}`),
    await officer.get('/borrowers'),
    await officer.put(`/borrowers/${id}`, { last_name: 'King' }),
    await officer.get(`/borrowers/${id}/history`),
  ];
  const refused = [
    await officer.get('/borrowers?filter={"first_name":"Ada"}'),
    await officer.get('/borrowers?first_name__icontains=d'),
    await officer.get('/borrowers?sort=["ssn_last_four","ASC"]'),
    await officer.get('/borrowers?ordering=first_name'),
    await officer.get('/borrowers?q=Ada'),
  ];

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  for (const { body } of answers) {
    expect(fieldNamesIn(body)).not.toContain('ssn_last_four');
    expect(fieldNamesIn(body)).not.toContain('first_name');
    expect(JSON.stringify(body)).not.toMatch(/Ada|\b7391\b/);
  }
  expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422]);
  expect((await officer.get('/borrowers?last_name=King')).body).toHaveLength(1);
  expect((await superadmin.get(`/borrowers/${id}`)).body).toMatchObject({ ssn_last_four: SSN });
});

test('a write that names a denied field is refused, and omitted fields keep their values', async () => {
  const { officer, superadmin, deny } = await newStaff(stage);
  const { id } = (await borrower(superadmin)).body;
  await deny('borrowers', 'ssn_last_four');

  const changed = await officer.put(`/borrowers/${id}`, { last_name: 'X', ssn_last_four: '0000' });
  const created = await borrower(officer);
  const without = await borrower(officer, { ssn_last_four: undefined });
  const { last_name, ssn_last_four } = (await superadmin.get(`/borrowers/${id}`)).body;

  for (const reply of [changed, created]) {
    expect(reply).toMatchObject({
      status: 403,
      body: { code: 'permission_denied', details: { fields: ['ssn_last_four'] } },
    });
    expect(reply.body.message).toContain('ssn_last_four');
  }
  expect(without.status).toBe(201);
  expect([last_name, ssn_last_four]).toEqual(['Byron', SSN]);
});

test('a read-only field is shown, and refused in a change', async () => {
  const { officer, superadmin, give } = await newStaff(stage);
  const { id } = (await borrower(superadmin)).body;
  const record = { last_name: true };
  await give({ type: 'deny', action: 'edit', resource: 'borrowers', record });

  expect((await officer.get(`/borrowers/${id}`)).body.last_name).toBe('Byron');
  expect(await officer.put(`/borrowers/${id}`, { last_name: 'X' })).toMatchObject({ status: 403 });
  expect((await borrower(officer)).status).toBe(201);
});

test('a record’s version reveals nothing that is denied, and still guards the rest', async () => {
  const { officer, superadmin, deny } = await newStaff(stage);
  const { id } = (await borrower(superadmin)).body;
  await deny('borrowers', 'ssn_last_four');
  const read = async () => String((await officer.get(`/borrowers/${id}`)).headers['etag']);
  const write = (version: string) =>
    officer.put(
      `/borrowers/${id}`,
      { last_name: `Of ${version.slice(1, 6)}` },
      { headers: { 'If-Match': version } },
    );

  const before = await read();
  await superadmin.put(`/borrowers/${id}`, { ssn_last_four: '1111' });
  const after = await read();
  const whole = String((await superadmin.get(`/borrowers/${id}`)).headers['etag']);
  const answers = [await write(whole), await write(after), await write(after)];

  expect(after).toBe(before);
  expect(whole).not.toBe(after);
  expect(answers.map(({ status }) => status)).toEqual([412, 200, 412]);
});

test('a replayed answer omits fields that were denied since', async () => {
  const { officer, deny } = await newStaff(stage);
  const body = { first_name: 'Ada', last_name: 'Byron', ssn_last_four: SSN };
  const options = { headers: { 'Idempotency-Key': 'once' } };

  const first = await officer.post('/borrowers', body, options);
  await deny('borrowers', 'date_of_birth', 'suffix');
  const replayed = await officer.post('/borrowers', body, options);

  expect(first.body).toHaveProperty('date_of_birth');
  expect(replayed.headers['idempotent-replayed']).toBe('true');
  expect(replayed.body).toMatchObject({ id: first.body.id, ssn_last_four: SSN });
  expect(replayed.body).not.toHaveProperty('date_of_birth');
});

test('a denied field inside free JSON is hidden too, and survives a change by a user who cannot see it', async () => {
  const { officer, superadmin, deny } = await newStaff(stage);
  const metadata = { ssn_last_four: SSN, branch: 'North', deep: { ssn_last_four: SSN } };
  const { id } = (await borrower(superadmin, { metadata })).body;
  await deny('borrowers', 'ssn_last_four');

  const seen = (await officer.get(`/borrowers/${id}`)).body.metadata;
  const changed = await officer.put(`/borrowers/${id}`, { metadata: { branch: 'South' } });
  const kept = (await superadmin.get(`/borrowers/${id}`)).body.metadata;

  expect(seen).toEqual({ branch: 'North', deep: {} });
  expect(changed.body.metadata).toEqual({ branch: 'South' });
  expect(kept).toEqual({ ssn_last_four: SSN, branch: 'South' });
});
