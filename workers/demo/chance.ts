import { createHash } from 'node:crypto';

/** A sequence that looks like chance and is the same for the same seed, on every machine. */
export type Random = { seed: string; drawn: number };

export const randomOf = (seed: string): Random => ({ seed, drawn: 0 });

/** The next number of the sequence, from 0 up to and not including 1. */
export function chance(random: Random): number {
  const digest = createHash('sha256').update(`${random.seed}:${random.drawn}`).digest();
  random.drawn += 1;
  return digest.readUInt32BE(0) / 2 ** 32;
}

export function pick<One>(random: Random, from: readonly One[]): One {
  return from[Math.floor(chance(random) * from.length)] as One;
}
