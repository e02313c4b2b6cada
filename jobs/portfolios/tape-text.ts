import { csvHeader } from '../../sql/csv.ts';

type Pages = AsyncIterable<string> | Iterable<string>;
type Layout = { columns: readonly string[]; include_header: boolean };

/** The lines of a csv, behind the names of its columns where they are wanted. */
export async function* writeCsv(pages: Pages, { columns, include_header }: Layout) {
  if (include_header) yield csvHeader(columns);
  yield* pages;
}

/** One array of objects. */
export async function* writeJson(pages: Pages) {
  let separator = '[\n';
  for await (const page of pages) {
    yield separator;
    yield page;
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}
