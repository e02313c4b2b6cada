import * as chunks from '../../sql/business-day/close-chunks.ts';
import { quarantine } from '../../sql/business-day/quarantines.ts';
import * as due from '../../sql/business-day/due-loans.ts';
import { withSavepoint, type Transaction } from '../../sql/database/db.ts';
import { mapConcurrently } from '../../sql/database/batch-by-transaction.ts';
import { isTransient } from '../../sql/database/transient-errors.ts';
import type { ExternalServices } from '../external-systems.ts';
import { summarizeError } from '../monitoring/serialize-error.ts';
import type { Work } from '../work.ts';

/** If a statement fails for more loans than this, the statement is wrong, not the loans. */
const QUARANTINE_MAX = 50;

export type ClosePayload = { tenant_id: string; run_id: string };
type ChunkQuery<Row> = (tx: Transaction, chunk: chunks.CloseChunk) => Promise<readonly Row[]>;
export type ChunkQueryRunner = typeof queryByHalves;

/**
 * Runs a statement for all loans of a chunk, in the caller's transaction. If it fails, runs it for each
 * half, down to the loans that make it fail. Those are quarantined, and the day continues for the other
 * loans.
 */
export async function queryByHalves<Row>(
  tx: Transaction,
  { run_id }: Pick<ClosePayload, 'run_id'>,
  step: string,
  chunk: chunks.CloseChunk,
  query: ChunkQuery<Row>,
): Promise<Row[]> {
  let count = 0;
  const queryPart = async (part: chunks.CloseChunk): Promise<Row[]> => {
    const outcome = await withSavepoint(tx, () => query(tx, part));
    if ('result' in outcome) return [...outcome.result];
    const { error } = outcome;
    const half = await chunks.findSecondHalf(tx, part);
    if (isTransient(error) || half === null || count === QUARANTINE_MAX) throw error;
    if (half.loans === 1) {
      count += 1;
      await quarantine(tx, run_id, half.first_loan_id, step, summarizeError(error));
      return [];
    }
    const { first_loan_id } = half;
    return [
      ...(await queryPart({ ...part, before_loan_id: first_loan_id })),
      ...(await queryPart({ ...part, first_loan_id })),
    ];
  };
  return queryPart(chunk);
}

/** Runs a statement for all loans of a chunk, without savepoints. */
const queryWholeChunk: ChunkQueryRunner = async (tx, _payload, _step, chunk, query) => [
  ...(await query(tx, chunk)),
];

let lastChunkWork: Promise<unknown> = Promise.resolve();

/**
 * Runs this process's transactions over whole chunks one after another. Each keeps a core of the database
 * busy. Several of one process would share the cores with payments, which would wait several times as long,
 * and the close would not end sooner.
 */
export function serializeChunkWork<Result>(transaction: () => Promise<Result>): Promise<Result> {
  const result = lastChunkWork.then(transaction);
  lastChunkWork = result.catch(() => undefined);
  return result;
}

/**
 * Runs a transaction with one statement per chunk. If it fails, runs it again with halves, so that only bad
 * days pay for savepoints.
 */
export const retryByHalves = <Result>(
  run: (runQuery: ChunkQueryRunner) => Promise<Result>,
): Promise<Result> =>
  serializeChunkWork(() =>
    run(queryWholeChunk).catch((error: unknown) => {
      if (isTransient(error)) throw error;
      return run(queryByHalves);
    }),
  );

/** The work for one group of loans. */
type LoanGroupTask = (outside: ExternalServices) => Promise<void>;
export type LoanStep = {
  find: due.DueQuery;
  search: (
    tx: Transaction,
    payload: ClosePayload,
    chunk: chunks.CloseChunk,
    runQuery: ChunkQueryRunner,
  ) => Promise<LoanGroupTask[]>;
};

/** Loans that share a transaction. A payment on any of them waits until it ends. */
const LOANS_PER_TRANSACTION = 50;

type DueRow = { id: string; loan_id?: string };
const loanIdOf = ({ id, loan_id = id }: DueRow) => loan_id;

/**
 * Defines a step that concerns few loans a day. One statement finds them, and groups of fifty are handled
 * concurrently in one transaction. If a group fails, each loan gets its own transaction, so one bad loan
 * does not stop the rest.
 */
export const defineLoanStep = <Row extends DueRow>(
  name: string,
  find: due.DueQuery<Row>,
  act: (work: Work, row: Row) => Promise<unknown>,
): LoanStep => {
  const actAtClose = (work: Work, row: Row) => act({ ...work, isClosingDay: true }, row);
  const runAlone = async (
    outside: ExternalServices,
    { tenant_id, run_id }: ClosePayload,
    row: Row,
  ) => {
    try {
      await outside.within(tenant_id, (work) => actAtClose(work, row));
    } catch (error) {
      // A transient database error does not concern the loan. The whole job is repeated.
      if (isTransient(error)) throw error;
      await outside.within(tenant_id, ({ tx: after }) =>
        quarantine(after, run_id, loanIdOf(row), name, summarizeError(error)),
      );
    }
  };
  /** Rows of the same loan are handled one after the other. */
  const runGroup = (
    outside: ExternalServices,
    { tenant_id }: ClosePayload,
    loans: readonly Row[][],
  ) =>
    outside.within(tenant_id, (work) =>
      mapConcurrently(loans, async (rows) => {
        for (const row of rows) await actAtClose(work, row);
      }),
    );
  return {
    find,
    search: async (tx, payload, chunk, runQuery) => {
      const found = await runQuery(tx, payload, name, chunk, (part, range) =>
        part.any(find(range)),
      );
      return splitIntoBatches([...Map.groupBy(found, loanIdOf).values()]).map(
        (loans) => async (outside) => {
          try {
            await runGroup(outside, payload, loans);
          } catch (error) {
            if (isTransient(error)) throw error;
            for (const row of loans.flat()) await runAlone(outside, payload, row);
          }
        },
      );
    },
  };
};

const splitIntoBatches = <Item>(items: readonly Item[]) =>
  Array.from({ length: Math.ceil(items.length / LOANS_PER_TRANSACTION) }, (_, part) =>
    items.slice(part * LOANS_PER_TRANSACTION, (part + 1) * LOANS_PER_TRANSACTION),
  );

/** The work of the first step that finds something, and the number of steps covered so far. */
type StepWork = { tasks: readonly LoanGroupTask[]; stepsCovered: number };

/**
 * Searches the steps in order and returns the first with work. Most steps find nothing on most days, so one
 * statement skips to the first that does. If a search fails, it is repeated by halves, step by step.
 */
export async function findDueTasks(
  tx: Transaction,
  payload: ClosePayload,
  chunk: chunks.CloseChunk,
  { steps, asking: runQuery }: { steps: readonly LoanStep[]; asking: ChunkQueryRunner },
): Promise<StepWork> {
  const from = runQuery === queryWholeChunk ? await due.indexOfFirstMatch(tx, chunk, steps) : 0;
  for (const [index, step] of steps.slice(from).entries()) {
    const tasks = await step.search(tx, payload, chunk, runQuery);
    if (tasks.length > 0) return { tasks, stepsCovered: from + index + 1 };
  }
  return { tasks: [], stepsCovered: steps.length };
}

/** Does the work found, then continues with the later steps. */
export async function runSteps(
  outside: ExternalServices,
  payload: ClosePayload,
  chunk: chunks.CloseChunk,
  first: { steps: readonly LoanStep[]; found: StepWork },
) {
  let { steps, found } = first;
  for (;;) {
    for (const task of found.tasks) await task(outside);
    const remainingSteps = steps.slice(found.stepsCovered);
    if (remainingSteps.length === 0) return;
    steps = remainingSteps;
    found = await retryByHalves((runQuery) =>
      outside.within(
        payload.tenant_id,
        ({ tx }) => findDueTasks(tx, payload, chunk, { steps: remainingSteps, asking: runQuery }),
        { isUndated: true },
      ),
    );
  }
}
