import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, lstatSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { BookUnreadable } from '../jobs/books/conventions/read-studied-loans.ts';
import type { Book } from '../jobs/books/format/reading/book.ts';
import {
  createReconciliation,
  openPoints,
} from '../jobs/books/reconciliations/change-reconciliation.ts';
import { openFiguresBook } from '../jobs/books/reconciliations/figures-book.ts';
import { writeDifferences } from '../jobs/books/reconciliations/differences-file.ts';
import {
  endStoppedCommands,
  failReconciliation,
  reasonOf,
  reconcileJob,
} from '../jobs/books/reconciliations/reconcile.job.ts';
import {
  ReconciliationOptions,
  RESULT_KINDS,
} from '../jobs/books/reconciliations/reconciliation-input.ts';
import { RESULT_TEXTS } from '../jobs/books/reconciliations/result-rows.ts';
import {
  FileUnusable,
  runReconciliation,
} from '../jobs/books/reconciliations/run-reconciliation.ts';
import { openFileTree } from '../jobs/files/file-tree.ts';
import { SYSTEM, createWithin, type Within } from '../jobs/work.ts';
import { enqueue } from '../jobs/job.ts';
import { readReconciliation } from '../sql/books/reconciliations.ts';
import { StartupError } from '../sql/database/startup-error.ts';
import { readyMappings } from '../templates/mappings.ts';
import { readMappingAt } from './ops/open-book.ts';
import { findTenant } from './ops/find-tenant.ts';
import { UsageError } from './ops/operation.ts';
import { openForCommand } from './processes/command.ts';
import { readCommandConfiguration } from './processes/configuration.ts';
import { startProgressBar } from './processes/progress-bar.ts';
import { reconciliationReport } from './processes/reconciliation-report.ts';

/**
 * `npm run reconcile` compares the figures of another system with those here. Exits with 0 if all figures of the file
 * agree or differ by accepted kinds only, with 1 if not, and with 2 if the command or the file cannot be used.
 */
const USAGE =
  'npm run reconcile -- --tenant SLUG [--book] [--through DATE] [--tolerance 0.01] [--accept KINDS] [--loans-here imported|all|none] [--mapping FILE.yaml|NAME] [--out FILE.csv] FILE';

function printHelp() {
  console.log(`Compares the figures of another system with those here, and names each difference.

${USAGE}

  FILE          figures.csv, or a folder or zip with files of a book (the guide "Moving a portfolio in").
                A file with loans compares their balances, installments, payments so far and status.
  --book        compares with the loans and histories of the file itself, before they are boarded.
  --through     ignores figures after this day.
  --tolerance   amounts may differ by this much. Default: 0.00.
  --accept      kinds of differences that you know and accept, separated by commas. Loans that differ only by
                accepted kinds are counted as accepted: the exit code is 0, and the sign-off needs no note.
  --loans-here  which loans here the file must have: those of the same imports (imported, the default), all
                loans with a debt (all), or none. The others are only counted.
  --mapping     for a file with other columns or formats: a file, or one of ${readyMappings().join(', ')}.
  --out         writes the differences as CSV.

Exit codes: 0 all agrees or is accepted, 1 something differs or was not compared, 2 the command or the file cannot be used.

Kinds:
${RESULT_KINDS.map((kind) => `  ${kind.padEnd(26)}${RESULT_TEXTS[kind].explanation}`).join('\n')}`);
}

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
    await within(tenant.id, endStoppedCommands);
    const { id } = await within(tenant.id, (work) =>
      createReconciliation(work, {
        ...options,
        ...described,
        mapping: mapped?.text ?? null,
        isStored: false,
      }),
    );
    const bar = startProgressBar('Comparing', 0);
    try {
      await runReconciliation(within, tenant.id, id, book, {
        onProgress: (done) => bar.at(done, 'loans', done),
      });
    } catch (error) {
      const reason = reasonOf(error) ?? 'The command stopped with an error.';
      await within(tenant.id, (work) => failReconciliation(work, id, reason));
      throw error;
    }
    const result = await within(tenant.id, ({ tx }) => readReconciliation(tx, id), {
      readOnly: true,
    });
    if (result === null) throw new Error('The reconciliation is missing.');
    bar.end(`${result.loans_total} loans for ${tenant.slug}`);
    console.log(reconciliationReport(result).join('\n'));
    if (out !== undefined) await writeFile(within, tenant.id, id, out);
    // A worker writes the file that the API offers.
    await within(tenant.id, ({ tx }) =>
      enqueue(tx, reconcileJob, { tenant_id: tenant.id, reconciliation_id: id }),
    );
    return openPoints(result) === null ? 0 : 1;
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

async function writeFile(within: Within, tenantId: string, id: string, out: string) {
  await pipeline(writeDifferences(within, tenantId, id), createWriteStream(out));
  console.log(`Wrote the differences to ${out}.`);
}

function readOptions(given: Record<string, unknown>): ReconciliationOptions {
  const read = ReconciliationOptions.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new UsageError(`${issue?.path.join('.')}: ${issue?.message}`);
}

type Values = Partial<Record<'tenant' | 'through' | 'tolerance' | 'accept', string>> &
  Partial<Record<'mapping' | 'out' | 'loans-here', string>> & { book?: boolean };

function compareAsWished(values: Values, [file, ...others]: readonly string[]): Promise<number> {
  if (!file || others.length > 0) throw new UsageError('Name one file, folder or zip.');
  const { tenant: slug, through, tolerance, accept, mapping, out, book = false } = values;
  const options = readOptions({
    compares: book ? 'book' : 'loans',
    loans_here: values['loans-here'],
    through_date: through,
    tolerance,
    accepted_kinds: accept,
  });
  return reconcile(file, { slug, mapping, out, options });
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
      'loans-here': text,
      book: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  if (values.help) printHelp();
  else process.exitCode = await compareAsWished(values, positionals);
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
