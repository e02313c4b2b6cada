import { addDays, addMonths } from '../../dates.ts';
import { formatCents } from '../../loans/arithmetic/minor-units.ts';
import { prepareLoan, preparerOf, type BookLoan, type PreparedLoan } from './book-loan.ts';
import {
  applyChange,
  changeText,
  kindOfChange,
  singleChanges,
  type ConventionChange,
  type Conventions,
  type DifferenceKind,
} from './conventions.ts';
import {
  agrees,
  centsOf,
  compareDistances,
  differencesOf,
  distanceOf,
  type Comparison,
  type Difference,
} from './differences.ts';
import {
  applyEventChange,
  eventChanges,
  eventChangeText,
  type EventChange,
  type MissingAmount,
  type Window,
} from './event-changes.ts';
import { computeFigures, type Figures } from './figures.ts';
import { paidThroughChanges } from './paid-through.ts';
import { computationOn, findParting, type Parting } from './parting.ts';
import { countsSincePaid, explainSincePaid, type SincePaid } from './since-paid.ts';

/** Why the figures of a loan differ between two systems. */
export type NamedDifference = {
  kind: DifferenceKind;
  /** What the other system does differently, in plain words. Empty if unknown. */
  reasons: string[];
  changes: ConventionChange[];
  event_change: EventChange | null;
  differences: Difference[];
  /** The first day on which both computations differ. Null if unknown. */
  parting: Parting | null;
  /** What remains under the nearest explanation. Empty unless the kind is unknown. */
  remaining: Difference[];
};

type Explanation = { changes: ConventionChange[]; event_change: EventChange | null };

/** Which changes explained loans so far. The usual ones are tried first. */
export type Experience = {
  singles: Map<string, number>;
  pairs: Map<string, ConventionChange[]>;
  /** Loans that no pair explains cost the most time, so only some of them try all pairs. */
  pair_searches_left: number;
};

export const newExperience = (): Experience => ({
  singles: new Map(),
  pairs: new Map(),
  pair_searches_left: 300,
});

const keyOf = ({ convention, theirs }: ConventionChange) =>
  `${convention} ${JSON.stringify(theirs)}`;

export type Naming = {
  conventions: Conventions;
  tolerance: bigint;
  experience: Experience;
  /** Charges late fees by rule through this day. Default: the last day of the figures. */
  through?: string;
};

/**
 * Names the difference between a loan's figures here and there. Null if they agree. Tries, in this order: one other
 * convention, another state of the loan when it was boarded, one other event, two other conventions.
 */
export function nameDifference(
  loan: BookLoan,
  theirs: readonly Figures[],
  naming: Naming,
): NamedDifference | null {
  const study = newStudy(loan, theirs, naming);
  const ours = study.prepare({ changes: [], event_change: null });
  const differences = [...differencesOf(ours, study.comparison)];
  const [first] = differences;
  if (first === undefined) return null;
  const single = explainBySingleChange(study);
  const boarded = single === null ? explainByBoarding(study, ours, differences) : null;
  if (boarded !== null) return { ...boarded, event_change: null, differences, remaining: [] };
  const found = single ?? explainByEvent(study, ours, differences) ?? explainByPair(study);
  if (found === null) return unknownDifference(study, differences);
  for (const change of found.changes.length === 1 ? found.changes : []) remember(naming, change);
  return {
    ...found,
    kind: kindOf(found),
    reasons: [
      ...found.changes.map(changeText),
      ...(found.event_change ? [eventChangeText(found.event_change)] : []),
    ],
    differences,
    parting: findParting(ours, study.prepare(found), first.as_of_date),
    remaining: [],
  };
}

/**
 * Counts every single change that explains a loan. Some loans fit several conventions; after a sample, the convention
 * that most loans fit is tried first.
 */
export function learnFrom(loan: BookLoan, theirs: readonly Figures[], naming: Naming): void {
  const study = newStudy(loan, theirs, naming);
  const isEqual = (changes: ConventionChange[]) =>
    agrees(study.prepare({ changes, event_change: null }), study.comparison);
  if (isEqual([])) return;
  for (const change of singleChanges(naming.conventions))
    if (isEqual([change])) remember(naming, change);
  for (const way of waysSincePaid(study)) add(naming, keyOfWay(way));
}

const add = ({ experience: { singles } }: Naming, key: string) =>
  singles.set(key, (singles.get(key) ?? 0) + 1);

const remember = (naming: Naming, change: ConventionChange) => add(naming, keyOf(change));

function kindOf({ changes, event_change }: Explanation): DifferenceKind {
  if (event_change !== null) return event_change.kind;
  const [change, second] = changes;
  if (change === undefined) return 'unknown';
  return second === undefined || kindOfChange(change) === kindOfChange(second)
    ? kindOfChange(change)
    : 'several';
}

type Study = {
  loan: BookLoan;
  through: string;
  comparison: Comparison;
  naming: Naming;
  prepare: (explanation: Explanation) => PreparedLoan;
};

function newStudy(loan: BookLoan, theirs: readonly Figures[], naming: Naming): Study {
  const through = naming.through ?? theirs.at(-1)?.as_of_date ?? loan.start.effective_date;
  const prepare = preparerOf(loan, through);
  return {
    loan,
    through,
    naming,
    comparison: { theirs, tolerance: naming.tolerance },
    prepare: ({ changes, event_change }) => {
      const conventions = changes.reduce(applyChange, naming.conventions);
      return event_change === null
        ? prepare(conventions)
        : preparerOf(applyEventChange(loan, event_change), through)(conventions);
    },
  };
}

function explainBySingleChange({ naming, prepare, comparison }: Study): Explanation | null {
  const { experience, conventions } = naming;
  const count = (change: ConventionChange) => experience.singles.get(keyOf(change)) ?? 0;
  const usualFirst = singleChanges(conventions).toSorted((one, other) => count(other) - count(one));
  const change = usualFirst.find((one) =>
    agrees(prepare({ changes: [one], event_change: null }), comparison),
  );
  return change === undefined ? null : { changes: [change], event_change: null };
}

/** The ways of counting interest since the paid-through date that fit. */
function waysSincePaid({ loan, comparison, naming, prepare }: Study): SincePaid[] {
  const ours = prepare({ changes: [], event_change: null });
  const differences = differencesOf(ours, comparison);
  return countsSincePaid(loan, comparison, [...differences], naming.conventions);
}

const keyOfWay = ({ day_count, interest_through }: SincePaid) =>
  `since paid ${day_count} ${interest_through}`;

/** A loan that was boarded without its history: the unpaid interest or the due dates of that day differ. */
function explainByBoarding(
  study: Study,
  ours: PreparedLoan,
  differences: readonly Difference[],
): Pick<NamedDifference, 'kind' | 'reasons' | 'changes' | 'parting'> | null {
  const { loan, comparison, naming } = study;
  const first = differences[0]?.as_of_date ?? '';
  const count = (way: SincePaid) => naming.experience.singles.get(keyOfWay(way)) ?? 0;
  const [way] = waysSincePaid(study).toSorted((one, other) => count(other) - count(one));
  if (way !== undefined) {
    add(naming, keyOfWay(way));
    const { theirs, ...explained } = explainSincePaid(loan, way, naming.conventions, first);
    const here = computationOn(ours, first);
    const { interest, text } = theirs;
    const there = { ...here, interest, steps: [{ text, amount: interest }] };
    return { ...explained, parting: { date: first, ours: here, theirs: there } };
  }
  for (const paid of paidThroughChanges(loan, ours, differences)) {
    const prepared = prepareLoan(paid.loan, naming.conventions, study.through);
    if (!agrees(prepared, comparison)) continue;
    return {
      kind: 'paid_through',
      reasons: [`paid through: ${paid.ours} here, ${paid.theirs} there`],
      changes: [],
      parting: findParting(ours, prepared, first),
    };
  }
  return null;
}

function explainByEvent(
  study: Study,
  ours: PreparedLoan,
  differences: readonly Difference[],
): Explanation | null {
  const { loan, prepare, comparison } = study;
  const window = windowOf(loan, comparison.theirs, differences);
  const missing = missingAmounts(ours, comparison.theirs, window).filter(
    // The amount of a payment is fitted, so that it explains any single figure.
    ({ kind }) => kind === 'fee' || countIndependent(differences) > 1,
  );
  for (const tried of eventChanges(loan, window, missing)) {
    const event_change = isNewPayment(tried) ? fitAmount(tried, study, window) : tried;
    const explanation = { changes: [], event_change };
    if (agrees(prepare(explanation), comparison)) return explanation;
  }
  return null;
}

/** Differing figures that do not follow from others of their day. */
const countIndependent = (differences: readonly Difference[]): number =>
  differences.filter(({ figure }) => figure !== 'payoff_amount' && figure !== 'paid_total').length;

const isNewPayment = ({ change, event }: EventChange) =>
  change === 'missing_here' && event.kind === 'payment';

/** A payment also saves interest, which depends on its date. Two steps find the amount to the cent. */
function fitAmount(tried: EventChange, study: Study, window: Window): EventChange {
  let fitted = tried;
  for (let step = 0; step < 2; step += 1) {
    const loan = study.prepare({ changes: [], event_change: fitted });
    const more = debtBetween(loan, study.comparison.theirs, window);
    if (more === null || more.total === 0n || fitted.event.kind !== 'payment') return fitted;
    const amount = centsOf(fitted.event.amount) + more.total;
    if (amount <= 0n) return tried;
    fitted = { ...fitted, event: { ...fitted.event, amount: formatCents(amount) } };
  }
  return fitted;
}

function windowOf(
  { start }: BookLoan,
  theirs: readonly Figures[],
  [first]: readonly Difference[],
): Window {
  const through = first?.as_of_date ?? '';
  const before = theirs.findLast(({ as_of_date }) => as_of_date < through)?.as_of_date;
  // A file may begin long after the loan, so that only its last weeks can be searched.
  const monthBefore = addMonths(through, -2);
  const earliest = before ?? addDays(start.effective_date, -1);
  return { after: earliest < monthBefore ? monthBefore : earliest, through };
}

/** How much more the loan owes here than there when the figures first differ. */
function debtBetween(ours: PreparedLoan, theirs: readonly Figures[], { through }: Window) {
  const there = theirs.find(({ as_of_date }) => as_of_date === through);
  const [here] = computeFigures(ours, [through], new Set(['principal', 'interest', 'fees']));
  if (there === undefined || here === undefined) return null;
  const more = (name: 'principal' | 'interest' | 'fees') =>
    there[name] === undefined || there[name] === null
      ? 0n
      : centsOf(here[name] ?? null) - centsOf(there[name]);
  const [principal, interest, fees] = [more('principal'), more('interest'), more('fees')];
  return { fees, total: principal + interest + fees };
}

/** The payment or the fee by which the debts differ. */
function missingAmounts(
  ours: PreparedLoan,
  theirs: readonly Figures[],
  window: Window,
): MissingAmount[] {
  const more = debtBetween(ours, theirs, window);
  if (more === null || more.total === 0n) return [];
  if (more.total > 0n) return [{ kind: 'payment', amount: more.total }];
  return more.fees === more.total ? [{ kind: 'fee', amount: -more.fees }] : [];
}

/** Tries two changes at a time: first the pairs that explained other loans, then all, while the budget lasts. */
function explainByPair(study: Study): Explanation | null {
  const { experience, conventions } = study.naming;
  const known = [...experience.pairs.values()];
  const isSearched = experience.pair_searches_left > 0;
  if (isSearched) experience.pair_searches_left -= 1;
  for (const changes of isSearched ? [...known, ...allPairs(conventions)] : known) {
    const explanation = { changes, event_change: null };
    if (!agrees(study.prepare(explanation), study.comparison)) continue;
    experience.pairs.set(changes.map(keyOf).join(', '), changes);
    if (isSearched) experience.pair_searches_left += 1;
    return explanation;
  }
  return null;
}

function* allPairs(conventions: Conventions): Generator<ConventionChange[]> {
  const singles = singleChanges(conventions);
  for (const [at, change] of singles.entries())
    for (const second of singles.slice(at + 1))
      if (change.convention !== second.convention) yield [change, second];
}

function nearestChanges({ naming, prepare, comparison }: Study) {
  return singleChanges(naming.conventions)
    .map((change) => {
      const prepared = prepare({ changes: [change], event_change: null });
      return { change, distance: distanceOf(differencesOf(prepared, comparison)) };
    })
    .toSorted((one, other) => compareDistances(one.distance, other.distance));
}

function unknownDifference(study: Study, differences: Difference[]): NamedDifference {
  const [nearest] = nearestChanges(study);
  const isNearer =
    nearest !== undefined && compareDistances(nearest.distance, distanceOf(differences)) < 0;
  const remaining = isNearer
    ? [
        ...differencesOf(
          study.prepare({ changes: [nearest.change], event_change: null }),
          study.comparison,
        ),
      ]
    : differences;
  return {
    kind: 'unknown',
    reasons: isNearer ? [`Nearest: ${changeText(nearest.change)}`] : [],
    changes: isNearer ? [nearest.change] : [],
    event_change: null,
    differences,
    parting: null,
    remaining,
  };
}
