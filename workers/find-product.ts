import { parseArgs } from 'node:util';
import {
  changeText,
  CONVENTION_NAMES,
  CONVENTIONS,
  conventionsOf,
  valueText,
} from '../jobs/books/conventions/conventions.ts';
import {
  findConventions,
  type FoundConventions,
  type RankedConventions,
} from '../jobs/books/conventions/find-conventions.ts';
import { productOfConventions } from '../jobs/books/conventions/product-of-conventions.ts';
import { readProductTerms } from '../jobs/books/conventions/product-terms.ts';
import {
  BookUnreadable,
  readStudiedLoans,
  type UncomputedLoan,
} from '../jobs/books/conventions/read-studied-loans.ts';
import { hasFile, type Book } from '../jobs/books/format/reading/book.ts';
import { Invalid } from '../jobs/errors.ts';
import { completeTerms, type Terms } from '../jobs/loans/arithmetic/terms.ts';
import { addProduct } from '../jobs/loans/products/product.ts';
import { createWithin, SYSTEM } from '../jobs/work.ts';
import { sqlStateOf } from '../sql/database/db.ts';
import { StartupError } from '../sql/database/startup-error.ts';
import { readyMappings } from '../templates/mappings.ts';
import { openBookAt } from './ops/open-book.ts';
import { findTenant } from './ops/find-tenant.ts';
import { UsageError } from './ops/operation.ts';
import { openForCommand } from './processes/command.ts';
import { readCommandConfiguration } from './processes/configuration.ts';
import { startProgressBar } from './processes/progress-bar.ts';

/** `npm run find-product` finds the conventions that reproduce a book's figures, and can create the product. */
const USAGE =
  'npm run find-product -- [--tenant SLUG] [--mapping FILE.yaml] [--product CODE] [--create CODE] BOOK';

const HELP = `Finds the conventions by which another system computes its figures, and can create the product with them.

${USAGE}

  BOOK            a folder or zip with loans.csv, history.csv and figures.csv (the guide "Moving a portfolio in").
  --mapping FILE  for files with other columns or formats: a file, or one of ${readyMappings().join(', ')}.
  --product CODE  the product whose frequency and other terms the loans have. Default: a monthly installment loan.
  --create CODE   creates a product with the conventions that fit most loans.
  --tenant SLUG   the tenant of the products. Can be left out if there is only one. Not needed without --product and --create.
  --help          prints this text.

Prints the conventions that most loans fit to the cent, counterexamples, the next best conventions, and those that the
loans do not tell apart.

Exit codes: 0 all loans agree, 1 some differ, 2 the command or the book cannot be used.`;

const UNIQUE_VIOLATION = '23505';
const REASONS_LISTED = 10;

type Wishes = {
  slug: string | undefined;
  mapping: string | undefined;
  /** The product whose frequency and other terms the loans have. */
  product: string | undefined;
  create: string | undefined;
};

async function find(book: Book, terms: Terms): Promise<FoundConventions> {
  for (const name of ['history', 'figures'] as const)
    if (!hasFile(book, name))
      throw new StartupError(
        `${book.name} has no ${name}.csv. The search needs loans.csv, history.csv and figures.csv.`,
      );
  const uncomputed = new Map<string, UncomputedLoan & { count: number }>();
  const loans = () =>
    readStudiedLoans(book, {
      termsOf: () => terms,
      onUncomputed: (loan) => {
        const count = (uncomputed.get(loan.reason)?.count ?? 0) + 1;
        uncomputed.set(loan.reason, { ...loan, count });
      },
    });
  let bar: ReturnType<typeof startProgressBar> | null = null;
  let shown = '';
  const found = await findConventions(loans, {
    start: conventionsOf(terms),
    onProgress: (stage, done, all) => {
      if (stage !== shown) bar = startProgressBar(stage, all);
      shown = stage;
      bar?.at(done, '', all);
    },
  });
  for (const { reason, loan_number } of [...uncomputed.values()].slice(0, REASONS_LISTED))
    console.log(`Left out, for example ${loan_number}: ${reason}`);
  return found;
}

function printFound(found: FoundConventions) {
  const [best] = found.ranking;
  if (best === undefined || found.loans === 0) {
    console.log('The book has no loan with a history and figures.');
    return;
  }
  console.log(`\n${best.loans_agreeing} of ${found.loans} loans agree to the cent with:`);
  for (const name of CONVENTION_NAMES)
    console.log(`  ${CONVENTIONS[name].name}: ${valueText(best.conventions[name])}`);
  printInstallment(found);
  printCounterexamples(best);
  console.log('\nOther conventions:');
  for (const other of found.ranking.slice(1, 6)) {
    const what = other.change === null ? '' : changeText(other.change);
    console.log(`  ${other.loans_agreeing} of ${found.loans} loans: ${what}`);
    printCounterexamples(other, 1);
  }
  if (found.undecided.length === 0) return;
  console.log('\nThe loans do not tell these apart. Ask the lender, or add loans that show them:');
  for (const change of found.undecided) console.log(`  ${changeText(change)}`);
}

function printInstallment({ installment }: FoundConventions) {
  if (installment === null) return;
  const { installment_rounding, installment_calculation, loans_agreeing, loans } = installment;
  console.log(
    `  installment rule: ${installment_calculation.replaceAll('_', ' ')}, rounded ${installment_rounding.replaceAll('_', ' ')} (${loans_agreeing} of ${loans} installments)`,
  );
}

function printCounterexamples({ counterexamples }: RankedConventions, most = 3) {
  for (const { loan_number, difference } of counterexamples.slice(0, most)) {
    const { as_of_date, figure, ours, theirs } = difference;
    console.log(`    ${loan_number}, ${as_of_date}: ${figure} ${ours} instead of ${theirs}`);
  }
}

async function run(file: string, { slug, mapping, product, create }: Wishes): Promise<number> {
  const needsTenant = create !== undefined || product !== undefined;
  await using book = await openBookAt(file, mapping);
  if (!needsTenant) {
    const found = await find(book.book, completeTerms({}));
    printFound(found);
    return exitCodeOf(found);
  }
  const pool = await openForCommand(readCommandConfiguration(process.env), { size: 2 });
  try {
    const tenant = await findTenant(pool, slug);
    const within = createWithin(pool, SYSTEM);
    const known = await within(tenant.id, readProductTerms, { readOnly: true });
    const terms = product === undefined ? completeTerms({}) : known.get(product);
    if (terms === undefined)
      throw new UsageError(
        `There is no product ${product}. Known: ${[...known.keys()].join(', ')}.`,
      );
    const found = await find(book.book, terms);
    printFound(found);
    const settings = productOfConventions(found);
    if (create !== undefined && settings !== null) {
      const { loan_type, payment_frequency, amortization } = terms;
      await within(tenant.id, (work) =>
        addProduct(work, {
          code: create,
          name: create,
          loan_type,
          payment_frequency,
          amortization,
          ...settings,
        }),
      );
      const lag = found.ranking[0]?.conventions.payment_lag_days ?? 0;
      console.log(`\nCreated the product ${create} for ${tenant.slug}.`);
      if (lag !== 0) console.log(`Add to the mapping: conventions: { payment_lag_days: ${lag} }`);
    }
    return exitCodeOf(found);
  } catch (error) {
    if (sqlStateOf(error) === UNIQUE_VIOLATION)
      throw new UsageError(`There is a product ${create} already.`, { cause: error });
    throw error;
  } finally {
    await pool.end();
  }
}

/** 0 if all loans agree, otherwise 1. */
const exitCodeOf = ({ loans, ranking }: FoundConventions): number =>
  loans > 0 && ranking[0]?.loans_agreeing === loans ? 0 : 1;

try {
  const text = { type: 'string' as const };
  const { values, positionals } = parseArgs({
    options: {
      tenant: text,
      mapping: text,
      product: text,
      create: text,
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  const [file, ...others] = positionals;
  if (!values.help && (!file || others.length > 0))
    throw new UsageError('Name one book: a folder, a zip or a file.');
  const { tenant: slug, mapping, product, create } = values;
  if (values.help || !file) console.log(HELP);
  else process.exitCode = await run(file, { slug, mapping, product, create });
} catch (error) {
  const { code = '', message } = error as Error & { code?: string };
  const isMisuse = error instanceof UsageError || code.startsWith('ERR_PARSE_ARGS');
  const isExpected =
    error instanceof BookUnreadable || error instanceof StartupError || error instanceof Invalid;
  if (!isMisuse && !isExpected) throw error;
  console.error(isMisuse ? `${message}\nUsage: ${USAGE}` : message);
  process.exitCode = 2;
}
