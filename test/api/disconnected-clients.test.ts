import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { localFiles } from '../../jobs/files/local-files.ts';
import { openLog } from '../../jobs/monitoring/log.ts';
import { newLoan } from '../setup/loans.ts';
import {
  parseAnswer,
  clientHeaders,
  waitForAssertion,
  requestHead,
  signInRequestHead,
  startSlowClients,
} from '../setup/slow-clients.ts';
import { newStage } from '../setup/world.ts';

const lines: string[] = [];
const stage = await newStage({
  log: openLog('info', {}, { write: (line) => void lines.push(line) }),
});
const tenant = await stage.tenant();

async function uploadLink() {
  const folder = await mkdtemp(path.join(tmpdir(), 'servicing-slow-'));
  const secret = 'a secret of more than thirty-two characters';
  const files = localFiles({ folder: path.join(folder, 'files'), secret });
  Object.assign(stage.installation, { files, link_secret: secret });
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const loan = await newLoan(tenant);
  const { body } = await tenant.officer.post('/documents/create-upload-link', {
    loan_id: loan.id,
    document_type: 'other',
    filename: 'a.pdf',
    content_type: 'application/pdf',
  });
  const target = new URL(body.upload_url).pathname;
  const headers = { 'Content-Type': 'application/pdf' };
  const head = requestHead({ target, host: tenant.host, method: 'PUT', headers }, FILE.length);
  return { head };
}
const FILE = '%PDF-1.7 a file that takes its time';

test('a link accepts one upload at a time, and is free again when its client disconnects', async () => {
  const { begin, atWork, unfinished } = await startSlowClients(stage);
  const { head } = await uploadLink();

  const first = await begin(head + FILE.slice(0, 5));
  await waitForAssertion(() => expect(unfinished()).toBe(1));
  const second = await begin(head + FILE);
  await waitForAssertion(() => expect(parseAnswer(second).status).toBe(409));
  expect(parseAnswer(second)).toMatchObject({
    retryAfter: '30',
    body: { code: 'upload_in_progress' },
  });
  expect(atWork()).toBe(0);

  first.socket.destroy();
  await waitForAssertion(() => expect(unfinished()).toBe(0));
  const third = await begin(head + FILE);
  await waitForAssertion(() => expect(parseAnswer(third).status).toBe(200));
});

test('a link is free again after an upload that was too slow', async () => {
  const { begin, unfinished } = await startSlowClients(stage, {}, { grace_ms: 200 });
  const { head } = await uploadLink();

  const slow = await begin(head + FILE.slice(0, 5));
  await waitForAssertion(() => expect(parseAnswer(slow).status).toBe(408));
  await waitForAssertion(() => expect(unfinished()).toBe(0));

  const next = await begin(head + FILE);
  await waitForAssertion(() => expect(parseAnswer(next).status).toBe(200));
});

test('an incomplete form holds no upload slot, and a session has few slots', async () => {
  const { begin, atWork, unfinished } = await startSlowClients(stage, { uploads_per_session: 1 });
  const headers = {
    ...clientHeaders(tenant.officer.cookies),
    'Content-Type': 'multipart/form-data; boundary=b',
  };
  const form = requestHead({ target: '/api/v1/documents', host: tenant.host, headers }, 5_000);
  const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n';

  await begin(form + part);
  await waitForAssertion(() => expect(unfinished()).toBe(1));
  const second = await begin(form + part);
  await waitForAssertion(() => expect(parseAnswer(second).status).toBe(429));

  expect(atWork()).toBe(0);
});

test('a client that hangs up causes no error and leaves nothing behind', async () => {
  const { begin, atWork, unfinished } = await startSlowClients(stage);
  const { head } = await uploadLink();
  const page = requestHead({
    target: '/portal/sign-in',
    host: tenant.host,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  lines.length = 0;

  for (const request of [head, await signInRequestHead(tenant), page]) {
    const client = await begin(`${request}%`);
    await waitForAssertion(() => expect(unfinished()).toBe(1));
    client.socket.destroy();
    await waitForAssertion(() => expect(unfinished()).toBe(0));
  }

  await waitForAssertion(() =>
    expect(lines.filter((line) => line.includes('"request"'))).toHaveLength(4),
  );
  expect(lines.filter((line) => JSON.parse(line).level > 30)).toEqual([]);
  expect(atWork()).toBe(0);
  const { body: log } = await (await tenant.signedIn('superadmin')).get('/security-log');
  expect(log.filter(({ outcome }: { outcome: string }) => outcome !== 'done')).toEqual([]);
});

test('a change that has started is completed even if its client hangs up', async () => {
  const { begin } = await startSlowClients(stage);
  const { host, officer } = tenant;
  const { body: borrower } = await officer.post('/borrowers', { first_name: 'A', last_name: 'B' });
  const target = `/api/v1/borrowers/${borrower.id}`;
  const body = JSON.stringify({ first_name: 'A', last_name: 'Changed' });
  const headers = clientHeaders(officer.cookies);
  const held = await stage.owner.connect();
  onTestFinished(() => held.release(true));
  await held.query('begin');
  await held.query('select 1 from borrowers where id = $1 for update', [borrower.id]);

  const length = Buffer.byteLength(body);
  const client = await begin(requestHead({ target, host, method: 'PUT', headers }, length) + body);
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await waitForAssertion(async () => expect((await stage.owner.query(waiting)).rowCount).toBe(1));
  client.socket.destroy();
  await held.query('commit');

  await waitForAssertion(async () =>
    expect((await officer.get(`/borrowers/${borrower.id}`)).body.last_name).toBe('Changed'),
  );
});

test('a request whose client hangs up before the body was read does nothing', async () => {
  const { begin, atWork } = await startSlowClients(stage);
  const { host, officer } = tenant;
  const body = JSON.stringify({ first_name: 'Gone', last_name: 'Before' });
  const head = requestHead(
    { target: '/api/v1/borrowers', host, headers: clientHeaders(officer.cookies) },
    body.length + 1,
  );
  lines.length = 0;

  const client = await begin(head + body);
  client.socket.destroy();

  await waitForAssertion(() => expect(lines.join('')).toContain('"request"'));
  expect(lines.filter((line) => JSON.parse(line).level > 30)).toEqual([]);
  expect(atWork()).toBe(0);
  const { body: found } = await officer.get('/borrowers?filter={"last_name":"Before"}');
  expect(found).toEqual([]);
});
