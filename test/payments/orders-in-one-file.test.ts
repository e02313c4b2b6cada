import { expect, test } from 'vitest';
import { balancesByRole } from '../setup/ledger.ts';
import { newClient } from '../setup/client.ts';
import { createdId, readSentFile, newLoanWithAccount } from '../setup/nacha.ts';
import { travelTo } from '../setup/queue.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, PASSWORD } from '../setup/world.ts';

const stage = await newStage();

test('two processes that create files concurrently put each order into one file', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const other = newClient(await stage.listen(), tenant.host);
  await other.login(`admin@${tenant.slug}.test`, PASSWORD);
  const admin = await tenant.signedIn('admin');
  const made: string[] = [];
  const { id, account: payment_instrument_id } = await newLoanWithAccount(tenant);
  const pay = async () => {
    const named = { amount: '1.00', payment_instrument_id };
    made.push(createdId(await tenant.officer.post(`/loans/${id}/payments`, named)));
  };
  for (let round = 0; round < 4; round += 1) {
    await pay();
    await Promise.all([admin.post('/nacha-files'), pay(), other.post('/nacha-files')]);
  }
  await admin.post('/nacha-files');

  const entries = await stage.owner.query<{ payment_id: string; status: string }>(
    `select entry.payment_id, file.status from nacha_entries as entry
     join nacha_files as file on file.id = entry.nacha_file_id where entry.tenant_id = $1`,
    [tenant.id],
  );
  expect(entries.rows.map(({ payment_id }) => payment_id).toSorted()).toEqual(made.toSorted());
  expect(new Set(entries.rows.map(({ status }) => status))).toEqual(new Set(['completed']));
});

test('a file interrupted before it was marked is created again with the same content', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id, account: payment_instrument_id } = await newLoanWithAccount(tenant);
  const named = { amount: '12.00', payment_instrument_id };
  await tenant.officer.post(`/loans/${id}/payments`, named);
  const { files } = stage.installation;
  const stopping = new Proxy(files, {
    get: (target, name) =>
      name === 'put'
        ? async (...given: Parameters<typeof files.put>) => {
            await target.put(...given);
            throw new Error('The process dies here.');
          }
        : Reflect.get(target, name),
  });

  stage.installation.files = stopping;
  const died = await admin.post('/nacha-files');
  stage.installation.files = files;
  const [pending] = (await admin.get('/nacha-files')).body;
  const written = await readSentFile(stage, tenant, pending.filename);
  const again = await admin.post('/nacha-files');
  const [file, ...others] = (await admin.get('/nacha-files')).body;

  expect(died.status).toBe(500);
  expect(pending).toMatchObject({ status: 'pending', entry_count: 1 });
  expect(again).toMatchObject({ status: 409, body: { code: 'nothing_to_send' } });
  expect(file).toMatchObject({ id: pending.id, status: 'completed', debit_total: '12.00' });
  expect(others).toEqual([]);
  expect(await readSentFile(stage, tenant, file.filename)).toBe(written);
});

test('an order reversed before its file is in no file and never becomes cash', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const admin = await tenant.signedIn('admin');
  const { id, account: payment_instrument_id } = await newLoanWithAccount(tenant);
  const funded = await newLoanWithAccount(tenant, { status: 'approved' });
  const books = await balancesByRole(tenant);
  const payment = createdId(
    await officer.post(`/loans/${id}/payments`, { amount: '12.00', payment_instrument_id }),
  );
  const disbursement = createdId(
    await officer.post(`/loans/${funded.id}/disbursements`, {
      payment_instrument_id: funded.account,
    }),
  );

  const ordered = await balancesByRole(tenant);
  await officer.post(`/payments/${payment}/reverse`, { reason: 'clerical_error' });
  await officer.post(`/disbursements/${disbursement}/reverse`);
  const refused = await admin.post('/nacha-files');
  const after = await balancesByRole(tenant);
  await travelTo(stage, tenant, '2026-01-22');

  expect(ordered).toMatchObject({ cash: '-10000.00', ach_clearing: '-9988.00' });
  expect(refused).toMatchObject({ status: 409, body: { code: 'nothing_to_send' } });
  expect(after).toEqual(books);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a payment reversed while a file is created is either in it or not, and its cash matches', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id, account: payment_instrument_id } = await newLoanWithAccount(tenant);
  const named = { amount: '10.00', payment_instrument_id };
  for (let round = 0; round < 4; round += 1) {
    const payment = createdId(await tenant.officer.post(`/loans/${id}/payments`, named));
    const [reversed] = await Promise.all([
      tenant.officer.post(`/payments/${payment}/reverse`, { reason: 'duplicate' }),
      admin.post('/nacha-files'),
    ]);
    expect(reversed.status, JSON.stringify(reversed.body)).toBe(200);
  }
  const again = await admin.post('/nacha-files');
  await travelTo(stage, tenant, '2026-01-20');
  const sent = await stage.owner.query<{ count: string }>(
    'select count(*) from nacha_entries where tenant_id = $1',
    [tenant.id],
  );
  const collected = Number(sent.rows[0]?.count) * 10;

  expect(again).toMatchObject({ status: 409, body: { code: 'nothing_to_send' } });
  // A payment in a file is collected even if it was reversed. The money then waits to be returned.
  const { cash = '0.00', ach_clearing = '0.00' } = await balancesByRole(tenant);
  expect([Number(cash), Number(ach_clearing)]).toEqual([collected - 10_000, 0 - collected]);
  expect(await violationsIn(stage)).toEqual([]);
});
