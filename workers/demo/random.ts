import { createHash } from 'node:crypto';

/** A pseudorandom sequence. The same seed gives the same numbers on every machine. */
export type RandomSequence = { seed: string; drawn: number };

export const seedRandom = (seed: string): RandomSequence => ({ seed, drawn: 0 });

/** Returns the next number of the sequence, from 0 (inclusive) to 1 (exclusive). */
export function nextRandom(random: RandomSequence): number {
  const digest = createHash('sha256').update(`${random.seed}:${random.drawn}`).digest();
  random.drawn += 1;
  return digest.readUInt32BE(0) / 2 ** 32;
}

export function pickRandom<One>(random: RandomSequence, from: readonly One[]): One {
  return from[Math.floor(nextRandom(random) * from.length)] as One;
}
