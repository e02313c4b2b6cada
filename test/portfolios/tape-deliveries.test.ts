import { expect, test } from 'vitest';
import { deliverTape } from '../../jobs/portfolios/deliver-tape.job.ts';
import { insertLoans } from '../setup/loan-rows.ts';
import { newOutside } from '../setup/outside.ts';
import { runJobs } from '../setup/queue.ts';
import { newTapeConfig } from '../setup/tape-files.ts';
import { newTapePartner } from '../setup/tape-partner.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const JOBS = ['generate-tape', 'deliver-tape'];

test('a tape is emailed to each address, as a link or an attachment, with retries', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  await insertLoans(tenant, { loan_number: 'A-1' });
  const outside = newOutside(stage.pool);
  Object.assign(outside, { files: stage.installation.files });
  const config = { columns: ['loan_number'], name: 'For <buyers>', delivery: 'email' };
  const unnamed = await admin.post('/loan-tape-configs', config);
  const recipients = ['a@fund.test', 'b@fund.test'];
  const linked = await newTapeConfig(stage, tenant, admin, { ...config, recipients });
  const sent = await newTapeConfig(stage, tenant, admin, {
    ...config,
    recipients: ['c@fund.test'],
    attach_file: true,
  });
  const refusal = {
    ok: false,
    provider: 'smtp',
    error_code: '452',
    error_message: 'Full',
  } as const;
  outside.answers.send.push({ ...refusal, temporary: true });

  const tape = (await linked.generate()).body;
  await runJobs(stage, outside, JOBS);
  const told = (await admin.get(`/loan-tapes/${tape.id}/deliveries?ordering=recipient`)).body;
  const linkedMail = outside.mailbox.splice(0);
  outside.answers.send.push({ ...refusal, temporary: false });
  const failed = (await sent.generate()).body;
  await runJobs(stage, outside, JOBS);
  const given = (await admin.get(`/loan-tapes/${failed.id}/deliveries`)).body;

  expect(unnamed).toMatchObject({
    status: 422,
    body: { errors: { recipients: expect.stringMatching(/address/) } },
  });
  expect(
    linkedMail
      .map(({ to }) => to.address)
      .toSorted()
      .join(),
  ).toBe('a@fund.test,a@fund.test,b@fund.test');
  expect(linkedMail[0]).toMatchObject({ subject: expect.stringContaining('For <buyers> of') });
  expect(linkedMail[0]?.html).toMatch(/For &lt;buyers&gt;.*1 loans.*href="https:\/\//s);
  expect(told).toMatchObject([
    { recipient: 'a@fund.test', status: 'sent', attempts: 2, error: null },
    { recipient: 'b@fund.test', status: 'sent', attempts: 1 },
  ]);
  expect(outside.mailbox).toMatchObject([
    { attachments: [{ filename: failed.filename, content_type: 'text/csv' }] },
  ]);
  expect(given).toMatchObject([{ status: 'failed', attempts: 1, error: 'Full', sent_at: null }]);
});

test('a tape is uploaded to a server once and completely, and a later one of that day replaces it', async () => {
  const { admin, server, work, make, config, known } = await newTapePartner(stage);

  const path = await make();
  await work();
  const [delivery] = (await admin.get(`${path}/deliveries`)).body;
  await make();
  const twin = await admin.post('/loan-tape-configs', { ...config, sftp_server_id: known.id });
  const nowhere = await admin.post('/loan-tape-configs', config);

  expect([...server.files].map(([name, bytes]) => [name, bytes.toString()])).toEqual([
    [expect.stringMatching(/^\/in\/Fund 2026-\d\d-\d\d\.csv$/), expect.stringMatching(/A-1/)],
  ]);
  expect(delivery).toMatchObject({ status: 'sent', attempts: 1, sftp_server_id: known.id });
  expect(delivery.recipient).toBe(`sftp://localhost:${server.address.port}/in/`);
  expect((await admin.get(path)).body).toMatchObject({ delivery_status: 'sent' });
  expect(twin).toMatchObject({
    status: 422,
    body: { errors: { name: expect.stringMatching(/./) } },
  });
  expect(nowhere).toMatchObject({
    status: 422,
    body: { errors: { sftp_server_id: expect.stringMatching(/./) } },
  });
});

test('a failed delivery shows on its tape, and is sent again on request', async () => {
  const {
    admin,
    server,
    work,
    make,
    path: place,
  } = await newTapePartner(stage, { is_locked: true });

  const path = await make();
  const failed = (await admin.get(path)).body;
  const listed = (await admin.get('/loan-tapes?delivery_status=failed')).body;
  server.manners.is_locked = false;
  await admin.put(place, { is_active: false });
  const first = await admin.post(`${path}/retry-delivery`);
  await work();
  const off = (await admin.get(path)).body;
  await admin.put(place, { is_active: true });
  const [{ id }] = (await admin.get(`${path}/deliveries`)).body;
  const other = await admin.post(`${path}/retry-delivery`, { delivery_id: failed.id });
  const second = await admin.post(`${path}/retry-delivery`, { delivery_id: id });
  await work();
  const again = await admin.post(`${path}/retry-delivery`);

  expect(failed).toMatchObject({
    delivery_status: 'failed',
    delivery_error: expect.stringMatching(/not write/),
  });
  expect(listed).toHaveLength(1);
  expect(first).toMatchObject({ status: 200, body: { delivery_ids: [id], status: 'queued' } });
  expect(off).toMatchObject({
    delivery_status: 'failed',
    delivery_error: expect.stringMatching(/server is inactive/),
  });
  expect(other).toMatchObject({
    status: 422,
    body: { errors: { delivery_id: expect.stringMatching(/./) } },
  });
  expect(second.status).toBe(200);
  expect((await admin.get(`${path}/deliveries`)).body).toMatchObject([
    { status: 'sent', attempts: 3 },
  ]);
  expect((await admin.get(path)).body).toMatchObject({
    delivery_status: 'sent',
    delivery_error: null,
  });
  expect(again).toMatchObject({ status: 409, body: { code: 'nothing_to_retry' } });
});

test('an older tape of the day never replaces a newer one', async () => {
  const { tenant, admin, server, work, make } = await newTapePartner(stage, { is_locked: true });
  const older = await make();
  server.manners.is_locked = false;
  await insertLoans(tenant, { loan_number: 'A-2' });
  const later = await make();

  const asked = await admin.post(`${older}/retry-delivery`);
  await work();
  const again = await admin.post(`${older}/retry-delivery`);

  expect([asked.status, again.status]).toEqual([200, 409]);
  expect((await admin.get(older)).body).toMatchObject({
    delivery_status: 'superseded',
    delivery_error: expect.stringMatching(/later tape/),
  });
  expect((await admin.get(later)).body).toMatchObject({ delivery_status: 'sent' });
  expect([...server.files.values()].map(String)).toEqual([expect.stringMatching(/A-2/)]);
});

test('uploads of one file name run one at a time, and each note names the server as it was then', async () => {
  const { tenant, admin, server, outside, tape, path: place } = await newTapePartner(stage);
  const there = { ...outside };
  const putting: string[] = [];
  const whileOne = Promise.withResolvers<void>();
  outside.upload = async (file) => {
    putting.push(file.filename);
    await whileOne.promise;
    return there.upload(file);
  };
  const { id } = (await tape.generate()).body;
  const deliver = async () => {
    const [{ id: delivery_id }] = (await admin.get(`/loan-tapes/${id}/deliveries`)).body;
    await deliverTape.run({ tenant_id: tenant.id, delivery_id, attempt: 1 }, outside);
  };

  const first = deliver();
  await expect.poll(() => putting.length).toBe(1);
  await deliver();
  const { rows } = await stage.owner.query(
    `select extract(epoch from run_at - now()) as seconds from graphile_worker.jobs
     where task_identifier = 'deliver-tape' and run_at > now()`,
  );
  await admin.put(place, { folder: '/elsewhere/' });
  whileOne.resolve();
  await first;
  const [delivery] = (await admin.get(`/loan-tapes/${id}/deliveries`)).body;
  await runJobs(stage, outside, JOBS);

  expect(putting).toHaveLength(1);
  expect(Number(rows[0].seconds)).toBeGreaterThan(100);
  expect(delivery).toMatchObject({ status: 'sent', attempts: 1 });
  expect(delivery.recipient).toBe(`sftp://localhost:${server.address.port}/in/`);
  expect([...server.files.keys()].join()).toMatch(/^\/in\//);
});

test('a server’s credentials are sealed, never shown, and of one kind', async () => {
  const { tenant, admin, server, make, known, path } = await newTapePartner(stage);
  const officer = await tenant.signedIn('loan_officer');

  const both = await admin.put(path, { password: 'x', private_key: server.private_key });
  const moved = await admin.put(path, { host: 'other.example' });
  const trusting = await admin.put(path, { host_keys: [`SHA256:${'A'.repeat(43)}`] });
  const same = await admin.put(path, { host_keys: known.host_keys, host: known.host });
  const byKey = await admin.put(path, { private_key: server.private_key });
  const tape = await make();
  const none = await admin.post('/sftp-servers', { name: 'Other', ...server.address });
  const kept = await stage.owner.query(
    `select to_jsonb(server)::text || coalesce((select string_agg(changes::text, '') from audit_log
       where tenant_id = server.tenant_id), '') as text
     from sftp_servers as server where id = $1`,
    [known.id],
  );

  expect([both.status, none.status, byKey.status]).toEqual([422, 422, 200]);
  // A user who does not know the password must not have it sent to another server.
  expect([moved, trusting].map(({ body }) => Object.keys(body.errors))).toEqual([
    ['host'],
    ['host_keys'],
  ]);
  expect(same.status).toBe(200);
  expect([known.signs_in_by, byKey.body.signs_in_by]).toEqual(['password', 'private_key']);
  expect((await admin.get(tape)).body).toMatchObject({ delivery_status: 'sent' });
  expect(server.heard).toContain('publickey of lender');
  expect(JSON.stringify([known, byKey.body])).not.toMatch(/canary|PRIVATE|sealed/);
  expect(kept.rows[0].text).not.toMatch(/canary of|PRIVATE KEY/);
  expect((await officer.get(path)).status).toBe(403);
});

test.each<[string, object]>([
  ['host', { host: '169.254.169.254' }],
  ['host', { host: 'metadata.google.internal' }],
  ['host', { host: 'fund.example/x' }],
  ['port', { port: 25 }],
  ['folder', { folder: '/in/../etc' }],
  ['host_keys', { host_keys: [] }],
  ['host_keys', { host_keys: ['MD5:00:11'] }],
  ['private_key', { private_key: 'ssh-ed25519 AAAA' }],
])('a server with such a %s is refused: %j', async (field, changes) => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');

  const answer = await admin.post('/sftp-servers', {
    name: 'Fund',
    host: 'sftp.fund.example',
    username: 'lender',
    host_keys: [`SHA256:${'a'.repeat(43)}`],
    password: 'secret',
    ...changes,
  });

  expect(answer).toMatchObject({ status: 422 });
  expect(Object.keys(answer.body.errors).join()).toMatch(new RegExp(`^${field}`));
});
