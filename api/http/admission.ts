import type { Context, Middleware, Next } from 'koa';
import { HttpRefusal } from './errors.ts';

/** Requests that one process works on at the same time; more would only wait for the database. */
const AT_WORK_MAX = 400;

export type Admission = ReturnType<typeof openAdmission>;
type Place = { isTaken: boolean };

/**
 * Counts the requests that the process works on, and refuses further ones early. A request gives its
 * place up while it waits for its client, so a client that sends slowly takes no place from another.
 */
export function openAdmission(most = AT_WORK_MAX) {
  let taken = 0;
  const leave = (place: Place) => {
    if (place.isTaken) taken -= 1;
    place.isTaken = false;
  };
  const enter = (place: Place) => {
    taken += 1;
    place.isTaken = true;
  };
  const middleware: Middleware = async (ctx: Context, next: Next) => {
    if (taken >= most) throw busy();
    const place: Place = { isTaken: false };
    ctx.state.place = place;
    enter(place);
    try {
      await next();
    } finally {
      leave(place);
    }
  };
  return {
    middleware,
    atWork: () => taken,
    /** Gives the place up while the request waits for its client. */
    leave: (ctx: Context) => {
      const { place } = ctx.state as { place?: Place };
      if (place) leave(place);
    },
    /**
     * Takes a place again when the body is there. A request with a body is refused where none is free. An
     * upload goes on in any case, because its client would have to send the whole file again.
     */
    enterAgain: (ctx: Context, { isUpload }: { isUpload: boolean }) => {
      const { place } = ctx.state as { place?: Place };
      if (!place || place.isTaken) return;
      if (taken >= most && !isUpload) throw busy();
      enter(place);
    },
  };
}

const busy = () =>
  new HttpRefusal(503, 'unavailable', 'The service is busy. Try again shortly.', {
    headers: { 'Retry-After': '2' },
  });
