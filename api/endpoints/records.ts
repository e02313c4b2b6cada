import { audited, auditedUpdate } from '../../jobs/audit.ts';
import { NotFound, type Conflict } from '../../jobs/errors.ts';
import type { FactName } from '../../jobs/facts.ts';
import type { Work } from '../../jobs/work.ts';
import { list } from '../../sql/list.ts';
import { find, findLocked, type Row, type Table } from '../../sql/table.ts';
import { archive, insert, remove, update } from '../../sql/write.ts';
import { HttpRefusal } from '../http/errors.ts';
import { keepingHidden } from '../http/hidden.ts';
import type { AnyDeclaration, Input } from './declaration.ts';
import type { ListDeclaration } from './lists.ts';
import type { Call, Carried } from './route.ts';

export function listOf({
  path,
  fields,
  filters = [],
  table,
  archivable = false,
  sort,
}: AnyDeclaration): ListDeclaration {
  const special = Object.keys(table.filters ?? {});
  return {
    name: path.split('/').at(-1) ?? path,
    fields,
    filters: [...filters, ...special],
    special,
    hasSearch: table.search !== undefined,
    ...(table.searched && { searched: table.searched }),
    // Contacts have no unarchive, yet what was deleted of them is archived as well.
    isArchivable: archivable || 'is_archived' in fields,
    ...(sort && { sort }),
  };
}

/** With `ends` nothing is asked after it. */
export async function pageOf({ work, list: request }: Call, table: Table, ends = false) {
  if (request === null) throw new Error('A list endpoint is declared with its list.');
  return list(work.tx, table, request, ends);
}

/** The row, or 404, which is also the answer for another tenant's; with `ends` nothing is asked after it. */
export async function existing(
  work: Work,
  table: Pick<Table, 'rows'>,
  id = '',
  ends = false,
): Promise<Row> {
  const row = await find(work.tx, table, id, ends);
  if (row === null) throw new NotFound();
  return row;
}

/**
 * The row that a request is about to change, locked, so that its history begins where the one before it
 * ended; and as the request says it read it.
 */
export async function locked({ work, params, checkMatch }: Call, table: Table): Promise<Row> {
  const row = await findLocked(work.tx, table, params['id'] ?? '');
  if (row === null) throw new NotFound();
  checkMatch(row);
  return row;
}

/** What the record of the path carries, and what it would with the request's changes; locked until `run`. */
export const carriedBy =
  ({ table, carries }: Pick<AnyDeclaration, 'table' | 'carries'>, withBody = false) =>
  async ({ work, params, body }: Call): Promise<Carried> => {
    const before = await findLocked(work.tx, table, params['id'] ?? '');
    if (before === null || carries === undefined) return [];
    const given = Object.entries((withBody && body) || {}).filter(([, own]) => own !== undefined);
    const both = [carries(before), carries({ ...before, ...Object.fromEntries(given) })];
    return both.includes('anything') ? 'anything' : (both.flat() as FactName[]);
  };

/** The same of a record that is to be made. */
export const carriedByNew =
  ({ carries }: Pick<AnyDeclaration, 'carries'>) =>
  ({ body }: Call) =>
    Promise.resolve(carries?.(body as Input) ?? []);

/**
 * What the route's schema has made of a body is what its operation takes: the compiler has held the two
 * against each other where they were declared, and here nothing is known of either.
 */
export const parsed = (body: unknown) => body as never;

export async function created(
  work: Work,
  { table, create, objection }: AnyDeclaration,
  input: Input,
) {
  const objected = (await objection?.(work, parsed(input))) ?? null;
  if (objected !== null) return answered(objected);
  return audited(work, table, 'create', null, () =>
    create ? create(work, parsed(input)) : insert(work.tx, table.name, input),
  );
}

/** A refusal that is answered and not thrown, so that what was written on the way to it is kept. */
export const answered = ({ code, message, details = {} }: Conflict) =>
  new HttpRefusal(409, code, message, { details });

export async function updated(
  call: Call,
  { path, table, update: change, writeOnly = {} }: AnyDeclaration,
) {
  const { work, access } = call;
  const before = await locked(call, table);
  const body = keepingHidden(access, path, before, call.body as Input);
  const steps = async () => {
    if (change) await change(work, before.id, parsed(body), before);
    else await update(work.tx, table.name, before.id, body);
    return before.id;
  };
  const given = Object.entries(body).filter(([, value]) => value !== undefined);
  const isHidden = given.some(([name]) => name in writeOnly);
  return auditedUpdate(work, table, before, steps, { isHidden });
}

export async function removed(call: Call, { table, remove: take }: AnyDeclaration) {
  const { work } = call;
  const before = await locked(call, table);
  return audited(work, table, 'delete', before, async () => {
    if (take) await take(work, before.id, before);
    else await remove(work.tx, table.name, before.id);
    return before.id;
  });
}

export async function archived(call: Call, { table, remove: take }: AnyDeclaration, on: boolean) {
  const { work } = call;
  const before = await locked(call, table);
  return audited(work, table, on ? 'archive' : 'unarchive', before, async () => {
    if (on && take) await take(work, before.id, before);
    else await archive(work.tx, table.name, before.id, on);
    return before.id;
  });
}

/** The list request, narrowed to the children of one parent. */
export const childrenOf = (request: Call['list'], field: string, id: string): Call['list'] =>
  having(request, field, [id]);

/** The same list of these records alone. */
export const among = (request: Call['list'], ids: string[]): Call['list'] =>
  having(request, 'id', ids);

const having = (request: Call['list'], field: string, values: string[]): Call['list'] =>
  request && {
    ...request,
    conditions: [...request.conditions, { field, comparison: 'in', values, type: 'uuid' }],
  };
