/**
 * A table of words. Its keys may come from outside, and an object's own inheritance is no entry of it:
 * for "constructor" a plain object would answer a function.
 */
export const dictionary = <Value>(
  entries: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> =>
  Object.assign(Object.create(null) as Record<string, Value>, entries);
