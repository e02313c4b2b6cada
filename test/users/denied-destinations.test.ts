import { expect, test } from 'vitest';
import { insertMailBatches } from '../setup/letters.ts';
import { newLoan } from '../setup/loans.ts';
import { newTeam } from '../setup/team.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

const ADDRESS = {
  street_line_1: '9 Quillon Row',
  city: 'Springfield',
  state: 'IL',
  postal_code: '62701',
};
const URL = 'https://receiver.example.com/hook';

/** A tenant whose admin may set up destinations and is denied fields by the superadmin. */
async function newHouse() {
  const { tenant, superadmin, give } = await newTeam(stage);
  const admin = await tenant.signedIn('admin');
  const deny = async (resource: string, ...fields: string[]) => {
    const record = Object.fromEntries(fields.map((field) => [field, true]));
    const { status } = await give('admin', { type: 'deny', action: '*', resource, record });
    if (status !== 201) throw new Error(`The denial was answered with ${status}.`);
  };
  return { tenant, superadmin, admin, deny };
}

/** A refusal that names the denied fields. */
const refusedFor = (...fields: string[]) => ({
  status: 403,
  body: { code: 'permission_denied', details: { fields } },
});

test('a tape with a denied column can be neither configured nor redirected; one without it can', async () => {
  const { superadmin, admin, deny } = await newHouse();
  const config = { name: 'Rates', columns: ['loan_number', 'interest_rate'], schedule: 'daily' };
  const mailed = { delivery: 'email', recipients: ['me@mail.example'] };
  const colleagues = (await superadmin.post('/loan-tape-configs', config)).body.id as string;
  const late = { name: 'Late', columns: ['loan_number'], filters: { status: 'active' } };
  const filtered = (await superadmin.post('/loan-tape-configs', late)).body.id as string;
  await deny('loans', 'interest_rate', 'status');

  const made = await admin.post('/loan-tape-configs', { ...config, name: 'Mine', ...mailed });
  const redirected = await admin.put(`/loan-tape-configs/${colleagues}`, mailed);
  const emptied = await admin.put(`/loan-tape-configs/${colleagues}`, { columns: ['loan_id'] });
  const selected = await admin.put(`/loan-tape-configs/${filtered}`, mailed);
  const harmless = await admin.post('/loan-tape-configs', {
    name: 'Numbers',
    columns: ['loan_number'],
    ...mailed,
  });

  for (const reply of [made, redirected, emptied])
    expect(reply).toMatchObject(refusedFor('interest_rate'));
  expect(selected).toMatchObject(refusedFor('status'));
  expect(made.body.message).toBe(
    "This uses interest_rate, which you don't have permission to see.",
  );
  expect(harmless.status).toBe(201);
  const kept = (await superadmin.get(`/loan-tape-configs/${colleagues}`)).body;
  expect(kept).toMatchObject({ delivery: 'document', recipients: [] });
});

test('a user who is denied a column cannot redeliver a tape that has it', async () => {
  const { superadmin, admin, deny } = await newHouse();
  const columns = ['loan_number', 'interest_rate'];
  const config = (await superadmin.post('/loan-tape-configs', { name: 'Rates', columns })).body;
  const tape = (await superadmin.post(`/loan-tape-configs/${config.id}/generate`)).body;
  await deny('loans', 'interest_rate');

  const again = await admin.post(`/loan-tapes/${tape.id}/retry-delivery`);
  const unknown = await admin.post(`/loan-tapes/${config.id}/retry-delivery`);

  expect(again).toMatchObject(refusedFor('interest_rate'));
  expect(unknown.status).toBe(404);
});

test('a webhook whose events have a denied field cannot be created, changed, enabled or resent', async () => {
  const { superadmin, admin, deny } = await newHouse();
  const events = ['payment.received'];
  const { id } = (await superadmin.post('/webhooks', { url: URL, events })).body;
  const mine = (await admin.post('/webhooks', { url: URL, events: ['fee.assessed'] })).body.id;
  await deny('payments', 'amount');

  const refused = [
    await admin.post('/webhooks', { url: URL, events }),
    await admin.put(`/webhooks/${id}`, { url: `${URL}/mine` }),
    await admin.put(`/webhooks/${mine}`, { events }),
    await admin.post(`/webhooks/${id}/re-enable`),
    await admin.post(`/webhooks/${id}/replay`, { since: '2026-01-01T00:00:00Z' }),
    await admin.post(`/webhooks/${id}/retry-delivery`),
  ];
  const all = await admin.post('/webhooks', { url: URL, events: ['*'] });
  const batches = await admin.post('/webhooks', { url: URL, events: ['mail_batch.ready'] });
  const removed = await admin.send('DELETE', `/webhooks/${id}`);

  for (const reply of refused) {
    expect(reply.status).toBe(403);
    expect(reply.body.details.fields).toContain('amount');
  }
  expect(all).toMatchObject(refusedFor());
  expect([batches.status, removed.status]).toEqual([201, 200]);
});

test('a field’s other names in events are denied too', async () => {
  const { admin, deny } = await newHouse();
  await deny('loans', 'delinquency_bucket', 'status');
  const asked = (event: string) => admin.post('/webhooks', { url: URL, events: [event] });

  expect(await asked('delinquency.changed')).toMatchObject(refusedFor('delinquency_bucket'));
  expect(await asked('loan.status_changed')).toMatchObject(refusedFor('status'));
});

test('a user with a denied field can neither hand over letters nor set up a server for them', async () => {
  const { tenant, superadmin, admin, deny } = await newHouse();
  const { borrower_id } = await newLoan(tenant);
  await superadmin.post(`/borrowers/${borrower_id}/addresses`, ADDRESS);
  await tenant.within((work) => insertMailBatches(work, borrower_id));
  const batch = (await superadmin.get('/mail-batches?status=ready')).body[0].id as string;
  const server = {
    name: 'Mine',
    host: 'files.example.com',
    username: 'me',
    password: 'long enough',
    host_keys: ['SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU'],
  };
  const known = (await superadmin.post('/sftp-servers', server)).body.id as string;
  await deny('borrowers', 'last_name');

  const refused = [
    await admin.post(`/mail-batches/${batch}/download`),
    await admin.post(`/mail-batches/${batch}/hand-over`, { sftp_server_id: known }),
    await admin.post('/sftp-servers', { ...server, name: 'Other' }),
    await admin.put(`/sftp-servers/${known}`, { host: 'elsewhere.example.com' }),
  ];

  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  expect((await superadmin.get(`/mail-batches/${batch}`)).body.handed_over_at).toBeNull();
  expect((await superadmin.get(`/sftp-servers/${known}`)).body.host).toBe(server.host);
});

test('a denied rate cannot be found by criteria, previews or averages of a portfolio', async () => {
  const { tenant, superadmin, admin, deny } = await newHouse();
  const { id } = await newLoan(tenant, { interest_rate: '0.0873' });
  const dynamic = { name: 'A', portfolio_type: 'dynamic', criteria: { min_rate: '0.05' } };
  const theirs = (await superadmin.post('/portfolios', dynamic)).body.id as string;
  const single = (await superadmin.post('/portfolios', { name: 'One' })).body.id as string;
  await superadmin.post(`/portfolios/${single}/assign-loans`, { loan_ids: [id] });
  await superadmin.post(`/portfolios/${single}/snapshots`, {});
  await deny('loans', 'interest_rate');

  const tried = await admin.post(`/portfolios/${theirs}/auto-assign`, { dry_run: true });
  const made = await admin.post('/portfolios', { ...dynamic, name: 'B' });
  const changed = await admin.put(`/portfolios/${theirs}`, { name: 'C' });
  const others = await admin.post('/portfolios', {
    ...dynamic,
    name: 'D',
    criteria: { min_term_months: 12 },
  });
  const seen = (await admin.get(`/portfolios/${theirs}`)).body;
  const snapshots = await admin.get(`/portfolios/${single}/snapshots`);

  expect(tried).toMatchObject(refusedFor('interest_rate'));
  expect(made.status).toBe(403);
  expect(changed).toMatchObject(refusedFor('interest_rate'));
  expect(others.status).toBe(201);
  expect(seen.criteria).toEqual({});
  expect(snapshots.body).toHaveLength(1);
  expect(JSON.stringify(snapshots.body)).not.toContain('0.0873');
});

test('a denied balance cannot be found by a payment preview or a sum over one loan', async () => {
  const { tenant, superadmin, admin, deny } = await newHouse();
  const { id } = await newLoan(tenant, { principal_amount: '7123.45' });
  const single = (await superadmin.post('/portfolios', { name: 'One' })).body.id as string;
  await superadmin.post(`/portfolios/${single}/assign-loans`, { loan_ids: [id] });
  await superadmin.post(`/portfolios/${single}/snapshots`, {});
  await deny('loans', 'principal_balance', 'principal_amount');

  const preview = await admin.post(`/loans/${id}/payments/preview`, { amount: '9000.00' });
  const snapshots = await admin.get(`/portfolios/${single}/snapshots`);
  const vintages = await admin.get(`/portfolios/${single}/vintages`);

  expect(preview).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
  expect([snapshots.status, vintages.status]).toEqual([200, 200]);
  expect(JSON.stringify([snapshots.body, vintages.body])).not.toContain('7123.45');
});

test('a denied address or loan number appears in no message, nor does a number derived from it', async () => {
  const { tenant, superadmin, admin, deny } = await newHouse();
  const { id, borrower_id } = await newLoan(tenant);
  await superadmin.post(`/borrowers/${borrower_id}/addresses`, ADDRESS);
  await tenant.within((work) => insertMailBatches(work, borrower_id));
  const dispute = { dispute_codes: ['106'], description: 'The amount is wrong.' };
  const disputed = await superadmin.post(`/loans/${id}/credit-disputes`, dispute);
  const { loan_number } = (await superadmin.get(`/loans/${id}`)).body;
  await deny('loans', 'loan_number');
  await deny('addresses', 'street_line_1');

  const logs = await admin.get(`/communication-logs?borrower_id=${borrower_id}`);
  const disputes = await admin.get(`/loans/${id}/credit-disputes`);

  expect(disputed.body.dispute_number).toContain(loan_number);
  expect(logs.body.length).toBeGreaterThan(0);
  expect(logs.body[0]).not.toHaveProperty('recipient');
  expect(disputes.body).toHaveLength(1);
  expect(JSON.stringify(disputes.body)).not.toContain(loan_number);
});

test('a user with a denied field cannot open a borrower’s portal that shows it', async () => {
  const { tenant, admin, deny } = await newHouse();
  const { borrower_id } = await newLoan(tenant);
  const invite = () =>
    admin.post(`/borrowers/${borrower_id}/invite-portal-user`, { email: 'me@mail.example' });
  await deny('loans', 'principal_balance');

  expect(await invite()).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
});

test('a user with a denied field cannot create or change a rule that forwards borrowers’ messages', async () => {
  const { superadmin, admin, deny } = await newHouse();
  const rule = { name: 'Rule', channel: 'email', match_type: 'any', response_body: 'Thanks' };
  const forward = { action: 'forward', forward_to: 'desk@lender.example' };
  const desk = (await superadmin.post('/auto-responses', { ...rule, ...forward })).body.id;
  await deny('emails', 'email');

  const made = await admin.post('/auto-responses', { ...rule, name: 'Mine', ...forward });
  const redirected = await admin.put(`/auto-responses/${desk}`, { forward_to: 'me@mail.example' });
  const answering = await admin.post('/auto-responses', { ...rule, name: 'Other' });

  expect([made, redirected]).toMatchObject([refusedFor(), refusedFor()]);
  expect(answering.status, JSON.stringify(answering.body)).toBe(201);
});
