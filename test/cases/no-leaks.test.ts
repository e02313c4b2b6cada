import { unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { routes } from '../../api/routes.ts';
import { openLog } from '../../jobs/monitoring/log.ts';
import { sql } from '../../sql/database/db.ts';
import type { Client } from '../setup/client.ts';
import { runCreditReports } from '../setup/credit-reporting.ts';
import { newOutside } from '../setup/outside.ts';
import { newPlantedTenant, PLANTED, TELLING, wordsIn } from '../setup/planted-cases.ts';
import { assertOk } from '../setup/portal.ts';
import { runJobs, travelTo } from '../setup/queue.ts';
import { newReceiver } from '../setup/receiver.ts';
import { SUBSCRIBER_SECRET } from '../setup/subscriber.ts';
import { newStage } from '../setup/world.ts';

/** What no role, log or receiver sees of the facts of cases, after a month in which each type had its effects. */

const logged: string[] = [];
const stage = await newStage({
  log: openLog('trace', {}, { write: (line: string) => void logged.push(line) }),
});
const planted = await newPlantedTenant(stage);
const { tenant, superadmin, denied, people } = planted;
const viewer = await tenant.signedIn('viewer');
const receiver = await newReceiver(afterAll);
const outside = Object.assign(newOutside(stage.pool), {
  files: stage.installation.files,
  keys: stage.installation.keys,
  post: (request: Parameters<typeof receiver.http.post>[0]) => receiver.http.post(request),
});
const payloads: unknown[] = [];
const work = async () => {
  const { rows } = await stage.owner.query('select payload from graphile_worker._private_jobs');
  payloads.push(...rows);
  await runJobs(stage, outside, JOBS);
};
const JOBS = ['issue-statements', 'render-document', 'print-letter', 'send-communication'];
const ids: Record<string, string[]> = {
  loans: people.map(({ loan_id }) => loan_id),
  borrowers: people.flatMap(({ concerned_id, other_id }) => [concerned_id, other_id]),
};
const ENOUGH_MS = 600_000;

beforeAll(async () => {
  const subscribed = await superadmin.post('/webhooks', {
    url: receiver.url,
    events: ['*'],
    secret: SUBSCRIBER_SECRET,
  });
  assertOk(subscribed);
  await travelTo(stage, tenant, '2026-01-21');
  await work();
  const cases = await planted.open();
  ids['cases'] = cases.map(({ id }) => id);
  await travelTo(stage, tenant, '2026-02-20');
  await runCreditReports(stage);
  await work();
  for (const { id, facts } of cases) {
    const corrected = await superadmin.put(`/cases/${id}`, {
      facts: { ...facts, estimated_dates: [] },
      facts_reason: 'planted-reason',
    });
    assertOk(corrected);
  }
  await travelTo(stage, tenant, '2026-03-03');
  await runCreditReports(stage);
  await work();
  const file = await superadmin.post('/credit-reporting-files');
  assertOk(file);
  await planted.deny();
}, ENOUGH_MS);

test('facts of cases reach no log, job, task or message', async () => {
  const Texts = z.object({ text: z.string() });
  const told = await tenant.within(({ tx }) =>
    tx.any(sql.type(Texts)`
      select body as text from events union all
      select title || ' ' || coalesce(description, '') from tasks union all
      select concat_ws(' ', subject, body) from communication_logs
    `),
  );
  const places = {
    log: wordsIn(logged, PLANTED),
    jobs: wordsIn(payloads, PLANTED),
    told: wordsIn(told, PLANTED),
    mails: wordsIn(outside.mailbox, PLANTED),
    pages: wordsIn(outside.pages, PLANTED),
  };

  expect([told.length > 20, payloads.length > 5]).toEqual([true, true]);
  expect(places).toEqual({ log: [], jobs: [], told: [], mails: [], pages: [] });
});

test(
  'a receiver of all webhooks learns of no case, in bodies or headers',
  async () => {
    while ((await stage.owner.query('select app.create_deliveries(100) as left')).rows[0].left > 0);
    await runJobs(stage, outside, ['deliver-webhook']);
    const posts = receiver.seen.map(({ body, headers }) => ({ text: body.toString(), headers }));
    const kinds = new Set(posts.map(({ headers }) => String(headers['x-webhook-event'])));

    expect(posts.length).toBeGreaterThan(100);
    expect([...kinds]).toEqual(
      expect.arrayContaining(['delinquency.changed', 'document.generated', 'fee.assessed']),
    );
    expect(posts.flatMap((post) => wordsIn(post, TELLING))).toEqual([]);
  },
  ENOUGH_MS,
);

/**
 * The words in the answers of every endpoint that reads, by endpoint: about the people, loans and cases, and with
 * `everything` also about each record of other lists.
 */
async function wordsShown(client: Client, pattern: RegExp, { everything = false } = {}) {
  const shown: Record<string, string[]> = {};
  for (const { method, path } of routes) {
    if (method !== 'GET' || NOT_JSON.test(path)) continue;
    const [, kind = ''] = path.split('/');
    const urls = path.includes('{')
      ? (ids[kind] ?? []).map((id) => path.replace('{id}', id).replace(/\{\w+\}/, id))
      : [path];
    for (const url of urls) {
      const answer = await client.get(url.includes('explain') ? `${url}?figure=late_fee` : url);
      expect(answer.status, url).toBeLessThan(500);
      const listed: unknown = answer.body;
      if (everything && kind !== '' && !(kind in ids) && Array.isArray(listed))
        ids[kind] = listed.slice(0, 12).map(({ id }: { id: string }) => id);
      const words = wordsIn(answer.body, pattern);
      if (words.length > 0) shown[path] = [...new Set([...(shown[path] ?? []), ...words])];
    }
  }
  return shown;
}
/** Pages, pictures, the tenant's own settings, and the texts of letters to borrowers. */
const NOT_JSON =
  /docs|openapi|ops|portal|stream|logo|users\/me|tenant\/settings|communication-logs\/|loans\/\{id\}\/communications/;

test(
  'a viewer sees what follows for a borrower, but no facts of cases',
  async () => {
    const shown = await wordsShown(viewer, PLANTED);

    // The day of the demand is a field of the borrower.
    const [day] = shown['/borrowers'] ?? [];
    expect(shown).toEqual({ '/borrowers': [day], '/borrowers/{id}': [day] });
    expect(day).toBe('2019-06-11');
  },
  ENOUGH_MS,
);

test(
  'a superadmin who is denied the facts sees them nowhere',
  async () => {
    expect(await wordsShown(denied, TELLING, { everything: true })).toEqual({});
  },
  ENOUGH_MS,
);

test('no export, file, tape, search or filter gives the facts to who is denied them', async () => {
  const borrower = ids['borrowers']?.[0] ?? '';
  const list = async (path: string) => ((await superadmin.get(path)).body as { id: string }[])[0];
  const file = await list('/credit-reporting-files');
  const document = await list('/documents?filename=paper-deceased.pdf');
  const asked = {
    borrower: await denied.post(`/borrowers/${borrower}/export`),
    book: await denied.post('/book-exports', {}),
    webhook: await denied.post('/webhooks', { url: receiver.url, events: ['*'] }),
    file: await denied.get(`/credit-reporting-files/${file?.id}/download`),
    document: await denied.get(`/documents/${document?.id}`),
    by_type: await denied.get('/cases?case_type=bankruptcy'),
    by_status: await denied.get('/borrowers?bankruptcy_status=chapter_13_petition'),
    by_death: await denied.get('/borrowers?is_deceased=true'),
    by_sub_status: await denied.get('/loans?sub_status=bankruptcy'),
    by_indicator: await denied.get(
      `/loans/${ids['loans']?.[0]}/credit-reporting?consumer_information_indicator=D`,
    ),
    by_rule: await denied.get('/credit-reporting-findings?rule=Status-DOFD-2'),
    by_filename: await denied.get('/documents?filename__icontains=paper'),
  };
  const statuses = Object.fromEntries(
    Object.entries(asked).map(([name, { status }]) => [name, status]),
  );
  const searched = await Promise.all(
    ['/cases', '/borrowers', '/loans', '/tasks', '/documents'].map((path) =>
      denied.get(`${path}?q=paper`),
    ),
  );

  expect(statuses).toEqual({
    borrower: 403,
    book: 403,
    webhook: 403,
    file: 403,
    document: 403,
    by_type: 422,
    by_status: 422,
    by_death: 422,
    by_sub_status: 422,
    by_indicator: 422,
    by_rule: 422,
    by_filename: 422,
  });
  for (const { status, body } of searched) expect(status === 422 || body.length === 0).toBe(true);
});

test(
  'the archive of a person has the facts about that person, not about others who owe the loan',
  async () => {
    const parts: Record<string, string[]> = {};
    for (const { other_id } of people) {
      const ordered = await superadmin.post(`/borrowers/${other_id}/export`);
      await runJobs(stage, outside, ['export-borrower']);
      const { body } = await superadmin.get(`/borrower-exports/${ordered.body.id}`);
      const zip = await stage.installation.files.get(storageKeyIn(body.download_url));
      for (const [name, bytes] of Object.entries(unzipSync(new Uint8Array(zip ?? [])))) {
        const words = wordsIn(`${name} ${Buffer.from(bytes).toString('latin1')}`, PLANTED);
        if (words.length > 0) parts[name] = [...new Set([...(parts[name] ?? []), ...words])];
      }
    }

    expect(parts).toEqual({});
  },
  ENOUGH_MS,
);

const storageKeyIn = (url: string) =>
  decodeURIComponent(new URL(url).pathname.replace('/GET/', ''));
