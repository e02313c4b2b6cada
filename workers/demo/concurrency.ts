/** The number of requests in flight. */
const REQUESTS_IN_FLIGHT = 6;

/** Processes all items, a few at a time. */
export async function runConcurrently<One>(
  items: readonly One[],
  act: (item: One) => Promise<void>,
) {
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const item = items[next] as One;
      next += 1;
      await act(item);
    }
  };
  await Promise.all(Array.from({ length: REQUESTS_IN_FLIGHT }, lane));
}

const PAGE = 500;

/** Reads a whole list page by page. A page has at most a thousand rows. */
export async function fetchAllPages<One>(page: (range: string) => Promise<One[]>): Promise<One[]> {
  const all: One[] = [];
  for (let from = 0; from === all.length; from += PAGE)
    all.push(...(await page(JSON.stringify([from, from + PAGE - 1]))));
  return all;
}
