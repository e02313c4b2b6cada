import { networkOf } from '../../jobs/users/sign-in/throttling.ts';
import { BodyInFlight, BodyNotReceived } from './not-received.ts';

/**
 * Maximum numbers of bodies arriving at one API process at the same time. An ordinary body arrives within
 * milliseconds, so these bounds affect slow clients only.
 */
export type BodyBounds = {
  /** From one network to one tenant, without a session. */
  strangers_per_network: number;
  /** From one network to all tenants, with or without a session. */
  per_network: number;
  per_session: number;
  /**
   * To one tenant. Requests without and with a session have separate bounds, so strangers never take places
   * of the tenant's users.
   */
  strangers_per_tenant: number;
  users_per_tenant: number;
  in_all: number;
  /** Total bytes of unfinished bodies that the process holds in memory. */
  bytes_in_all: number;
  /** The same bounds for file uploads. */
  uploads_per_network: number;
  uploads_per_session: number;
  uploads_per_tenant: number;
  uploads_in_all: number;
  /** After this time a newer body may displace this one. */
  safe_ms: number;
};

export const BODY_BOUNDS: BodyBounds = {
  strangers_per_network: 32,
  per_network: 256,
  per_session: 16,
  strangers_per_tenant: 128,
  users_per_tenant: 256,
  in_all: 1_024,
  bytes_in_all: 67_108_864,
  uploads_per_network: 32,
  uploads_per_session: 8,
  uploads_per_tenant: 64,
  uploads_in_all: 256,
  safe_ms: 2_000,
};

/** The sender and kind of a body. */
export type Sender = {
  tenant_id: string;
  ip: string;
  session_id: string | null;
  /** The document that the upload link belongs to. */
  document_id?: string;
  isUpload: boolean;
};
type SlotClaim = { key: string; most: number; refuse: () => BodyNotReceived };

export type BodiesInFlight = ReturnType<typeof openBodiesInFlight>;

/**
 * Tracks the bodies arriving at this process. When a bound is reached, a new body displaces the oldest one
 * if that has been arriving for longer than `safe_ms`. Slow clients thus make room, even for clients behind
 * the same address. Uploads may be slow and are never displaced.
 */
export function openBodiesInFlight(bounds: BodyBounds = BODY_BOUNDS) {
  /** The bodies of each claim, in order of arrival. */
  const held = new Map<string, Set<BodyInFlight>>();
  const holders = new Set<BodyInFlight>();
  let bytes = 0;

  function release(arrival: BodyInFlight) {
    if (!holders.delete(arrival)) return;
    bytes -= arrival.bytes;
    for (const key of arrival.keys) {
      const own = held.get(key);
      own?.delete(arrival);
      if (own?.size === 0) held.delete(key);
    }
  }
  function evict(arrival: BodyInFlight) {
    release(arrival);
    arrival.cut(bodyDisplaced());
  }
  function makeRoom({ key, most, refuse }: SlotClaim, isUpload: boolean) {
    const own = held.get(key);
    if (own === undefined || own.size < most) return;
    const [oldest] = own;
    if (isUpload || !oldest || oldest.age() < bounds.safe_ms) throw refuse();
    evict(oldest);
  }

  return {
    count: () => holders.size,
    /** Reserves a place for a body. Throws if a bound is reached. */
    begin(sender: Sender): BodyInFlight {
      const claims = claimsOf(sender, bounds);
      for (const claim of claims) makeRoom(claim, sender.isUpload);
      const arrival = new BodyInFlight(claims.map(({ key }) => key));
      holders.add(arrival);
      for (const key of arrival.keys) held.set(key, (held.get(key) ?? new Set()).add(arrival));
      return arrival;
    },
    /** Counts bytes held in memory until the body is complete. */
    hold(arrival: BodyInFlight, count: number) {
      arrival.bytes += count;
      bytes += count;
      for (const oldest of holders) {
        if (bytes <= bounds.bytes_in_all) return;
        if (oldest.bytes > 0) evict(oldest);
      }
    },
    end: release,
  };
}

function claimsOf(sender: Sender, bounds: BodyBounds): SlotClaim[] {
  const { tenant_id: tenant, session_id: session, document_id: document } = sender;
  const network = networkOf(sender.ip);
  const claim = (key: string, most: number, refuse: () => BodyNotReceived): SlotClaim => ({
    key,
    most,
    refuse,
  });
  if (sender.isUpload) {
    return [
      ...(document === undefined ? [] : [claim(`link ${tenant} ${document}`, 1, uploadLinkInUse)]),
      ...(session === null
        ? []
        : [claim(`uploads of ${session}`, bounds.uploads_per_session, tooManyBodies)]),
      claim(`uploads from ${network}`, bounds.uploads_per_network, tooManyBodies),
      claim(`uploads to ${tenant}`, bounds.uploads_per_tenant, serviceBusy),
      claim('uploads', bounds.uploads_in_all, serviceBusy),
    ];
  }
  const own =
    session === null
      ? [
          claim(`${network} to ${tenant}`, bounds.strangers_per_network, tooManyBodies),
          claim(`strangers to ${tenant}`, bounds.strangers_per_tenant, serviceBusy),
        ]
      : [
          claim(`session ${session}`, bounds.per_session, tooManyBodies),
          claim(`users to ${tenant}`, bounds.users_per_tenant, serviceBusy),
        ];
  return [
    ...own,
    claim(`from ${network}`, bounds.per_network, tooManyBodies),
    claim('all', bounds.in_all, serviceBusy),
  ];
}

const uploadLinkInUse = () =>
  new BodyNotReceived(
    409,
    'upload_in_progress',
    'Another upload to this link is in progress. Wait for it to finish, or request a new link.',
    30,
  );
export const tooManyBodies = () =>
  new BodyNotReceived(
    429,
    'too_many_unfinished_requests',
    'You are sending too many requests at the same time. Wait for some to finish, then try again.',
    5,
  );
const serviceBusy = () =>
  new BodyNotReceived(
    503,
    'unavailable',
    'The service is receiving too much data. Try again shortly.',
    5,
  );
const bodyDisplaced = () =>
  new BodyNotReceived(
    408,
    'request_timeout',
    'The body arrived too slowly while the service was busy. Send the request again.',
    1,
  );
