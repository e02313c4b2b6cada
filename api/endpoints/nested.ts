import { z } from 'zod';
import { auditChange } from '../../jobs/audit.ts';
import { NotFound } from '../../jobs/errors.ts';
import type { ApprovalKind } from '../../jobs/users/settings/access-settings.ts';
import { audit } from '../../sql/audit.ts';
import { rowExists, type Table } from '../../sql/table.ts';
import type { Action, AnyDeclaration, Input, Nested, Resource } from './declaration.ts';
import { historyFields } from './history.ts';
import {
  conflictRefusal,
  factsOfRecord,
  factsOfNewRecord,
  filterByParent,
  createRecord,
  findOrThrow,
  listDeclarationOf,
  lockRequestedRecord,
  fetchPage,
  asOperationInput,
} from './record-operations.ts';
import type { Call, NeedsProof, Route } from './route.ts';
import { createDescription, readDescription } from './descriptions.ts';
import { createSummary, listSummary, nounWithArticle } from './summaries.ts';

export function nestedRoutes(
  parent: Resource,
  name: string,
  { child, key, offers }: Nested,
): Route[] {
  const { declaration: declared, reply, creation, version } = child;
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
      ...about('list', listSummary(declared.name, parent.declaration.name)),
      ...readDescription(declared),
      method: 'GET',
      path,
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
    });
  }
  if (offers.includes('create')) {
    routes.push({
      ...about('create', createSummary(declared.name, parent.declaration.name)),
      ...createDescription(declared),
      method: 'POST',
      path,
      allow: declared.write,
      transaction: 'write',
      status: 201,
      reply,
      etag: version,
      ...approvalProps(
        declared.four_eyes?.create,
        parent.declaration.table,
        declared.asks_if?.create,
      ),
      ...proofProps(declared.needs_proof?.create),
      ...secretProps(declared),
      ...(declared.security_events?.create && { security_event: declared.security_events.create }),
      ...(declared.carries && { carries: factsOfNewRecord(declared) }),
      body: omitFields(creation, key),
      ...(declared.example && { example: declared.example }),
      ...conflictProps(declared.conflicts?.create),
      run: async (call) => {
        const { id = '' } = call.params;
        if (!declared.finds_parent) await findParent(call, parent);
        return createRecord(call.work, declared, { ...(call.body as Input), [key]: id });
      },
    });
  }
  return routes;
}

/**
 * Omits properties without a value, as `exactOptionalPropertyTypes` requires. `record` is the table of the
 * {id} in the path.
 */
export const approvalProps = (
  kind: ApprovalKind | undefined,
  record?: Table,
  asks_if?: (call: Call) => Promise<boolean>,
) =>
  kind === undefined
    ? {}
    : { four_eyes: kind, ...(record && { record }), ...(asks_if && { asks_if }) };

export const conflictProps = (conflicts: Route['conflicts']) =>
  conflicts === undefined ? {} : { conflicts };

export const proofProps = (needs_proof: NeedsProof | undefined) =>
  needs_proof === undefined ? {} : { needs_proof };

export const secretProps = ({ writeOnly }: Pick<AnyDeclaration, 'writeOnly'>) =>
  writeOnly === undefined ? {} : { secrets: Object.keys(writeOnly) };

/** Returns the parent named by the id in the path. Throws 404 if it does not exist. */
async function findParent({ work, params: { id = '' } }: Call, { declaration }: Resource) {
  if (!(await rowExists(work.tx, declaration.table, id))) throw new NotFound();
  return id;
}

/** The same body schema without the given keys. */
export const omitFields = ({ shape }: z.ZodObject, ...keys: string[]) =>
  z.object(Object.fromEntries(Object.entries(shape).filter(([name]) => !keys.includes(name))));

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
