import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { suggestMapping } from '../jobs/books/format/mapping/suggest-mapping.ts';
import { openBook } from '../jobs/books/format/reading/open-book.ts';
import type { Book } from '../jobs/books/format/reading/book.ts';
import { boardImport } from '../jobs/books/imports/board-import.ts';
import { resumeImport } from '../jobs/books/imports/change-import.ts';
import { checkBook } from '../jobs/books/imports/check-book.ts';
import { checkImport } from '../jobs/books/imports/check-import.ts';
import { confirmImport } from '../jobs/books/imports/confirm-import.ts';
import { createImport } from '../jobs/books/imports/create-import.ts';
import { FINDINGS_MAX, type BookFinding } from '../jobs/books/imports/finding.ts';
import { hashTree } from '../jobs/files/hash-tree.ts';
import { ImportOptions } from '../jobs/books/imports/import-options.ts';
import { ImportBusy } from '../jobs/books/imports/stage-book.ts';
import { Conflict, Invalid } from '../jobs/errors.ts';
import { openFiles } from '../jobs/files/open-files.ts';
import type { Files } from '../jobs/files/files.ts';
import { openFileTree, type FileTree } from '../jobs/files/file-tree.ts';
import { ZipRefused } from '../jobs/files/read-zip.ts';
import { DEFAULT_INSTALLATION } from '../jobs/installation.ts';
import { deriveKeys, readSecret } from '../jobs/sealing/secrets.ts';
import { settingsOf } from '../jobs/users/settings/settings.ts';
import { createWithin, SYSTEM, type Within } from '../jobs/work.ts';
import * as stored from '../sql/books/imports.ts';
import { StartupError } from '../sql/database/startup-error.ts';
import { UsageError } from './ops/operation.ts';
import { findTenant } from './ops/find-tenant.ts';
import { readMappingAt } from './ops/open-book.ts';
import { openForCommand } from './processes/command.ts';
import { readCommandConfiguration } from './processes/configuration.ts';
import { BOARD_HELP, BOARD_USAGE } from './processes/board-help.ts';
import { startProgressBar } from './processes/progress-bar.ts';
import { totalsTable } from './processes/totals-table.ts';
import { bookFileProblem } from './processes/book-file.ts';
import { findingLines, writeFindings } from './processes/finding-lines.ts';
import { outputFileProblem } from './processes/output-file.ts';

/**
 * `npm run board` imports a book in its own process: checks it, asks for its totals, and boards it. An interrupted run
 * continues when the same book is given again. With --check it only checks.
 */
type Command = {
  within: Within;
  /** Where documents are stored. */
  files: Files;
  tenant: { id: string; slug: string };
  book: Book;
  options: ImportOptions;
  /** Where all findings are written as CSV. */
  findingsFile: string | undefined;
};

type Counts = { error_count: number; warning_count: number };

/** Prints findings to the error output, and writes all to a file if one is named. */
async function showFindings(
  findings: readonly BookFinding[],
  counts: Counts,
  findingsFile: string | undefined,
) {
  const count = counts.error_count + counts.warning_count;
  const { lines, isShortened } = findingLines(findings, count);
  for (const line of lines) console.error(line);
  if (findingsFile === undefined) {
    if (isShortened) console.error('  To see each of them, add --findings FILE.csv.');
    return;
  }
  await writeFindings(findingsFile, findings);
  console.error(`  Wrote ${counted(findings.length, 'finding')} to ${findingsFile}.`);
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

async function printRefusal(
  findings: readonly BookFinding[],
  counts: Counts,
  { book: { mapping }, findingsFile }: Command,
): Promise<number> {
  const { error_count, warning_count } = counts;
  const found = [
    counted(error_count, 'error'),
    ...(warning_count > 0 ? [counted(warning_count, 'warning')] : []),
  ].join(' and ');
  console.error(`Nothing was boarded. The check found ${found}:`);
  await showFindings(findings, counts, findingsFile);
  const isForeign = mapping === null && findings.some(({ code }) => code === 'missing_column');
  console.error(
    isForeign
      ? 'The file has other columns than a book. Write a mapping: --suggest FILE prints one to begin with.'
      : 'Correct the errors in the file or in the mapping, and run the command again.',
  );
  return 1;
}

/** Control totals, to compare with those of the previous system. */
const printTotals = (totals: readonly stored.StatusTotals[] | null) =>
  console.log(totalsTable(totals ?? []).join('\n'));

async function checkOnly(command: Command): Promise<number> {
  const { within, tenant, book, options, findingsFile } = command;
  const found: BookFinding[] = [];
  const bar = startProgressBar('Checking', null);
  const checked = await checkBook(within, tenant.id, book, options, {
    onFindings: (findings) => void found.push(...findings),
    onProgress: (loans) => bar.at(loans, 'loans'),
  });
  bar.end(checked.error_count > 0 ? 'done' : counted(checked.loans_total, 'loan'));
  if (checked.error_count > 0) return printRefusal(found, checked, command);
  await showFindings(found, checked, findingsFile);
  printTotals(checked.totals);
  console.log('Every line can be boarded. Nothing was written.');
  return 0;
}

type Expected = { loan_count: number; principal_total: string } | null;

/** Imports the book, from wherever an earlier run ended. */
async function importBook(command: Command, file: ImportedFile, expected: Expected) {
  const { within, tenant, book, files } = command;
  const row = await within(tenant.id, async (work) => {
    const { four_eyes } = (await settingsOf(work.tx)).approvals;
    if (four_eyes.includes('imports'))
      throw new UsageError(
        'A second person must confirm the totals of imports of this tenant. Upload the file with POST /imports.',
      );
    return createImport(work, { ...file, isStored: false });
  });
  const read = () => within(tenant.id, ({ tx }) => stored.readImport(tx, row.id));
  if (row.status === 'boarded') {
    console.log(`This book is boarded already: ${row.loans_boarded} loans.`);
    return 0;
  }
  if (row.status === 'uploaded') {
    const bar = startProgressBar('Checking', null);
    await checkImport(within, tenant.id, row.id, book, (loans) => bar.at(loans, 'loans'));
    const checked = await read();
    const findings = await within(tenant.id, ({ tx }) =>
      stored.listFindings(tx, row.id, FINDINGS_MAX),
    );
    if (checked === null) throw new StartupError('The import was removed while it was checked.');
    const isClean = checked.status === 'checked';
    bar.end(isClean ? counted(checked.loans_total, 'loan') : 'done');
    if (!isClean) return printRefusal(findings, checked, command);
    await showFindings(findings, checked, command.findingsFile);
    printTotals(checked.control_totals);
    const confirmed = expected ?? (await askForTotals());
    if (confirmed === null) {
      console.error(
        'Nothing was boarded. Confirm the totals of the old system with --expect-loans N --expect-principal X.',
      );
      return 1;
    }
    await within(tenant.id, (work) => confirmImport(work, row.id, confirmed)).catch(
      (error: unknown) => {
        console.error('Nothing was boarded.');
        throw error;
      },
    );
  } else if (row.status === 'failed') {
    console.log(`Continues after: ${row.failure_reason ?? 'a failure'}`);
    await within(tenant.id, (work) => resumeImport(work, row.id));
  } else console.log(`Continues after ${row.loans_boarded} of ${row.loans_total} loans.`);
  const { loans_total = 0, rows_total = 0 } = (await read()) ?? {};
  const bar = startProgressBar('Boarding', loans_total);
  await boardImport(within, tenant.id, row.id, book, {
    files,
    onStaged: (rows) => bar.at(0, `prepared ${rows}/${rows_total} rows`),
    onBoarded: (loans) => bar.at(loans, 'loans'),
  });
  const done = await read();
  if (done?.status !== 'boarded') {
    console.error(`${done?.loans_boarded ?? 0} of ${loans_total} loans are boarded.`);
    console.error(done?.failure_reason ?? 'The import was canceled.');
    return 1;
  }
  bar.end(`${done.loans_boarded} loans for ${tenant.slug}, as of ${done.business_date ?? ''},`);
  printTotals(done.boarded_totals);
  return 0;
}

/** On a terminal, a person types the totals of the old system. */
async function askForTotals(): Promise<Expected> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return null;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    console.log('Enter the totals of the old system, to confirm that the book is complete.');
    const loans = await terminal.question('Number of loans: ');
    const principal = await terminal.question('Principal of all loans: ');
    return readExpected(loans, principal);
  } finally {
    terminal.close();
  }
}

function readExpected(loans: string | undefined, principal: string | undefined): Expected {
  if (loans === undefined && principal === undefined) return null;
  const [count, total] = [loans ?? '', principal ?? ''].map((typed) =>
    typed.replace(/[$,\s]/g, ''),
  );
  if (!count || !total || !/^\d{1,9}$/.test(count) || !/^\d{1,13}\.\d\d$/.test(total))
    throw new UsageError(
      'Give the number of loans and their principal with cents, such as --expect-loans 3 --expect-principal 17120.44.',
    );
  return { loan_count: Number(count), principal_total: total };
}

function readOptions(given: Record<string, string | boolean | undefined>): ImportOptions {
  const read = ImportOptions.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const option = String(issue?.path[0] ?? '').replace('product_code', 'product');
  throw new UsageError(`--${option.replaceAll('_', '-')}: ${issue?.message ?? 'Is not allowed.'}`);
}

/** Prints a mapping for the first file of a foreign book, which a person completes. */
async function printSuggestion(place: string): Promise<number> {
  const problem = bookFileProblem(place);
  if (problem !== null) throw new StartupError(problem);
  await using tree: FileTree = await openFileTree(place);
  const [file] = tree.files;
  if (file === undefined) throw new StartupError(`${place} has no files.`);
  const { yaml, found, required } = await suggestMapping(file);
  console.log(yaml.trimEnd());
  if (!/^ +(next_due_date|paid_through_date):/m.test(yaml))
    console.error(
      'No column says until when a loan is paid (next_due_date or paid_through_date). Without one, no loan counts as late.',
    );
  console.error(
    `Found ${found} of ${required} required columns. Read each line before you use it.`,
  );
  return 0;
}

type ImportedFile = Omit<Parameters<typeof createImport>[1], 'isStored'>;

type Wishes = {
  slug: string | undefined;
  mapping: string | undefined;
  options: ImportOptions;
  isCheck: boolean;
  expected: Expected;
  findingsFile: string | undefined;
};

async function run(place: string, wishes: Wishes) {
  const { slug, mapping, options, isCheck, expected, findingsFile } = wishes;
  const problem =
    bookFileProblem(place) ??
    (findingsFile === undefined ? null : outputFileProblem('--findings', findingsFile));
  if (problem !== null) throw new StartupError(problem);
  const mapped = mapping === undefined ? null : readMappingAt(mapping);
  const configuration = readCommandConfiguration(process.env);
  await using tree: FileTree = await openFileTree(place);
  const book = openBook(tree, mapped?.mapping ?? null);
  // A transaction with hundreds of loans may wait longer for locks than a request does.
  const pool = await openForCommand(configuration, { size: 2, statementTimeoutMs: 120_000 });
  try {
    const tenant = await findTenant(pool, slug);
    const secret = readSecret(configuration);
    const files = await openFiles(configuration.STORAGE_URL, {
      folder: path.resolve(configuration.DATA_DIR, 'files'),
      secret,
    });
    const within = createWithin(pool, SYSTEM, {
      ...DEFAULT_INSTALLATION,
      files,
      keys: deriveKeys(secret),
      scans_uploads: configuration.CLAMD_URL !== undefined,
    });
    const command = { within, tenant, book, options, files, findingsFile };
    if (isCheck) return await checkOnly(command);
    const file = {
      filename: path.basename(place),
      ...(await hashTree(tree, place)),
      mapping: mapped?.text ?? null,
      options,
    };
    return await importBook(command, file, expected);
  } finally {
    await pool.end();
  }
}

const explain = (error: unknown): string => {
  if (error instanceof Invalid) return Object.values(error.errors).join('\n');
  if (error instanceof Conflict || error instanceof ImportBusy || error instanceof ZipRefused)
    return error.message;
  return (error as Error).message;
};

try {
  const text = { type: 'string' as const };
  const flag = { type: 'boolean' as const };
  const { values, positionals } = parseArgs({
    options: {
      help: flag,
      tenant: text,
      product: text,
      mapping: text,
      check: flag,
      suggest: flag,
      'accept-difference': flag,
      'warnings-as-errors': text,
      'accepted-warnings': text,
      'expect-loans': text,
      'expect-principal': text,
      findings: text,
    },
    allowPositionals: true,
  });
  const [place, ...others] = positionals;
  if (!values.help && (!place || others.length > 0))
    throw new UsageError('Name one file or folder.');
  if (values.help || !place) console.log(BOARD_HELP);
  else if (values.suggest) process.exitCode = await printSuggestion(place);
  else
    process.exitCode = await run(place, {
      slug: values.tenant,
      mapping: values.mapping,
      options: readOptions({
        product_code: values.product,
        accept_difference: values['accept-difference'],
        warnings_as_errors: values['warnings-as-errors'],
        accepted_warnings: values['accepted-warnings'],
      }),
      isCheck: values.check ?? false,
      expected: readExpected(values['expect-loans'], values['expect-principal']),
      findingsFile: values.findings,
    });
} catch (error) {
  const { code = '' } = error as Error & { code?: string };
  const isMisuse = error instanceof UsageError || code.startsWith('ERR_PARSE_ARGS');
  console.error(
    isMisuse
      ? `${explain(error)}\nUsage: ${BOARD_USAGE}\nnpm run board -- --help explains each option.`
      : explain(error),
  );
  process.exitCode = isMisuse ? 2 : 1;
}
