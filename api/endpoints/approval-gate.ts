import { requestApproval, isApprovalRequired } from '../../jobs/users/approvals.ts';
import { assertRouteFactsVisible } from '../http/denied-fields.ts';
import { findOrThrow, lockRecord } from './records.ts';
import type { Call, Route } from './route.ts';

/** An answer that is given instead of the declared one, because nothing has been done yet (202). */
export class HeldForApproval {
  readonly answer: { status: number; body: unknown };

  constructor(body: unknown) {
    this.answer = { status: 202, body };
  }
}

export const endpointKey = ({ method, path }: Pick<Route, 'method' | 'path'>) =>
  `${method} ${path}`;

type Body = Record<string, unknown>;

/** The body as the second person sees it, and what of it is kept sealed. */
function apart(names: readonly string[], body: unknown) {
  const given = Object.entries((body ?? {}) as Body);
  const isSecret = ([name, value]: [string, unknown]) => names.includes(name) && value != null;
  const secrets = Object.fromEntries(given.filter(isSecret));
  if (Object.keys(secrets).length === 0) return { shown: body, secrets: null };
  const hidden = Object.fromEntries(
    Object.entries(secrets).map(([name, value]) => [
      name,
      // Whoever approves of an account has to know which.
      name === 'account_number' ? `***${String(value).slice(-4)}` : '***',
    ]),
  );
  return { shown: { ...(body as Body), ...hidden }, secrets };
}

type Run = (call: Call) => Promise<unknown>;

/** What the route adds to the content of a request, as this call would do it. */
export const approvalContentLoader =
  ({ content }: Pick<Route, 'content'>, call: Call) =>
  async () =>
    (await content?.(call)) ?? {};

/**
 * What an endpoint does, or, where the tenant wants two people for it, the keeping of the request until
 * another has approved it. Nobody is asked to approve of what is refused anyway: the record of the path
 * has to be there, and to be what If-Match names.
 */
export function withApproval(route: Route & { run: Run }): Run {
  const run = approvedRunOf(route);
  if (typeof route.carries !== 'function') return run;
  return async (call) => {
    await assertRouteFactsVisible(route, call);
    return run(call);
  };
}

function approvedRunOf(route: Route & { run: Run }): Run {
  return route.four_eyes === undefined
    ? route.run
    : async (call) => (await kept(route, call)) ?? route.run(call);
}

/** Keeps the request where a second person has to approve of it; otherwise answers null. */
async function kept(route: Route, call: Call): Promise<HeldForApproval | null> {
  const { four_eyes: kind, record, asks, asks_if: isConcerned } = route;
  if (kind === undefined) return null;
  const { work, params, body, wanted } = call;
  const isWanted = asks
    ? await asks(call)
    : (await isApprovalRequired(work, kind)) &&
      (isConcerned === undefined || (await isConcerned(call)));
  if (!isWanted) return null;
  if (record)
    await (route.ifMatch ? lockRecord(call, record) : findOrThrow(work, record, params['id']));
  const endpoint = endpointKey(route);
  const { shown, secrets } = apart(route.secrets ?? [], body);
  const request = { kind, endpoint, params, body: shown, if_match: wanted };
  const about = { secrets, more: approvalContentLoader(route, call), ...(record && { record }) };
  const { id, expires_at, content_fingerprint } = await requestApproval(work, request, about);
  return new HeldForApproval({
    status: 'pending_approval',
    approval_id: id,
    kind,
    expires_at,
    content_fingerprint,
  });
}
