import { followConditions } from '../../cases/conditions-changed.ts';
import { addDays } from '../../dates.ts';
import { Invalid } from '../../errors.ts';
import { money, parseMoney, sum } from '../../money.ts';
import { addAssignment } from '../../portfolios/loan-assignment.ts';
import type { Work } from '../../work.ts';
import type { Terms } from '../arithmetic/terms.ts';
import type { LoanEvent } from '../engine/events.ts';
import { derivedStatus } from '../history/apply-state-change.ts';
import { openLoan } from '../history/open-loan.ts';
import { recordEvents } from '../history/record-events.ts';
import {
  emitLoanCreated,
  insertLoan,
  validateNewLoan,
  type LoanParents,
  type NewLoan,
} from '../origination/create.ts';
import { readTerms, termsAtRate, type TermsSource } from '../products/loan-terms.ts';
import { askForFirstDelinquency } from '../reporting/records/boarded-delinquency.ts';
import { originalSchedule } from '../schedule/boarded-schedule.ts';
import { boardedApr } from './boarded-rate.ts';
import type { Boarding } from './boarding-input.ts';
import { replayAndCompare, type ComparedLoan } from './check-replayed.ts';
import { keepEarlierTransactions } from './earlier-transactions.ts';
import { readHistory, type BroughtHistory, type ReplayedLoan } from './replay-history.ts';
import { profileOf } from './replayed-profile.ts';
import { addReplayedRecords } from './replayed-records.ts';
import { toNewLoan } from './to-new-loan.ts';

/** Reads a history once the terms of its loan are known. */
export type ReadHistory = (terms: Terms) => BroughtHistory;

/**
 * Prepares a loan with what happened at the previous servicer (`prepareBoarding`). The loan continues as if it had always
 * been here; the stated balances are only compared.
 */
export async function prepareWithHistory(
  work: Work,
  input: Boarding,
  known: LoanParents | undefined,
  read: ReadHistory = (terms) => readHistory(terms, input, work.today),
) {
  const checked = await validateNewLoan(work, toNewLoan(input), known);
  const terms = readTerms(checked as NewLoan & TermsSource);
  const history = read(terms);
  const replayed = acceptDifferences(
    input,
    replayAndCompare(input, terms, history, work.today),
    work.today,
  );
  const { state } = replayed;
  const apr = boardedApr(terms, input, history.original ?? originalSchedule(terms, input));
  const columns = replayedColumns(work, input, replayed);
  const { contract_rate: interest_rate } = state;
  const loan = {
    ...checked,
    ...columns,
    apr,
    interest_rate,
    terms: termsAtRate(checked.terms, input.interest_rate, interest_rate),
  };
  return () => writeWithHistory(work, input, { loan, columns, replayed, history });
}

async function writeWithHistory(
  work: Work,
  input: Boarding,
  prepared: {
    loan: NewLoan;
    columns: ReturnType<typeof replayedColumns>;
    replayed: ReplayedLoan;
    history: BroughtHistory;
  },
): Promise<string> {
  const { loan, columns, replayed, history } = prepared;
  const { id, loan_number } = await insertLoan(work, loan);
  await recordEvents(work, await openLoan(work, id), replayed.events, {
    firstSchedule: replayed.schedule,
    firstFold: replayed.run,
  });
  const { borrower_id, principal_amount } = input;
  const owner = { id, borrower_id, principal_amount };
  await addReplayedRecords(work, owner, replayed, history.translated);
  if (input.history)
    await keepEarlierTransactions(work, id, input.history.transactions, history.translated);
  if (!input.first_delinquency_date && wasLateBefore(replayed, history.from))
    await askForFirstDelinquency(work, [id]);
  await followConditions(work, id);
  if (input.investor_id) await addAssignment(work, { loan_id: id, investor_id: input.investor_id });
  await emitLoanCreated(work, { ...toNewLoan(input), ...columns, id, loan_number });
  return id;
}

/** The delinquency began before the history does, so its date is not known from it. */
const wasLateBefore = ({ first_delinquencies, opening }: ReplayedLoan, from: string): boolean => {
  const { first_delinquency_30_date: began } = first_delinquencies;
  return opening.charge_off_balance !== undefined || (began !== null && addDays(began, 30) <= from);
};

/** Keeps the differences with the boarding event if the request accepts them. Otherwise throws `Invalid`. */
function acceptDifferences(
  input: Boarding,
  { replayed, differences }: ComparedLoan,
  today: string,
): ReplayedLoan {
  if (differences.length === 0) return replayed;
  if (!input.accept_difference)
    throw new Invalid(
      Object.fromEntries(
        differences.map(({ field, computed }) => [
          field,
          `The history leaves ${computed} on ${today}. Correct the history or the product, or set accept_difference.`,
        ]),
      ),
    );
  const stated_balances = Object.fromEntries(
    differences.map(({ balance, stated }) => [balance, stated]),
  );
  const [boarding, ...others] = replayed.events;
  return { ...replayed, events: [{ ...boarding, stated_balances } as LoanEvent, ...others] };
}

/** The columns of the loan's row that its checkpoint does not write. */
function replayedColumns(
  { today }: Work,
  input: Boarding,
  { state, events, run, times_delinquent, profile_marks, first_delinquencies }: ReplayedLoan,
) {
  const { origination_date } = input;
  const status = derivedStatus(state, run.events);
  const chargeOffs = run.events.filter((event) => event.kind === 'charge_off');
  const chargeOff = chargeOffs.findLast(({ principal_amount }) => principal_amount === undefined);
  // A loan that is settled later keeps its charge-off.
  const isChargedOff = state.is_charged_off;
  const ended = run.events.at(-1)?.effective_date ?? today;
  const counted = input.times_delinquent ?? times_delinquent;
  const disbursed = events.some(({ kind }) => kind === 'draw' || kind === 'disbursement')
    ? sumDisbursed(events)
    : input.principal_amount;
  return {
    status,
    disbursed_amount: disbursed,
    origination_date,
    disbursement_date: origination_date,
    paid_off_at: status === 'paid_off' ? ended : null,
    charged_off_at: isChargedOff
      ? (input.charge_off_date ?? chargeOff?.effective_date ?? run.position.charged_off_on ?? today)
      : null,
    charge_off_reason: chargeOffs.at(-1)?.reason ?? (isChargedOff ? 'other' : null),
    ...(isChargedOff && first_delinquencies),
    boarded_delinquency_date: input.first_delinquency_date ?? null,
    // A loan that is repaid is not reported any more.
    payment_history_profile:
      input.payment_history_profile ??
      (state.is_paid_off ? null : profileOf(profile_marks, { origination_date, today })),
    times_delinquent_30: counted[30],
    times_delinquent_60: counted[60],
    times_delinquent_90: counted[90],
    delinquency_days_counted: state.is_charged_off ? 0 : times_delinquent.days_counted,
  };
}

const sumDisbursed = (events: readonly LoanEvent[]): string =>
  money(
    sum(
      events.flatMap((event) =>
        event.kind === 'draw' || event.kind === 'disbursement'
          ? [parseMoney(event.amount)]
          : event.kind === 'boarding'
            ? [parseMoney(event.principal_balance)]
            : [],
      ),
    ),
  );
