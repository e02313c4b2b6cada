import { z } from 'zod';
import { auditChange } from '../../jobs/audit.ts';
import { NotFound } from '../../jobs/errors.ts';
import { audit } from '../../sql/audit.ts';
import { rowExists } from '../../sql/table.ts';
import type { Action, AnyDeclaration, Input, Nested, Resource } from './declaration.ts';
import { omitFields } from './body-schemas.ts';
import { historyFields } from './history.ts';
import {
  conflictRefusal,
  factsOfRecord,
  filterByParent,
  createRecord,
  findOrThrow,
  listDeclarationOf,
  lockRequestedRecord,
  fetchPage,
  asOperationInput,
} from './record-operations.ts';
import type { Call, Route } from './route.ts';
import { approvalProps, conflictProps, proofProps } from './route-props.ts';
import { readDescription } from './descriptions.ts';
import { createSummary, listSummary, nounWithArticle } from './summaries.ts';
import { creationRoute } from './write-routes.ts';

/** The endpoints of a child below its parent, at `/{parent}/{id}/{name}`. */
export const nestedRoutes = (parent: Resource, name: string, child: Nested): Route[] => [
  ...(child.offers.includes('list') ? [nestedListRoute(parent, name, child)] : []),
  ...(child.offers.includes('create') ? [nestedCreateRoute(parent, name, child)] : []),
];

function nestedListRoute(parent: Resource, name: string, { child, key }: Nested): Route {
  const { declaration: declared, reply } = child;
  return {
    tag: parent.declaration.area,
    summary: listSummary(declared.name, parent.declaration.name),
    ...readDescription(declared),
    action: 'list',
    resource: declared.path,
    method: 'GET',
    path: `/${parent.declaration.path}/{id}/${name}`,
    allow: declared.read,
    transaction: 'read',
    is_undated: true,
    status: 200,
    reply,
    list: { ...listDeclarationOf(declared), name },
    run: async (call) => {
      const id = await findParent(call, parent);
      const list = filterByParent(call.list, key, id);
      return fetchPage({ ...call, list }, declared.table, call.endsTransaction);
    },
  };
}

function nestedCreateRoute(parent: Resource, name: string, { child, key }: Nested): Route {
  const { declaration: declared, creation } = child;
  const security_event = declared.security_events?.create;
  return {
    ...creationRoute(child, omitFields(creation, key), parent.declaration.table),
    tag: parent.declaration.area,
    summary: createSummary(declared.name, parent.declaration.name),
    path: `/${parent.declaration.path}/{id}/${name}`,
    ...(security_event && { security_event }),
    run: async (call: Call) => {
      const { id = '' } = call.params;
      if (!declared.finds_parent) await findParent(call, parent);
      return createRecord(call.work, declared, { ...(call.body as Input), [key]: id });
    },
  };
}

/** Returns the parent named by the id in the path. Throws 404 if it does not exist. */
async function findParent({ work, params: { id = '' } }: Call, { declaration }: Resource) {
  if (!(await rowExists(work.tx, declaration.table, id))) throw new NotFound();
  return id;
}

export function actionRoute(
  { declaration: declared, reply, version }: Resource,
  name: string,
  action: Action,
): Route {
  return {
    tag: declared.area,
    summary: action.summary,
    ...(action.description && { description: action.description }),
    action: name,
    resource: declared.path,
    method: 'POST',
    path: `/${declared.path}/{id}/${name}`,
    allow: action.allow,
    transaction: 'write',
    status: action.status ?? 200,
    reply: action.reply ?? reply,
    ...(action.body && { body: action.body }),
    ...(action.example && { example: action.example }),
    ...conflictProps(action.conflicts),
    ...(!action.reply && { etag: version }),
    ...approvalProps(action.four_eyes, declared.table),
    ...proofProps(action.needs_proof),
    ...(action.security_event && { security_event: action.security_event }),
    ifMatch: version,
    ...(action.carries && {
      carries: action.carries === 'record' ? factsOfRecord(declared) : action.carries,
    }),
    run: async (call) => {
      const { work, body } = call;
      const before = await lockRequestedRecord(call, declared.table);
      action.assert?.(before, name);
      const conflict = (await action.objection?.(work, before.id, asOperationInput(body))) ?? null;
      if (conflict !== null) return conflictRefusal(conflict);
      let answer: unknown;
      const row = await auditChange(
        work,
        declared.table,
        name,
        before,
        async () => {
          answer = await action.run(work, before.id, asOperationInput(body), call);
          return before.id;
        },
        findReason(body),
      );
      return action.reply ? answer : row;
    },
  };
}

/** The reason and the notes in an action's body. The history keeps both. */
function findReason(body: unknown): string | undefined {
  const { reason, notes } = (body ?? {}) as { reason?: unknown; notes?: unknown };
  const texts = [reason, notes].filter((text) => typeof text === 'string' && text.trim() !== '');
  return texts.length > 0 ? texts.join(': ') : undefined;
}

export function historyRoute({ name, path, area, table, read }: AnyDeclaration): Route {
  const key = table.name === 'loans' ? 'loan_id' : 'borrower_id';
  return {
    tag: area,
    summary: `List the audit history of ${nounWithArticle(name)}`,
    description:
      'Each entry shows who changed what and when, including records that belong to this one. Entries about records that the user may not read show no changes.',
    action: 'history',
    resource: path,
    method: 'GET',
    path: `/${path}/{id}/history`,
    allow: read,
    transaction: 'read',
    is_undated: true,
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
      const { id } = await findOrThrow(call.work, table, call.params['id']);
      const list = filterByParent(call.list, key, id);
      return fetchPage({ ...call, list }, audit, call.endsTransaction);
    },
  };
}
