import { createHash } from 'node:crypto';

/** A sequence that looks like chance and is the same for the same seed, on every machine. */
export type RandomSequence = { seed: string; drawn: number };

export const seedRandom = (seed: string): RandomSequence => ({ seed, drawn: 0 });

/** The next number of the sequence, from 0 up to and not including 1. */
export function nextRandom(random: RandomSequence): number {
  const digest = createHash('sha256').update(`${random.seed}:${random.drawn}`).digest();
  random.drawn += 1;
  return digest.readUInt32BE(0) / 2 ** 32;
}

export function pickRandom<One>(random: RandomSequence, from: readonly One[]): One {
  return from[Math.floor(nextRandom(random) * from.length)] as One;
}
