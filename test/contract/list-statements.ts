import type { QuerySqlToken } from 'slonik';
import { parseList } from '../../api/endpoints/lists.ts';
import type { ListDeclaration } from '../../api/endpoints/list-declaration.ts';
import type { Call, Route } from '../../api/endpoints/route.ts';
import { resolveAccess } from '../../api/http/access.ts';
import type { User } from '../../api/http/permissions.ts';
import { routes } from '../../api/routes.ts';
import { DEFAULT_INSTALLATION } from '../../jobs/installation.ts';
import { SYSTEM } from '../../jobs/work.ts';
import type { Transaction } from '../../sql/database/db.ts';

const SOME_ID = '0197a3c0-1111-7abc-8def-0123456789ab';

/** A transaction that records statements. Records are found by id, and lists are empty. */
function listening() {
  const heard: string[] = [];
  const answering = (answer: unknown) => (query: QuerySqlToken) => {
    heard.push(query.sql.replace(/\s+/g, ' '));
    return Promise.resolve(answer);
  };
  const row = { id: SOME_ID };
  const tx = {
    any: answering([]),
    anyFirst: answering([]),
    many: answering([row]),
    one: answering(row),
    maybeOne: answering(row),
    oneFirst: answering(true),
    maybeOneFirst: answering(SOME_ID),
    exists: answering(true),
    query: answering({ rows: [], rowCount: 0 }),
  } as unknown as Transaction;
  return { tx, heard };
}

const user: User = {
  id: SOME_ID,
  session_id: SOME_ID,
  borrower_id: SOME_ID,
  second_factor: null,
  first_name: 'Sam',
  last_name: 'Lender',
  email: 'sam@lender.test',
  tenant_role: 'superadmin',
};
const ABOUT = {
  tenant_id: SOME_ID,
  actor: SYSTEM,
  today: '2026-01-15',
  installation: DEFAULT_INSTALLATION,
};

/** The route's statements for the first page of its list, without filters and in the default order. */
export async function askedBy(route: Route & { list: ListDeclaration }): Promise<string[]> {
  const { tx, heard } = listening();
  if (route.transaction === 'own') return heard;
  const names = route.path.matchAll(/\{(\w+)\}/g);
  const call: Call = {
    work: { ...ABOUT, tx },
    endsTransaction: true,
    params: Object.fromEntries([...names].map(([, name = '']) => [name, SOME_ID])),
    query: {},
    body: null,
    list: parseList(route.list, {}),
    user,
    access: resolveAccess(user, [], routes),
    routes,
    expectedVersions: null,
    checkMatch: () => {},
    origin: 'https://lender.test',
  };
  // A route that fails on these answers has either queried its page already or counts as unindexed.
  await route.run(call).catch(() => {});
  return heard;
}
