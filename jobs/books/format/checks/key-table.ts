import { hashOf } from './key-set.ts';

/**
 * A map from millions of keys to a few numbers each, in 40 to 80 bytes for a key. A key is known by two hashes of 53 bits
 * together, which different keys practically never share.
 */
export function createKeyTable<Name extends string>(...names: readonly Name[]) {
  const width = names.length + 2;
  /** For each key its two hashes and its numbers. */
  let rows = new Float64Array(1024 * width);
  /** The row of each key, at a place that follows from its hash. Counted from 1, because 0 marks an empty slot. */
  let slots = new Int32Array(2048);
  let count = 0;

  function findSlot(hash: number, second: number): number {
    let at = hash % slots.length;
    for (let row = slots[at] ?? 0; row !== 0; row = slots[at] ?? 0) {
      const from = (row - 1) * width;
      if (rows[from] === hash && rows[from + 1] === second) break;
      at = (at + 1) % slots.length;
    }
    return at;
  }

  function grow() {
    const larger = new Float64Array(rows.length * 2);
    larger.set(rows);
    rows = larger;
    slots = new Int32Array(slots.length * 2);
    for (let row = 0; row < count; row += 1) {
      const [hash = 0, second = 0] = rows.subarray(row * width, row * width + 2);
      slots[findSlot(hash, second)] = row + 1;
    }
  }

  return {
    /** The numbers of the key. Undefined: the key is not in the table. */
    find(key: string): Record<Name, number> | undefined {
      const row = slots[findSlot(hashOf(key), secondHashOf(key))] ?? 0;
      if (row === 0) return undefined;
      const numbers = names.map((name, column) => [name, rows[(row - 1) * width + 2 + column]]);
      return Object.fromEntries(numbers) as Record<Name, number>;
    },
    /** Adds a key that is not in the table. */
    add(key: string, numbers: Record<Name, number>) {
      if ((count + 1) * width > rows.length) grow();
      const [hash, second] = [hashOf(key), secondHashOf(key)];
      rows.set([hash, second, ...names.map((name) => numbers[name])], count * width);
      count += 1;
      slots[findSlot(hash, second)] = count;
    },
  };
}

const secondHashOf = (key: string) => hashOf(`\u001f${key}`);
