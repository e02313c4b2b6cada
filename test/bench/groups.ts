import { shareCloses } from '../faults/shared-close.ts';

const LOANS = 200_000;

/** A close by one set of workers, by two in process groups of their own, and by two of which one is killed. */
export async function groups([wish]: readonly string[]) {
  const loans = Number(wish ?? LOANS);
  if (!Number.isInteger(loans) || loans < 10_001) {
    throw new Error(
      'A number of loans above 10000: a chunk has so many, and two sets share the chunks.',
    );
  }
  console.log(`Writing ${loans.toLocaleString('en')} loans …`);
  const closes = await shareCloses(loans);
  for (const [how, { seconds, workers, loans: done, set_aside, interest }] of Object.entries(
    closes,
  )) {
    const same = new Set(interest).size === 1 ? 'the same' : 'NOT THE SAME';
    const rest = `${done} loans, ${set_aside} set aside, interest ${same} in run, loans and books`;
    console.log(
      `${how.padEnd(8)} ${seconds.toFixed(1).padStart(7)} s  ${workers} at work, ${rest}`,
    );
  }
  const { alone, shared } = closes;
  console.log(`ratio of two to one set ${(shared.seconds / alone.seconds).toFixed(2)}`);
}
