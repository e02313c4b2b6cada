import { setTimeout as wait } from 'node:timers/promises';
import { HttpRefusal } from '../http/errors.ts';
import type { PageView, PageStream } from './page.ts';

const UPDATE_INTERVAL_MS = 3_000;
/** Then the browser reconnects, which checks its session and permissions again. */
const UPDATES_PER_STREAM = 7;
/** Maximum per process. Each stream queries the whole state every few seconds. */
const STREAMS_MAX = 40;
/** Maximum per tenant, so that one tenant cannot use all streams. */
const STREAMS_PER_TENANT_MAX = 20;
const openStreams = new Map<string, number>();

/**
 * Sends the page repeatedly as server-sent events until the browser disconnects or the stream ends. Throws
 * 503 above the maximum.
 */
export function streamPage(tenantId: string, look: () => Promise<PageView>): PageStream {
  const all = [...openStreams.values()].reduce((sum, count) => sum + count, 0);
  if (all >= STREAMS_MAX || (openStreams.get(tenantId) ?? 0) >= STREAMS_PER_TENANT_MAX) {
    throw new HttpRefusal(
      503,
      'unavailable',
      'Too many people are watching this page live. Reload the page to refresh it.',
      {
        headers: { 'Retry-After': '30' },
      },
    );
  }
  return { stream: (render) => streamUpdates(tenantId, look, render) };
}

function countStream(tenantId: string, by: 1 | -1) {
  const left = (openStreams.get(tenantId) ?? 0) + by;
  if (left > 0) openStreams.set(tenantId, left);
  else openStreams.delete(tenantId);
}

async function* streamUpdates(
  tenantId: string,
  look: () => Promise<PageView>,
  render: (page: PageView) => string,
) {
  countStream(tenantId, 1);
  try {
    yield 'retry: 1000\n\n';
    for (let tick = 0; tick < UPDATES_PER_STREAM; tick += 1) {
      yield `data: ${JSON.stringify(render(await look()))}\n\n`;
      await wait(UPDATE_INTERVAL_MS);
    }
  } catch {
    // The session has ended or the database is unavailable. The page shows which when the browser reloads
    // it.
  } finally {
    countStream(tenantId, -1);
  }
}
