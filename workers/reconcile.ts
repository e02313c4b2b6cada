import { createHash } from 'node:crypto';
import { createReadStream, existsSync, lstatSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { stringify } from 'csv-stringify/sync';
import { BookUnreadable } from '../jobs/books/conventions/read-studied-loans.ts';
import type { Book } from '../jobs/books/format/reading/book.ts';
import {
  createReconciliation,
  openPoints,
} from '../jobs/books/reconciliations/change-reconciliation.ts';
import { openFiguresBook } from '../jobs/books/reconciliations/figures-book.ts';
import { ReconciliationOptions } from '../jobs/books/reconciliations/reconciliation-input.ts';
import {
  CSV_COLUMNS,
  RESULT_TEXTS,
  type KindSummary,
} from '../jobs/books/reconciliations/result-rows.ts';
import {
  FileUnusable,
  runReconciliation,
} from '../jobs/books/reconciliations/run-reconciliation.ts';
import { openFileTree } from '../jobs/files/file-tree.ts';
import { SYSTEM, createWithin, type Within } from '../jobs/work.ts';
import {
  listDifferences,
  readReconciliation,
  reconciliations,
} from '../sql/books/reconciliations.ts';
import { StartupError } from '../sql/database/startup-error.ts';
import { find, type Row } from '../sql/table.ts';
import { readMappingAt } from './ops/open-book.ts';
import { findTenant } from './ops/find-tenant.ts';
import { UsageError } from './ops/operation.ts';
import { openForCommand } from './processes/command.ts';
import { readCommandConfiguration } from './processes/configuration.ts';
import { startProgressBar } from './processes/progress-bar.ts';

/**
 * `npm run reconcile` compares the figures of another system with those here. Exits with 0 if all figures of the file
 * agree or differ by accepted kinds only, with 1 if not, and with 2 if the command or the file cannot be used.
 */
const USAGE =
  'npm run reconcile -- --tenant SLUG [--book] [--through DATE] [--tolerance 0.01] [--accept KINDS] [--mapping FILE.yaml] [--out FILE.csv] FILE';

type Wishes = {
  slug: string | undefined;
  mapping: string | undefined;
  out: string | undefined;
  options: ReconciliationOptions;
};

async function reconcile(file: string, { slug, mapping, out, options }: Wishes): Promise<number> {
  if (!existsSync(file)) throw new UsageError(`There is no file or folder ${file}.`);
  const mapped = mapping === undefined ? null : readMappingAt(mapping);
  await using tree = await openFileTree(file);
  const book = openFiguresBook(tree, mapped?.mapping ?? null);
  const pool = await openForCommand(readCommandConfiguration(process.env), { size: 2 });
  try {
    const tenant = await findTenant(pool, slug);
    const within = createWithin(pool, SYSTEM);
    const described = await describeFile(file, book);
    const { id } = await within(tenant.id, (work) =>
      createReconciliation(work, {
        ...options,
        ...described,
        mapping: mapped?.text ?? null,
        isStored: false,
      }),
    );
    const bar = startProgressBar('Comparing', 0);
    await runReconciliation(within, tenant.id, id, book, {
      onProgress: (done) => bar.at(done, 'loans', done),
    });
    const row = await within(tenant.id, ({ tx }) => find(tx, reconciliations, id), {
      readOnly: true,
    });
    if (row === null) throw new Error('The reconciliation is missing.');
    bar.end(`${row['loans_total']} loans for ${tenant.slug}`);
    print(row);
    if (out !== undefined) await writeDifferences(within, tenant.id, id, out);
    const result = await within(tenant.id, ({ tx }) => readReconciliation(tx, id), {
      readOnly: true,
    });
    return result === null || openPoints(result) !== null ? 1 : 0;
  } finally {
    await pool.end();
  }
}

/** A folder has no hash of its own, so its files are hashed in order. */
async function describeFile(file: string, { sources }: Book) {
  const hash = createHash('sha256');
  let file_size = 0;
  const isFolder = lstatSync(file).isDirectory();
  if (!isFolder) for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  for (const source of sources) {
    file_size += source.size;
    if (!isFolder) continue;
    hash.update(source.path);
    for await (const piece of source.open()) hash.update(piece);
  }
  return {
    filename: path.basename(file).slice(0, 200),
    sha256_hash: hash.digest('hex'),
    file_size,
  };
}

function print(row: Row) {
  const { loans_agreeing, loans_accepted, loans_differing, loans_not_compared } = row;
  const { days_compared, days_not_compared } = row;
  console.log(
    `${loans_agreeing} loans agree, ${loans_accepted} differ by accepted kinds, ${loans_differing} differ, ${loans_not_compared} were not or only partly compared. ${days_compared} days were compared, ${days_not_compared} of the same loans were not.`,
  );
  const summary = row['summary'] as KindSummary[];
  if (summary.length > 0)
    console.table(
      Object.fromEntries(
        summary.map(({ kind, loans, figures, amount, is_accepted }) => [
          RESULT_TEXTS[kind].name,
          { kind, loans, figures, amount, accepted: is_accepted },
        ]),
      ),
    );
  console.log(`Reconciliation ${row.id}, fingerprint ${row['fingerprint']}`);
}

async function writeDifferences(within: Within, tenantId: string, id: string, out: string) {
  const rows = await within(tenantId, ({ tx }) => listDifferences(tx, id), { readOnly: true });
  writeFileSync(out, stringify([...rows], { header: true, columns: [...CSV_COLUMNS] }));
  console.log(`Wrote ${rows.length} differences to ${out}.`);
}

function readOptions(given: Record<string, unknown>): ReconciliationOptions {
  const read = ReconciliationOptions.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new UsageError(`${issue?.path.join('.')}: ${issue?.message}`);
}

try {
  const text = { type: 'string' as const };
  const { values, positionals } = parseArgs({
    options: {
      tenant: text,
      through: text,
      tolerance: text,
      accept: text,
      mapping: text,
      out: text,
      book: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  const [file, ...others] = positionals;
  if (!file || others.length > 0) throw new UsageError('Name one file, folder or zip.');
  const { tenant: slug, through, tolerance, accept, mapping, out, book = false } = values;
  const options = readOptions({
    compares: book ? 'book' : 'loans',
    through_date: through,
    tolerance,
    accepted_kinds: accept,
  });
  process.exitCode = await reconcile(file, { slug, mapping, out, options });
} catch (error) {
  const { code = '', message } = error as Error & { code?: string };
  const isMisuse = error instanceof UsageError || code.startsWith('ERR_PARSE_ARGS');
  const isExpected = [FileUnusable, BookUnreadable, StartupError].some(
    (kind) => error instanceof kind,
  );
  if (!isMisuse && !isExpected) throw error;
  console.error(isMisuse ? `${message}\nUsage: ${USAGE}` : message);
  process.exitCode = 2;
}
