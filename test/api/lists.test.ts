import { expect, test } from 'vitest';
import { borrowers } from '../../sql/borrowers/borrowers.ts';
import { listRows } from '../../sql/list.ts';
import { loans } from '../../sql/loans/loans.ts';
import { isSlowAsync } from '../setup/cpu-time.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const { officer } = tenant;
const NAMES = ['Alpha', 'Beta', 'Gamma', 'Delta', '100% Sure', 'under_score', 'back\\slash'];
for (const last_name of NAMES) {
  await officer.post('/borrowers', {
    first_name: 'List',
    last_name,
    external_id: `X-${last_name}`,
    do_not_contact: last_name === 'Beta',
  });
}
const TOTAL = NAMES.length + 1;

const asked = (parameters: Record<string, unknown>) => {
  const pairs = Object.entries(parameters).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return officer.get(`/borrowers?${new URLSearchParams(pairs).toString()}`);
};
const names = (rows: { last_name: string }[]) => rows.map(({ last_name }) => last_name);

test.each([
  [{ range: [0, 1] }, 'borrowers 0-1/8', 2],
  [{ range: [6, 30] }, 'borrowers 6-7/8', 2],
  [{ range: [8, 30] }, 'borrowers */8', 0],
  [{ range: [0, 1_000_000_000] }, 'borrowers 0-7/8', 8],
  [{ range: [0, Number.MAX_SAFE_INTEGER] }, 'borrowers 0-7/8', 8],
  [{ limit: '3', offset: '2' }, 'borrowers 2-4/8', 3],
  [{ limit: '0' }, 'borrowers */8', 0],
  [{ limit: '999999999' }, 'borrowers 0-7/8', 8],
  [{ filter: { last_name: 'Nobody' } }, 'borrowers */0', 0],
  [{ filter: { q: '%' } }, 'borrowers */0', 0],
  [{ filter: { q: '_' } }, 'borrowers */0', 0],
  [{ filter: { q: '\\' } }, 'borrowers */0', 0],
  [{ filter: { q: "a'*:!&|" } }, 'borrowers */0', 0],
  [{ filter: { q: '  ' } }, 'borrowers 0-7/8', 8],
  [{ filter: { last_name: ['Alpha', 'Beta'] } }, 'borrowers 0-1/2', 2],
  [{ filter: { last_name: [] } }, 'borrowers */0', 0],
  [{ filter: { last_name: "'; drop table borrowers --" } }, 'borrowers */0', 0],
  [{ filter: { external_id: 'X-Beta' } }, 'borrowers 0-0/1', 1],
  [{ filter: { external_id: null } }, 'borrowers 0-0/1', 1],
  [{ filter: { do_not_contact: 'True' } }, 'borrowers 0-0/1', 1],
  [{ last_name__icontains: '%' }, 'borrowers 0-0/1', 1],
  [{ external_id__isnull: 'true' }, 'borrowers 0-0/1', 1],
  [{ do_not_contact__ne: 'false' }, 'borrowers 0-0/1', 1],
  [{ status: 'archived' }, 'borrowers */0', 0],
  [{ status: 'active' }, 'borrowers 0-7/8', 8],
])('%j gives %s', async (parameters, range, count) => {
  const reply = await asked(parameters);

  expect(reply).toMatchObject({ status: 200, headers: { 'content-range': range } });
  expect(reply.body).toHaveLength(count);
});

test('concurrent lists in one transaction do not mix', async () => {
  const sort = { field: 'last_name', descending: false };
  const page = (limit: number) => ({ conditions: [], sort, offset: 0, limit });
  const rowsOf = ({ rows, total }: Awaited<ReturnType<typeof listRows>>) => [rows.length, total];

  const lists = await tenant.within(({ tx }) =>
    Promise.all([
      listRows(tx, borrowers, page(3)),
      listRows(tx, loans, { ...page(3), sort: { field: 'id', descending: false } }),
      listRows(tx, borrowers, page(100)),
    ]),
  );

  expect(lists.map(rowsOf)).toEqual([
    [3, TOTAL],
    [0, 0],
    [TOTAL, TOTAL],
  ]);
});

test.each([
  [{ range: [-1, 5] }],
  [{ range: [5, 1] }],
  [{ range: [0] }],
  [{ range: [0, 1, 2] }],
  [{ range: [0.5, 3] }],
  [{ range: '[0,1e308]' }],
  [{ range: [2 ** 40, 2 ** 40 + 1] }],
  [{ range: '"x"' }],
  [{ range: ['0', '5'] }],
  [{ range: 'null' }],
  [{ limit: '-1' }],
  [{ limit: '1e3' }],
  [{ limit: '9999999999' }],
  [{ offset: '-1' }],
  [{ offset: 'x' }],
  [{ sort: ['password_hash', 'ASC'] }],
  [{ sort: ['ssn_encrypted', 'ASC'] }],
  [{ sort: ['tenant_id', 'ASC'] }],
  [{ sort: ['__proto__', 'ASC'] }],
  [{ sort: ['constructor', 'ASC'] }],
  [{ sort: ['metadata', 'ASC'] }],
  [{ sort: ['last_name', 'SIDEWAYS'] }],
  [{ sort: ['last_name'] }],
  [{ sort: ['last_name" desc; drop table borrowers --', 'ASC'] }],
  [{ sort: '{"0":"last_name","1":"ASC"}' }],
  [{ ordering: 'nothing' }],
  [{ ordering: '-' }],
  [{ ordering: '--last_name' }],
  [{ filter: { password_hash: '$argon2id' } }],
  [{ filter: { tenant_id: tenant.id } }],
  [{ filter: { metadata: { a: 1 } } }],
  [{ filter: { last_name: { $ne: '' } } }],
  [{ filter: { last_name: [{ a: 1 }] } }],
  [{ filter: { last_name: [['a']] } }],
  [{ filter: { last_name: 'x'.repeat(301) } }],
  [{ filter: { last_name: 'a\u0000' } }],
  [{ filter: { last_name__ne: ['a', 'b'] } }],
  [{ filter: { last_name__regex: '(a+)+' } }],
  [{ filter: { do_not_contact: 'maybe' } }],
  [{ filter: { do_not_contact__gte: true } }],
  [{ filter: { id: 'not-a-uuid' } }],
  [{ filter: '{"__proto__":"x"}' }],
  [{ filter: { constructor: 'x' } }],
  [{ filter: { q: 'x'.repeat(201) } }],
  [{ filter: { q: ['a'] } }],
  [{ filter: { q: 'a\u0000' } }],
  [{ filter: [] }],
  [{ filter: '"text"' }],
  [{ filter: 'null' }],
  [{ filter: Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`f${at}`, at])) }],
  [{ filter: { id: Array.from({ length: 400 }, () => 'x') } }],
  [{ status__gt: 'archived' }],
  [{ filter: { status: null } }],
  [{ status__isnull: 'true' }],
  [{ toString: 'x' }],
  [{ constructor: 'x' }],
  [{ __proto__x: 'x' }],
  [{ nonsense: 'x' }],
])('%j is refused', async (parameters) => {
  const reply = await asked(parameters);

  expect(reply).toMatchObject({ status: 422, body: { code: 'validation_error' } });
});

test('a list parameter that is given twice is refused, but a filter may repeat', async () => {
  const replies = [
    await officer.get('/borrowers?sort=["id","ASC"]&sort=["id","DESC"]'),
    await officer.get('/borrowers?range=[0,1]&range=[0,2]'),
    await officer.get('/borrowers?limit=1&limit=2'),
    await officer.get('/borrowers?q=a&q=b'),
    await officer.get('/borrowers?__proto__=1'),
    await officer.get('/borrowers?last_name=Alpha&last_name=Beta'),
  ];

  expect(replies.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422, 200]);
  expect(names(replies[5]?.body).toSorted()).toEqual(['Alpha', 'Beta']);
});

test('a query with thousands of parameters is answered quickly', async () => {
  const flood = `${'last_name=&'.repeat(1_200)}${'a&'.repeat(600)}`;
  const statuses: number[] = [];

  const isSlow = await isSlowAsync(300, async () => {
    statuses.push((await officer.get(`/borrowers?${flood}`)).status);
  });

  expect(new Set(statuses)).toEqual(new Set([422]));
  expect(isSlow).toBe(false);
});

test.each(['sort', 'range', 'filter'])('%s that is not JSON is malformed', async (name) => {
  const reply = await officer.get(`/borrowers?${name}=[oops`);

  expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_query' } });
});

test('both list dialects return the same rows', async () => {
  const json = await asked({
    sort: ['last_name', 'DESC'],
    range: [1, 3],
    filter: { first_name: 'List' },
  });
  const flat = await asked({ ordering: '-last_name', limit: '3', offset: '1', first_name: 'List' });

  expect(flat.headers['content-range']).toBe(json.headers['content-range']);
  expect(flat.body).toEqual(json.body);
  expect(json.body).toHaveLength(3);
});

test('rows with equal sort values appear exactly once across all pages', async () => {
  const pages: string[] = [];
  for (let start = 0; start < TOTAL; start += 2) {
    const { body } = await asked({ sort: ['borrower_type', 'ASC'], range: [start, start + 1] });
    pages.push(...names(body));
  }

  expect(new Set(pages).size).toBe(TOTAL);
});

test('a list of ids has no page limit and includes archived rows', async () => {
  const ids: string[] = [];
  for (let at = 0; at < 105; at += 1) {
    ids.push(
      (await officer.post('/borrowers', { first_name: 'Many', last_name: `N${at}` })).body.id,
    );
  }
  await officer.delete(`/borrowers/${ids[0]}`);

  const many = await asked({ filter: { id: ids } });
  const usual = await asked({ filter: { first_name: 'Many' } });
  const archived = await asked({ filter: { first_name: 'Many', is_archived: true } });

  expect(many.body).toHaveLength(105);
  expect(usual.headers['content-range']).toBe('borrowers 0-99/104');
  expect(archived.body).toHaveLength(1);
});

test('archived rows can be requested as a status, also of records without a status', async () => {
  const admin = await tenant.signedIn('admin');
  const template = { template_type: 'custom', channel: 'sms', body: 'Hello' };
  await admin.post('/communication-templates', { ...template, name: 'kept' });
  const { id } = (await admin.post('/communication-templates', { ...template, name: 'old' })).body;
  await admin.delete(`/communication-templates/${id}`);

  const templates = await admin.get('/communication-templates?status=archived');
  const documents = await admin.get('/documents?filter={"status":["archived"]}');

  expect(templates.body).toMatchObject([{ id, is_archived: true }]);
  expect(documents).toMatchObject({ status: 200, headers: { 'content-range': 'documents */0' } });
});
