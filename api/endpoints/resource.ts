import { z } from 'zod';
import type { Conflict } from '../../jobs/errors.ts';
import type { Work } from '../../jobs/work.ts';
import { assertDeclaration, assertOwner } from './assert-declaration.ts';
import type {
  Action,
  AnyDeclaration,
  Declaration,
  Fields,
  Input,
  Nested,
  NoFields,
  StandardEndpoint,
  Resource,
} from './declaration.ts';
import {
  actionRoute,
  approvalProps,
  historyRoute,
  nestedRoutes,
  conflictProps,
  proofProps,
  secretProps,
} from './nested.ts';
import {
  setRecordArchived,
  factsOfRecord,
  factsOfNewRecord,
  createRecord,
  findOrThrow,
  listDeclarationOf,
  fetchPage,
  deleteRecord,
  updateRecord,
} from './record-operations.ts';
import type { Call, Route } from './route.ts';
import {
  archiveDescription,
  createDescription,
  deleteDescription,
  readDescription,
  updateDescription,
} from './descriptions.ts';
import { createSummary, listSummary, nounWithArticle } from './summaries.ts';

/** Custom endpoints of a resource also start by reading its row. */
export { findOrThrow } from './record-operations.ts';

/** Exists for its type: the body's schema determines the operation's input. */
export const action = <Body extends z.ZodType>(
  declared: Omit<Action, 'run' | 'body' | 'objection'> & {
    body?: Body;
    objection?: (work: Work, id: string, input: z.output<Body>) => Promise<Conflict | null>;
    run: (
      work: Work,
      id: string,
      input: z.output<Body>,
      call: Pick<Call, 'origin'>,
    ) => Promise<unknown>;
  },
): Action => declared;

export function nested<Field extends string>(
  child: Resource<Field>,
  key: NoInfer<Field>,
  offers: readonly ('list' | 'create')[] = ['list', 'create'],
): Nested {
  assertOwner(child.declaration, key);
  return { child, key, offers };
}

/**
 * Builds every endpoint of a resource as data. A resource that is created under a parent brings its own
 * endpoints along with those of the parent.
 */
export function resource<
  F extends Fields,
  Hidden extends Fields = NoFields,
  Fixed extends (keyof F | keyof Hidden) & string = never,
>(declaration: Declaration<F, Hidden, Fixed>): Resource<keyof F & string> {
  assertDeclaration(declaration);
  const { name: id, about } = declaration;
  const reply = z.object(declaration.fields).meta({ id, ...(about && { description: about }) });
  const version = { reply, names: versionNames(declaration) };
  const made: Resource = {
    declaration,
    reply,
    version,
    creation: creationSchema(declaration),
    routes: [],
  };
  made.routes = [
    ...buildStandardRoutes(made),
    ...Object.entries(declaration.nested ?? {}).flatMap(([name, child]) =>
      nestedRoutes(made, name, child),
    ),
    ...Object.entries(declaration.actions ?? {}).map(([name, action]) =>
      actionRoute(made, name, action),
    ),
    ...Object.values(declaration.nested ?? {})
      .filter(({ offers }) => offers.includes('create'))
      .flatMap(({ child }) => child.routes),
  ];
  return made;
}

/** Builds the standard endpoints that the declaration offers, and those that its table implies. */
function buildStandardRoutes(made: Resource): Route[] {
  const { offers, archivable = false, audited, roles = {} } = made.declaration;
  const standard = { ...readRoutes(made), ...writeRoutes(made) };
  const chosen = Object.entries(standard).flatMap(([name, route]): Route[] => {
    // The role that may archive a record may also unarchive it.
    const offer = (name === 'unarchive' ? 'archive' : name) as StandardEndpoint;
    const isOffered = offers.includes(offer) && (name !== 'unarchive' || archivable);
    const security_event = made.declaration.security_events?.[offer];
    const own = { allow: roles[offer] ?? route.allow, ...(security_event && { security_event }) };
    return isOffered ? [{ ...route, ...own }] : [];
  });
  return audited ? [...chosen, historyRoute(made.declaration)] : chosen;
}

function readRoutes({ declaration: declared, reply, version }: Resource) {
  const { path, name, area, read: allow, table } = declared;
  const target = { tag: area, resource: path, allow, ...readDescription(declared) } as const;
  const common = { ...target, status: 200, reply, method: 'GET', is_undated: true } as const;
  return {
    list: {
      ...common,
      action: 'list',
      summary: listSummary(name),
      path: `/${path}`,
      transaction: 'read',
      list: listDeclarationOf(declared),
      run: (call: Call) => fetchPage(call, table, call.endsTransaction),
    },
    read: {
      ...common,
      action: 'show',
      summary: `Get ${nounWithArticle(name)}`,
      path: `/${path}/{id}`,
      etag: version,
      transaction: 'read',
      run: ({ work, params, endsTransaction }) =>
        findOrThrow(work, table, params['id'], endsTransaction),
    },
  } satisfies Record<string, Route>;
}

function writeRoutes({ declaration: declared, reply, version, creation: body }: Resource) {
  const { path, name, area, write: allow } = declared;
  const common = {
    tag: area,
    resource: path,
    allow,
    reply,
    status: 200,
    path: `/${path}/{id}`,
    transaction: 'write',
    etag: version,
    ifMatch: version,
  } as const;
  const removing = { ...common, action: 'delete', method: 'DELETE' } as const;
  return {
    create: {
      ...({
        tag: area,
        resource: path,
        allow,
        reply,
        transaction: 'write',
        etag: version,
      } as const),
      action: 'create',
      summary: createSummary(name),
      ...createDescription(declared),
      method: 'POST',
      path: `/${path}`,
      status: 201,
      ...approvalProps(declared.four_eyes?.create, undefined, declared.asks_if?.create),
      ...proofProps(declared.needs_proof?.create),
      ...secretProps(declared),
      ...(declared.carries && { carries: factsOfNewRecord(declared) }),
      body,
      ...(declared.example && { example: declared.example }),
      ...conflictProps(declared.conflicts?.create),
      run: (call: Call) => createRecord(call.work, declared, call.body as Input),
    },
    update: {
      ...common,
      action: 'edit',
      summary: `Update ${nounWithArticle(name)}`,
      ...updateDescription(name),
      method: 'PUT',
      ...approvalProps(declared.four_eyes?.update, declared.table, declared.asks_if?.update),
      ...proofProps(declared.needs_proof?.update),
      ...secretProps(declared),
      ...(declared.carries && { carries: factsOfRecord(declared, true) }),
      body: updateSchema(declared),
      ...conflictProps(declared.conflicts?.update),
      run: (call: Call) => updateRecord(call, declared),
    },
    delete: {
      ...removing,
      ...approvalProps(declared.four_eyes?.delete, declared.table),
      ...proofProps(declared.needs_proof?.delete),
      summary: `Delete ${nounWithArticle(name)}`,
      ...deleteDescription(name),
      ...conflictProps(declared.conflicts?.delete),
      run: (call: Call) => deleteRecord(call, declared),
    },
    archive: {
      ...removing,
      summary: `Archive ${nounWithArticle(name)}`,
      ...archiveDescription(name),
      ...conflictProps(declared.conflicts?.delete),
      run: (call: Call) => setRecordArchived(call, declared, true),
    },
    unarchive: {
      ...common,
      action: 'unarchive',
      summary: `Unarchive ${nounWithArticle(name)}`,
      description: 'The record appears in lists again.',
      method: 'POST',
      path: `/${path}/{id}/unarchive`,
      ...(declared.carries && { carries: factsOfRecord(declared) }),
      run: (call: Call) => setRecordArchived(call, declared, false),
    },
  } satisfies Record<string, Route>;
}

/** The body schema of a creation: every field that the server does not set itself. */
export const creationSchema = (
  { fields, writeOnly = {} }: Pick<AnyDeclaration, 'fields' | 'writeOnly'>,
  without?: string,
) =>
  z.object(
    Object.fromEntries(
      Object.entries({ ...fields, ...writeOnly }).filter(
        ([name, field]) => name !== without && !isReadonly(field),
      ),
    ),
  );

/**
 * The body schema of an update: any subset of the creation's fields without the fixed ones. Sets no
 * defaults.
 */
const updateSchema = ({ fields, writeOnly = {}, fixed = [] }: AnyDeclaration) =>
  z.object(
    Object.fromEntries(
      Object.entries({ ...fields, ...writeOnly })
        .filter(([name, field]) => !fixed.includes(name) && !isReadonly(field))
        .map(([name, field]) => [name, withoutDefault(field).optional()]),
    ),
  );

/**
 * The fields that make up the version: those that a PUT may write and an answer returns. If a PUT may also
 * write fields that no answer returns, the time of the last change replaces them.
 */
function versionNames(declared: AnyDeclaration): string[] {
  const { fields, writeOnly = {} } = declared;
  const written = Object.keys(updateSchema(declared).shape);
  const shown = written.filter((name) => name in fields);
  const hidden = written.filter((name) => name in writeOnly);
  return hidden.length > 0 && 'updated_at' in fields ? [...shown, 'updated_at'] : shown;
}

const definitionOf = (field: z.ZodType) => field.def as { type: string; innerType?: z.ZodType };
const isReadonly = (field: z.ZodType) => definitionOf(field).type === 'readonly';
/** Keeps the description, which may belong to the default. */
const withoutDefault = (field: z.ZodType): z.ZodType => {
  const { type, innerType } = definitionOf(field);
  if (type !== 'default' || innerType === undefined) return field;
  return field.description === undefined ? innerType : innerType.describe(field.description);
};

/** Declares a single endpoint outside the standard ones. */
export const endpoint = (route: Route): Route => route;
