import { createHash, type Hash } from 'node:crypto';
import * as stored from '../../../sql/books/reconciliations.ts';
import { update } from '../../../sql/write.ts';
import type { Within } from '../../work.ts';
import type { Conventions } from '../conventions/conventions.ts';
import { readProductTerms } from '../conventions/product-terms.ts';
import {
  readFigures,
  readStudiedLoans,
  type FigureOptions,
} from '../conventions/read-studied-loans.ts';
import { hasFile, type Book } from '../format/reading/book.ts';
import type { DateFormat } from '../format/mapping/mapping-schema.ts';
import { compareLoans, type LoanPair, type LoanResult, type ResultKind } from './compare-loans.ts';
import { findFiguresNotKept } from './figures-not-kept.ts';
import { pairWithLoans } from './loan-pairs.ts';
import { Summary, toRows } from './result-rows.ts';

/** Loans per transaction. */
const CHUNK = 100;

type RunOptions = { onProgress?: (done: number) => void };

/** The file cannot be compared. The message says what it needs. */
export class FileUnusable extends Error {}

/**
 * Compares the figures of a book and stores the results, in a transaction per chunk. A repeated run starts over. Memory
 * stays flat, and no transaction stays open while loans are computed.
 */
export async function runReconciliation(
  within: Within,
  tenantId: string,
  id: string,
  book: Book,
  { onProgress = () => {} }: RunOptions = {},
): Promise<void> {
  const run = await within(tenantId, async ({ tx }) => {
    const found = await stored.lockReconciliation(tx, id);
    if (found === null || found.status === 'done') return null;
    await stored.removeResults(tx, id);
    await update(tx, 'reconciliations', id, { status: 'running', failure_reason: null });
    return found;
  });
  if (run === null) return;
  assertUsable(book, run);
  const pairs = run.compares === 'loans' ? loansHere : loansOfBook;
  const options = await figureOptions(within, tenantId, run);
  const results = compareLoans(pairs(within, tenantId, book, options), {
    tolerance: run.tolerance,
    stated: statedBy(book, run),
    not_kept: await findFiguresNotKept(book, options),
    states_months_only: statesMonthsOnly(book),
  });
  const totals = new Totals(run);
  for await (const chunk of chunksOf(results, CHUNK)) {
    const rows = totals.add(chunk);
    const compared = chunk.flatMap(({ loan_id, last_date, events_read }) =>
      loan_id === null ? [] : [{ loan_id, last_date, events_read }],
    );
    await within(tenantId, async ({ tx }) => {
      if (rows.length > 0) await stored.addDifferences(tx, id, rows);
      if (compared.length > 0) await stored.addComparedLoans(tx, id, compared);
      // Also shows that the comparison proceeds.
      await update(tx, 'reconciliations', id, { loans_total: totals.loans });
    });
    onProgress(totals.loans);
  }
  if (run.compares === 'loans') await addLoansOnlyHere(within, tenantId, run, totals);
  await within(tenantId, async ({ tx }) => {
    await update(tx, 'reconciliations', id, {
      ...totals.columns(),
      status: 'done',
      failure_reason: null,
      computed_at: new Date().toISOString(),
    });
  });
}

/** Loans per transaction that are only listed. */
const LISTED = 5_000;

/** Lists the loans here that the file should have, and counts the others. */
async function addLoansOnlyHere(
  within: Within,
  tenantId: string,
  { id, loans_here }: stored.StoredReconciliation,
  totals: Totals,
) {
  let after: string | undefined = loans_here === 'none' ? undefined : '';
  let listed = 0;
  while (after !== undefined) {
    const place = { after, limit: LISTED, loans_here };
    const only = await within(tenantId, async ({ tx }) => {
      const found = await stored.listLoansOnlyHere(tx, id, place);
      const rows = totals.add(found.map(missingThere));
      if (rows.length > 0) await stored.addDifferences(tx, id, rows);
      return found;
    });
    listed += only.length;
    after = only.length < LISTED ? undefined : only.at(-1)?.number;
  }
  const all = await within(tenantId, ({ tx }) => stored.countLoansOnlyHere(tx, id), {
    readOnly: true,
  });
  totals.loans_only_here = Math.max(0, all - listed);
}

function assertUsable(book: Book, { compares }: stored.StoredReconciliation) {
  const [finding] = book.findings;
  if (finding !== undefined) throw new FileUnusable(`${finding.file}: ${finding.reason}`);
  if (compares === 'loans') return;
  for (const name of ['history', 'figures'] as const)
    if (!hasFile(book, name))
      throw new FileUnusable(
        `${book.name} has no ${name}.csv. Without loans here, the comparison needs loans.csv, history.csv and figures.csv.`,
      );
}

/** The mapping may state after how many days the other system counts a payment. */
function statedBy(
  { mapping }: Book,
  { compares }: stored.StoredReconciliation,
): Partial<Conventions> {
  const lag = Number(mapping?.conventions['payment_lag_days'] ?? 0);
  return compares === 'book' && Number.isInteger(lag) && lag !== 0 ? { payment_lag_days: lag } : {};
}

/** Whether the mapping reads the due dates of loans from months, so that their days are made up. */
function statesMonthsOnly({ mapping }: Book): boolean {
  const { columns = {}, dates } = mapping?.loans ?? {};
  const source = columns['first_payment_date'] ?? columns['origination_date'];
  const own =
    source !== undefined && 'dates' in source
      ? (source.dates as readonly DateFormat[] | undefined)
      : undefined;
  const formats = own ?? dates ?? mapping?.dates ?? [];
  return formats.length > 0 && formats.every(({ format }) => !/d/i.test(format));
}

/** A file with the balances of loans states them as of the last day, or today. */
async function figureOptions(
  within: Within,
  tenantId: string,
  { through_date: through }: stored.StoredReconciliation,
): Promise<FigureOptions> {
  return { through, asOf: through ?? (await within(tenantId, async ({ today }) => today)) };
}

async function* loansHere(
  within: Within,
  tenantId: string,
  book: Book,
  options: FigureOptions,
): AsyncGenerator<LoanPair> {
  const given = readFigures(book, options);
  for await (const chunk of chunksOf(given, CHUNK))
    yield* await within(tenantId, (work) => pairWithLoans(work, chunk), { readOnly: true });
}

async function* loansOfBook(
  within: Within,
  tenantId: string,
  book: Book,
  { through }: FigureOptions,
): AsyncGenerator<LoanPair> {
  const products = await within(tenantId, readProductTerms, { readOnly: true });
  const [oldest] = products.values();
  const uncomputed: LoanPair[] = [];
  const studied = readStudiedLoans(book, {
    through,
    termsOf: (code) => (code === undefined ? oldest : products.get(code)) ?? null,
    onUncomputed: ({ loan_number, ...problem }) =>
      uncomputed.push({ ...NOT_HERE, loan_number, theirs: [], days_not_compared: 0, problem }),
  });
  for await (const { loan, ...days } of studied) {
    yield* uncomputed.splice(0);
    yield { ...NOT_HERE, loan_number: loan.loan_number, ...days, loan };
  }
  yield* uncomputed;
}

const NOT_HERE = { loan_id: null, events_read: 0 } as const;

const missingThere = ({ id, number }: { id: string; number: string }): LoanResult => ({
  loan_id: id,
  loan_number: number,
  last_date: null,
  events_read: 0,
  days_compared: 0,
  days_not_compared: 0,
  parts: [
    {
      kind: 'missing_loan',
      reason: 'The file has no figures of this loan.',
      differences: [],
      parting: null,
    },
  ],
});

/** Kinds of loans that show no difference. */
const NOT_COMPARED: readonly ResultKind[] = ['not_compared', 'partly_compared'];

/** Counts results and hashes them with the file and the options. */
class Totals {
  loans = 0;
  /** Loans here that the file lacks and need not have. */
  loans_only_here = 0;
  readonly #accepted: ReadonlySet<string>;
  readonly #summary = new Summary();
  readonly #hash: Hash;
  readonly #counts = { agreeing: 0, accepted: 0, differing: 0, not_compared: 0 };
  readonly #days = { compared: 0, not_compared: 0 };
  #position = 0;
  #first: string | null = null;
  #last: string | null = null;

  constructor({
    sha256_hash,
    mapping,
    compares,
    loans_here,
    through_date,
    tolerance,
    accepted_kinds,
  }: stored.StoredReconciliation) {
    this.#accepted = new Set(accepted_kinds);
    const options = [compares, loans_here, through_date, tolerance, [...accepted_kinds].toSorted()];
    this.#hash = createHash('sha256').update(JSON.stringify([sha256_hash, mapping, options]));
  }

  /** The rows to store for these results. */
  add(results: readonly LoanResult[]): stored.DifferenceRow[] {
    return results.flatMap((result) => {
      const rows = toRows(result, this.#isAccepted, this.#position);
      this.loans += 1;
      this.#position += rows.length;
      this.#count(result);
      for (const [kind, some] of Map.groupBy(rows, (row) => row.kind as ResultKind))
        this.#summary.add(kind, some, this.#isAccepted(kind));
      const facts = rows.map(({ figure, kind, first_date, first_ours, first_theirs, ...row }) => [
        figure,
        kind,
        first_date,
        first_ours,
        first_theirs,
        row.last_date,
        row.last_ours,
        row.last_theirs,
        row.days_differing,
      ]);
      const { loan_number, last_date, days_compared, days_not_compared } = result;
      const days = [last_date, days_compared, days_not_compared];
      this.#hash.update(JSON.stringify([loan_number, days, facts]));
      return rows;
    });
  }

  readonly #isAccepted = (kind: ResultKind): boolean => this.#accepted.has(kind);

  #count({ parts, last_date, ...result }: LoanResult) {
    this.#days.compared += result.days_compared;
    this.#days.not_compared += result.days_not_compared;
    const open = parts.filter(({ kind }) => !this.#isAccepted(kind));
    if (parts.length === 0) this.#counts.agreeing += 1;
    else if (open.length === 0) this.#counts.accepted += 1;
    else if (open.every(({ kind }) => NOT_COMPARED.includes(kind))) this.#counts.not_compared += 1;
    else this.#counts.differing += 1;
    for (const [first] of parts.map(({ differences }) => differences)) {
      if (first === undefined) continue;
      if (this.#first === null || first.as_of_date < this.#first) this.#first = first.as_of_date;
    }
    if (last_date !== null && (this.#last === null || last_date > this.#last))
      this.#last = last_date;
  }

  columns() {
    return {
      loans_total: this.loans,
      loans_agreeing: this.#counts.agreeing,
      loans_accepted: this.#counts.accepted,
      loans_differing: this.#counts.differing,
      loans_not_compared: this.#counts.not_compared,
      days_compared: this.#days.compared,
      days_not_compared: this.#days.not_compared,
      first_date: this.#first,
      last_date: this.#last,
      summary: JSON.stringify(this.#summary.rows()),
      loans_only_here: this.loans_only_here,
      fingerprint: this.#hash.update(String(this.loans_only_here)).digest('hex'),
    };
  }
}

async function* chunksOf<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let chunk: Item[] = [];
  for await (const item of items) {
    chunk.push(item);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
