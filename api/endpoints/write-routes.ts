import type { z } from 'zod';
import type { Table } from '../../sql/table.ts';
import { updateSchema } from './body-schemas.ts';
import type { AnyDeclaration, Input, Resource } from './declaration.ts';
import {
  archiveDescription,
  createDescription,
  deleteDescription,
  updateDescription,
} from './descriptions.ts';
import {
  createRecord,
  deleteRecord,
  factsOfNewRecord,
  factsOfRecord,
  setRecordArchived,
  updateRecord,
} from './record-operations.ts';
import type { Call, Route } from './route.ts';
import { approvalProps, conflictProps, proofProps } from './route-props.ts';
import { createSummary, nounWithArticle } from './summaries.ts';

/** The standard endpoints that change records. */
export const writeRoutes = (made: Resource) =>
  ({
    create: {
      ...creationRoute(made, made.creation),
      tag: made.declaration.area,
      summary: createSummary(made.declaration.name),
      path: `/${made.declaration.path}`,
      run: (call: Call) => createRecord(call.work, made.declaration, call.body as Input),
    },
    update: updateRoute(made),
    delete: deleteRoute(made),
    archive: archiveRoute(made),
    unarchive: unarchiveRoute(made),
  }) satisfies Record<string, Route>;

/** An endpoint that creates a record, without its place. `parent`: the table of the {id} in the path. */
export const creationRoute = (
  { declaration: declared, reply, version }: Resource,
  body: z.ZodObject,
  parent?: Table,
) =>
  ({
    ...createDescription(declared),
    action: 'create',
    resource: declared.path,
    method: 'POST',
    allow: declared.write,
    transaction: 'write',
    status: 201,
    reply,
    etag: version,
    body,
    ...(declared.example && { example: declared.example }),
    ...(declared.carries && { carries: factsOfNewRecord(declared) }),
    ...writeProps(declared, 'create', parent),
    ...secretProps(declared),
  }) as const;

const recordRoute = ({ declaration: { path, area, write: allow }, reply, version }: Resource) =>
  ({
    tag: area,
    resource: path,
    allow,
    reply,
    status: 200,
    path: `/${path}/{id}`,
    transaction: 'write',
    etag: version,
    ifMatch: version,
  }) as const;

function updateRoute(made: Resource): Route {
  const { declaration: declared } = made;
  return {
    ...recordRoute(made),
    action: 'edit',
    summary: `Update ${nounWithArticle(declared.name)}`,
    ...updateDescription(declared.name),
    method: 'PUT',
    body: updateSchema(declared),
    ...(declared.carries && { carries: factsOfRecord(declared, true) }),
    ...writeProps(declared, 'update', declared.table),
    ...secretProps(declared),
    run: (call: Call) => updateRecord(call, declared),
  };
}

function deleteRoute(made: Resource): Route {
  const { declaration: declared } = made;
  return {
    ...recordRoute(made),
    action: 'delete',
    summary: `Delete ${nounWithArticle(declared.name)}`,
    ...deleteDescription(declared.name),
    method: 'DELETE',
    ...writeProps(declared, 'delete', declared.table),
    run: (call: Call) => deleteRecord(call, declared),
  };
}

function archiveRoute(made: Resource): Route {
  const { declaration: declared } = made;
  return {
    ...recordRoute(made),
    action: 'delete',
    summary: `Archive ${nounWithArticle(declared.name)}`,
    ...archiveDescription(declared.name),
    method: 'DELETE',
    ...conflictProps(declared.conflicts?.delete),
    run: (call: Call) => setRecordArchived(call, declared, true),
  };
}

function unarchiveRoute(made: Resource): Route {
  const { declaration: declared } = made;
  return {
    ...recordRoute(made),
    action: 'unarchive',
    summary: `Unarchive ${nounWithArticle(declared.name)}`,
    description: 'The record appears in lists again.',
    method: 'POST',
    path: `/${declared.path}/{id}/unarchive`,
    ...(declared.carries && { carries: factsOfRecord(declared) }),
    run: (call: Call) => setRecordArchived(call, declared, false),
  };
}

/** The approval, the proof and the refusals that the declaration states for one kind of change. */
const writeProps = (
  { four_eyes, asks_if, needs_proof, conflicts }: AnyDeclaration,
  change: 'create' | 'update' | 'delete',
  record?: Table,
) => ({
  ...approvalProps(
    four_eyes?.[change],
    record,
    change === 'delete' ? undefined : asks_if?.[change],
  ),
  ...proofProps(needs_proof?.[change]),
  ...conflictProps(conflicts?.[change]),
});

const secretProps = ({ writeOnly }: AnyDeclaration) =>
  writeOnly === undefined ? {} : { secrets: Object.keys(writeOnly) };
