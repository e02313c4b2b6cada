import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { addDays, addMonths } from '../../jobs/dates.ts';
import { bookOf, linesOf } from '../setup/books.ts';
import { compareBooks } from '../setup/compare-books.ts';
import { exportedFiles } from '../setup/exported-books.ts';
import { importBookByHttp } from '../setup/imports.ts';
import { travelTo } from '../setup/queue.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

/** Every third loan of our own tape, or all loans of the tape that TAPE names. */
const tape = await readFile(
  process.env['TAPE'] ?? new URL('../../workers/demo/tape.csv', import.meta.url),
  'utf8',
);
const [header = '', ...loans] = tape.trimEnd().split(/\r?\n/);
const taken = process.env['TAPE'] ? loans : loans.filter((_loan, index) => index % 3 === 0);
const bytes = Buffer.from([header, ...taken].join('\n'));
/** Two months after the last loan of the tape was made. */
const boarded = addMonths(await lastOrigination(), 2);
const exported = addDays(boarded, 35);

async function lastOrigination() {
  const lines = await linesOf(bookOf({ 'loans.csv': bytes }), 'loans');
  const dates = lines.map(({ row }) => row?.origination_date ?? '');
  return dates.toSorted().at(-1) ?? '';
}

test('a tape that was boarded leaves and comes back equal, and both still are a month later', async () => {
  const source = await stage.tenant(boarded);
  await importBookByHttp(stage, source, new Map([['loans.csv', bytes]]));
  await travelTo(stage, source, exported);
  const target = await stage.tenant(exported);

  const found = await importBookByHttp(stage, target, await exportedFiles(stage, source));
  const atOnce = await compareBooks(stage.url, source.slug, target.slug);
  const violations = await violationsIn(stage);
  for (const tenant of [source, target]) await travelTo(stage, tenant, addDays(exported, 30));
  const later = await compareBooks(stage.url, source.slug, target.slug, { later: true });

  expect(found).toEqual([]);
  expect(atOnce.differences).toEqual([]);
  expect(atOnce.rows).toMatchObject({ loans: taken.length });
  expect(violations).toEqual([]);
  expect(later.differences).toEqual([]);
  expect(await violationsIn(stage)).toEqual([]);
}, 3_600_000);
