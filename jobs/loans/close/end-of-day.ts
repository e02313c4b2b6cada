import type { Work } from '../../work.ts';

/** What is told of a day as a whole, once all its loans are closed. */
export async function endOfDay(_work: Work, _day: string) {
  // The areas add their steps here.
}
