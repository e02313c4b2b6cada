type Parameter = { name: string; in: string; example?: unknown };
type Operation = {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { example?: unknown }> };
};
export type OpenApiDocument = { paths: Record<string, Record<string, Operation>> };
type Ask = (path: string) => Promise<unknown>;

/**
 * Puts ids of real records into the examples of a description: those that `ask` finds, which is the API
 * itself, so that whoever reads sees what they may see and nothing else. It runs on the page, as the
 * text that it is, and so names nothing outside of itself. With `only`, the one path is filled.
 */
export async function fillExamples(document: OpenApiDocument, ask: Ask, only?: string) {
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
  // Records whose list beneath their parent has another name.
  const beneath: Record<string, string> = {
    '/forms-1099c': '/1099c',
    '/borrower-identities': '/identities',
    '/borrower-consents': '/consents',
  };
  const found = new Map<string, Promise<string | null>>();
  const lists = Object.keys(document.paths).filter((path) => document.paths[path]?.['get']);

  type Row = { id?: string; borrower_id?: string };

  /** The oldest one, which stays the same whatever is tried out. */
  async function rowOf(path: string, filter: string): Promise<Row | null> {
    const query = `sort=["id","ASC"]&range=[0,0]&filter=${encodeURIComponent(filter)}`;
    const rows = await ask(`${path}?${query}`);
    return Array.isArray(rows) ? ((rows[0] as Row | undefined) ?? null) : null;
  }

  /** The first record of a list; of loans one that runs, of borrowers theirs. */
  async function first(path: string): Promise<string | null> {
    if (path !== '/loans' && path !== '/borrowers') return (await rowOf(path, '{}'))?.id ?? null;
    const loan = await rowOf('/loans', '{"status":"active"}');
    return (path === '/loans' ? loan?.id : loan?.borrower_id) ?? null;
  }

  /** The id of some record of a collection, wherever it is listed. */
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

  /** Borrowers find what is theirs in the portal, where `home` is. */
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
