import { askFor } from '../../jobs/users/approvals.ts';
import type { Call, Route } from './route.ts';

/** An answer that is given instead of the declared one, because nothing has been done yet (202). */
export class Accepted {
  readonly answer: { status: number; body: unknown };

  constructor(body: unknown) {
    this.answer = { status: 202, body };
  }
}

export const endpointOf = ({ method, path }: Pick<Route, 'method' | 'path'>) => `${method} ${path}`;

type Run = (call: Call) => Promise<unknown>;

/**
 * What an endpoint does, or, where the tenant wants two people for it, the keeping of the request until
 * another has approved it.
 */
export function runOf(route: Route & { run: Run }): Run {
  const { four_eyes: kind, run } = route;
  if (kind === undefined) return run;
  return async (call) => {
    const { work, params, body, wanted } = call;
    const endpoint = endpointOf(route);
    const asked = await askFor(work, { kind, endpoint, params, body, if_match: wanted });
    if (asked === null) return run(call);
    const { id, expires_at } = asked;
    return new Accepted({ status: 'pending_approval', approval_id: id, kind, expires_at });
  };
}
