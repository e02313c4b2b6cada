import { Invalid } from '../../errors.ts';
import { parseMoney } from '../../money.ts';
import { MAX_BALANCE, type Terms } from '../arithmetic/terms.ts';
import { derivedStatus } from '../history/apply-state-change.ts';
import type { Boarding } from './boarding-input.ts';
import {
  differencesFrom,
  replayHistory,
  type BalanceDifference,
  type BroughtHistory,
  type ReplayedLoan,
} from './replay-history.ts';

/** A loan as its history leaves it, and the balances that the previous servicer states differently. */
export type ComparedLoan = { replayed: ReplayedLoan; differences: BalanceDifference[] };

/**
 * Replays a history and compares its end with what the request states. Reads and writes nothing. Throws `Invalid` if the
 * loan cannot have this history; differences of balances are left to the caller.
 */
export function replayAndCompare(
  input: Boarding,
  terms: Terms,
  history: BroughtHistory,
  today: string,
): ComparedLoan {
  const ahead = history.events.find(({ effective_date }) => effective_date > today);
  if (ahead ?? history.from > today)
    throw new Invalid({
      history: `Must not go beyond the business date. It has an event of ${ahead?.effective_date ?? history.from}.`,
    });
  const replayed = replayHistory(terms, history, today);
  const { state } = replayed;
  const status = derivedStatus(state, replayed.run.events);
  // Other systems have no word for a loan that is paid in part and forgiven in part.
  if ((status === 'settled' ? 'paid_off' : status) !== input.status)
    throw new Invalid({
      status: `By its history, the loan is ${status.replaceAll('_', ' ')}. Correct the status or the history.`,
    });
  if (parseMoney(state.total_balance).plus(state.suspense_balance).gt(MAX_BALANCE))
    throw new Invalid({ history: `Must not raise a balance of the loan above ${MAX_BALANCE}.` });
  return { replayed, differences: differencesFrom(input, state) };
}
