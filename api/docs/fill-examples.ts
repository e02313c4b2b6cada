type Parameter = { name: string; in: string; example?: unknown };
type Operation = {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { example?: unknown }> };
};
export type OpenApiDocument = { paths: Record<string, Record<string, Operation>> };
type FetchJson = (path: string) => Promise<unknown>;

/**
 * Finds the id of a record for a parameter or a field. `home` is the portal for a borrower, whose own records are
 * listed there.
 */
type FindId = (name: string, collection: string, home?: string) => Promise<string | null>;

/**
 * Replaces the placeholder ids in the document with ids of real records. `ask` calls the API with the
 * reader's session, so the reader sees only permitted records. With `only`, it fills a single path.
 */
export async function fillExamples(document: OpenApiDocument, ask: FetchJson, only?: string) {
  const base = '/api/v1';
  const lists = Object.keys(document.paths).filter((path) => document.paths[path]?.['get']);
  const findId = createIdFinder(
    lists.map((path) => path.slice(base.length)),
    ask,
  );
  for (const [path, operations] of Object.entries(document.paths)) {
    if (only !== undefined && path !== only) continue;
    for (const operation of Object.values(operations))
      await fillOperation(operation, path.slice(base.length), findId);
  }
}

async function fillOperation({ parameters, requestBody }: Operation, path: string, findId: FindId) {
  const home = path.startsWith('/portal/') ? '/portal' : '';
  for (const parameter of parameters ?? []) {
    const { name, example } = parameter;
    if (parameter.in === 'path')
      parameter.example =
        (await findId(name, path.slice(0, path.indexOf(`/{${name}}`)))) ?? example;
    else if (example !== undefined)
      parameter.example = await fillValue(example, name, home, findId);
  }
  for (const content of Object.values(requestBody?.content ?? {}))
    content.example = await fillValue(content.example, '', home, findId);
}

async function fillValue(
  value: unknown,
  name: string,
  home: string,
  findId: FindId,
): Promise<unknown> {
  if (value === '00000000-0000-4000-8000-000000000000') {
    const plural = `/${name.replace(/_ids?$/, '').replaceAll('_', '-')}s`;
    return (await findId(name, plural, home)) ?? value;
  }
  if (Array.isArray(value))
    return Promise.all(value.map((item) => fillValue(item, name, home, findId)));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(async ([key, field]) => [
    key,
    await fillValue(field, key, home, findId),
  ]);
  return Object.fromEntries((await Promise.all(entries)) as [string, unknown][]);
}

/** Finds ids in any of the lists, and asks once for each collection. */
function createIdFinder(lists: readonly string[], ask: FetchJson): FindId {
  const collections: Record<string, string> = {
    account_id: '/ledger/accounts',
    template_id: '/communication-templates',
    collateral_id: '/collateral',
    loan_officer_id: '/users',
    assignee_id: '/users',
    user_id: '/users',
    loan_id: '/loans',
    record_id: '/loans',
  };
  // Resources whose list below a parent has another name.
  const namesBelowParents: Record<string, string> = {
    '/forms-1099c': '/1099c',
    '/borrower-identities': '/identities',
    '/borrower-consents': '/consents',
  };
  const found = new Map<string, Promise<string | null>>();

  async function lookUp(collection: string): Promise<string | null> {
    if (lists.includes(collection) && !collection.includes('{')) return firstId(collection, ask);
    const last = collection.slice(collection.lastIndexOf('/'));
    const name = namesBelowParents[last] ?? last;
    for (const list of lists) {
      if (!list.endsWith(`}${name}`)) continue;
      const path = await fillPath(list);
      const id = path === null ? null : await firstId(path, ask);
      if (id !== null) return id;
    }
    return null;
  }

  /** The path with ids instead of its parameters, or null if a record is missing. */
  async function fillPath(path: string): Promise<string | null> {
    let filled = '';
    let collection = '';
    for (const part of path.split('/').slice(1)) {
      if (!part.startsWith('{')) {
        filled += `/${part}`;
        collection += `/${part}`;
        continue;
      }
      const id = await findId(part.slice(1, -1), collection);
      if (id === null) return null;
      filled += `/${id}`;
      collection = '';
    }
    return filled;
  }

  const findId: FindId = (name, given, home = '') => {
    const collection = home + (collections[name] ?? given);
    const id = found.get(collection) ?? lookUp(collection);
    found.set(collection, id);
    return id;
  };
  return findId;
}

/** The first record of a list. Prefers an active loan, and a borrower of such a loan. */
async function firstId(path: string, ask: FetchJson): Promise<string | null> {
  /** Takes the oldest record, because it stays the same while the reader tries operations. */
  async function oldest(list: string, filter: string) {
    const query = `sort=["id","ASC"]&range=[0,0]&filter=${encodeURIComponent(filter)}`;
    const rows = await ask(`${list}?${query}`);
    return (Array.isArray(rows) ? rows[0] : null) as { id?: string; borrower_id?: string } | null;
  }
  if (path !== '/loans' && path !== '/borrowers') return (await oldest(path, '{}'))?.id ?? null;
  const loan = await oldest('/loans', '{"status":"active"}');
  return (path === '/loans' ? loan?.id : loan?.borrower_id) ?? null;
}

/** The docs page runs the source text of these functions, so they must use no names except each other's. */
export const EXAMPLE_FUNCTIONS = [
  fillExamples,
  fillOperation,
  fillValue,
  createIdFinder,
  firstId,
] as const;
