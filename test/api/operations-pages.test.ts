import { beforeEach, expect, test } from 'vitest';
import { enqueueJobs, failJobs, newOperator } from '../setup/operators.ts';
import { hiddenValue, pageClient } from '../setup/pages.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const lender = await stage.tenant();
const operators = await stage.tenant();
const operator = await newOperator(stage, operators);
const superadmin = await lender.signedIn('superadmin');

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded', 'X-CSRFToken': '' };
const REASON = 'It is needed.';
let number = '';
let failed = '';

beforeEach(async () => {
  await stage.owner.query('delete from graphile_worker._private_jobs');
  await stage.owner.query('delete from app.failed_jobs');
  await stage.owner.query('delete from app.pauses');
  [number = '', failed = ''] = await enqueueJobs(stage, 'close-loans', { tenant_id: lender.id }, 2);
  await failJobs(stage, [failed], 'Loan % has no plan (22023).');
});

/** Each form of these pages. */
const forms = (): [string, Record<string, string>][] => [
  ['', { do: 'pause', pool: 'ledger', reason: REASON }],
  ['', { do: 'slots', pool: 'ledger', slots: '9', reason: REASON }],
  ['/pauses', { do: 'pause', kind: 'close-loans', reason: REASON }],
  ['/jobs?state=waiting', { do: 'cancel', expected: '1', reason: REASON }],
  ['/jobs?state=failed', { do: 'discard', expected: '1', reason: REASON }],
  [`/jobs/${number}`, { do: 'cancel', reason: REASON }],
  [`/jobs/${failed}`, { do: 'retry', reason: REASON }],
];

/** Everything that one of these forms could change. */
async function standing() {
  const { rows } = await stage.owner.query(
    `select (select json_agg(row(id, run_at, attempts) order by id) from graphile_worker._private_jobs) as jobs,
       (select json_agg(row(job_id, retried_at) order by job_id) from app.failed_jobs) as failed,
       (select count(*) from app.pauses) as pauses, (select json_agg(p) from app.pool_slots as p) as slots,
       (select count(*) from app.operations_log) as changes`,
  );
  return rows[0];
}

test('a form submitted by another site changes nothing', async () => {
  const before = await standing();
  const own = operator.cookies.get('csrftoken') ?? '';
  const stranger = operators.anonymous();
  await stranger.get('//ops/sign-in');
  const foreign = stranger.cookies.get('csrftoken') ?? '';
  const attempts: [string, Record<string, string>, Record<string, string>][] = [
    ['no token', {}, {}],
    ['an empty token', { csrf_token: '' }, {}],
    ['the token of another visitor', { csrf_token: foreign }, {}],
    ['the token in another place', {}, { 'X-CSRFToken': own }],
    ['another origin', { csrf_token: own }, { Origin: 'https://elsewhere.test' }],
    ['no origin that can be named', { csrf_token: own }, { Origin: 'null' }],
    ['the host of another tenant', { csrf_token: own }, { Origin: `http://${lender.host}` }],
  ];

  for (const [path, fields] of forms())
    for (const [what, token, headers] of attempts) {
      const raw = new URLSearchParams({ ...fields, ...token }).toString();
      const reply = await operator.post(`//ops${path}`, undefined, {
        raw,
        headers: { ...FORM, ...headers },
      });
      expect([reply.status, path, what]).toEqual([403, path, what]);
    }

  expect(await standing()).toEqual(before);
});

test('a malformed form or another method changes nothing', async () => {
  const before = await standing();
  const csrf_token = operator.cookies.get('csrftoken') ?? '';
  const statuses = new Set<number>();

  for (const [path, fields] of forms()) {
    const given = { ...fields, csrf_token };
    const query = new URLSearchParams(given).toString();
    statuses.add((await operator.post(`//ops${path}`, given)).status);
    const asText = { raw: query, headers: { ...FORM, 'Content-Type': 'text/plain' } };
    statuses.add((await operator.post(`//ops${path}`, undefined, asText)).status);
    await operator.get(`//ops${path}${path.includes('?') ? '&' : '?'}${query}`);
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      expect((await operator.send(method, `//ops${path}`, given)).status).toBe(405);
  }

  expect(statuses).toEqual(new Set([415]));
  expect(await standing()).toEqual(before);
});

test.each(['viewer', 'loan_officer', 'admin', 'borrower'])(
  'a %s sees no operations page and changes nothing there',
  async (role) => {
    const before = await standing();
    const pages = pageClient(await operators.signedIn(role), '/ops');

    for (const [path, fields] of forms()) {
      const page = await pages.get(path);
      const sent = await pages.send(path, fields);
      expect([page.status, sent.status, path]).toEqual([403, 403, path]);
      expect(page.body).not.toContain('close-loans');
    }

    expect((await pages.get('/live')).status).toBe(403);
    expect(await standing()).toEqual(before);
  },
);

test('a visitor who is not signed in is sent to the sign-in page and changes nothing', async () => {
  const before = await standing();
  const client = operators.anonymous();
  const pages = pageClient(client, '/ops');
  await pages.get('/sign-in');

  for (const [path, fields] of forms()) {
    const replies = [await pages.get(path), await pages.send(path, fields)];
    for (const { status, headers, body } of replies) {
      expect([status, body]).toEqual([303, '']);
      expect(headers['location']).toMatch(/^\/ops\/sign-in/);
    }
  }

  expect(await standing()).toEqual(before);
});

test('a superadmin of one tenant can neither pause jobs nor change another tenant’s job', async () => {
  const [foreign = ''] = await enqueueJobs(stage, 'close-loans', { tenant_id: operators.id });
  const before = await standing();
  const pages = pageClient(superadmin, '/ops');

  const statuses = [
    await pages.send('', { do: 'pause', pool: 'ledger', reason: REASON }),
    await pages.send('', { do: 'slots', pool: 'ledger', slots: '9', reason: REASON }),
    await pages.send('/pauses', { do: 'pause', tenant_id: operators.id, reason: REASON }),
    await pages.get(`/jobs/${foreign}`),
  ].map(({ status }) => status);
  await pages.send(`/jobs/${foreign}`, { do: 'cancel', reason: REASON });
  await pages.send(`/jobs?tenant_id=${operators.id}`, {
    do: 'cancel',
    expected: '1',
    reason: REASON,
  });

  expect(statuses).toEqual([403, 403, 403, 404]);
  const { jobs } = (await standing()) as { jobs: unknown[] };
  expect(jobs).toContainEqual(expect.objectContaining({ f1: Number(foreign), f3: 0 }));
  expect(before.pauses).toBe('0');
});

const EVIL = `</script></textarea>"'><img src=x onerror=alert(1)>{{7*7}}{{constructor}}`;

test('text from jobs, tenants and colleagues is escaped on every operations page', async () => {
  await stage.owner.query('update tenants set name = $1 where id = any($2)', [
    EVIL,
    [lender.id, operators.id],
  ]);
  const evilKind = `"><img src=x onerror=alert(2)>`;
  const payload = { tenant_id: lender.id, [EVIL]: EVIL, date: EVIL, reason_id: EVIL };
  const [evil = '', broken = ''] = await enqueueJobs(stage, evilKind, payload, 2);
  await failJobs(stage, [broken], EVIL);
  const pages = pageClient(operator, '/ops');
  const pause = { do: 'pause', tenant_id: lender.id, reason: EVIL };
  const paused = await pages.send('/pauses', pause);
  const refused = await pages.send('/pauses', {
    do: 'pause',
    pool: EVIL,
    kind: EVIL,
    reason: EVIL,
  });
  const query = new URLSearchParams({
    state: EVIL,
    kind: EVIL,
    tenant_id: EVIL,
    older_seconds: EVIL,
    cause: EVIL,
    offset: EVIL,
    done: EVIL,
    pool: EVIL,
    reason: EVIL,
  });
  const found = new URLSearchParams({ state: 'failed', kind: EVIL, cause: EVIL, done: EVIL });

  const shown = [
    refused,
    await pages.send(`/jobs/${evil}`, { do: 'reschedule', run_at: EVIL, reason: EVIL }),
    await pages.send('', { do: EVIL, pool: EVIL, slots: EVIL, reason: EVIL }),
    await pages.get(''),
    await pages.get('/pauses'),
    await pages.get(`/pauses?${query}`),
    await pages.get('/jobs'),
    await pages.get('/jobs?state=failed'),
    await pages.get(`/jobs?${query}`),
    await pages.get(`/jobs?${found}`),
    await pages.get(`/jobs/${evil}`),
    await pages.get(`/jobs/${broken}`),
    await pages.get(`/jobs/${encodeURIComponent(EVIL)}`),
    await pages.get(`/sign-in?back=${encodeURIComponent(EVIL)}&done=${encodeURIComponent(EVIL)}`),
  ];

  expect(paused.status).toBe(303);
  for (const { status, body, headers } of shown) {
    expect(status, String(body)).toBeLessThan(500);
    expect(body).not.toContain('<img');
    expect(body).not.toContain('49{{');
    expect(body).not.toMatch(/href="(?!\/|#|tel:)/);
    expect(String(headers['content-security-policy'])).not.toContain('unsafe');
  }
  const all = shown.map(({ body }) => String(body)).join('');
  expect(all).toContain('&lt;img src&#x3D;x onerror&#x3D;alert(2)&gt;');
  expect(all).toContain('{{7*7}}');
});

test('a form’s token belongs to the session and never appears in a URL', async () => {
  const { body } = await pageClient(operator, '/ops').get('/jobs');

  expect(hiddenValue(body, 'csrf_token')).toBe(operator.cookies.get('csrftoken'));
  expect(body).not.toMatch(/(href|action)="[^"]*csrf/);
});
