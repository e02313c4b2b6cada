type Parameter = { name: string; in: string; example?: unknown };
type Operation = {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { example?: unknown }> };
};
export type OpenApiDocument = { paths: Record<string, Record<string, Operation>> };
type FetchJson = (path: string) => Promise<unknown>;

/**
 * Replaces the placeholder ids in the document with ids of real records. `ask` calls the API with the
 * reader's session, so the reader sees only permitted records. With `only`, it fills a single path.
 *
 * The docs page runs the source text of this function, so it must not use names from outside.
 */
export async function fillExamples(document: OpenApiDocument, ask: FetchJson, only?: string) {
  const base = '/api/v1';
  const none = '00000000-0000-4000-8000-000000000000';
  const elsewhere: Record<string, string> = {
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
  const beneath: Record<string, string> = {
    '/forms-1099c': '/1099c',
    '/borrower-identities': '/identities',
    '/borrower-consents': '/consents',
  };
  const found = new Map<string, Promise<string | null>>();
  const lists = Object.keys(document.paths).filter((path) => document.paths[path]?.['get']);

  type Row = { id?: string; borrower_id?: string };

  /** Takes the oldest record, because it stays the same while the reader tries operations. */
  async function rowOf(path: string, filter: string): Promise<Row | null> {
    const query = `sort=["id","ASC"]&range=[0,0]&filter=${encodeURIComponent(filter)}`;
    const rows = await ask(`${path}?${query}`);
    return Array.isArray(rows) ? ((rows[0] as Row | undefined) ?? null) : null;
  }

  /** The first record of a list. Prefers an active loan, and a borrower of such a loan. */
  async function first(path: string): Promise<string | null> {
    if (path !== '/loans' && path !== '/borrowers') return (await rowOf(path, '{}'))?.id ?? null;
    const loan = await rowOf('/loans', '{"status":"active"}');
    return (path === '/loans' ? loan?.id : loan?.borrower_id) ?? null;
  }

  /** The id of any record of a collection, from any path that lists it. */
  function idOf(collection: string): Promise<string | null> {
    const known = found.get(collection) ?? look(collection);
    found.set(collection, known);
    return known;
  }

  async function look(collection: string): Promise<string | null> {
    if (lists.includes(base + collection) && !collection.includes('{')) return first(collection);
    const last = collection.slice(collection.lastIndexOf('/'));
    const name = beneath[last] ?? last;
    for (const list of lists) {
      if (!list.endsWith(`}${name}`)) continue;
      const path = await filled(list.slice(base.length));
      const id = path === null ? null : await first(path);
      if (id !== null) return id;
    }
    return null;
  }

  async function filled(path: string): Promise<string | null> {
    let whole = '';
    let before = '';
    for (const part of path.split('/').slice(1)) {
      if (!part.startsWith('{')) {
        whole += `/${part}`;
        before += `/${part}`;
        continue;
      }
      const id = await idOf(elsewhere[part.slice(1, -1)] ?? before);
      if (id === null) return null;
      whole += `/${id}`;
      before = '';
    }
    return whole;
  }

  /** For a borrower, `home` is the portal, where the borrower's own records are listed. */
  async function within(value: unknown, name: string, home: string): Promise<unknown> {
    if (value === none) {
      const plural = `/${name.replace(/_ids?$/, '').replaceAll('_', '-')}s`;
      return (await idOf(home + (elsewhere[name] ?? plural))) ?? value;
    }
    if (Array.isArray(value)) return Promise.all(value.map((item) => within(item, name, home)));
    if (value === null || typeof value !== 'object') return value;
    const entries = Object.entries(value).map(async ([key, field]) => [
      key,
      await within(field, key, home),
    ]);
    return Object.fromEntries((await Promise.all(entries)) as [string, unknown][]);
  }

  for (const [path, operations] of Object.entries(document.paths)) {
    if (only !== undefined && path !== only) continue;
    const home = path.startsWith(`${base}/portal/`) ? '/portal' : '';
    for (const operation of Object.values(operations)) {
      for (const parameter of operation.parameters ?? []) {
        const before = path.slice(base.length, path.indexOf(`/{${parameter.name}}`));
        if (parameter.in !== 'path') {
          if (parameter.example !== undefined)
            parameter.example = await within(parameter.example, parameter.name, home);
          continue;
        }
        const id = await idOf(elsewhere[parameter.name] ?? before);
        if (id !== null) parameter.example = id;
      }
      for (const content of Object.values(operation.requestBody?.content ?? {}))
        content.example = await within(content.example, '', home);
    }
  }
}
