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

/** What decides in one process how bodies come in. */
export type Intake = { admission: Admission; unfinished: BodiesInFlight; limits: Limits };

export const openIntake = (limits: Limits = LIMITS, bounds: BodyBounds = BODY_BOUNDS): Intake => ({
  admission: openAdmission(),
  unfinished: openBodiesInFlight(bounds),
  limits,
});

type Piece = Uint8Array;
type Kind = { isUpload: boolean; document_id?: string };

/**
 * Runs the steps that read a body. Until they end, the request has no place among those that the process
 * works on, and one among the unfinished. A client that goes away or is too slow ends the steps.
 */
async function whileArriving<Result>(
  ctx: Context,
  { admission, unfinished }: Intake,
  kind: Kind,
  steps: (arrival: BodyInFlight | null, arrived: () => void) => Promise<Result>,
): Promise<Result> {
  // A body that came together with its head occupies nothing that a client could hold.
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

/** The whole body, at most so many bytes. It is in memory only as far as it has come. */
export async function receiveBody(ctx: Context, intake: Intake, most: number): Promise<Buffer> {
  const { unfinished, limits } = intake;
  if (Number(ctx.get('Content-Length') || 0) > most) throw tooLarge(most);
  return whileArriving(ctx, intake, { isUpload: false }, async (arrival) => {
    const pieces: Piece[] = [];
    let size = 0;
    for await (const piece of arriving(ctx.req, paceOfBody(limits), arrival)) {
      size += piece.length;
      if (size > most) throw tooLarge(most);
      if (arrival) unfinished.hold(arrival, piece.length);
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  });
}

/**
 * Runs the steps that take a file in, and gives them its bytes as they come. With the last byte the request
 * has a place again; a link stays taken until the steps end.
 */
export const receiveUpload = <Result>(
  ctx: Context,
  intake: Intake,
  document_id: string | undefined,
  steps: (content: AsyncGenerator<Piece>) => Promise<Result>,
): Promise<Result> => {
  const kind = { isUpload: true, ...(document_id !== undefined && { document_id }) };
  return whileArriving(ctx, intake, kind, async (arrival, arrived) => {
    async function* content() {
      yield* arriving(ctx.req, paceOfUpload(intake.limits), arrival);
      arrived();
    }
    return steps(content());
  });
};

type Pace = { idle_ms: number; total_ms: number; grace_ms: number; rate: number; again: string };

const paceOfBody = ({ request_ms, grace_ms, body_rate }: Limits): Pace => ({
  idle_ms: request_ms,
  total_ms: request_ms,
  grace_ms,
  rate: body_rate,
  again: 'Send the request again.',
});
const paceOfUpload = ({ idle_ms, transfer_ms, grace_ms, upload_rate }: Limits): Pace => ({
  idle_ms,
  total_ms: transfer_ms,
  grace_ms,
  rate: upload_rate,
  again: 'Upload the whole file again.',
});

/**
 * The body piece by piece, as long as it comes fast enough. A caller that stops reading leaves the
 * connection open, so that an answer can still be sent.
 */
async function* arriving(req: IncomingMessage, pace: Pace, arrival: BodyInFlight | null) {
  const began = performance.now();
  let size = 0;
  const pieces = req.iterator({ destroyOnReturn: false });
  for (;;) {
    const late = Promise.withResolvers<never>();
    const spent = performance.now() - began;
    const soonEnough = pace.grace_ms + (size * 1_000) / pace.rate;
    const patience = Math.min(pace.idle_ms, Math.min(pace.total_ms, soonEnough) - spent);
    const timer = setTimeout(() => late.reject(tooSlow(pace)), Math.max(0, patience));
    try {
      const next = pieces.next().catch(goneOr(req));
      const waited = [next, late.promise, ...(arrival ? [arrival.isCut] : [])];
      const piece = await Promise.race(waited);
      if (piece.done) return;
      size += (piece.value as Piece).length;
      yield piece.value as Piece;
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * What a request that breaks off throws looks like a connection to the database that broke. A body that was
 * not read before its client hung up counts as not received: nothing has been done with it.
 */
const goneOr = (req: IncomingMessage) => (error: unknown) => {
  throw req.destroyed ? new ClientGone() : error;
};

const tooSlow = ({ again }: Pace) =>
  new BodyNotReceived(408, 'request_timeout', `The body arrived too slowly or stopped. ${again}`);

const tooLarge = (most: number) =>
  new HttpRefusal(413, 'payload_too_large', `The body is larger than ${sizeOf(most)}.`, {
    // The rest of such a body is not waited for.
    headers: { Connection: 'close' },
  });

const sizeOf = (bytes: number) =>
  bytes % 1_048_576 === 0 ? `${bytes / 1_048_576} MB` : `${bytes / 1_024} kB`;
