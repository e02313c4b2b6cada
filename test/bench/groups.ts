import { shareCloses, type Closed } from '../faults/shared-close.ts';
import { printProgress, parseSize, type Bench, type Figure } from './figures.ts';

/** Four chunks, which two sets of workers can share. */
const LOANS = 40_000;
const LOANS_MIN = 10_001;

/**
 * A close by one set of workers, by two sets in separate process groups, and by two sets of which one is
 * killed.
 */
export const benchGroups: Bench = async (words) => {
  const loans = parseSize(words, { usual: LOANS, least: LOANS_MIN });
  printProgress(`Writing ${loans.toLocaleString('en')} loans …`);
  const { alone, shared, killed } = await shareCloses(loans);
  for (const [how, closed] of Object.entries({ alone, shared, killed })) assertWhole(how, closed);
  const beside = (what: string, { seconds }: Closed): Figure => ({
    what: `a close of ${loans.toLocaleString('en')} loans by ${what}; by one set alone`,
    ours: `${seconds.toFixed(1)} s`,
    floor: `${alone.seconds.toFixed(1)} s`,
    ratio: seconds / alone.seconds,
  });
  return [
    beside('two sets of workers', shared),
    beside('two, of which one is killed while it works', killed),
  ];
};

/**
 * No loan may be missing or quarantined, and the interest must be the same in every place that stores it.
 */
function assertWhole(how: string, { loans, snapshots, quarantined, interest }: Closed) {
  if (loans === snapshots && quarantined === 0 && new Set(interest).size === 1) return;
  const told = `${loans} loans, ${snapshots} snapshots, ${quarantined} set aside`;
  throw new Error(`The close ${how} lost something: ${told}, interest ${interest.join(', ')}.`);
}
