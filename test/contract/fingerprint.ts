import type pg from 'pg';

/** What requests leave behind whoever makes them: nothing of a tenant's business is in it. */
const TRAFFIC = new Set(['sessions', 'throttle_hits', 'idempotency_keys', 'security_log']);

/** The content of every table of tenants' data, as one number each. */
export async function fingerprint(owner: pg.Pool): Promise<Map<string, string>> {
  const { rows: tables } = await owner.query<{ name: string }>(
    "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1",
  );
  const queries = tables
    .filter(({ name }) => !TRAFFIC.has(name))
    .map(
      ({ name }) =>
        `select '${name}' as name, count(*) || ' ' || coalesce(sum(hashtextextended(row::text, 0)::numeric), 0) as print from public."${name}" as row`,
    );
  const { rows } = await owner.query<{ name: string; print: string }>(queries.join(' union all '));
  return new Map(rows.map(({ name, print }) => [name, print]));
}

/** The tables whose content differs. */
export const changed = (before: Map<string, string>, after: Map<string, string>): string[] =>
  [...after].filter(([name, print]) => before.get(name) !== print).map(([name]) => name);
