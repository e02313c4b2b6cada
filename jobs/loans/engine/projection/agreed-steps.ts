import { addDays } from '../../../dates.ts';
import type { EventDraft, LoanEvent } from '../events.ts';
import type { FoldInput } from '../fold.ts';

/** The input of a fold, without its day. */
export type History = Omit<FoldInput, 'as_of'>;

/** A change that was agreed in advance, in words for the borrower. */
export type AgreedChange = { date: string; change: string; description: string };

/**
 * A change agreed for a known day: a relief that starts or ends, a modification, a scheduled payment. The
 * close records its events on that day. Until then only projections contain them.
 */
export type AgreedStep = {
  date: string;
  /** Reliefs end in the morning, before the day's payments. Everything else happens at the day's close. */
  at: 'morning' | 'close';
  /** The order among the steps of the same moment, and among the records of the same kind. */
  rank: string;
  /** True if the step happens in the morning as soon as another relief of the loan ends on that day. */
  joins_morning?: boolean;
  /** Set if the step is a scheduled payment. */
  pays?: StepPayment;
  /** True if the step should have happened already. It failed, so it may fail again. */
  is_overdue: boolean;
  take: (history: History) => AgreedOutcome;
};

export type StepPayment = {
  amount: string;
  /** True if the engine decides what the payment pays. Such a payment covers the oldest installment first. */
  is_regular: boolean;
  /** True if a payment plan scheduled the payment. */
  is_of_plan: boolean;
};

export type AgreedOutcome = {
  events: readonly EventDraft[];
  /** New terms of the loan, if the step changes them. */
  terms?: History['terms'];
  /** Steps that become known with this one, for example the end of a deferment. */
  follows?: readonly AgreedStep[];
  /** Null if the step changes no amount. */
  change?: AgreedChange | null;
};

/** A loan's history, and the steps of later days. */
export type Future = {
  history: History;
  steps: readonly AgreedStep[];
  /** The changes so far that affect amounts. */
  changes: readonly AgreedChange[];
  /** The number of projected events so far. */
  count: number;
};

export const startFuture = (history: History, steps: readonly AgreedStep[]): Future => ({
  history,
  steps,
  changes: [],
  count: 0,
});

type Moment = Pick<AgreedStep, 'date' | 'at'>;

/** The next step, or null. On a morning when a relief ends, the loan's other reliefs also start. */
export function nextStep({ steps }: Pick<Future, 'steps'>): AgreedStep | null {
  const first = steps.toSorted(inOrder)[0] ?? null;
  if (first === null || first.at === 'close') return first;
  const joining = steps.map((step) => joinMorning(step, first.date));
  return joining.toSorted(inOrder)[0] ?? null;
}

const joinMorning = (step: AgreedStep, date: string): AgreedStep =>
  step.joins_morning && step.date <= date && step.at === 'close'
    ? { ...step, date, at: 'morning' }
    : step;

const keyOf = ({ date, at, rank }: AgreedStep) => `${date} ${at === 'morning' ? 0 : 1} ${rank}`;
const inOrder = (one: AgreedStep, other: AgreedStep) => (keyOf(one) < keyOf(other) ? -1 : 1);

/** The first day that shows the step: its own, or the day after the close at which it happens. */
export const firstDayOf = ({ date, at }: Moment): string =>
  at === 'morning' ? date : addDays(date, 1);

/** True if the step happens by that moment. */
export const isTakenBy = (step: Moment, by: Moment): boolean =>
  step.date < by.date || (step.date === by.date && (step.at === 'morning' || by.at === 'close'));

/** Takes all steps up to a moment. The borrower pays nothing except by scheduled payments. */
export function takeSteps(future: Future, by: Moment): Future {
  let reached = future;
  for (let step = nextStep(reached); step !== null && isTakenBy(step, by); step = nextStep(reached))
    reached = takeStep(reached, step);
  return reached;
}

/** Takes one step. Its events get ids that no recorded event has. */
export function takeStep(future: Future, step: AgreedStep): Future {
  const { history, changes, count } = future;
  const { events, terms = history.terms, follows = [], change } = step.take(history);
  const rest = future.steps.filter(({ rank }) => rank !== step.rank);
  return {
    history: { ...history, terms, events: [...history.events, ...withIds(events, count)] },
    steps: [...rest, ...follows],
    changes: change ? [...changes, change] : changes,
    count: count + events.length,
  };
}

const AGREED = 'agreed-';

/** Whether the id belongs to a projected event, which is not recorded. */
export const isAgreedId = (id: string): boolean => id.startsWith(AGREED);

const withIds = (drafts: readonly EventDraft[], count: number): LoanEvent[] =>
  drafts.map((draft, at) => {
    const id = draft.id ?? `${AGREED}${String(count + at + 1).padStart(4, '0')}`;
    return { ...draft, id };
  });

/** The history by the morning of a day, before its payments. */
export const historyOn = (future: Future, date: string): History =>
  takeSteps(future, { date, at: 'morning' }).history;
