import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { FINDING_CODES, WARNING_CODES } from '../jobs/books/format/findings.ts';
import { suggestMapping } from '../jobs/books/format/mapping/suggest-mapping.ts';
import { openBook } from '../jobs/books/format/reading/open-book.ts';
import type { Book } from '../jobs/books/format/reading/book.ts';
import { boardImport } from '../jobs/books/imports/board-import.ts';
import { resumeImport } from '../jobs/books/imports/change-import.ts';
import { checkBook } from '../jobs/books/imports/check-book.ts';
import { checkImport } from '../jobs/books/imports/check-import.ts';
import { confirmImport } from '../jobs/books/imports/confirm-import.ts';
import { createImport } from '../jobs/books/imports/create-import.ts';
import type { BookFinding } from '../jobs/books/imports/finding.ts';
import { hashTree } from '../jobs/files/hash-tree.ts';
import { ImportOptions } from '../jobs/books/imports/import-options.ts';
import { ImportBusy } from '../jobs/books/imports/stage-book.ts';
import { Conflict, Invalid } from '../jobs/errors.ts';
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
import { startProgressBar } from './processes/progress-bar.ts';
import { bookFileProblem } from './processes/book-file.ts';

/**
 * `npm run board` imports a book in its own process: checks it, asks for its totals, and boards it. An interrupted run
 * continues when the same book is given again. With --check it only checks.
 */
const USAGE =
  'npm run board -- --tenant SLUG [--product CODE] [--mapping FILE.yaml|NAME] [--warnings-as-errors CODES] [--accepted-warnings CODES] [--accept-difference] [--check | --suggest] [--expect-loans N --expect-principal X] FILE.csv|FOLDER|FILE.zip';
const LISTED_MAX = 200;

function printHelp() {
  const about = {
    '--product': 'product_code',
    '--accept-difference': 'accept_difference',
    '--warnings-as-errors': 'warnings_as_errors',
    '--accepted-warnings': 'accepted_warnings',
  } as const;
  const lines = Object.entries(about).map(
    ([flag, name]) => `  ${flag.padEnd(24)}${ImportOptions.shape[name].description}`,
  );
  const codes = WARNING_CODES.map((code) => `  ${code.padEnd(32)}${FINDING_CODES[code].about}`);
  console.log(
    `Imports a book of loans (the guide "Moving a portfolio in").\n\n${USAGE}\n\n${lines.join('\n')}\n\nWarnings:\n${codes.join('\n')}`,
  );
}

type Command = {
  within: Within;
  tenant: { id: string; slug: string };
  book: Book;
  options: ImportOptions;
};

function printFindings(findings: readonly BookFinding[]) {
  for (const { file, line, column, severity, reason } of findings.slice(0, LISTED_MAX)) {
    const place = `${file} line ${line}${column === null ? '' : `, ${column}`}`;
    console.error(`  ${severity === 'warning' ? 'warning: ' : ''}${place}: ${reason}`);
  }
  if (findings.length > LISTED_MAX) console.error(`  and ${findings.length - LISTED_MAX} more`);
}

function printRefusal(findings: readonly BookFinding[], count: number): number {
  console.error(`Nothing was boarded. ${count} ${count === 1 ? 'error' : 'errors'}:`);
  printFindings(findings);
  return 1;
}

/** Control totals, to compare with those of the previous system. */
function printTotals(totals: readonly stored.StatusTotals[] | null) {
  const rows = (totals ?? []).map(({ status, ...sums }) => [status, sums] as const);
  console.table(Object.fromEntries(rows));
}

async function checkOnly({ within, tenant, book, options }: Command): Promise<number> {
  const found: BookFinding[] = [];
  const bar = startProgressBar('Checking', 0);
  const checked = await checkBook(within, tenant.id, book, options, {
    onFindings: (findings) => void found.push(...findings.slice(0, LISTED_MAX)),
    onProgress: (loans) => bar.at(loans, 'loans', loans),
  });
  if (checked.error_count > 0) return printRefusal(found, checked.error_count);
  bar.end(`${checked.loans_total} loans`);
  printFindings(found);
  printTotals(checked.totals);
  console.log('Every line can be boarded. Nothing was written.');
  return 0;
}

type Expected = { loan_count: number; principal_total: string } | null;

/** Imports the book, from wherever an earlier run ended. */
async function importBook(command: Command, file: ImportedFile, expected: Expected) {
  const { within, tenant, book } = command;
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
    const bar = startProgressBar('Checking', 0);
    await checkImport(within, tenant.id, row.id, book, (loans) => bar.at(loans, 'loans', loans));
    const checked = await read();
    const findings = await within(tenant.id, ({ tx }) =>
      stored.listFindings(tx, row.id, LISTED_MAX),
    );
    if (checked?.status !== 'checked')
      return printRefusal(findings, findings.filter(({ severity }) => severity === 'error').length);
    bar.end(`${checked.loans_total} loans`);
    printFindings(findings);
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
};

async function run(place: string, { slug, mapping, options, isCheck, expected }: Wishes) {
  const problem = bookFileProblem(place);
  if (problem !== null) throw new StartupError(problem);
  const mapped = mapping === undefined ? null : readMappingAt(mapping);
  const configuration = readCommandConfiguration(process.env);
  await using tree: FileTree = await openFileTree(place);
  const book = openBook(tree, mapped?.mapping ?? null);
  // A transaction with hundreds of loans may wait longer for locks than a request does.
  const pool = await openForCommand(configuration, { size: 2, statementTimeoutMs: 120_000 });
  try {
    const tenant = await findTenant(pool, slug);
    const keys = deriveKeys(readSecret(configuration));
    const within = createWithin(pool, SYSTEM, { ...DEFAULT_INSTALLATION, keys });
    const command = { within, tenant, book, options };
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
      tenant: text,
      product: text,
      mapping: text,
      check: flag,
      suggest: flag,
      help: { ...flag, short: 'h' },
      'accept-difference': flag,
      'warnings-as-errors': text,
      'accepted-warnings': text,
      'expect-loans': text,
      'expect-principal': text,
    },
    allowPositionals: true,
  });
  const [place, ...others] = positionals;
  if (!values.help && (!place || others.length > 0))
    throw new UsageError('Name one file or folder.');
  if (values.help || !place) printHelp();
  else if (values.suggest) process.exitCode = await printSuggestion(place);
  else
    process.exitCode = await run(place, {
      slug: values.tenant,
      mapping: values.mapping,
      options: ImportOptions.parse({
        product_code: values.product,
        accept_difference: values['accept-difference'],
        warnings_as_errors: values['warnings-as-errors'],
        accepted_warnings: values['accepted-warnings'],
      }),
      isCheck: values.check ?? false,
      expected: readExpected(values['expect-loans'], values['expect-principal']),
    });
} catch (error) {
  const { code = '' } = error as Error & { code?: string };
  const isMisuse = error instanceof UsageError || code.startsWith('ERR_PARSE_ARGS');
  console.error(isMisuse ? `${explain(error)}\nUsage: ${USAGE}` : explain(error));
  process.exitCode = isMisuse ? 2 : 1;
}
