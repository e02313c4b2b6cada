/**
 * A set of millions of keys in 8 to 16 bytes each. It stores hashes of 53 bits, so two different keys may rarely seem
 * equal: compare suspicious keys once more.
 */
export function createKeySet() {
  let slots = new Float64Array(1024);
  let count = 0;

  function place(table: Float64Array, hash: number): number {
    const mask = table.length - 1;
    let at = hash % table.length;
    // 0 marks an empty slot.
    while (table[at] !== 0 && table[at] !== hash) at = (at + 1) & mask;
    return at;
  }

  function grow() {
    const larger = new Float64Array(slots.length * 2);
    for (const hash of slots) if (hash !== 0) larger[place(larger, hash)] = hash;
    slots = larger;
  }

  return {
    /** Returns false if the key, or one with the same hash, is already there. */
    add(key: string): boolean {
      const hash = hashOf(key);
      const at = place(slots, hash);
      if (slots[at] === hash) return false;
      slots[at] = hash;
      count += 1;
      if (count * 4 > slots.length * 3) grow();
      return true;
    },
    has: (key: string): boolean => {
      const hash = hashOf(key);
      return slots[place(slots, hash)] === hash;
    },
  };
}

/** Two rounds of FNV-1a with different starts, joined to 53 bits. Never 0. */
export function hashOf(key: string): number {
  let high = 0x811c9dc5;
  let low = 0x9e3779b9;
  for (let at = 0; at < key.length; at += 1) {
    const code = key.charCodeAt(at);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x85ebca6b);
    low ^= low >>> 13;
  }
  high ^= high >>> 15;
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0) || 1;
}
