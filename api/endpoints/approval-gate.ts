import { z } from 'zod';
import { requestApproval, isApprovalRequired } from '../../jobs/users/approvals.ts';
import { APPROVAL_KINDS } from '../../jobs/users/settings/access-settings.ts';
import { timestamp, uuid } from '../../sql/types.ts';
import { assertRouteFactsVisible } from '../http/denied-fields.ts';
import { findOrThrow, lockRequestedRecord } from './record-operations.ts';
import type { Call, Route } from './route.ts';

export const pendingApproval = z
  .object({
    status: z.literal('pending_approval').describe('The request waits for a second person.'),
    approval_id: uuid.describe('Identifies the request in /approvals.'),
    kind: z.enum(APPROVAL_KINDS).describe('The kind of request that the tenant has approved.'),
    expires_at: timestamp.describe('When the request expires if it is still undecided.'),
    content_fingerprint: z
      .string()
      .describe(
        'Changes with the content. Send it with the approval to approve exactly this content.',
      ),
  })
  .meta({ id: 'PendingApproval' });

/** The answer (202) to a request that waits for approval. Nothing has been done yet. */
export class HeldForApproval {
  readonly answer: { status: number; body: z.input<typeof pendingApproval> };

  constructor(body: z.input<typeof pendingApproval>) {
    this.answer = { status: 202, body };
  }
}

export const endpointKey = ({ method, path }: Pick<Route, 'method' | 'path'>) =>
  `${method} ${path}`;

type Body = Record<string, unknown>;

/** Splits a body into the part that the second person sees and the secrets, which stay sealed. */
function splitSecrets(names: readonly string[], body: unknown) {
  const given = Object.entries((body ?? {}) as Body);
  const isSecret = ([name, value]: [string, unknown]) => names.includes(name) && value != null;
  const secrets = Object.fromEntries(given.filter(isSecret));
  if (Object.keys(secrets).length === 0) return { shown: body, secrets: null };
  const hidden = Object.fromEntries(
    Object.entries(secrets).map(([name, value]) => [
      name,
      // The second person must be able to recognize the account.
      name === 'account_number' ? `***${String(value).slice(-4)}` : '***',
    ]),
  );
  return { shown: { ...(body as Body), ...hidden }, secrets };
}

type RouteHandler = (call: Call) => Promise<unknown>;

/** Loads the content that the route adds to a request for approval, as this call would apply it. */
export const approvalContentLoader =
  ({ content }: Pick<Route, 'content'>, call: Call) =>
  async () =>
    (await content?.(call)) ?? {};

/**
 * Wraps an endpoint. If the tenant requires maker–checker approval for it, the request is stored until a
 * second person approves it.
 *
 * A request that would fail anyway is refused first: the record in the path must exist and match If-Match.
 */
export function withApproval(route: Route & { run: RouteHandler }): RouteHandler {
  const run = gateRun(route);
  if (typeof route.carries !== 'function') return run;
  return async (call) => {
    await assertRouteFactsVisible(route, call);
    return run(call);
  };
}

function gateRun(route: Route & { run: RouteHandler }): RouteHandler {
  return route.four_eyes === undefined
    ? route.run
    : async (call) => (await storeIfApprovalNeeded(route, call)) ?? route.run(call);
}

/** Stores the request if it needs approval. Otherwise returns null. */
async function storeIfApprovalNeeded(route: Route, call: Call): Promise<HeldForApproval | null> {
  const { four_eyes: kind, record, asks, asks_if: isConcerned } = route;
  if (kind === undefined) return null;
  const { work, params, body, expectedVersions: wanted } = call;
  const isWanted = asks
    ? await asks(call)
    : (await isApprovalRequired(work, kind)) &&
      (isConcerned === undefined || (await isConcerned(call)));
  if (!isWanted) return null;
  if (record)
    await (route.ifMatch
      ? lockRequestedRecord(call, record)
      : findOrThrow(work, record, params['id']));
  const endpoint = endpointKey(route);
  const { shown, secrets } = splitSecrets(route.secrets ?? [], body);
  const request = { kind, endpoint, params, body: shown, if_match: wanted };
  const about = { secrets, more: approvalContentLoader(route, call), ...(record && { record }) };
  const { id, ...stored } = await requestApproval(work, request, about);
  return new HeldForApproval({
    status: 'pending_approval',
    approval_id: id,
    kind,
    expires_at: String(stored['expires_at']),
    content_fingerprint: String(stored['content_fingerprint']),
  });
}
