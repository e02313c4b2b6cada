import { setTimeout as wait } from 'node:timers/promises';
import { HttpRefusal } from '../http/errors.ts';
import type { PageView, PageStream } from './page.ts';

const EVERY_MS = 3_000;
/** Then the browser asks for another one, and its session and rights are looked at again. */
const TICKS = 7;
/** Of one process; each costs a look at everything every few seconds. */
const STREAMS_MAX = 40;
/** No tenant takes them from all others. */
const OF_A_TENANT_MAX = 20;
const open = new Map<string, number>();

/** The page again and again, as server-sent events, until the browser leaves or the stream is over. */
export function streamPage(tenantId: string, look: () => Promise<PageView>): PageStream {
  const all = [...open.values()].reduce((sum, count) => sum + count, 0);
  if (all >= STREAMS_MAX || (open.get(tenantId) ?? 0) >= OF_A_TENANT_MAX) {
    throw new HttpRefusal(
      503,
      'unavailable',
      'Too many people are watching this page live. Reload the page to refresh it.',
      {
        headers: { 'Retry-After': '30' },
      },
    );
  }
  return { stream: (render) => ticking(tenantId, look, render) };
}

function count(tenantId: string, by: 1 | -1) {
  const left = (open.get(tenantId) ?? 0) + by;
  if (left > 0) open.set(tenantId, left);
  else open.delete(tenantId);
}

async function* ticking(
  tenantId: string,
  look: () => Promise<PageView>,
  render: (page: PageView) => string,
) {
  count(tenantId, 1);
  try {
    yield 'retry: 1000\n\n';
    for (let tick = 0; tick < TICKS; tick += 1) {
      yield `data: ${JSON.stringify(render(await look()))}\n\n`;
      await wait(EVERY_MS);
    }
  } catch {
    // The session is over, or the database away: asked again, the page says which.
  } finally {
    count(tenantId, -1);
  }
}
