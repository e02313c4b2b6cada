import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../../api/routes.ts';
import { newClient, type Client, type Reply } from '../setup/client.ts';
import {
  readAllColumns,
  readAllFiles,
  findSecrets,
  type SearchedPlace,
} from '../setup/find-secrets.ts';
import { startProcess, waitForOutput, type StartedProcess } from '../setup/processes.ts';
import { totpCode } from '../setup/second-factors.ts';
import { done, LOGO_TOKEN, plant, PLANTED } from './planting-secrets.ts';

const PASSWORD = 'correct horse battery';

const secrets = new Map<string, string>(Object.entries(PLANTED));

let folder = '';
let all: StartedProcess;
let owner: pg.Client;
let port = 0;
/** Every answer, except those that reveal a new secret exactly once by design. */
const answers: SearchedPlace[] = [];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'planted-'));
  all = startProcess('workers/start.ts', [], { DATA_DIR: folder, LOG_LEVEL: 'trace' });
  await waitForOutput(all, /Ctrl-C stops everything/, 180_000);
  port = Number(/http:\/\/localhost:(\d+)\/api/.exec(all.said())?.[1]);
  owner = new pg.Client(readFileSync(path.join(folder, 'database-url'), 'utf8').trim());
  await owner.connect();
}, 200_000);
afterAll(async () => {
  await owner.end();
  all.process.kill('SIGTERM');
  await all.ended;
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** A client that keeps its answers, except from endpoints that reveal a new secret once. */
function listening(client: Client): Client {
  const send: Client['send'] = async (method, where, body, options) => {
    const reply = await client.send(method, where, body, options);
    if (!TOLD_ONCE.test(`${method} ${where}`))
      answers.push({ name: `${method} ${where}`, text: textOf(reply) });
    return reply;
  };
  return {
    ...client,
    send,
    get: (where, options) => send('GET', where, undefined, options),
    post: (where, body = {}, options) => send('POST', where, body, options),
    put: (where, body = {}, options) => send('PUT', where, body, options),
  };
}
const TOLD_ONCE = /^POST \/(webhooks|webhooks\/[\w-]+\/rotate-secret|auth\/second-factors.*)$/;
const textOf = ({ body, headers: { 'set-cookie': _, ...headers } }: Reply) =>
  `${typeof body === 'string' ? body : JSON.stringify(body)}\n${JSON.stringify(headers)}`;

async function signIn(role: string, password = PASSWORD): Promise<Client> {
  const client = listening(newClient(port, 'localhost'));
  const reply = await client.login(`${role}@demo.test`, password);
  expect(reply.status).toBe(200);
  secrets.set(`session of ${role} ${secrets.size}`, client.cookies.get('sessionid') ?? '');
  return client;
}

/** Exercises a loan: payments from the account, a bank file, letters, mails and a day's close. */
async function exerciseLoan(
  admin: Client,
  planted: Awaited<ReturnType<typeof plant>>,
): Promise<Record<string, string>> {
  const { borrower_id, instrument: payment_instrument_id, prose } = planted;
  const first = async (where: string) => String((await admin.get(where)).body[0].id);
  const loan = done(
    await admin.post('/loans', {
      borrower_id,
      principal_amount: '5000.00',
      interest_rate: '0.07',
      term_months: 24,
      program_id: await first('/programs?sort=["id","ASC"]'),
      product_id: await first('/products?code=DEFAULT'),
      metadata: { memo: prose },
    }),
  );
  const whole = `/loans/${loan['id']}`;
  done(await admin.post(`${whole}/approve`));
  done(await admin.post(`${whole}/disburse`));
  done(await admin.post(`${whole}/payments`, { amount: '50.00', payment_instrument_id }));
  const plan = { loan_id: loan['id'], payment_instrument_id };
  done(await admin.post(`${planted.whose}/autopay-plans`, plan));
  done(await admin.post(`${whole}/freeze`, { reason: 'fraud', notes: prose }));
  done(await admin.post(`${whole}/unfreeze`));
  done(await admin.post(`${planted.whose}/invite-portal-user`, {}));
  const hardship = { loan_id: loan['id'], hardship_type: 'medical', description: prose };
  await admin.post('/hardship-applications', { ...hardship, requested_action: 'deferment' });
  const message = { borrower_id, loan_id: loan['id'], template_type: 'payment_reminder' };
  for (const channel of ['email', 'letter', 'sms'])
    await admin.post('/communications/send', { ...message, channel });
  await admin.post('/jobs/close-of-business');
  await waitForEmptyQueue();
  await admin.post('/nacha-files', {});
  return loan;
}

/** Waits until the queue has no more jobs that are due. */
async function waitForEmptyQueue() {
  for (let quiet = 0, waited = 0; quiet < 3 && waited < 120; waited += 1) {
    await wait(1_000);
    const { rows } = await owner.query(
      `select count(*)::integer as open from graphile_worker._private_jobs
       where attempts < max_attempts and (locked_at is not null or run_at <= now())`,
    );
    quiet = rows[0].open === 0 ? quiet + 1 : 0;
  }
}

/**
 * Uses all kinds of credentials: a changed password, an authenticator app, recovery codes, a link, an
 * unfinished sign-in.
 */
async function useCredentials() {
  const viewer = await signIn('viewer');
  await newClient(port, 'localhost').login('viewer@demo.test', PLANTED.wrong_password);
  const passwords = { current_password: PASSWORD, new_password: PLANTED.password };
  done(await viewer.post('/auth/password/change', passwords));
  const again = { current_password: PLANTED.password };
  const { secret = '' } = done(await viewer.post('/auth/second-factors/totp', again));
  const confirmed = await viewer.post('/auth/second-factors/totp/confirm', {
    code: totpCode(secret),
  });
  secrets.set('totp secret', secret);
  for (const [at, code] of (
    done(confirmed) as unknown as { recovery_codes: string[] }
  ).recovery_codes.entries())
    secrets.set(`recovery code ${at}`, code);
  secrets.set('session after', viewer.cookies.get('sessionid') ?? '');
  const half = listening(newClient(port, 'localhost'));
  await half.login('viewer@demo.test', PLANTED.password);
  secrets.set('pending sign-in', half.cookies.get('pending_sign_in') ?? '');
  await half.post('/auth/second-factor', { recovery_code: secrets.get('recovery code 0') });
  await half.post('/auth/password/request', { email: 'collector@demo.test' });
  await waitForEmptyQueue();
}

/** Reads everything that staff and the borrower can read of the newest records, and the portal's pages. */
async function readAll(admin: Client, borrower: Client) {
  for (const { method, path: pattern, allow } of routes) {
    if (method !== 'GET' || allow === 'provider') continue;
    const client = allow === 'borrower' ? borrower : admin;
    const collection = pattern.slice(0, Math.max(0, pattern.indexOf('/{')));
    const ids: string[] = pattern.includes('{')
      ? [(await client.get(collection)).body as { id?: string }[]]
          .flat()
          .slice(0, 3)
          .map(({ id = '' }) => id)
      : [''];
    for (const id of ids) await client.get(pattern.replace(/\{\w+\}/g, id));
  }
  for (const page of ['', '/profile', '/accounts', '/messages', '/documents', '/hardship'])
    await borrower.get(`//portal${page}`);
}

test('planted secrets are in no answer, row, file, mail, page or log line', async () => {
  const admin = await signIn('superadmin');
  const borrower = await signIn('borrower');
  const planted = await plant(admin, borrower);
  await exerciseLoan(admin, planted);
  await useCredentials();
  await readAll(admin, borrower);
  const rows = await readAllColumns(owner);
  await owner.query('checkpoint');
  const files = await readAllFiles(folder);
  const log: SearchedPlace = { name: 'log', text: all.said() };
  const links = files.flatMap(({ name, text }) =>
    name.startsWith('outbox/')
      ? [...text.replaceAll('=\r\n', '').matchAll(/token=(?:3D)?([\w-]{43})/g)].map(
          ([, token = '']) => token,
        )
      : [],
  );
  const linked = new Map(links.map((token, at) => [`link ${at}`, token]));
  const kept = rows.filter(({ text }) => text !== '');
  // oxlint-disable-next-line no-console -- the amount searched is part of the result
  console.log(
    `${secrets.size + linked.size} secrets; ${answers.length} answers, ${kept.length} of ${rows.length} columns with something in them, ${files.length} files, ${log.text.split('\n').length} lines of the log.`,
  );
  expect(files.some(({ name }) => /^files\/demo\/nacha\/files\/[\w-]+\.ach$/.test(name))).toBe(
    true,
  );
  expect(findSecrets(secrets, [...answers, ...rows, ...files, log])).toEqual([]);
  // Every visitor sees the logo's address. The worker that fetches it must not record the address.
  const ofWorkers = rows.filter(({ name }) => /^(app|graphile_worker)\./.test(name));
  expect(findSecrets(new Map([['logo', LOGO_TOKEN]]), [log, ...ofWorkers])).toEqual([]);
  expect(findSecrets(linked, [...answers, ...rows, log])).toEqual([]);
}, 600_000);
