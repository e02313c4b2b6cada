import { expect, test, vi } from 'vitest';
import { routes } from '../../api/routes.ts';
import type { ListRequest } from '../../sql/list.ts';
import type { Table } from '../../sql/table.ts';
import { newStage } from '../setup/world.ts';
import { everybody, filled, nameOf, rightful } from './callers.ts';
import { newSamples } from './samples.ts';

type Asked = { table: Pick<Table, 'name'>; request: ListRequest };
const heard = vi.hoisted(() => [] as Asked[]);
vi.mock(import('../../sql/list.ts'), async (original) => {
  const { list, ...rest } = await original();
  const listen: typeof list = (tx, table, request, isLast) => {
    heard.push({ table, request });
    return list(tx, table, request, isLast);
  };
  return { ...rest, list: listen };
});
// What a list is of need not be there for its order to be known.
vi.mock(import('../../sql/table.ts'), async (original) => ({
  ...(await original()),
  isThere: () => Promise.resolve(true),
}));

const stage = await newStage();
const tenant = await stage.tenant();
const clients = await everybody(tenant);
const samples = newSamples(clients.superadmin);

const INDEXES = `
  select indrelid::regclass::text as table, indisunique as is_unique, array(
    select attname || case when indoption[place - 1] & 1 = 1 then ' desc' else '' end
    from generate_series(1, indnkeyatts) as place
    join pg_attribute on attrelid = indrelid and attnum = indkey[place - 1]
    order by place
  )::text[] as keys
  from pg_index join pg_class as index on index.oid = indexrelid
  where relnamespace = 'public'::regnamespace and indpred is null and indexprs is null
    and relam = (select oid from pg_am where amname = 'btree')`;
type Index = { table: string; is_unique: boolean; keys: string[] };

/** Whether the first page of the list is the beginning of the index: read forwards, or backwards. */
function isInOrderOf({ keys, is_unique }: Index, { conditions, sort }: ListRequest): boolean {
  const fixed = conditions.map(({ field }) => field).filter((field) => field !== 'is_archived');
  const begins = keys.slice(0, 1 + fixed.length);
  const rest = keys.slice(begins.length);
  // Empty values come last, and the indexes have them first.
  if (sort.nullable && sort.descending) return false;
  if (begins.toSorted().join() !== ['tenant_id', ...fixed].toSorted().join()) return false;
  const order = [...new Set([sort.field, 'id'])];
  return ['', ' desc'].some((turned) => {
    const wanted = order.map((field) => field + turned);
    return rest.join() === wanted.join() || (is_unique && rest.join() === wanted[0]);
  });
}

/** Lists that need no index of their own, and why. */
const EXCUSED: Record<string, string> = {
  'GET /ledger/gl-detail': 'a report, summed up line by line',
  'GET /ledger/loans/{loan_id}/sub-ledger': 'a report of one loan',
  'GET /loans/{id}/suspense': 'computed line by line, of one loan',
  'GET /loans/{id}/list-promo-statuses': 'computed, of one loan',
  'GET /portal/loans': 'the few loans of one borrower',
  'GET /portal/loans/{id}/payments':
    'the table, the parent and the order of GET /loans/{id}/payments',
  'GET /mail-batches/{id}/history': 'the table and the order of every history',
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

test('the first page of every list is read from an index that has its order', async () => {
  const { rows: indexes } = await stage.owner.query<Index>(INDEXES);
  const without: string[] = [];
  for (const route of routes.filter(({ list }) => list)) {
    const own = route.query ? ((await samples.bodyOf(route.query)) as Record<string, string>) : {};
    const path = (await samples.pathOf(route.path)) ?? filled(route.path);
    heard.length = 0;
    await clients[rightful(route)].get(`${path}?${new URLSearchParams(own).toString()}`);
    const isRead = ({ table, request }: Asked) =>
      indexes.some((index) => index.table === table.name && isInOrderOf(index, request));
    if (heard.length === 0 || !heard.every(isRead)) without.push(nameOf(route));
  }

  expect(without.toSorted()).toEqual(Object.keys(EXCUSED).toSorted());
});
