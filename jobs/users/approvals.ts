import { z } from 'zod';
import { find, findLocked, type Row, type Table } from '../../sql/table.ts';
import { prose } from '../../sql/types.ts';
import { approvals, approvalsWithContent, findSealedSecrets } from '../../sql/users/approvals.ts';
import { users } from '../../sql/users/users.ts';
import { insert, update } from '../../sql/write.ts';
import { auditChange } from '../audit.ts';
import { Conflict, Forbidden, NotFound } from '../errors.ts';
import type { Work } from '../work.ts';
import {
  canonicalize,
  findChangedFields,
  readContent,
  extractFingerprints,
  type ApprovalTarget,
  type ApprovalContent,
} from './approval-content.ts';
import type { ApprovalKind } from './settings/access-settings.ts';
import { settingsOf } from './settings/settings.ts';

export const Decision = z.object({
  reason: prose.nullish().describe('Why you decide this way. Shown with the request.'),
  content_fingerprint: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'Must be the content_fingerprint of the request.')
    .nullish()
    .describe('The content_fingerprint of the request that you read. A different one is 409.'),
});

const DAY_MS = 86_400_000;

export type ApprovalRequest = {
  kind: ApprovalKind;
  endpoint: string;
  params: Record<string, string>;
  body: unknown;
  if_match: unknown;
};

/** Adds content beyond the referenced records, such as addresses, or settings before and after. */
export type ReadMoreContent = () => Promise<ApprovalContent>;

/** Whether the tenant requires maker–checker approval for this kind of action. */
export const isApprovalRequired = async ({ tx }: Work, kind: ApprovalKind): Promise<boolean> =>
  (await settingsOf(tx)).approvals.four_eyes.some((asked) => asked === kind);

/**
 * Stores the request with a snapshot of its records until a checker decides. Body fields that responses
 * never show are sealed.
 */
export async function requestApproval(
  work: Work,
  request: ApprovalRequest,
  {
    record,
    more,
    secrets,
  }: { record?: Table; more: ReadMoreContent; secrets: ApprovalContent | null },
): Promise<Row> {
  const content = { ...(await readContent(work, { ...request, record })), ...(await more()) };
  const text = JSON.stringify(canonicalize({ ...request, content }));
  const { keys } = work.installation;
  const secrets_sealed = secrets && keys.seal(work.tenant_id, JSON.stringify(secrets));
  const { expire_days } = (await settingsOf(work.tx)).approvals;
  const { id, email } = work.actor;
  return auditChange(work, approvals, 'request', null, () =>
    insert(work.tx, 'approvals', {
      ...request,
      content,
      content_fingerprint: keys.keyedHash(work.tenant_id, text),
      secrets_sealed,
      requested_by: id,
      requested_by_email: email,
      expires_at: new Date(Date.now() + expire_days * DAY_MS).toISOString(),
    }),
  );
}

/**
 * Locks a request and throws Conflict unless it is pending. Of two concurrent decisions, the second one
 * fails.
 */
export async function lockPendingRequest(work: Work, id: string): Promise<Row> {
  const request = await findLocked(work.tx, approvalsWithContent, id);
  if (request === null) throw new NotFound();
  const { status, ended_because } = request;
  if (status === 'pending') return request;
  if (typeof ended_because === 'string')
    throw new Conflict(`${ended_because} The request is closed.`, 'approval_outdated', {
      current_status: status,
    });
  throw alreadyDecided(String(status));
}

/** Throws Conflict if the request differs from the version that the checker has read. */
export function assertFingerprint({ content_fingerprint }: Row, seen: string | null | undefined) {
  if (!seen || seen === content_fingerprint) return;
  const message = 'The request differs from the one that you read. Read it again, then decide.';
  throw new Conflict(message, 'approval_outdated', { content_fingerprint });
}

/**
 * If a referenced record has changed since the request was made, closes the request and returns the error
 * to throw. Otherwise returns null; the records stay locked until the transaction ends.
 */
export async function closeIfOutdated(
  work: Work,
  request: Row,
  asked: ApprovalTarget,
  more: ReadMoreContent,
) {
  const before = request['content'];
  const read = await readContent(work, asked, extractFingerprints(before));
  // If the request's own record is gone, there is nothing more to compare.
  const isGone = Object.values(read)[0] === null && asked.record !== undefined;
  const now = isGone ? read : { ...read, ...(await more()) };
  const changed = findChangedFields(before, now);
  if (changed.length === 0) return null;
  await recordDecision(work, request, { status: 'outdated', changed_fields: changed });
  return requestOutdated(changed);
}

/** The original body of the request, including its sealed fields. */
export async function restoreBody({ tx, tenant_id, installation }: Work, { id, body }: Row) {
  const sealed = await findSealedSecrets(tx, id);
  if (sealed === null) return body;
  const secrets = JSON.parse(installation.keys.unseal(tenant_id, sealed)) as object;
  return { ...(body as object), ...secrets };
}

/**
 * Throws Conflict if the maker is also the checker, or if the maker is no longer active staff. Returns the
 * maker.
 */
export async function assertSecondPerson(work: Work, { requested_by }: Row): Promise<Row> {
  if (work.actor.id === requested_by) throw ownRequest();
  const requester = await find(work.tx, users, String(requested_by));
  if (requester?.['is_active'] === true && requester['tenant_role'] !== null) return requester;
  throw requesterGone();
}

const ACTIONS = {
  approved: 'approve',
  rejected: 'reject',
  canceled: 'cancel',
  outdated: 'close',
} as const;

/** Records the decision on a request. */
export async function recordDecision(
  work: Work,
  request: Row,
  {
    status,
    reason,
    changed_fields,
  }: {
    status: keyof typeof ACTIONS;
    reason?: string | null | undefined;
    changed_fields?: readonly string[];
  },
): Promise<Row> {
  const action = ACTIONS[status];
  // The action may have redacted the request itself. Read it again, so that the audit trail does not repeat
  // redacted text.
  const before = (await find(work.tx, approvals, request.id)) ?? request;
  await auditChange(
    work,
    approvals,
    action,
    before,
    async () => {
      await update(work.tx, 'approvals', request.id, {
        status,
        reason,
        changed_fields,
        secrets_sealed: null,
        decided_by: work.actor.id,
        decided_at: new Date().toISOString(),
      });
      return request.id;
    },
    reason ?? undefined,
  );
  return (await find(work.tx, approvalsWithContent, request.id)) ?? request;
}

/** Cancels a request. Only its maker may do this. */
export async function cancelRequest(work: Work, id: string): Promise<Row> {
  const request = await lockPendingRequest(work, id);
  if (request['requested_by'] !== work.actor.id)
    throw new Forbidden('Only the user who made the request can cancel it. Reject it instead.');
  return recordDecision(work, request, { status: 'canceled' });
}

export const ownRequest = () =>
  new Conflict('Another user must decide on your request.', 'four_eyes');

export const requestOutdated = (changed: readonly string[]) =>
  new Conflict(
    `These fields changed after the request: ${changed.join(', ')}. The request is closed. Make a new one.`,
    'approval_outdated',
    { changed },
  );

export const alreadyDecided = (status: string) =>
  new Conflict(`The request is already ${status}.`, 'invalid_transition', {
    current_status: status,
  });

export const requesterGone = () =>
  new Conflict(
    'The user who made this request no longer has access. Reject the request.',
    'requester_gone',
  );
