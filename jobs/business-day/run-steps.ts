import * as close from '../../sql/business-day/closes.ts';
import { quarantine } from '../../sql/business-day/loan-errors.ts';
import * as due from '../../sql/business-day/due-loans.ts';
import { withSavepoint, type Transaction } from '../../sql/database/db.ts';
import { mapConcurrently } from '../../sql/database/batch-by-transaction.ts';
import { isTransient } from '../../sql/database/transient-errors.ts';
import type { ExternalServices } from '../external-systems.ts';
import { summarizeError } from '../serialize-error.ts';
import type { Work } from '../work.ts';

/** A statement that fails for more loans than this is itself what is wrong. */
const SET_ASIDE_MOST = 50;

export type ClosePayload = { tenant_id: string; run_id: string };
type Ask<Row> = (tx: Transaction, chunk: close.Chunk) => Promise<readonly Row[]>;
export type ChunkQueryRunner = typeof withWholeChunk;

/**
 * Asks something of all loans of a chunk by one statement. Where it fails, its halves are asked, and so
 * on down to the loans that it fails for: these are set aside with the reason, and the day goes on
 * for the others. All in the caller's transaction.
 */
export async function withWholeChunk<Row>(
  tx: Transaction,
  { run_id }: Pick<ClosePayload, 'run_id'>,
  step: string,
  chunk: close.Chunk,
  ask: Ask<Row>,
): Promise<Row[]> {
  let count = 0;
  const askPart = async (part: close.Chunk): Promise<Row[]> => {
    const outcome = await withSavepoint(tx, () => ask(tx, part));
    if ('result' in outcome) return [...outcome.result];
    const { error } = outcome;
    const half = await close.findSecondHalf(tx, part);
    if (isTransient(error) || half === null || count === SET_ASIDE_MOST) throw error;
    if (half.loans === 1) {
      count += 1;
      await quarantine(tx, run_id, half.first_loan_id, step, summarizeError(error));
      return [];
    }
    const { first_loan_id } = half;
    return [
      ...(await askPart({ ...part, before_loan_id: first_loan_id })),
      ...(await askPart({ ...part, first_loan_id })),
    ];
  };
  return askPart(chunk);
}

/** Asks all loans of a chunk at once; a statement that fails has failed for all of them. */
const together: ChunkQueryRunner = async (tx, _payload, _step, chunk, ask) => [
  ...(await ask(tx, chunk)),
];

/**
 * Runs a transaction that asks all loans at once. Where that fails it is run again, and asks halves:
 * savepoints are paid for on the days that need them.
 */
export const retryByHalves = <Result>(
  run: (asking: ChunkQueryRunner) => Promise<Result>,
): Promise<Result> =>
  run(together).catch((error: unknown) => {
    if (isTransient(error)) throw error;
    return run(withWholeChunk);
  });

/** What is to be done to some loans. */
type Deed = (outside: ExternalServices) => Promise<void>;
export type LoanStep = {
  find: due.DueQuery;
  search: (
    tx: Transaction,
    payload: ClosePayload,
    chunk: close.Chunk,
    asking: ChunkQueryRunner,
  ) => Promise<Deed[]>;
};

/** Loans that share a transaction and its statements; a payment on any of them waits for its end. */
const AT_ONCE = 50;

type Due = { id: string; loan_id?: string };
const loanOf = ({ id, loan_id = id }: Due) => loan_id;

/**
 * A step of the close that concerns few loans on any one day: they are found by one statement, and it is
 * done to fifty of them side by side. Where that fails, each has a transaction of its own, so that one bad
 * loan stops nobody.
 */
export const defineLoanStep = <Row extends Due>(
  name: string,
  find: due.DueQuery<Row>,
  act: (work: Work, row: Row) => Promise<unknown>,
): LoanStep => {
  const alone = async (
    outside: ExternalServices,
    { tenant_id, run_id }: ClosePayload,
    row: Row,
  ) => {
    try {
      await outside.within(tenant_id, (work) => act(work, row));
    } catch (error) {
      // The database being away is nobody's fault among the loans: the whole job is repeated.
      if (isTransient(error)) throw error;
      await outside.within(tenant_id, ({ tx: after }) =>
        quarantine(after, run_id, loanOf(row), name, summarizeError(error)),
      );
    }
  };
  /** What is due twice for a loan is done one after the other. */
  const sharing = (
    outside: ExternalServices,
    { tenant_id }: ClosePayload,
    loans: readonly Row[][],
  ) =>
    outside.within(tenant_id, (work) =>
      mapConcurrently(loans, async (rows) => {
        for (const row of rows) await act(work, row);
      }),
    );
  return {
    find,
    search: async (tx, payload, chunk, asking) => {
      const found = await asking(tx, payload, name, chunk, (part, range) => part.any(find(range)));
      return partsOf([...Map.groupBy(found, loanOf).values()]).map((loans) => async (outside) => {
        try {
          await sharing(outside, payload, loans);
        } catch (error) {
          if (isTransient(error)) throw error;
          for (const row of loans.flat()) await alone(outside, payload, row);
        }
      });
    },
  };
};

const partsOf = <Item>(items: readonly Item[]) =>
  Array.from({ length: Math.ceil(items.length / AT_ONCE) }, (_, part) =>
    items.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
  );

/** What is to be done for the first step that finds something, and how many steps that takes care of. */
type Found = { deeds: readonly Deed[]; taken: number };

/**
 * Takes the steps in order. On most days most of them find nothing: one statement asks for the first that
 * finds something. Where that statement or the search of that step fails, halves are asked, step by step.
 */
export async function findDueTasks(
  tx: Transaction,
  payload: ClosePayload,
  chunk: close.Chunk,
  { steps, asking }: { steps: readonly LoanStep[]; asking: ChunkQueryRunner },
): Promise<Found> {
  const from = asking === together ? await due.indexOfFirstMatch(tx, chunk, steps) : 0;
  for (const [index, step] of steps.slice(from).entries()) {
    const deeds = await step.search(tx, payload, chunk, asking);
    if (deeds.length > 0) return { deeds, taken: from + index + 1 };
  }
  return { deeds: [], taken: steps.length };
}

/** Does what was found, and goes on with the steps behind it. */
export async function runSteps(
  outside: ExternalServices,
  payload: ClosePayload,
  chunk: close.Chunk,
  first: { steps: readonly LoanStep[]; found: Found },
) {
  let { steps, found } = first;
  for (;;) {
    for (const deed of found.deeds) await deed(outside);
    const left = steps.slice(found.taken);
    if (left.length === 0) return;
    steps = left;
    found = await retryByHalves((asking) =>
      outside.within(
        payload.tenant_id,
        ({ tx }) => findDueTasks(tx, payload, chunk, { steps: left, asking }),
        { isUndated: true },
      ),
    );
  }
}
