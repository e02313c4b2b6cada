import { expect, test } from 'vitest';
import type { Route } from '../../api/endpoints/route.ts';
import { routes } from '../../api/routes.ts';
import { newStage } from '../setup/world.ts';
import { nameOf } from './callers.ts';
import { askedBy } from './list-statements.ts';

const stage = await newStage();

/** Each key in the order of an ORDER BY clause: ascending with nulls last, descending with nulls first. */
const INDEXES = `
  select indrelid::regclass::text as table, indisunique as is_unique, array(
    select attname || case indoption[place - 1] & 3
      when 0 then '' when 1 then ' desc nulls last' when 2 then ' nulls first' else ' desc' end
    from generate_series(1, indnkeyatts) as place
    join pg_attribute on attrelid = indrelid and attnum = indkey[place - 1]
    order by place
  )::text[] as keys
  from pg_index join pg_class as index on index.oid = indexrelid
  where relnamespace = 'public'::regnamespace and indpred is null and indexprs is null
    and relam = (select oid from pg_am where amname = 'btree')`;
type Index = { table: string; is_unique: boolean; keys: string[] };

type Page = { table: string; fixed: string[]; order: string[] };

const ORDERED = / order by "row"\./;

/** The page that a statement reads. Null unless it reads one table and filters only by equal columns. */
function pageOf(statement: string): Page | null {
  const [, source = '', where = '', order = ''] =
    /^(.*) as row where (.*?) order by ("row"\..*?) limit /.exec(statement) ?? [];
  // No index provides an order for rows that match either of two columns.
  if (/ where \( record\./.test(source)) return null;
  const tables = [...source.matchAll(/ from (?:"(\w+)"$|(\w+) as record\b)/g)];
  const table = tables[0]?.[1] ?? tables[0]?.[2];
  if (table === undefined || tables.length > 1) return null;
  const within = [...source.matchAll(/ (?:where|and) record\.(\w+) = \$/g)].map(
    ([, field = '']) => field,
  );
  const clauses = where === 'true' ? [] : where.slice(1, -1).split(') and (');
  // Few records are archived, so a page fills quickly without them.
  const asked = clauses.filter((clause) => clause !== 'not "row"."is_archived"');
  const fixed = asked.map((clause) => /^"row"\."(\w+)" = \$\w+::"\w+"$/.exec(clause)?.[1]);
  if (fixed.includes(undefined)) return null;
  const terms = order
    .split(', ')
    .map((term) => term.replace(/^"?row"?\."?(\w+)"?/, '$1').replace(/ asc$/, ''));
  return { table, fixed: [...within, ...(fixed as string[])], order: [...new Set(terms)] };
}

const turned = (term: string) => (term.endsWith(' desc') ? term.slice(0, -5) : `${term} desc`);

/** Whether the first page of the list is the start of the index, read forwards or backwards. */
function isInOrderOf({ keys, is_unique }: Index, { fixed, order }: Page): boolean {
  const begins = keys.slice(0, 1 + fixed.length);
  const rest = keys.slice(begins.length);
  if (begins.toSorted().join() !== ['tenant_id', ...fixed].toSorted().join()) return false;
  return [order, order.map(turned)].some(
    (wanted) => rest.join() === wanted.join() || (is_unique && rest.join() === wanted[0]),
  );
}

/** Lists that need no index of their own, and why. */
const EXCUSED: Record<string, string> = {
  'GET /approvals':
    'only the requests that their reader wrote or may decide; a tenant has few that wait',
  'GET /ledger/gl-detail': 'a report, summed up line by line',
  'GET /ledger/loans/{loan_id}/sub-ledger': 'a report of one loan',
  'GET /loans/{id}/suspense': 'computed line by line, of one loan',
  'GET /loans/{id}/list-promo-statuses': 'computed, of one loan',
  'GET /loans/{id}/rate-caps': 'a few of one loan',
  'GET /portal/loans': 'the few loans of one borrower',
  'GET /portal/documents':
    'those of one borrower, and what was printed for all who owe their loans',
  'GET /ledger/closings': 'one a month',
  'GET /investors/{id}/remittances': 'one a month',
  'GET /users/{id}/permissions': 'a few of each user',
  'GET /sessions': 'those of the staff that are open',
  'GET /auth/sessions': 'those of one user',
  'GET /loan-tapes/{id}/deliveries': 'one for each place that the tape goes to',
  'GET /mail-batches/{id}/deliveries': 'a few of each batch',
  'GET /webhook-deliveries/{id}/attempts': 'a few of each delivery',
  'GET /remittances/{id}/loans': 'in the order of the numbers of loans, which are not in the table',
  'GET /loan-snapshots':
    'found by the day; only the loans of one day are sorted, and one index less is written each night',
};

/** The index to add, or what to declare if no index can give the order. */
function adviceFor(route: Route, statements: readonly string[]): string {
  const page = statements.map(pageOf).find((each) => each !== null);
  if (!page)
    return `${nameOf(route)} reads its page from several tables. Give its table() \`own\`, the columns of the table itself, or add the list to EXCUSED with a reason.`;
  const name = `${page.table}_${page.fixed.map((key) => key.replace(/_id$/, '')).join('_') || 'created'}`;
  const keys = ['tenant_id', ...page.fixed, ...page.order].join(', ');
  return `${nameOf(route)} has no index in its order. Add after the table in sql/schema/: create index ${name} on ${page.table} (${keys});`;
}

test('the first page of every list is read from an index in its order', async () => {
  const { rows: indexes } = await stage.owner.query<Index>(INDEXES);
  const isRead = (statement: string) => {
    const page = pageOf(statement);
    return indexes.some(
      (index) => page !== null && index.table === page.table && isInOrderOf(index, page),
    );
  };
  const missing = new Map<string, string>();
  for (const route of routes) {
    const { list } = route;
    if (!list) continue;
    const asked = await askedBy({ ...route, list });
    const pages = asked.filter((statement) => ORDERED.test(statement));
    const notRead = pages.filter((statement) => !isRead(statement));
    if (pages.length === 0 || notRead.length > 0)
      missing.set(nameOf(route), adviceFor(route, notRead));
  }

  const advice = [...missing].filter(([name]) => !(name in EXCUSED)).map(([, what]) => what);
  expect(advice).toEqual([]);
  expect(Object.keys(EXCUSED).filter((name) => !missing.has(name))).toEqual([]);
});

test('a list without an index is answered with the index to write', () => {
  const listed = routes.find((route) => nameOf(route) === 'GET /collateral/{id}/valuations');
  const statement =
    'select * from ( select record.id from valuations as record ) as row where ("row"."collateral_id" = $1::"uuid") order by "row"."created_at" desc, "row"."id" desc limit 25';

  expect(adviceFor(listed as Route, [statement])).toContain(
    'create index valuations_collateral on valuations (tenant_id, collateral_id, created_at desc, id desc);',
  );
});
