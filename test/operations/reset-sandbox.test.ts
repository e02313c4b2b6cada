import { expect, test } from 'vitest';
import { saveSandboxBook } from '../../sql/operations/sandbox.ts';
import { openPool } from '../../sql/database/db.ts';
import { newLoan } from '../setup/loans.ts';
import { newProduct } from '../setup/products.ts';
import { clearProofs } from '../setup/proofs.ts';
import { runJobs, travelTo } from '../setup/queue.ts';
import { violationsIn } from '../setup/violations.ts';
import { createUser } from '../../jobs/users/create-user.ts';
import { newStage, PASSWORD, type Tenant } from '../setup/world.ts';

const stage = await newStage();

/** A sandbox whose saved book has a serviced loan, and a client of its admin. */
async function newSandbox() {
  const tenant = await stage.tenant('2026-02-16', { is_sandbox: true });
  const loan = await newLoan(tenant);
  await newLoan(tenant, { status: 'pending' });
  await travelTo(stage, tenant, '2026-02-20');
  await tenant.officer.post(`/loans/${loan.id}/payments`, { amount: '315.68' });
  const owner = await openPool(stage.url, { role: 'servicing_worker', size: 1 });
  await saveSandboxBook(owner, tenant.id);
  await owner.end();
  return { tenant, loan, admin: await tenant.signedIn('admin') };
}

/** Every row of the tenant's book, table by table. */
async function bookOf({ id }: Tenant) {
  const { rows: tables } = await stage.owner.query<{ name: string }>(
    'select unnest(app.list_book_tables()) as name',
  );
  const book: Record<string, string[]> = {};
  for (const { name } of tables) {
    const { rows } = await stage.owner.query<{ text: string }>(
      `select own::text as text from "${name}" as own where tenant_id = $1 order by 1`,
      [id],
    );
    if (rows.length > 0) book[name] = rows.map(({ text }) => text);
  }
  return book;
}

/** The reset itself is the only addition to the history. */
const withoutAudit = ({ audit_log: _, ...book }: Record<string, string[]>) => book;

/** Changes a sandbox in many ways. */
async function use(tenant: Tenant, loanId: string) {
  const admin = await tenant.signedIn('superadmin');
  await admin.post('/sandbox/advance', { days: 10 });
  await runJobs(stage, {}, ['close-loans', 'issue-statements']);
  await tenant.officer.post(`/loans/${loanId}/payments`, { amount: '500.00' });
  await tenant.officer.put(`/loans/${loanId}`, { external_id: 'changed' });
  await newProduct(tenant, {}, admin);
  const added = await newLoan(tenant);
  await admin.post(`/loans/${added.id}/charge-off`, { reason: 'delinquency' });
  const account = { account_name: 'Petty cash', account_code: '1099', account_type: 'asset' };
  await admin.post('/ledger/accounts', account);
  await admin.post('/ledger/closings', { closed_through: '2026-01-31' });
  return added;
}

test('a reset brings back every row of the book, and the date', async () => {
  const { tenant, loan, admin } = await newSandbox();
  const before = await bookOf(tenant);
  await use(tenant, loan.id);

  const answer = await admin.post('/sandbox/reset');

  expect(answer).toMatchObject({
    status: 200,
    body: { business_date: '2026-02-20', status: 'ready' },
  });
  expect(withoutAudit(await bookOf(tenant))).toEqual(withoutAudit(before));
  expect(before['journal_lines']?.length).toBeGreaterThan(10);
  expect(await violationsIn(stage)).toEqual([]);
  const again = await tenant.officer.post(`/loans/${loan.id}/payments`, { amount: '315.68' });
  expect(again.status).toBe(201);
  await admin.post('/sandbox/advance', { days: 2 });
  await runJobs(stage, {}, ['close-loans']);
  expect((await admin.get('/sandbox')).body).toMatchObject({
    business_date: '2026-02-22',
    status: 'ready',
  });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a reset keeps users, sessions, settings and webhook subscriptions', async () => {
  const { tenant, loan, admin } = await newSandbox();
  const superadmin = await tenant.signedIn('superadmin');
  const hook = { url: 'https://receiver.example.com/hook', events: ['*'] };
  const subscribed = await superadmin.post('/webhooks', hook);
  await superadmin.put('/tenant/settings', { branding: { support_phone: '+1 202 555 0199' } });
  const person = { first_name: 'New', last_name: 'Colleague', tenant_role: 'viewer' };
  const invited = await superadmin.post('/users/invite', { ...person, email: 'new@bank.test' });
  const borrower = await tenant.signedIn('borrower');
  await use(tenant, loan.id);

  await admin.post('/sandbox/reset');

  expect(subscribed.status).toBe(201);
  expect((await superadmin.get(`/webhooks/${subscribed.body.id}`)).status).toBe(200);
  expect(invited.status).toBe(201);
  expect((await superadmin.get(`/users/${invited.body.id}`)).status).toBe(200);
  const settings = await superadmin.get('/tenant/settings');
  expect(settings.body.branding.support_phone).toBe('+1 202 555 0199');
  expect((await borrower.get('/portal/me')).status).toBe(200);
});

test('portal users of borrowers who leave with the reset can no longer sign in', async () => {
  const { tenant, admin } = await newSandbox();
  const added = await newLoan(tenant);
  const email = 'late@borrower.test';
  await tenant.within(async (work) => {
    const person = { first_name: 'Late', last_name: 'Borrower', email, password: PASSWORD };
    await createUser(work, { ...person, tenant_role: null, borrower_id: added.borrower_id });
  });
  const late = tenant.anonymous();
  expect((await late.login(email, PASSWORD)).status).toBe(200);

  await admin.post('/sandbox/reset');

  expect((await late.get('/portal/me')).status).toBe(401);
  expect((await tenant.anonymous().login(email, PASSWORD)).status).toBe(401);
});

test('a reset touches no other tenant', async () => {
  const { tenant, loan, admin } = await newSandbox();
  const other = await newSandbox();
  await use(tenant, loan.id);
  const before = await bookOf(other.tenant);

  await admin.post('/sandbox/reset');

  expect(await bookOf(other.tenant)).toEqual(before);
});

test('only an admin with a recent proof resets a sandbox', async () => {
  const { tenant, loan, admin } = await newSandbox();
  await newLoan(tenant);

  const officer = await tenant.officer.post('/sandbox/reset');
  await clearProofs(stage, tenant);
  const unproved = await admin.post('/sandbox/reset');

  expect(officer).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
  expect(unproved).toMatchObject({ status: 403, body: { code: 'proof_required' } });
  expect((await tenant.officer.get('/loans')).body).toHaveLength(3);
  expect((await tenant.officer.get(`/loans/${loan.id}`)).status).toBe(200);
});

test('two resets and a payment at the same time leave the book and correct ledgers', async () => {
  const { tenant, loan, admin } = await newSandbox();
  const second = await tenant.signedIn('superadmin');
  const before = await bookOf(tenant);
  await use(tenant, loan.id);

  const [one, other, paid] = await Promise.all([
    admin.post('/sandbox/reset'),
    second.post('/sandbox/reset'),
    tenant.officer.post(`/loans/${loan.id}/payments`, { amount: '50.00' }),
  ]);

  expect([one.status, other.status]).toEqual([200, 200]);
  expect(paid.status).toBeLessThan(500);
  expect(await violationsIn(stage)).toEqual([]);
  await admin.post('/sandbox/reset');
  expect(withoutAudit(await bookOf(tenant))).toEqual(withoutAudit(before));
});

test('a reset ends a moving date, and the next advance starts from the book', async () => {
  const { tenant, admin } = await newSandbox();
  await admin.post('/sandbox/advance', { days: 300 });
  await runJobs(stage, {}, ['issue-statements']);

  const answer = await admin.post('/sandbox/reset');
  await admin.post('/sandbox/advance', { days: 1 });
  await runJobs(stage, {}, ['close-loans']);

  expect(answer.body).toMatchObject({ business_date: '2026-02-20', status: 'ready' });
  expect((await tenant.officer.get('/sandbox')).body).toMatchObject({
    business_date: '2026-02-21',
    status: 'ready',
  });
});

test('a reset waits for running jobs, gives up, and then changes nothing', async () => {
  const { tenant, loan, admin } = await newSandbox();
  await use(tenant, loan.id);
  await stage.owner.query(`select app.add_job('render-document', $1, null, 5, 'runs')`, [
    JSON.stringify({ tenant_id: tenant.id, document_id: loan.id }),
  ]);
  await stage.owner.query(
    `update graphile_worker._private_jobs set locked_at = now(), locked_by = 'w' where key = 'runs'`,
  );
  const before = await bookOf(tenant);

  const refused = await admin.post('/sandbox/reset');
  const after = await bookOf(tenant);
  await stage.owner.query(`delete from graphile_worker._private_jobs where key = 'runs'`);

  expect(refused).toMatchObject({ status: 409, body: { code: 'sandbox_busy' } });
  expect(after).toEqual(before);
  expect((await admin.post('/sandbox/reset')).status).toBe(200);
}, 60_000);

test('a reset that is cut off changes nothing', async () => {
  const { tenant, loan, admin } = await newSandbox();
  await use(tenant, loan.id);
  const before = await bookOf(tenant);
  const holder = await stage.owner.connect();
  await holder.query('begin');
  await holder.query('select from borrowers where tenant_id = $1 for update', [tenant.id]);

  const reset = admin.post('/sandbox/reset');
  const blocked = `select pid from pg_stat_activity
    where query like '%reset_sandbox%' and wait_event_type = 'Lock' and pid <> pg_backend_pid()`;
  let pids: { pid: number }[] = [];
  while (pids.length === 0) ({ rows: pids } = await stage.owner.query<{ pid: number }>(blocked));
  for (const { pid } of pids) await stage.owner.query('select pg_terminate_backend($1)', [pid]);
  const answer = await reset;
  await holder.query('rollback');
  holder.release();

  expect(answer.status).toBeGreaterThanOrEqual(500);
  expect(await bookOf(tenant)).toEqual(before);
  expect((await admin.post('/sandbox/reset')).status).toBe(200);
});

test('an Idempotency-Key from before a reset does not answer with a record that is gone', async () => {
  const { tenant, admin } = await newSandbox();
  const options = { headers: { 'Idempotency-Key': 'one-borrower' } };
  const create = () =>
    tenant.officer.post('/borrowers', { first_name: 'A', last_name: 'B' }, options);
  const first = await create();

  await admin.post('/sandbox/reset', {}, { headers: { 'Idempotency-Key': 'one-reset' } });
  const second = await create();

  expect(second.body.id).not.toBe(first.body.id);
  expect((await tenant.officer.get(`/borrowers/${second.body.id}`)).status).toBe(200);
});

test('a sandbox without a saved book says so', async () => {
  const tenant = await stage.tenant('2026-01-15', { is_sandbox: true });
  const admin = await tenant.signedIn('admin');

  expect(await admin.post('/sandbox/reset')).toMatchObject({
    status: 409,
    body: { code: 'sandbox_without_book' },
  });
});

test('the tables that a reset keeps refer to the book only through the borrower of a user', async () => {
  const { rows } = await stage.owner.query<{ reference: string }>(
    `select conrelid::regclass || ' ' || attname as reference
     from pg_constraint as own
     join pg_attribute on attrelid = conrelid and attnum = any (conkey) and attname <> 'tenant_id'
     where contype = 'f' and conrelid::regclass::text <> all (app.list_book_tables())
       and confrelid::regclass::text = any (app.list_book_tables()) and conparentid = 0`,
  );

  expect(rows.map(({ reference }) => reference)).toEqual(['users borrower_id']);
});
