import type { Visit } from './page.ts';

type Row = Record<string, unknown> & { id: string };

const PAGE = 25;

/** Fetches the requested page of a list, newest first, and the position of the next page. */
export async function fetchRows(
  { ask, query, params }: Visit,
  endpoint: string,
  more: Record<string, string> = {},
) {
  const number = Math.min(Math.max(Number.parseInt(query['page'] ?? '1', 10) || 1, 1), 1_000);
  const range = { offset: String((number - 1) * PAGE), limit: String(PAGE + 1) };
  const rows = await ask<Row[]>(endpoint, { params, query: { ...range, ...more } });
  return { rows: rows.slice(0, PAGE), older: rows.length > PAGE ? number + 1 : null };
}

/** Fetches as many rows as a select field can hold. */
export const fetchAllRows = ({ ask }: Visit, endpoint: string) =>
  ask<Row[]>(endpoint, { query: { limit: '100' } });

/** Fetches the row with this id from a list. */
export const fetchRow = async ({ ask, params }: Visit, endpoint: string, id: string) =>
  (await ask<Row[]>(endpoint, { params, query: { filter: JSON.stringify({ id: [id] }) } }))[0];
