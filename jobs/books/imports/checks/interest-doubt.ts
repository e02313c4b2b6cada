import { valueText } from '../../conventions/conventions.ts';
import { interestSince, waysOfCounting, type SincePaid } from '../../conventions/since-paid.ts';
import { paidThroughDate } from '../../../loans/boarding/paid-through.ts';
import { isBilledByCycle, type Terms } from '../../../loans/arithmetic/terms.ts';
import { FINDING_CODES, type Finding } from '../../format/findings.ts';
import type { PlacedLoan } from './history-places.ts';

/** Loans of a day count that are judged. More do not change the answer. */
const SAMPLE = 1_000;
/** Fewer loans may fit another day count by chance. */
const LOANS_MIN = 5;

type Counted = { place: PlacedLoan; judged: number; fitting: Map<string, Fit> };
type Fit = { way: SincePaid; loans: number };

/**
 * Doubts the interest that a file states if most loans fit another day count to the cent. It is a property of the file, so
 * it is one warning for each day count of a product.
 */
export function createInterestDoubt() {
  const counts = new Map<Terms['day_count'], Counted>();
  return {
    /** Adds a loan that is boarded with the interest of its line. */
    add(loan: PlacedLoan, terms: Terms, today: string) {
      const { row } = loan;
      const from = paidThroughDate(row, terms);
      const { accrued_interest: stated, current_principal_balance: principal, status } = row;
      const isAsked = status === 'active' && terms.interest_method === 'simple_daily';
      if (!isAsked || isBilledByCycle(terms) || row.history_from !== undefined) return;
      if (stated === undefined || Number(stated) === 0 || from === undefined || from >= today)
        return;
      const counted = counts.get(terms.day_count) ?? { place: loan, judged: 0, fitting: new Map() };
      counts.set(terms.day_count, counted);
      if (counted.judged >= SAMPLE) return;
      counted.judged += 1;
      for (const way of waysOfCounting(terms.day_count)) {
        if (interestSince({ principal, terms }, from, today, way).amount !== stated) continue;
        const fit = counted.fitting.get(keyOf(way)) ?? { way, loans: 0 };
        fit.loans += 1;
        counted.fitting.set(keyOf(way), fit);
      }
    },
    /** After the last loan. */
    end: (): Finding[] => [...counts].flatMap(([ours, counted]) => doubtOf(ours, counted)),
  };
}

const keyOf = ({ day_count, interest_through }: SincePaid) => `${day_count} ${interest_through}`;

function doubtOf(ours: Terms['day_count'], { place, judged, fitting }: Counted): Finding[] {
  const own = fitting.get(keyOf({ day_count: ours, interest_through: 'day_before' }))?.loans ?? 0;
  const [best] = [...fitting.values()].toSorted((one, other) => other.loans - one.loans);
  if (best === undefined || judged < LOANS_MIN) return [];
  if (best.loans * 2 <= judged || own * 2 > judged) return [];
  const { day_count, interest_through } = best.way;
  const isSameDay = interest_through === 'same_day';
  const theirs = `${valueText(day_count)}${isSameDay ? ' with the interest of the day itself' : ''}`;
  const remedy =
    day_count === ours
      ? 'State the interest through the day before.'
      : `Set the day_count of the product to ${day_count}, or give the loans another product.`;
  return [
    {
      file: place.source,
      line: place.line,
      column: place.labelOf('accrued_interest'),
      code: 'interest_counted_otherwise',
      severity: FINDING_CODES.interest_counted_otherwise.severity,
      reason: `The stated interest looks like ${theirs}: ${best.loans} of ${judged} loans fit to the cent, and ${own} fit ${valueText(ours)}, which their product says. ${remedy}`,
    },
  ];
}
