import * as close from '../../sql/business-day/closes.ts';
import { attempt, type Transaction } from '../../sql/database/db.ts';
import { isPassing } from '../../sql/database/passing.ts';
import type { Outside } from '../outside.ts';
import { sentenceOf } from '../say-error.ts';
import type { Work } from '../work.ts';

/** A statement that fails for more loans than this is itself what is wrong. */
const SET_ASIDE_MOST = 50;

export type Payload = { tenant_id: string; run_id: string };
type Ask<Row> = (tx: Transaction, chunk: close.Chunk) => Promise<readonly Row[]>;

/**
 * Asks something of all loans of a chunk by one statement. Where it fails, its halves are asked, and so
 * on down to the loans that it fails for: these are set aside with the reason, and the day goes on
 * for the others. All in the caller's transaction.
 */
export async function ofAll<Row>(
  tx: Transaction,
  { run_id }: Pick<Payload, 'run_id'>,
  step: string,
  chunk: close.Chunk,
  ask: Ask<Row>,
): Promise<Row[]> {
  let count = 0;
  const askPart = async (part: close.Chunk): Promise<Row[]> => {
    const outcome = await attempt(tx, () => ask(tx, part));
    if ('result' in outcome) return [...outcome.result];
    const { error } = outcome;
    const half = await close.secondHalf(tx, part);
    if (isPassing(error) || half === null || count === SET_ASIDE_MOST) throw error;
    if (half.loans === 1) {
      count += 1;
      await close.setAside(tx, run_id, half.first_loan_id, step, sentenceOf(error));
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
const together: typeof ofAll = async (tx, _payload, _step, chunk, ask) => [
  ...(await ask(tx, chunk)),
];

/** What is to be done to one loan, in a transaction of its own. */
type Deed = (outside: Outside) => Promise<void>;
type Step = (
  tx: Transaction,
  payload: Payload,
  chunk: close.Chunk,
  search: typeof ofAll,
) => Promise<Deed[]>;

/**
 * A step of the close that concerns few loans on any one day: they are found by one statement, and
 * each has a transaction of its own, so that one bad loan stops nobody.
 */
export const forEachDue =
  <Due extends { id: string; loan_id?: string }>(
    name: string,
    find: Ask<Due>,
    act: (work: Work, due: Due) => Promise<unknown>,
  ): Step =>
  async (tx, payload, chunk, search) => {
    const { tenant_id, run_id } = payload;
    const found = await search(tx, payload, name, chunk, find);
    return found.map((due) => async (outside) => {
      try {
        await outside.within(tenant_id, (work) => act(work, due));
      } catch (error) {
        // The database being away is nobody's fault among the loans: the whole job is repeated.
        if (isPassing(error)) throw error;
        await outside.within(tenant_id, ({ tx }) =>
          close.setAside(tx, run_id, due.loan_id ?? due.id, name, sentenceOf(error)),
        );
      }
    });
  };

/**
 * Takes the steps in order. On most days most of them find nothing: they search in one transaction,
 * up to the first that finds something. Where a search fails it is asked of halves.
 */
export async function inOrder(
  outside: Outside,
  payload: Payload,
  chunk: close.Chunk,
  steps: readonly Step[],
) {
  let left = steps;
  while (left.length > 0) {
    const searched = left;
    const { deeds, taken } = await outside.within(payload.tenant_id, async ({ tx }) => {
      const next = (search: typeof ofAll) =>
        firstWithDeeds(searched, (step) => step(tx, payload, chunk, search));
      const outcome = await attempt(tx, () => next(together));
      if ('result' in outcome) return outcome.result;
      if (isPassing(outcome.error)) throw outcome.error;
      return next(ofAll);
    });
    for (const deed of deeds) await deed(outside);
    left = left.slice(taken);
  }
}

async function firstWithDeeds(steps: readonly Step[], search: (step: Step) => Promise<Deed[]>) {
  for (const [index, step] of steps.entries()) {
    const deeds = await search(step);
    if (deeds.length > 0) return { deeds, taken: index + 1 };
  }
  return { deeds: [], taken: steps.length };
}
