import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { openAdmission, type Admission } from './admission.ts';
import { HttpRefusal } from './errors.ts';
import { LIMITS, type Limits } from './limits.ts';
import { ClientGone, BodyNotReceived, type BodyInFlight } from './not-received.ts';
import {
  BODY_BOUNDS,
  openBodiesInFlight,
  type BodyBounds,
  type BodiesInFlight,
} from './bodies-in-flight.ts';
import type { User } from './permissions.ts';

/** The parts of a process that decide how bodies are received. */
export type Intake = { admission: Admission; unfinished: BodiesInFlight; limits: Limits };

export const openIntake = (limits: Limits = LIMITS, bounds: BodyBounds = BODY_BOUNDS): Intake => ({
  admission: openAdmission(),
  unfinished: openBodiesInFlight(bounds),
  limits,
});

type Chunk = Uint8Array;
type BodyKind = { isUpload: boolean; document_id?: string };

/**
 * Runs the steps that read a body. Meanwhile the request gives up its place among active requests and
 * counts as an unfinished body. The steps end early if the client disconnects or is too slow.
 */
async function withBodyInFlight<Result>(
  ctx: Context,
  { admission, unfinished }: Intake,
  kind: BodyKind,
  steps: (arrival: BodyInFlight | null, arrived: () => void) => Promise<Result>,
): Promise<Result> {
  // A body that arrived together with its headers occupies no place.
  if (ctx.req.complete && kind.document_id === undefined) return steps(null, () => {});
  const { tenant, ip, user } = ctx.state as { tenant: { id: string }; ip: string; user?: User };
  const sender = { tenant_id: tenant.id, ip, session_id: user?.session_id ?? null, ...kind };
  const arrival = unfinished.begin(sender);
  const arrived = () => admission.enterAgain(ctx, kind);
  admission.leave(ctx);
  try {
    const result = await steps(arrival, arrived);
    arrived();
    return result;
  } finally {
    unfinished.end(arrival);
  }
}

/** Receives the whole body, at most `most` bytes. Memory grows only with the bytes that have arrived. */
export async function receiveBody(ctx: Context, intake: Intake, most: number): Promise<Buffer> {
  const { unfinished, limits } = intake;
  if (Number(ctx.get('Content-Length') || 0) > most) throw bodyTooLarge(most);
  return withBodyInFlight(ctx, intake, { isUpload: false }, async (arrival) => {
    const pieces: Chunk[] = [];
    let size = 0;
    for await (const piece of readAtPace(ctx.req, paceOfBody(limits), arrival)) {
      size += piece.length;
      if (size > most) throw bodyTooLarge(most);
      if (arrival) unfinished.hold(arrival, piece.length);
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  });
}

/**
 * Streams the bytes of a file to the steps. The request takes a place again at the last byte. An upload
 * link stays in use until the steps end.
 */
export const receiveUpload = <Result>(
  ctx: Context,
  intake: Intake,
  document_id: string | undefined,
  steps: (content: AsyncGenerator<Chunk>) => Promise<Result>,
): Promise<Result> => {
  const kind = { isUpload: true, ...(document_id !== undefined && { document_id }) };
  return withBodyInFlight(ctx, intake, kind, async (arrival, arrived) => {
    async function* content() {
      yield* readAtPace(ctx.req, paceOfUpload(intake.limits), arrival);
      arrived();
    }
    return steps(content());
  });
};

type PaceLimits = {
  idle_ms: number;
  total_ms: number;
  grace_ms: number;
  rate: number;
  again: string;
};

const paceOfBody = ({ request_ms, grace_ms, body_rate }: Limits): PaceLimits => ({
  idle_ms: request_ms,
  total_ms: request_ms,
  grace_ms,
  rate: body_rate,
  again: 'Send the request again.',
});
const paceOfUpload = ({ idle_ms, transfer_ms, grace_ms, upload_rate }: Limits): PaceLimits => ({
  idle_ms,
  total_ms: transfer_ms,
  grace_ms,
  rate: upload_rate,
  again: 'Upload the whole file again.',
});

/**
 * Yields the body in chunks while it arrives fast enough. If the caller stops reading, the connection stays
 * open so that an answer can still be sent.
 */
async function* readAtPace(req: IncomingMessage, pace: PaceLimits, arrival: BodyInFlight | null) {
  const began = performance.now();
  let size = 0;
  const pieces = req.iterator({ destroyOnReturn: false });
  for (;;) {
    const late = Promise.withResolvers<never>();
    const spent = performance.now() - began;
    const soonEnough = pace.grace_ms + (size * 1_000) / pace.rate;
    const patience = Math.min(pace.idle_ms, Math.min(pace.total_ms, soonEnough) - spent);
    const timer = setTimeout(() => late.reject(bodyTooSlow(pace)), Math.max(0, patience));
    try {
      const next = pieces.next().catch(asClientGone(req));
      const waited = [next, late.promise, ...(arrival ? [arrival.isCut] : [])];
      const piece = await Promise.race(waited);
      if (piece.done) return;
      size += (piece.value as Chunk).length;
      yield piece.value as Chunk;
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * An aborted request throws an error that looks like a broken database connection. If the client
 * disconnects before its body was read, the body counts as not received, because nothing has been done with
 * it.
 */
const asClientGone = (req: IncomingMessage) => (error: unknown) => {
  throw req.destroyed ? new ClientGone() : error;
};

const bodyTooSlow = ({ again }: PaceLimits) =>
  new BodyNotReceived(408, 'request_timeout', `The body arrived too slowly or stopped. ${again}`);

export const bodyTooLarge = (most: number) =>
  new HttpRefusal(413, 'payload_too_large', `The body is larger than ${formatSize(most)}.`, {
    // The server does not wait for the rest of this body.
    headers: { Connection: 'close' },
  });

const formatSize = (bytes: number) =>
  bytes % 1_048_576 === 0 ? `${bytes / 1_048_576} MB` : `${bytes / 1_024} kB`;
