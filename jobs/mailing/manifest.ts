import { csvHeader } from '../../sql/csv.ts';
import type { Transaction } from '../../sql/database/db.ts';
import type { MailBatch } from '../../sql/mailing/batches.ts';
import * as batchFiles from '../../sql/mailing/files.ts';

const PAGE = 5_000;

/** The lines of the manifest, one page at a time. */
async function* manifestPages(tx: Transaction, batchId: string) {
  let after = 0;
  for (let seen = PAGE; seen === PAGE;) {
    const page = await batchFiles.manifestLines(tx, batchId, after, PAGE);
    if (page.length > 0) yield page;
    after = page.at(-1)?.position ?? after;
    seen = page.length;
  }
}

/** One row per letter. Values that a spreadsheet would read as formulas are escaped. */
export const manifestCsv = (tx: Transaction, batchId: string) => encoded(csvOf(tx, batchId));

async function* csvOf(tx: Transaction, batchId: string) {
  yield csvHeader(batchFiles.MANIFEST_COLUMNS);
  for (let after: number | null = 0; after !== null;) {
    const page: batchFiles.CsvPage = await batchFiles.manifestCsvPage(tx, batchId, after, PAGE);
    if (page.written !== null) yield page.written;
    after = page.last;
  }
}

/** The manifest as JSON, with totals and the details of each file. */
export const manifestJson = (tx: Transaction, batchId: string, batch: MailBatch) =>
  encoded(jsonOf(tx, batchId, batch));

async function* jsonOf(tx: Transaction, batchId: string, batch: MailBatch) {
  const all = await batchFiles.listFiles(tx, batchId);
  const files = all
    .filter(({ kind }) => kind === 'letters')
    .map(({ filename, pages_each, letter_count, page_count, file_size, sha256_hash }) => ({
      filename,
      pages_each,
      letter_count,
      page_count,
      file_size,
      sha256_hash,
    }));
  const { number, business_date, letter_count, page_count, sheet_count, held_count } = batch;
  const totals = { letter_count, page_count, sheet_count, held_count, file_count: files.length };
  const head = JSON.stringify({ batch: { id: batchId, number, business_date }, totals, files });
  yield `${head.slice(0, -1)},"letters":[`;
  let separator = '\n';
  for await (const page of manifestPages(tx, batchId)) {
    yield separator + page.map((line) => JSON.stringify(line)).join(',\n');
    separator = ',\n';
  }
  yield '\n]}\n';
}

async function* encoded(text: AsyncIterable<string>) {
  for await (const part of text) yield Buffer.from(part);
}
