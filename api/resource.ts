import { z } from 'zod';
import { audited } from '../jobs/audit.ts';
import { NotFound } from '../jobs/errors.ts';
import type { Work } from '../jobs/work.ts';
import { audit } from '../sql/audit.ts';
import { list } from '../sql/list.ts';
import { find, type Row, type Table } from '../sql/table.ts';
import { archive, insert, remove, update } from '../sql/write.ts';
import { historyFields } from './history.ts';
import type { ListDeclaration } from './lists.ts';
import type { Allow, Role } from './permissions.ts';
import type { Call, Route } from './route.ts';

type Fields = Record<string, z.ZodType>;
type Input = Record<string, unknown>;
type Offer = 'list' | 'read' | 'create' | 'update' | 'delete' | 'archive';
type Nested = { child: Resource; key: string; offers: readonly ('list' | 'create')[] };

/** `POST /{resource}/{id}/{name}`: its role, its body, and the operation from `jobs/`. */
export type Action = {
  allow: Allow;
  summary: string;
  body?: z.ZodType;
  reply?: z.ZodType;
  status?: number;
  run: (work: Work, id: string, input: never) => Promise<unknown>;
};

export type Declaration<F extends Fields> = {
  name: string;
  path: string;
  /** Groups the endpoints in the documentation; one of the areas. */
  area: string;
  table: Table;
  read: Role;
  write: Role;
  /** Which of the usual endpoints exist at the flat path. */
  offers: readonly Offer[];
  fields: F;
  /** Fields that creation takes and no answer gives: secrets, full numbers. */
  writeOnly?: Fields;
  /** Fields that creation sets and an update may not. */
  fixed?: readonly (keyof F & string)[];
  filters?: readonly (keyof F & string)[];
  sort?: { field: keyof F & string; descending: boolean };
  archivable?: boolean;
  audited?: boolean;
  nested?: Record<string, Nested>;
  actions?: Record<string, Action>;
  /** What creating means when it is more than inserting; answers the id. */
  create?: (work: Work, input: never) => Promise<string>;
  update?: (work: Work, id: string, changes: never, row: Row) => Promise<void>;
  remove?: (work: Work, id: string, row: Row) => Promise<void>;
  /** Roles that differ from `read` and `write` for one endpoint. */
  roles?: Partial<Record<Offer, Role>>;
};

export type Resource = { declaration: Declaration<Fields>; reply: z.ZodObject; routes: Route[] };

/** Only for its type: the body's schema decides what the operation is given. */
export const action = <Body extends z.ZodType>(
  declared: Omit<Action, 'run' | 'body'> & {
    body?: Body;
    run: (work: Work, id: string, input: z.output<Body>) => Promise<unknown>;
  },
): Action => declared as Action;

export const nested = <F extends Fields>(
  child: Resource,
  key: string & keyof F,
  offers: readonly ('list' | 'create')[] = ['list', 'create'],
): Nested => ({ child, key, offers });

/** Every endpoint of a resource, as data. */
export function resource<F extends Fields>(declared: Declaration<F>): Resource {
  const declaration = declared as unknown as Declaration<Fields>;
  const reply = z.object(declaration.fields).meta({ id: declaration.name });
  const made: Resource = { declaration, reply, routes: [] };
  made.routes = [
    ...usualRoutes(made),
    ...Object.entries(declaration.nested ?? {}).flatMap(([name, child]) =>
      nestedRoutes(made, name, child),
    ),
    ...Object.entries(declaration.actions ?? {}).map(([name, one]) => actionRoute(made, name, one)),
  ];
  return made;
}

function usualRoutes(made: Resource): Route[] {
  const { declaration: declared, reply } = made;
  const { path, name, offers, read, write, roles = {} } = declared;
  const about = (action: string, summary: string) => ({
    tag: declared.area,
    summary,
    action,
    resource: path,
  });
  const one = { status: 200, reply } as const;
  const routes: Partial<Record<Offer, Route>> = {
    list: {
      ...about('list', `List ${path}`),
      method: 'GET',
      path: `/${path}`,
      allow: read,
      transaction: 'read',
      ...one,
      list: listOf(declared),
      run: (call) => pageOf(call, declared.table),
    },
    create: {
      ...about('create', `Create: ${name}`),
      method: 'POST',
      path: `/${path}`,
      allow: write,
      transaction: 'write',
      status: 201,
      reply,
      body: creation(declared),
      run: ({ work, body }) => created(work, declared, body as Input),
    },
    read: {
      ...about('show', `Read: ${name}`),
      method: 'GET',
      path: `/${path}/{id}`,
      allow: read,
      transaction: 'read',
      ...one,
      run: ({ work, params }) => existing(work, declared.table, params['id']),
    },
    update: {
      ...about('edit', `Update: ${name}`),
      method: 'PUT',
      path: `/${path}/{id}`,
      allow: write,
      transaction: 'write',
      ...one,
      body: change(declared),
      run: (call) => updated(call, declared),
    },
    delete: {
      ...about('delete', `Delete: ${name}`),
      method: 'DELETE',
      path: `/${path}/{id}`,
      allow: write,
      transaction: 'write',
      ...one,
      run: (call) => removed(call, declared),
    },
    archive: {
      ...about('delete', `Archive: ${name}`),
      method: 'DELETE',
      path: `/${path}/{id}`,
      allow: write,
      transaction: 'write',
      ...one,
      run: (call) => archived(call, declared, true),
    },
  };
  const chosen = (Object.keys(routes) as Offer[])
    .filter((offer) => offers.includes(offer))
    .map((offer) => ({ ...routes[offer], allow: roles[offer] ?? routes[offer]?.allow }) as Route);
  if (declared.archivable && offers.includes('archive')) {
    chosen.push({
      ...about('unarchive', `Unarchive: ${name}`),
      method: 'POST',
      path: `/${path}/{id}/unarchive`,
      allow: write,
      transaction: 'write',
      ...one,
      run: (call) => archived(call, declared, false),
    });
  }
  if (declared.audited) chosen.push(historyRoute(declared));
  return chosen;
}

function listOf({
  path,
  fields,
  filters = [],
  table,
  archivable = false,
  sort,
}: Declaration<Fields>): ListDeclaration {
  const special = Object.keys(table.filters ?? {});
  return {
    name: path.split('/').at(-1) ?? path,
    fields,
    filters: [...filters, ...special],
    hasSearch: table.search !== undefined,
    isArchivable: archivable,
    ...(sort && { sort }),
  };
}

/** What a creation may say: every field that the server does not set itself. */
export const creation = (
  { fields, writeOnly = {} }: Pick<Declaration<Fields>, 'fields' | 'writeOnly'>,
  without?: string,
) =>
  z.object(
    Object.fromEntries(
      Object.entries({ ...fields, ...writeOnly }).filter(
        ([name, field]) => name !== without && !isReadonly(field),
      ),
    ),
  );

/** What an update may say: any part of that, less what is fixed; nothing is filled in. */
const change = ({ fields, writeOnly = {}, fixed = [] }: Declaration<Fields>) =>
  z.object(
    Object.fromEntries(
      Object.entries({ ...fields, ...writeOnly })
        .filter(([name, field]) => !fixed.includes(name) && !isReadonly(field))
        .map(([name, field]) => [name, withoutDefault(field).optional()]),
    ),
  );

const definition = (field: z.ZodType) => field.def as { type: string; innerType?: z.ZodType };
const isReadonly = (field: z.ZodType) => definition(field).type === 'readonly';
const withoutDefault = (field: z.ZodType): z.ZodType => {
  const { type, innerType } = definition(field);
  return type === 'default' && innerType ? innerType : field;
};

async function pageOf({ work, list: request }: Call, table: Table) {
  if (request === null) throw new Error('A list endpoint is declared with its list.');
  return list(work.tx, table, request);
}

/** The row, or 404, which is also the answer for another tenant's. */
export async function existing(work: Work, table: Pick<Table, 'rows'>, id = ''): Promise<Row> {
  const row = await find(work.tx, table, id);
  if (row === null) throw new NotFound();
  return row;
}

async function created(work: Work, { table, create }: Declaration<Fields>, input: Input) {
  return audited(work, table, 'create', null, () =>
    create ? create(work, input as never) : insert(work.tx, table.name, input),
  );
}

async function updated(
  { work, params, body }: Call,
  { table, update: change }: Declaration<Fields>,
) {
  const before = await existing(work, table, params['id']);
  return audited(work, table, 'update', before, async () => {
    if (change) await change(work, before.id, body as never, before);
    else await update(work.tx, table.name, before.id, body as Input);
    return before.id;
  });
}

async function removed({ work, params }: Call, { table, remove: take }: Declaration<Fields>) {
  const before = await existing(work, table, params['id']);
  return audited(work, table, 'delete', before, async () => {
    if (take) await take(work, before.id, before);
    else await remove(work.tx, table.name, before.id);
    return before.id;
  });
}

async function archived(
  { work, params }: Call,
  { table, remove: take }: Declaration<Fields>,
  on: boolean,
) {
  const before = await existing(work, table, params['id']);
  return audited(work, table, on ? 'archive' : 'unarchive', before, async () => {
    if (on && take) await take(work, before.id, before);
    else await archive(work.tx, table.name, before.id, on);
    return before.id;
  });
}

function nestedRoutes(parent: Resource, name: string, { child, key, offers }: Nested): Route[] {
  const { declaration: declared, reply } = child;
  const path = `/${parent.declaration.path}/{id}/${name}`;
  const about = (action: string, summary: string) => ({
    tag: parent.declaration.area,
    summary,
    action,
    resource: declared.path,
  });
  const routes: Route[] = [];
  if (offers.includes('list')) {
    routes.push({
      ...about('list', `List ${name} of one`),
      method: 'GET',
      path,
      allow: declared.read,
      transaction: 'read',
      status: 200,
      reply,
      list: { ...listOf(declared), name },
      run: async (call) => {
        const { id } = await existing(call.work, parent.declaration.table, call.params['id']);
        return pageOf({ ...call, list: within(call.list, key, id) }, declared.table);
      },
    });
  }
  if (offers.includes('create')) {
    routes.push({
      ...about('create', `Add to ${name}`),
      method: 'POST',
      path,
      allow: declared.write,
      transaction: 'write',
      status: 201,
      reply,
      body: creation(declared, key),
      run: async ({ work, params, body }) => {
        const { id } = await existing(work, parent.declaration.table, params['id']);
        return created(work, declared, { ...(body as Input), [key]: id });
      },
    });
  }
  return routes;
}

const within = (request: Call['list'], field: string, id: string): Call['list'] =>
  request && {
    ...request,
    conditions: [...request.conditions, { field, comparison: 'in', values: [id], type: 'uuid' }],
  };

function actionRoute({ declaration: declared, reply }: Resource, name: string, one: Action): Route {
  return {
    tag: declared.area,
    summary: one.summary,
    action: name,
    resource: declared.path,
    method: 'POST',
    path: `/${declared.path}/{id}/${name}`,
    allow: one.allow,
    transaction: 'write',
    status: one.status ?? 200,
    reply: one.reply ?? reply,
    ...(one.body && { body: one.body }),
    run: async ({ work, params, body }) => {
      const before = await existing(work, declared.table, params['id']);
      let answer: unknown;
      const row = await audited(
        work,
        declared.table,
        name,
        before,
        async () => {
          answer = await one.run(work, before.id, body as never);
          return before.id;
        },
        reasonOf(body),
      );
      return one.reply ? answer : row;
    },
  };
}

/** Whatever an action calls the reason that it was given is kept in the history. */
function reasonOf(body: unknown): string | undefined {
  const { reason, notes } = (body ?? {}) as { reason?: unknown; notes?: unknown };
  return [reason, notes].find((said): said is string => typeof said === 'string');
}

function historyRoute({ path, area, table, read }: Declaration<Fields>): Route {
  const key = table.name === 'loans' ? 'loan_id' : 'borrower_id';
  return {
    tag: area,
    summary: `Audit history, newest first`,
    action: 'history',
    resource: path,
    method: 'GET',
    path: `/${path}/{id}/history`,
    allow: read,
    transaction: 'read',
    status: 200,
    reply: z.object(historyFields).meta({ id: 'HistoryEntry' }),
    list: {
      name: 'history',
      fields: historyFields,
      filters: ['entity_type', 'entity_id', 'action', 'actor_id'],
      hasSearch: false,
      isArchivable: false,
    },
    run: async (call) => {
      const { id } = await existing(call.work, table, call.params['id']);
      return pageOf({ ...call, list: within(call.list, key, id) }, audit);
    },
  };
}

/** An endpoint that is no part of a resource's usual ones, in the same form. */
export const endpoint = (route: Route): Route => route;
