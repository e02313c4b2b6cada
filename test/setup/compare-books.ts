import pg from 'pg';
import { updateAgreed } from '../../jobs/loans/history/record-events.ts';
import { createWithin, SYSTEM } from '../../jobs/work.ts';
import { openPool, sql } from '../../sql/database/db.ts';
import { COMPARED, NEVER, NOT_COMPARED, OF_LATER_EVENTS } from './compared-records.ts';

type Found = { key: string; row: Record<string, unknown> };

export type BookDifferences = {
  /** How many rows of each kind the source has. */
  rows: Record<string, number>;
  /** A line for each row that only one of the tenants has. */
  differences: string[];
};

/** Compares an imported book with its source, `later` after both have closed days. Both tenants are in one database. */
export async function compareBooks(
  url: string,
  source: string,
  target: string,
  { later = false } = {},
): Promise<BookDifferences> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  try {
    const idOf = async (slug: string) =>
      String((await owner.query('select id from tenants where slug = $1', [slug])).rows[0].id);
    const [one, other] = [await idOf(source), await idOf(target)];
    await recalculate(url, [one, other]);
    const names = await readNames(owner);
    // People of the target who did not come with the book.
    const people = await owner.query<{ id: string }>(
      'select id from borrowers where tenant_id = $1 and external_id is null',
      [other],
    );
    const ownPeople = new Set(people.rows.map(({ id }) => id));
    const result: BookDifferences = { rows: {}, differences: [] };
    for (const [name, { from, without = {} }] of Object.entries(COMPARED)) {
      const left = new Set([...NEVER, ...(later ? OF_LATER_EVENTS : []), ...Object.keys(without)]);
      const read = async (id: string) =>
        (await owner.query<Found>(from, [id])).rows
          .filter(({ key }) => !ownPeople.has(key))
          .map((found) => toText(found, left, names))
          .toSorted();
      const [here, there] = [await read(one), await read(other)];
      result.rows[name] = here.length;
      const missing = removeAll(here, there);
      const added = removeAll(there, here);
      result.differences.push(...explain(name, missing, added));
    }
    return result;
  } finally {
    await owner.end();
  }
}

/** The tables of a tenant that are neither compared nor left out with a reason. */
export async function listUndecidedTables(url: string): Promise<string[]> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  try {
    const { rows } = await owner.query<{ name: string }>(`
      select class.relname as name
      from pg_class as class join pg_attribute as part on part.attrelid = class.oid
      where class.relnamespace = 'public'::regnamespace and class.relkind in ('r', 'p')
        and not class.relispartition and part.attname = 'tenant_id'
      order by 1`);
    const read = Object.values(COMPARED).map(({ from }) => from);
    const left = new Set(Object.values(NOT_COMPARED).flat());
    return rows
      .map(({ name }) => name)
      .filter((name) => !left.has(name) && !read.some((from) => from.includes(` ${name} as `)));
  } finally {
    await owner.end();
  }
}

/** Ids are new in the target, so both are compared by the names of the records. */
async function readNames(owner: pg.Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await owner.query<{ id: string; name: string }>(`
    select id::text, 'this tenant' as name from tenants
    union all select id::text, coalesce(external_id, id::text) from borrowers
    union all select id::text, loan_number from loans
    union all select id::text, code from products
    union all select id::text, code from programs
    union all select id::text, name from portfolios
    union all select id::text, name from investors
    union all select id::text, email from users
    union all select id::text, code from ledger_accounts
    union all
    select id::text, 'account ' || coalesce(account_number_last_four, '') from payment_instruments`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

function toText(
  { key, row }: Found,
  left: ReadonlySet<string>,
  names: ReadonlyMap<string, string>,
): string {
  const compared = Object.entries(row)
    .filter(([name]) => !left.has(name))
    // Files have milliseconds.
    .map(([name, value]): [string, unknown] => [
      name,
      typeof value === 'string'
        ? value.replace(/(\d{2}:\d{2}:\d{2})\.\d+(?=\+00:00$)/, '$1')
        : value,
    ])
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([key, Object.fromEntries(compared)]).replace(
    UUID,
    (id) => names.get(id) ?? 'an id',
  );
}

/** The texts without those of another list, each once. */
function removeAll(texts: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of others) counts.set(text, (counts.get(text) ?? 0) + 1);
  return texts.filter((text) => {
    const count = counts.get(text) ?? 0;
    counts.set(text, count - 1);
    return count <= 0;
  });
}

/** Rows with the same key are compared column by column. */
function explain(name: string, missing: readonly string[], added: string[]): string[] {
  const lines: string[] = [];
  for (const text of missing) {
    const [key, row] = JSON.parse(text) as [string, Record<string, unknown>];
    const at = added.findIndex((one) => (JSON.parse(one) as [string])[0] === key);
    if (at < 0) {
      lines.push(`${name} ${key}: only the source has ${JSON.stringify(row)}`);
      continue;
    }
    const [, other] = JSON.parse(added.splice(at, 1)[0] ?? '') as [string, typeof row];
    const columns = Object.keys(row).filter(
      (column) => JSON.stringify(row[column]) !== JSON.stringify(other[column]),
    );
    for (const column of columns)
      lines.push(
        `${name} ${key}: ${column} is ${JSON.stringify(row[column])} and ${JSON.stringify(other[column])}`,
      );
  }
  for (const text of added) lines.push(`${name}: only the target has ${text}`);
  return lines;
}

/** The outlook of a loan begins with its last event, which is another day in each tenant. */
async function recalculate(url: string, tenants: readonly string[]) {
  const pool = await openPool(url, { size: 2 });
  const within = createWithin(pool, SYSTEM);
  try {
    for (const tenant of tenants)
      await within(tenant, async (work) => {
        const ids = await work.tx.anyFirst(sql.typeAlias('id')`
          select id from loans
          where status in ('active', 'charged_off', 'paid_off', 'settled')
            and exists (select from loan_events where loan_id = loans.id)
          order by id
        `);
        for (const id of ids) await updateAgreed(work, id);
      });
  } finally {
    await pool.end();
  }
}
