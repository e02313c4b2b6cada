/**
 * A lookup table without inherited properties. Keys may come from outside, and a plain object would return
 * a function for "constructor".
 */
export const dictionary = <Value>(
  entries: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> =>
  Object.assign(Object.create(null) as Record<string, Value>, entries);
