/** What we took for something beside the least that any design must take for it, in the same run. */
export type Figure = {
  what: string;
  /** As they are read, with their unit: '221 a second'. */
  ours: string;
  floor: string;
  /** Ours by the floor's: of rates more is better, of times less. */
  ratio: number;
  /** What the ratio should be; without one it is told only. */
  target?: { least: number } | { most: number };
};

/** What a bench measures. While it runs it may say on standard error how far it is. */
export type Bench = (words: readonly string[]) => Promise<readonly Figure[]>;

const isMet = ({ ratio, target }: Figure) =>
  target === undefined || ('least' in target ? ratio >= target.least : ratio <= target.most);

const targetOf = ({ target }: Figure) =>
  target === undefined
    ? ''
    : 'least' in target
      ? `at least ${target.least}`
      : `at most ${target.most}`;

export const TABLE_HEADER = [
  '| Ratio | Target | Met | What | Ours | Floor |',
  '|---:|---|---|---|---|---|',
];

export const figureRow = (figure: Figure) => {
  const { what, ours, floor, ratio, target } = figure;
  const met = target === undefined ? '' : isMet(figure) ? 'yes' : 'no';
  return `| ${ratio.toPrecision(3)} | ${targetOf(figure)} | ${met} | ${what} | ${ours} | ${floor} |`;
};

/**
 * Measures all of them in each of several rounds, another one first each time: a busy machine slows whoever
 * runs at that moment. Answers the median of each.
 */
export async function alternate<Name extends string>(
  rounds: number,
  measured: Record<Name, () => Promise<number>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(measured) as Name[];
  const found = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    number[]
  >;
  for (let round = 0; round < rounds; round += 1) {
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)])
      found[name].push(await measured[name]());
  }
  return Object.fromEntries(names.map((name) => [name, median(found[name])])) as Record<
    Name,
    number
  >;
}

/** The middle one of several rounds. */
export const median = (rounds: readonly number[]): number =>
  rounds.toSorted((one, other) => one - other)[rounds.length >> 1] ?? Number.NaN;

/** Progress, beside the figures and not among them. */
export const printProgress = (line: string) => process.stderr.write(`${line}\n`);

/** A bench was asked for in a way that it does not know; its message says what it does know. */
export class BadArgument extends Error {}

/** How many were wished for; a word that is no such number is answered with what would be one. */
export function parseSize(
  [wish]: readonly string[],
  { usual, least }: { usual: number; least: number },
) {
  const size = Number(wish ?? usual);
  if (Number.isInteger(size) && size >= least) return size;
  throw new BadArgument(`How many? A number from ${least} on; ${usual} without one.`);
}

export const perSecond = (rate: number) =>
  `${rate < 100 ? rate.toFixed(1) : Math.round(rate).toLocaleString('en')} a second`;
export const formatMs = (ms: number) => `${ms.toPrecision(3)} ms`;
