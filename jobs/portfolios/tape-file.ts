import type { TapeColumn } from '../../sql/portfolios/tape-columns.ts';
import type { TapeFormat } from '../../sql/portfolios/tapes.ts';
import { zipped } from '../files/zip.ts';
import { type TapeRow, streamWorkbook } from './tape-sheet.ts';
import { writeCsv, writeJson } from './tape-text.ts';

export const CONTENT_TYPES: Record<TapeFormat, string> = {
  csv: 'text/csv',
  json: 'application/json',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

type Order = {
  format: TapeFormat;
  columns: readonly TapeColumn[];
  include_header: boolean;
  as_of_date: string;
  onCut?: () => void;
};

/** Streams the bytes of a tape from its pages. The same pages give the same bytes. */
export function streamTapeFile(pages: AsyncIterable<string>, order: Order) {
  if (order.format === 'csv') return encoded(writeCsv(pages, order));
  if (order.format === 'json') return encoded(writeJson(pages));
  // A zip entry needs a time from 1980 on. Use the tape's date, at noon.
  const fileDate = order.as_of_date < '1980-01-02' ? '1980-01-02' : order.as_of_date;
  return zipped(streamWorkbook(rowsOf(pages), order), new Date(`${fileDate}T12:00:00`));
}

async function* rowsOf(pages: AsyncIterable<string>) {
  for await (const page of pages) yield JSON.parse(`[${page}]`) as TapeRow[];
}

async function* encoded(text: AsyncIterable<string>) {
  for await (const part of text) yield Buffer.from(part);
}
