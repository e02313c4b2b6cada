import { auditChange, auditUpdate } from '../../jobs/audit.ts';
import { Invalid, NotFound, type Conflict } from '../../jobs/errors.ts';
import type { FactName } from '../../jobs/facts.ts';
import type { Work } from '../../jobs/work.ts';
import { BROAD_SEARCH } from '../../sql/borrowers/search.ts';
import { sqlStateOf } from '../../sql/database/db.ts';
import { listRows } from '../../sql/list.ts';
import { find, findLocked, type Row, type Table } from '../../sql/table.ts';
import { setArchived, insert, deleteRow, update } from '../../sql/write.ts';
import { HttpRefusal } from '../http/errors.ts';
import { preserveHiddenFields } from '../http/denied-fields.ts';
import type { AnyDeclaration, Input } from './declaration.ts';
import type { ListDeclaration } from './list-declaration.ts';
import type { Call, CarriedFacts } from './route.ts';

export function listDeclarationOf({
  path,
  fields,
  filters = [],
  table,
  archivable = false,
  sort,
}: AnyDeclaration): ListDeclaration {
  const { filters: special = {}, also_searched } = table;
  return {
    name: path.split('/').at(-1) ?? path,
    fields,
    filters: [...filters, ...Object.keys(special)],
    special,
    hasSearch: table.search !== undefined,
    ...(table.searched && { searched: table.searched }),
    ...(also_searched && { also_searched: also_searched as FactName[] }),
    // Contacts have no unarchive endpoint, but deleting one archives it.
    isArchivable: archivable || 'is_archived' in fields,
    ...(sort && { sort }),
  };
}

/** With `endsTransaction`, this is the last statement of the transaction. */
export async function fetchPage(
  { work, list: request }: Call,
  table: Table,
  endsTransaction = false,
) {
  if (request === null) throw new Error('A list endpoint is declared with its list.');
  return listRows(work.tx, table, request, endsTransaction).catch((error: unknown) => {
    throw sqlStateOf(error) === BROAD_SEARCH ? searchTooBroad() : error;
  });
}

/** Such as a search for the domain of many email addresses, or for the beginning of all numbers. */
const searchTooBroad = () =>
  new Invalid({ q: 'Matches more than 20,000 records. Search for more letters or digits.' });

/**
 * Returns the row. Throws 404 if it does not exist or belongs to another tenant. With `endsTransaction`,
 * this is the last statement of the transaction.
 */
export async function findOrThrow(
  work: Work,
  table: Pick<Table, 'rows'>,
  id = '',
  endsTransaction = false,
): Promise<Row> {
  const row = await find(work.tx, table, id, endsTransaction);
  if (row === null) throw new NotFound();
  return row;
}

/**
 * Locks the row that the request changes, so that its history has no gaps, and checks it against If-Match.
 */
export async function lockRequestedRecord(
  { work, params, checkMatch }: Call,
  table: Table,
): Promise<Row> {
  const row = await findLocked(work.tx, table, params['id'] ?? '');
  if (row === null) throw new NotFound();
  checkMatch(row);
  return row;
}

/**
 * The facts that the record carries now and would carry after the change. The record stays locked until
 * `run`.
 */
export const factsOfRecord =
  ({ table, carries }: Pick<AnyDeclaration, 'table' | 'carries'>, withBody = false) =>
  async ({ work, params, body }: Call): Promise<CarriedFacts> => {
    const before = await findLocked(work.tx, table, params['id'] ?? '');
    if (before === null || carries === undefined) return [];
    const changes = Object.entries((withBody && body) || {}).filter(([, own]) => own !== undefined);
    const both = [carries(before), carries({ ...before, ...Object.fromEntries(changes) })];
    return both.includes('anything') ? 'anything' : (both.flat() as FactName[]);
  };

/** The facts that a new record would carry. */
export const factsOfNewRecord =
  ({ carries }: Pick<AnyDeclaration, 'carries'>) =>
  ({ body }: Call) =>
    Promise.resolve(carries?.(body as Input) ?? []);

/**
 * Passes a parsed body to its operation. The compiler compared both types at the declaration; this code
 * knows neither of them.
 */
export const asOperationInput = (body: unknown) => body as never;

export async function createRecord(
  work: Work,
  { table, create, objection }: AnyDeclaration,
  input: Input,
) {
  const conflict = (await objection?.(work, asOperationInput(input))) ?? null;
  if (conflict !== null) return conflictRefusal(conflict);
  return auditChange(work, table, 'create', null, () =>
    create ? create(work, asOperationInput(input)) : insert(work.tx, table.name, input),
  );
}

/** Builds a refusal to return rather than throw, so that the transaction's writes are kept. */
export const conflictRefusal = ({ code, message, details = {} }: Conflict) =>
  new HttpRefusal(409, code, message, { details });

export async function updateRecord(
  call: Call,
  { path, table, update: change, writeOnly = {} }: AnyDeclaration,
) {
  const { work, access } = call;
  const before = await lockRequestedRecord(call, table);
  const body = preserveHiddenFields(access, path, before, call.body as Input);
  const steps = async () => {
    if (change) await change(work, before.id, asOperationInput(body), before);
    else await update(work.tx, table.name, before.id, body);
    return before.id;
  };
  const given = Object.entries(body).filter(([, value]) => value !== undefined);
  const isHidden = given.some(([name]) => name in writeOnly);
  return auditUpdate(work, table, before, steps, { isHidden });
}

export async function deleteRecord(call: Call, { table, remove: take }: AnyDeclaration) {
  const { work } = call;
  const before = await lockRequestedRecord(call, table);
  return auditChange(work, table, 'delete', before, async () => {
    if (take) await take(work, before.id, before);
    else await deleteRow(work.tx, table.name, before.id);
    return before.id;
  });
}

export async function setRecordArchived(
  call: Call,
  { table, remove: take }: AnyDeclaration,
  on: boolean,
) {
  const { work } = call;
  const before = await lockRequestedRecord(call, table);
  return auditChange(work, table, on ? 'archive' : 'unarchive', before, async () => {
    if (on && take) await take(work, before.id, before);
    else await setArchived(work.tx, table.name, before.id, on);
    return before.id;
  });
}

/** Narrows the list request to the children of one parent. */
export const filterByParent = (request: Call['list'], field: string, id: string): Call['list'] =>
  addIdCondition(request, field, [id]);

/** Narrows the list request to these records. */
export const filterByIds = (request: Call['list'], ids: string[]): Call['list'] =>
  addIdCondition(request, 'id', ids);

const addIdCondition = (request: Call['list'], field: string, values: string[]): Call['list'] =>
  request && {
    ...request,
    conditions: [...request.conditions, { field, comparison: 'in', values, type: 'uuid' }],
  };
