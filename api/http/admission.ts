import type { Context, Middleware, Next } from 'koa';
import { HttpRefusal } from './errors.ts';

/** Maximum number of concurrent requests per process. More would only wait for the database. */
const CONCURRENT_REQUESTS_MAX = 400;

export type Admission = ReturnType<typeof openAdmission>;
type Slot = { isTaken: boolean; tenant_id?: string };

/**
 * Counts the requests in progress and refuses excess requests early. A request gives up its place while it
 * waits for its client, so slow clients take no places from others.
 *
 * A tenant may hold as many places as remain free: half of them if it is the only busy tenant, a third if
 * two are busy.
 */
export function openAdmission(most = CONCURRENT_REQUESTS_MAX) {
  let taken = 0;
  const held = new Map<string, number>();
  const heldBy = (tenantId: string) => held.get(tenantId) ?? 0;
  const hold = (tenantId: string | undefined, by: 1 | -1) => {
    if (tenantId === undefined) return;
    const now = heldBy(tenantId) + by;
    if (now === 0) held.delete(tenantId);
    else held.set(tenantId, now);
  };
  const leave = (place: Slot) => {
    if (!place.isTaken) return;
    taken -= 1;
    hold(place.tenant_id, -1);
    place.isTaken = false;
  };
  const enter = (place: Slot) => {
    taken += 1;
    hold(place.tenant_id, 1);
    place.isTaken = true;
  };
  const middleware: Middleware = async (ctx: Context, next: Next) => {
    if (taken >= most) throw serviceBusy();
    const place: Slot = { isTaken: false };
    ctx.state.place = place;
    enter(place);
    try {
      await next();
    } finally {
      leave(place);
    }
  };
  /** Enforces the tenant's share. The tenant is known only after the request has been admitted. */
  const ofTenant: Middleware = async (ctx: Context, next: Next) => {
    const { place, tenant } = ctx.state as { place: Slot; tenant: { id: string } };
    if (heldBy(tenant.id) >= most - taken) throw tenantBusy();
    place.tenant_id = tenant.id;
    hold(tenant.id, 1);
    await next();
  };
  return {
    middleware,
    ofTenant,
    atWork: () => taken,
    /** Gives up the place while the request waits for its client. */
    leave: (ctx: Context) => {
      const { place } = ctx.state as { place?: Slot };
      if (place) leave(place);
    },
    /**
     * Takes a place again once the body has arrived. Throws 503 if none is free. An upload is never refused
     * here, because its client would have to send the whole file again.
     */
    enterAgain: (ctx: Context, { isUpload }: { isUpload: boolean }) => {
      const { place } = ctx.state as { place?: Slot };
      if (!place || place.isTaken) return;
      if (taken >= most && !isUpload) throw serviceBusy();
      if (place.tenant_id !== undefined && heldBy(place.tenant_id) >= most - taken && !isUpload)
        throw tenantBusy();
      enter(place);
    },
  };
}

const RETRY_LATER = { headers: { 'Retry-After': '2' } };

export const serviceBusy = () =>
  new HttpRefusal(503, 'unavailable', 'The service is busy. Try again shortly.', RETRY_LATER);

const tenantBusy = () =>
  new HttpRefusal(
    503,
    'unavailable',
    'Your organization has too many requests in progress. Wait for some to finish, then try again.',
    RETRY_LATER,
  );
