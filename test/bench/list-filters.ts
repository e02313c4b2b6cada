import { filterNames, filterOperators, filterValues } from '../../api/endpoints/filters.ts';
import type { ListDeclaration } from '../../api/endpoints/list-declaration.ts';
import type { Route } from '../../api/endpoints/route.ts';
import { routes } from '../../api/routes.ts';
import { sqlTypeOf } from '../../sql/types.ts';
import { askedBy } from '../contract/list-statements.ts';
import { formatMs, median, parseSize, printProgress, type Bench, type Figure } from './figures.ts';
import { fillTables } from './fill-tables.ts';
import { openWorldWithLateLoans } from './many-loans.ts';
import { answerOf, sendOnce, startApi, type Target } from './over-http.ts';
import { DAY, type BenchWorld } from './world.ts';

/** Boarded loans with an outlook. All other rows are made up. */
const MODELS = 1_000;
const ROUNDS = 5;
const TARGET = { most: 3 };
/** Below this difference, the request itself takes most of the time. */
const LEAST_MS = 3;

type ListRoute = Route & { list: ListDeclaration };

/** Lists of staff that need no id in the path. */
const flatLists = routes.filter(
  (route): route is ListRoute =>
    route.list !== undefined &&
    route.allow !== 'borrower' &&
    route.transaction !== 'own' &&
    !/\{|^\/(auth|sessions|ledger\/gl-detail|approvals)/.test(route.path),
);

/**
 * The declared filters of the lists without a parent, compared with the first page of the same list: the slowest filter
 * of each list, or each filter of the named list. Of a filter with a few values, the slowest.
 */
export const benchListFilters: Bench = async ([size, only]) => {
  const count = parseSize(size === undefined ? [] : [size], { usual: 10_000, least: 1_000 });
  const asked = flatLists.filter(({ path }) => only === undefined || path === `/${only}`);
  printProgress(`Writing ${count.toLocaleString('en')} rows for each of ${asked.length} lists …`);
  const world = await openWorldWithLateLoans(MODELS);
  await fillFor(world, asked, count);
  // The rows satisfy no rules, so answers are not compared with their declarations.
  const api = await startApi(
    world,
    routes.map(({ reply: _, ...route }) => route as Route),
  );
  const reader = await api.as('superadmin');
  const figures: Figure[] = [];
  for (const route of asked) {
    const measured = byRatio(
      await measureList(reader, route, count).catch((error: Error) => {
        printProgress(`${route.path} was not measured: ${error.message.slice(0, 300)}`);
        return [];
      }),
    );
    const isMissed = ({ ratio }: Figure) => ratio > TARGET.most;
    figures.push(
      ...(only === undefined ? measured.filter((one, at) => at === 0 || isMissed(one)) : measured),
    );
  }
  api.close();
  await world.close({ isFilled: true });
  return byRatio(figures);
};

const byRatio = (figures: readonly Figure[]) =>
  figures.toSorted((one, other) => other.ratio - one.ratio);

/** Fills the tables that the lists read. */
async function fillFor({ admin, tenant_id }: BenchWorld, lists: ListRoute[], count: number) {
  const { rows } = await admin.query<{ name: string }>(
    `select relname as name from pg_class as class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and exists (
       select from pg_attribute where attrelid = class.oid and attname = 'tenant_id')`,
  );
  const all = new Set(rows.map(({ name }) => name));
  const named = new Map<string, readonly string[]>();
  const tables = new Set<string>();
  for (const route of lists) {
    const read = [...(await askedBy(route)).join(' ').matchAll(/ (?:from|join) "?(\w+)"?/g)]
      .map(([, name = '']) => name)
      .filter((name) => all.has(name) && !KEPT.has(name));
    for (const name of read) tables.add(name);
    for (const field of Object.keys(route.list.fields)) {
      const values = filterValues(route.list, field);
      if (values && read[0] !== undefined) named.set(`${read[0]}.${field}`, values);
    }
  }
  await fillTables(admin, tenant_id, [...tables], count, named);
}

/** Tables of which a tenant has few rows. */
const KEPT = new Set(['tenants', 'users', 'sessions', 'tenant_settings']);

async function measureList(reader: Target, route: ListRoute, count: number): Promise<Figure[]> {
  const pathOf = (filter: Record<string, unknown>) =>
    `/api/v1${route.path}?${new URLSearchParams({ range: '[0,24]', ...(Object.keys(filter).length > 0 && { filter: JSON.stringify(filter) }) })}`;
  const rows = JSON.parse(await answerOf(reader, { path: pathOf({}), status: 200 }));
  const asked = filtersOf(route.list, rows as Record<string, unknown>[]);
  const took = new Map<string, number[]>();
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const filter of [{}, ...asked]) {
      const ms = await sendOnce(reader, { path: pathOf(filter), status: 200 });
      const name = JSON.stringify(filter);
      if (round > 0) took.set(name, [...(took.get(name) ?? []), ms]);
    }
  const newest = median(took.get('{}') ?? []);
  const slowest = new Map<string, { name: string; ms: number }>();
  for (const filter of asked) {
    const [field = ''] = Object.keys(filter);
    const name = JSON.stringify(filter);
    const ms = median(took.get(name) ?? []);
    if (ms > (slowest.get(field)?.ms ?? 0)) slowest.set(field, { name, ms });
  }
  const many = count.toLocaleString('en');
  return [...slowest.values()].map(({ name, ms }) => ({
    what: `25 of ${many} ${route.path.slice(1)}, ${name}; the newest`,
    ours: formatMs(ms),
    floor: formatMs(newest),
    ratio: ms < newest + LEAST_MS ? Math.min(ms / newest, TARGET.most) : ms / newest,
    target: TARGET,
  }));
}

/** For each filter, its values, or one that a row has, and the later half of dates and amounts. */
function filtersOf(list: ListDeclaration, rows: readonly Record<string, unknown>[]) {
  return [...filterNames(list)].flatMap((field): Record<string, unknown>[] => {
    const values = filterValues(list, field);
    const schema = Object.hasOwn(list.fields, field) ? list.fields[field] : undefined;
    const type = list.special?.[field]?.type ?? (schema ? sqlTypeOf(schema) : 'text');
    if (values)
      return [...values.map((value) => ({ [field]: value })), { [field]: values.slice(0, 2) }];
    if (type === 'bool') return [{ [field]: true }, { [field]: false }];
    const found = rows
      .map((row) => row[field])
      .find((value) => value !== null && value !== undefined);
    const value = Array.isArray(found) ? found[0] : found;
    if (value === undefined || typeof value === 'object') return [];
    const isRange =
      filterOperators(list, field).includes('gte') &&
      ['date', 'numeric', 'int4', 'timestamptz'].includes(type);
    return [
      { [field]: value },
      ...(isRange ? [{ [`${field}__gte`]: type === 'date' ? DAY : value }] : []),
    ];
  });
}
