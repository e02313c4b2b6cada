import { csvHeader } from '../../sql/csv.ts';

type Pages = AsyncIterable<string> | Iterable<string>;
type Layout = { columns: readonly string[]; include_header: boolean };

/** Yields the lines of a CSV file, with a header line if requested. */
export async function* writeCsv(pages: Pages, { columns, include_header }: Layout) {
  if (include_header) yield csvHeader(columns);
  yield* pages;
}

/** Yields one JSON array of objects. */
export async function* writeJson(pages: Pages) {
  let separator = '[\n';
  for await (const page of pages) {
    yield separator;
    yield page;
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}
