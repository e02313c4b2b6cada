import { setTimeout as wait } from 'node:timers/promises';
import { HttpRefusal } from '../http/errors.ts';
import type { Shown, Streamed } from './page.ts';

const EVERY_MS = 3_000;
/** Then the browser asks for another one, and its session and rights are looked at again. */
const TICKS = 7;
/** Of one process; each costs a look at everything every few seconds. */
const STREAMS_MAX = 40;
let open = 0;

/** The page again and again, as server-sent events, until the browser leaves or the stream is over. */
export function streamed(look: () => Promise<Shown>): Streamed {
  if (open >= STREAMS_MAX) {
    throw new HttpRefusal(503, 'unavailable', 'Too many look on. Read the page again instead.', {
      headers: { 'Retry-After': '30' },
    });
  }
  return { stream: (render) => ticking(look, render) };
}

async function* ticking(look: () => Promise<Shown>, render: (page: Shown) => string) {
  open += 1;
  try {
    yield 'retry: 1000\n\n';
    for (let tick = 0; tick < TICKS; tick += 1) {
      yield `data: ${JSON.stringify(render(await look()))}\n\n`;
      await wait(EVERY_MS);
    }
  } catch {
    // The session is over, or the database away: asked again, the page says which.
  } finally {
    open -= 1;
  }
}
