export type Random = {
  /** From zero up to but excluding the limit. */
  below: (limit: number) => number;
  pick: <One>(list: readonly One[]) => One;
  chance: (share: number) => boolean;
};

/** Random draws that repeat for the same seed and number, so that a single request can be reproduced. */
export function newRandom(seed: number, number: number): Random {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    pick: (list) => list[below(list.length)] as never,
    chance: (share) => next() < share,
  };
}

/** A number for `newRandom` that depends on the name only, so that a new route does not change the draws of others. */
export const numberOfName = (name: string): number =>
  Buffer.from(name).reduce((sum, byte) => (Math.imul(sum, 31) + byte) >>> 0, 7);
