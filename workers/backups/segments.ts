/** The parts of a WAL segment's name: the timeline and the two halves of its number. */
const NAME = /^([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})$/;
const FOUR_GIB = 2 ** 32;

/**
 * Returns the names of the WAL segments from `first` up to, but excluding, `next`. Undefined if `next`
 * cannot follow `first`.
 */
export function segmentsBetween(first: string, next: string, bytes: number): string[] | undefined {
  const inOne = FOUR_GIB / bytes;
  const [from, to] = [first, next].map((name) => NAME.exec(name));
  if (!from || !to || from[1] !== to[1]) return undefined;
  const [begin, end] = [from, to].map(
    ([, , high = '', low = '']) => Number.parseInt(high, 16) * inOne + Number.parseInt(low, 16),
  );
  if (begin === undefined || end === undefined || end < begin) return undefined;
  const digits = (number: number) => number.toString(16).toUpperCase().padStart(8, '0');
  return Array.from({ length: end - begin }, (_, at) => {
    const number = begin + at;
    return `${from[1]}${digits(Math.floor(number / inOne))}${digits(number % inOne)}`;
  });
}
