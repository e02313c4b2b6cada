import { expect, test } from 'vitest';
import { shareCloses } from './shared-close.ts';

/** Two chunks, one for each set of workers. */
const LOANS = 20_000;

test('two sets of workers share a close, and killing one set loses nothing', async () => {
  const { alone, shared, killed } = await shareCloses(LOANS);

  const [one, two, rest] = [alone, shared, killed].map(({ seconds }) => `${seconds.toFixed(1)} s`);
  console.log(
    `a close of ${LOANS} loans: by one set ${one}, by two ${two}, ` +
      `by two of which one is killed ${rest}`,
  );
  expect([alone.workers, shared.workers, killed.workers]).toEqual([1, 2, 2]);
  for (const closed of [alone, shared, killed]) {
    expect(closed).toMatchObject({ loans: LOANS, snapshots: LOANS, quarantined: 0 });
    expect(new Set(closed.interest).size).toBe(1);
  }
}, 600_000);
