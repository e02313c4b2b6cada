import { z } from 'zod';
import { Forbidden } from '../../jobs/errors.ts';
import { writeSecurityLog } from '../../jobs/users/security-log.ts';
import * as requests from '../../jobs/users/approvals.ts';
import { APPROVAL_KINDS } from '../../jobs/users/settings/access-settings.ts';
import { jsonObject, jsonValue, text, timestamp, uuid } from '../../sql/types.ts';
import { find } from '../../sql/table.ts';
import { approvalsVisibleTo, approvalsWithContent as table } from '../../sql/users/approvals.ts';
import { listPermissionRules } from '../../sql/users/permissions.ts';
import { endpointKey, approvalContentLoader } from '../endpoints/approval-gate.ts';
import { isProofNeeded } from '../endpoints/recent-proof.ts';
import { conflictRefusal, findOrThrow, fetchPage } from '../endpoints/record-operations.ts';
import { resource } from '../endpoints/resource.ts';
import type { Call, Route } from '../endpoints/route.ts';
import { HttpRefusal } from '../http/errors.ts';
import { resolveAccess } from '../http/access.ts';
import {
  assertFieldsWritable,
  assertRouteFactsVisible,
  omitHiddenFields,
} from '../http/denied-fields.ts';
import { securityEventOfAnswer } from '../http/security-log.ts';
import { checkMatch, type WantedVersions } from '../http/versions.ts';
import { asUser } from './me.ts';
import {
  ownRequest,
  requestOutdated,
  alreadyDecided,
  requesterGone,
} from '../../jobs/users/approvals.ts';

export const approvals = resource({
  name: 'Approval',
  about:
    "A request that needs a second person's approval (`approvals.four_eyes` of the settings). You see those that you made or may decide.",
  path: 'approvals',
  area: 'users',
  table,
  read: 'loan_officer',
  write: 'loan_officer',
  offers: ['list', 'read'],

  fields: {
    id: uuid.readonly(),
    kind: z
      .enum(APPROVAL_KINDS)
      .readonly()
      .describe('The kind of action, as in the setting `approvals.four_eyes`.'),
    endpoint: text.readonly().describe('The operation that was requested.'),
    params: jsonObject.readonly().describe('The path parameters of the request.'),
    body: jsonObject
      .nullable()
      .readonly()
      .describe('The body of the request. Null if it had none. Secrets are left out.'),
    if_match: jsonValue
      .nullable()
      .readonly()
      .describe('The versions that the request named in If-Match. Null if it named none.'),
    content: jsonObject
      .nullable()
      .readonly()
      .describe('The records behind the request as they were when it was made.'),
    content_fingerprint: z
      .string()
      .nullable()
      .readonly()
      .describe('Send it with the approval to approve exactly what you have read.'),
    changed_fields: z
      .array(z.string())
      .nullable()
      .readonly()
      .describe('The fields that had changed when the request was closed as outdated.'),
    status: z
      .enum(['pending', 'approved', 'rejected', 'canceled', 'expired', 'outdated'])
      .readonly()
      .describe(
        'outdated: the content to approve changed, or its record ended, before the approval.',
      ),
    ended_because: z
      .string()
      .nullable()
      .readonly()
      .describe('Why nothing is left to approve, such as a canceled loan.'),
    reason: z
      .string()
      .nullable()
      .readonly()
      .describe('Why the second person decided so. Null until then, or without a reason.'),
    requested_by: uuid.readonly().describe('The user who made the request.'),
    requested_by_email: z.string().readonly().describe('The email address of that user.'),
    decided_by: uuid
      .nullable()
      .readonly()
      .describe('The user who approved, rejected or canceled it. Null until then.'),
    decided_at: timestamp.nullable().readonly().describe('When it was decided. Null until then.'),
    expires_at: timestamp.readonly().describe('When the request expires if nobody decides.'),
    created_at: timestamp.readonly(),
    updated_at: timestamp.readonly(),
  },
  filters: ['kind', 'endpoint', 'status', 'requested_by', 'decided_by'],
  sort: { field: 'created_at', descending: true },
});

/** The requests that this user made or may decide by role and rules. */
function visibleRequests({ access, routes, user }: Call) {
  const approvable = routes.filter(({ four_eyes }) => four_eyes !== undefined);
  const [open, others] = [
    approvable.filter((route) => access.mayCall(route)),
    approvable.filter((route) => !access.mayCall(route)),
  ];
  const records = others.flatMap((route) =>
    access.grantedIds
      .filter((id) => access.mayCall(route, { id }))
      .map((id) => ({ endpoint: endpointKey(route), id })),
  );
  return approvalsVisibleTo({ user_id: user?.id ?? '', endpoints: open.map(endpointKey), records });
}

/** Requests that this user may not see are missing from the list and answer 404 by id. */
const visibilityFilteredRoutes = approvals.routes.map((route): Route => {
  if (route.action === 'list')
    return {
      ...route,
      transaction: 'read',
      run: (call: Call) => fetchPage(call, visibleRequests(call), call.endsTransaction),
    };
  return {
    ...route,
    transaction: 'read',
    run: (call: Call) =>
      findOrThrow(call.work, visibleRequests(call), call.params['id'], call.endsTransaction),
  };
});

const decisionRouteDefaults = {
  tag: 'users',
  resource: 'approvals',
  method: 'POST',
  allow: 'loan_officer',
  status: 200,
  reply: approvals.reply,
  transaction: 'write',
  body: requests.Decision,
} as const;
const decisionOf = ({ body }: Call) => body as z.output<typeof requests.Decision>;
const reasonOf = (call: Call) => decisionOf(call).reason;

/**
 * Returns the pending request. Throws unless both the second person and the requester may still perform the
 * requested operation.
 */
async function prepareApproval(call: Call, routes: readonly Route[]) {
  const { work, params, access } = call;
  const request = await requests.lockPendingRequest(work, params['id'] ?? '');
  requests.assertFingerprint(request, decisionOf(call).content_fingerprint);
  const requester = asUser(await requests.assertSecondPerson(work, request));
  const route = routes.find((declared) => endpointKey(declared) === request['endpoint']);
  if (route === undefined || route.transaction === 'own')
    throw new Error(`There is no endpoint ${String(request['endpoint'])} any more.`);
  const rules = await listPermissionRules(work.tx, work.tenant_id, requester.id);
  const asking = resolveAccess(requester, rules, routes);
  for (const party of [access, asking]) {
    if (!party.mayCall(route, request['params'] as Record<string, string>)) {
      const details = { required_role: route.allow };
      throw new Forbidden(
        'Your role, or the role of the person who requested this, does not allow it.',
        'permission_denied',
        details,
      );
    }
    assertFieldsWritable(party, route, request['body']);
    const asked = { params: request['params'] as Record<string, string>, body: request['body'] };
    await assertRouteFactsVisible(route, { ...call, ...asked, access: party });
  }
  return { request, route, asking };
}

/** Approving an operation that needs a recent proof needs one as well. */
async function needsRecentProof(call: Call, routes: readonly Route[]) {
  const request = await find(call.work.tx, table, call.params['id'] ?? '');
  const route = routes.find((declared) => endpointKey(declared) === request?.['endpoint']);
  if (route === undefined || request?.['status'] !== 'pending') return false;
  const params = request['params'] as Record<string, string>;
  return isProofNeeded(route, { ...call, params, body: request['body'], checkMatch: () => {} });
}

/** Runs the requested operation for the user who asked for it, and records the approval. */
async function approveRequest(call: Call, routes: readonly Route[]) {
  const { work } = call;
  const { request, route, asking } = await prepareApproval(call, routes);
  const params = request['params'] as Record<string, string>;
  const body = await requests.restoreBody(work, request);
  const asked = requestedCall(call, { request, route, asking, params, body });
  const about = { params, body, record: route.record };
  const content = approvalContentLoader(route, asked);
  const outdated = await requests.closeIfOutdated(work, request, about, content);
  if (outdated !== null) return conflictRefusal(outdated);
  const answer = await route.run(asked);
  // The refused operation's own writes are kept, and the request stays pending.
  if (answer instanceof HttpRefusal) return answer;
  const event = securityEventOfAnswer(route, { body, params }, answer);
  if (event) await writeSecurityLog(work, event);
  return requests.recordDecision(work, request, { status: 'approved', reason: reasonOf(call) });
}

type Requested = Awaited<ReturnType<typeof prepareApproval>> & {
  params: Record<string, string>;
  body: unknown;
};

/** The call that was asked for, in the transaction of its approval. */
function requestedCall(call: Call, { request, route, asking, params, body }: Requested): Call {
  const requested_by = {
    id: request['requested_by'] as string,
    email: request['requested_by_email'] as string,
  };
  const asAsked = (answer: unknown) => omitHiddenFields(asking, route, answer);
  const wanted = request['if_match'] as WantedVersions;
  return {
    ...call,
    work: { ...call.work, actor: { ...call.work.actor, requested_by } },
    params,
    body,
    checkMatch: (row) => checkMatch(wanted, route.ifMatch, row, asAsked),
  };
}

export const approvalRoutes = (routes: readonly Route[]): Route[] => [
  ...visibilityFilteredRoutes,
  {
    ...decisionRouteDefaults,
    action: 'approve',
    needs_proof: (call) => needsRecentProof(call, routes),
    path: '/approvals/{id}/approve',
    summary: 'Approve a pending request',
    description:
      'Runs the requested operation with all of its usual checks, as the second person. Answers 409 if you made the request, if the records behind it have changed (`approval_outdated`), or if it is no longer pending. If the operation itself is refused, its error is the answer and the request stays pending.',
    conflicts: () => [
      ownRequest(),
      requestOutdated(['amount']),
      alreadyDecided('approved'),
      requesterGone(),
    ],
    run: (call: Call) => approveRequest(call, routes),
  },
  {
    ...decisionRouteDefaults,
    action: 'reject',
    path: '/approvals/{id}/reject',
    summary: 'Reject a pending request',
    description:
      'The requested operation does not run. Only a user who could approve the request can reject it.',
    run: async (call: Call) => {
      const { request } = await prepareApproval(call, routes);
      return requests.recordDecision(call.work, request, {
        status: 'rejected',
        reason: reasonOf(call),
      });
    },
  },
  {
    ...decisionRouteDefaults,
    action: 'cancel',
    path: '/approvals/{id}/cancel',
    summary: 'Cancel your own pending request',
    description:
      'Withdraws the request, so that it can no longer be approved. Only the user who made it can cancel it.',
    run: ({ work, params }: Call) => requests.cancelRequest(work, params['id'] ?? ''),
  },
];
