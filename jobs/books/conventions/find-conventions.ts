import { numberOfPayments } from '../../loans/arithmetic/due-dates.ts';
import { INSTALLMENT_CALCULATIONS, type Terms } from '../../loans/arithmetic/terms.ts';
import { ROUNDINGS, type Rounding } from '../../money.ts';
import { originalSchedule } from '../../loans/schedule/boarded-schedule.ts';
import { isLateFee, preparerOf, type BookLoan, type PreparedLoan } from './book-loan.ts';
import {
  APPLICATION_ORDERS,
  applyChange,
  CONVENTIONS,
  singleChanges,
  type ConventionChange,
  type Conventions,
  type LateFeeRule,
} from './conventions.ts';
import { centsOf, differencesOf, isAmount, type Difference } from './differences.ts';
import type { Figures } from './figures.ts';
import { findLateFeeRule } from './find-late-fee-rule.ts';

/** A loan of the other system with its history and the figures that the system gave. */
export type StudiedLoan = { loan: BookLoan; theirs: readonly Figures[] };

/** The loans of a book. Each call reads them from the beginning. */
export type StudiedLoans = () => AsyncIterable<StudiedLoan> | Iterable<StudiedLoan>;

/** A candidate with its result over all loans. */
export type RankedConventions = {
  conventions: Conventions;
  /** What differs from the best candidate. Null for the best itself. */
  change: ConventionChange | null;
  loans_agreeing: number;
  /** Up to three loans that do not agree, each with its first difference. */
  counterexamples: { loan_number: string; difference: Difference }[];
};

export type FoundConventions = {
  loans: number;
  /** The best first. */
  ranking: RankedConventions[];
  /** Changes of the best candidate with the same result: the loans do not tell them apart. */
  undecided: ConventionChange[];
  installment: InstallmentRule | null;
  late_fee: LateFeeRule | null;
};

/** How the other system calculates the installment, and how many of the installments this reproduces. */
export type InstallmentRule = {
  installment_rounding: Rounding;
  installment_calculation: Terms['installment_calculation'];
  day_count: Terms['day_count'] | null;
  loans_agreeing: number;
  loans: number;
};

export type FindOptions = {
  start: Conventions;
  sample?: number;
  onProgress?: (stage: string, done: number, all: number) => void;
};

const SAMPLE = 36;
const FIRST_SAMPLE = 12;

/**
 * Finds the conventions that reproduce the most loans to the cent. A sample narrows the candidates stage by stage: first
 * what moves the most money. The best candidates are then counted over all loans.
 */
export async function findConventions(
  loans: StudiedLoans,
  { start, sample: size = SAMPLE, onProgress = () => {} }: FindOptions,
): Promise<FoundConventions> {
  const { sample, count, late_fee, installments } = await readSample(loans, size);
  const best = searchSample(start, sample, onProgress);
  const candidates = candidatesNear(best, sample, late_fee);
  const ranking = await countOverAll(loans, candidates, (done) =>
    onProgress('Checking all loans', done, count),
  );
  const [winner] = ranking;
  const undecided = ranking
    .slice(1)
    .flatMap(({ change, loans_agreeing }) =>
      change !== null && loans_agreeing === winner?.loans_agreeing ? [change] : [],
    );
  return {
    loans: count,
    ranking,
    undecided,
    installment: bestInstallmentRule(installments, winner?.conventions ?? best),
    late_fee,
  };
}

/** A loan that is prepared under many conventions. */
type SampleLoan = StudiedLoan & { prepare: (to: Conventions) => PreparedLoan };

/** Loans with late fees tell the most, so they fill half of the sample. */
async function readSample(loans: StudiedLoans, size: number) {
  const [eventful, others, installments]: [StudiedLoan[], StudiedLoan[], BookLoan[]] = [[], [], []];
  const feeFinder = findLateFeeRule();
  let count = 0;
  for await (const studied of loans()) {
    count += 1;
    feeFinder.add(studied.loan);
    if (installments.length < 2_000) installments.push(studied.loan);
    const group = studied.loan.events.some(isLateFee) ? eventful : others;
    if (studied.theirs.length > 0) keepEvenly(group, studied, { size, count });
  }
  const half = Math.ceil(size / 2);
  const fromEventful = eventful.slice(0, Math.max(half, size - others.length));
  const sample = [...fromEventful, ...others.slice(0, size - fromEventful.length)];
  const prepared = interleave(sample).map((studied) => ({
    ...studied,
    prepare: preparerOf(studied.loan, studied.theirs.at(-1)?.as_of_date ?? ''),
  }));
  return { sample: prepared, count, late_fee: feeFinder.rule(), installments };
}

/** Keeps a spread over the whole book, not its first loans. */
function keepEvenly(
  group: StudiedLoan[],
  studied: StudiedLoan,
  { size, count }: { size: number; count: number },
) {
  if (group.length < size) group.push(studied);
  else if ((count * 7919) % Math.max(1, Math.ceil(count / size)) === 0)
    group[(count * 31) % size] = studied;
}

const interleave = <Item>(items: readonly Item[]): Item[] => {
  const half = Math.ceil(items.length / 2);
  return items.slice(0, half).flatMap((item, at) => {
    const other = items[at + half];
    return other === undefined ? [item] : [item, other];
  });
};

type Score = { agreeing: number; distance: number };

const isBetter = (one: Score, other: Score) =>
  one.agreeing !== other.agreeing ? one.agreeing > other.agreeing : one.distance < other.distance;

/** Counts the loans that agree. The logarithm keeps one large difference from hiding many small ones. */
function scoreOf(conventions: Conventions, sample: readonly SampleLoan[]): Score {
  const score = { agreeing: 0, distance: 0 };
  for (const { prepare, theirs } of sample) {
    const prepared = prepare(conventions);
    let distance = 0;
    for (const difference of differencesOf(prepared, { theirs, tolerance: 0n }))
      distance += sizeOf(difference);
    if (distance === 0) score.agreeing += 1;
    score.distance += distance;
  }
  return score;
}

function sizeOf({ figure, ours, theirs }: Difference): number {
  if (figure !== 'days_past_due' && !isAmount(figure)) return 1;
  const apart =
    figure === 'days_past_due'
      ? Math.abs(Number(ours) - Number(theirs))
      : Math.abs(Number(centsOf(ours) - centsOf(theirs)));
  return Math.log2(1 + apart);
}

function bestOf(candidates: readonly Conventions[], sample: readonly SampleLoan[]): Conventions {
  let [best] = candidates as [Conventions];
  let bestScore = scoreOf(best, sample);
  for (const candidate of candidates.slice(1)) {
    const score = scoreOf(candidate, sample);
    if (isBetter(score, bestScore)) [best, bestScore] = [candidate, score];
  }
  return best;
}

function searchSample(
  start: Conventions,
  sample: readonly SampleLoan[],
  onProgress: NonNullable<FindOptions['onProgress']>,
): Conventions {
  const beginning = sample.slice(0, FIRST_SAMPLE);
  onProgress('Interest and dates', 0, 3);
  const earning = CONVENTIONS.interest_method.alternatives.flatMap((interest_method) =>
    CONVENTIONS.day_count.alternatives.flatMap((day_count) =>
      CONVENTIONS.payment_lag_days.alternatives.map((payment_lag_days) => ({
        ...start,
        interest_method,
        day_count,
        payment_lag_days,
      })),
    ),
  );
  const byInterest = bestOf(earning, beginning);
  onProgress('Payments', 1, 3);
  const paying = APPLICATION_ORDERS.flatMap((application_order) =>
    CONVENTIONS.extra_payment_to.alternatives.map((extra_payment_to) => ({
      ...byInterest,
      application_order,
      extra_payment_to,
    })),
  );
  let best = bestOf(paying, sample);
  onProgress('Details', 2, 3);
  // Each stage may have been misled by what a later stage corrects, so all single changes are tried again.
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const next = bestOf(
      [best, ...changesOf(best).map((change) => applyChange(best, change))],
      sample,
    );
    if (next === best) break;
    best = next;
  }
  onProgress('Details', 3, 3);
  return best;
}

const MOST_ROUNDS = 8;

/** The finder keeps the recorded late fees and the given installments: it finds their rules separately. */
const changesOf = (conventions: Conventions): ConventionChange[] =>
  singleChanges(conventions).filter(
    ({ convention }) => convention !== 'late_fees' && convention !== 'installment',
  );

type Candidate = { conventions: Conventions; change: ConventionChange | null };

/** The best candidate, with late fees by the rule that was found, and its nearest neighbors. */
function candidatesNear(
  found: Conventions,
  sample: readonly SampleLoan[],
  late_fee: LateFeeRule | null,
): Candidate[] {
  const byRule = { ...found, late_fees: late_fee ?? found.late_fees };
  const isReproduced = !isBetter(scoreOf(found, sample), scoreOf(byRule, sample));
  const best = isReproduced ? byRule : found;
  const neighbors = changesOf(best)
    .map((change) => ({ change, conventions: applyChange(best, change) }))
    .map((candidate) => ({ ...candidate, score: scoreOf(candidate.conventions, sample) }))
    .toSorted((one, other) => (isBetter(one.score, other.score) ? -1 : 1));
  const reference = scoreOf(best, sample);
  const equal = neighbors.filter(({ score }) => score.agreeing >= reference.agreeing);
  const shown = new Set([...equal, ...neighbors.slice(0, RUNNERS_UP)]);
  return [
    { conventions: best, change: null },
    ...[...shown].map(({ change, conventions }) => ({ change, conventions })),
  ];
}

const RUNNERS_UP = 3;
const COUNTEREXAMPLES = 3;

async function countOverAll(
  loans: StudiedLoans,
  candidates: readonly Candidate[],
  onProgress: (done: number) => void,
): Promise<RankedConventions[]> {
  const counted: RankedConventions[] = candidates.map((candidate) => ({
    ...candidate,
    loans_agreeing: 0,
    counterexamples: [],
  }));
  let done = 0;
  for await (const { loan, theirs } of loans()) {
    const prepare = preparerOf(loan, theirs.at(-1)?.as_of_date ?? '');
    for (const candidate of counted) {
      const prepared = prepare(candidate.conventions);
      const { value } = differencesOf(prepared, { theirs, tolerance: 0n }).next();
      if (!value) candidate.loans_agreeing += 1;
      else if (candidate.counterexamples.length < COUNTEREXAMPLES)
        candidate.counterexamples.push({ loan_number: loan.loan_number, difference: value });
    }
    done += 1;
    if (done % 50 === 0) onProgress(done);
  }
  return counted.toSorted((one, other) => other.loans_agreeing - one.loans_agreeing);
}

/** Compares the given installments with those that each rule calculates. Null if the file gives none. */
function bestInstallmentRule(
  loans: readonly BookLoan[],
  conventions: Conventions,
): InstallmentRule | null {
  const given = loans.filter(
    ({ contract, schedule }) => contract.payment_amount && schedule === null,
  );
  if (given.length === 0) return null;
  const rules = ROUNDINGS.flatMap((installment_rounding) =>
    INSTALLMENT_CALCULATIONS.map((installment_calculation) => ({
      installment_rounding,
      installment_calculation,
    })),
  );
  const counted = rules.map((rule) => ({
    ...rule,
    day_count: rule.installment_calculation === 'actual_days' ? conventions.day_count : null,
    loans_agreeing: given.filter((loan) => asksForGiven(loan, conventions, rule)).length,
    loans: given.length,
  }));
  const [best] = counted.toSorted((one, other) => other.loans_agreeing - one.loans_agreeing);
  return best ?? null;
}

function asksForGiven(
  { terms, contract }: BookLoan,
  { day_count, interest_method }: Conventions,
  rule: Pick<InstallmentRule, 'installment_rounding' | 'installment_calculation'>,
): boolean {
  const calculated = { ...terms, day_count, interest_method, ...rule };
  if (numberOfPayments(terms.payment_frequency, terms.term_months) < 2) return false;
  const [first] = originalSchedule(calculated, { ...contract, payment_amount: null });
  return first?.payment_amount === contract.payment_amount;
}
