/** Our result and that of the floor in the same run. The floor is the least that any design must do. */
export type Figure = {
  what: string;
  /** For display, with the unit: '221 per second'. */
  ours: string;
  floor: string;
  /** Ours divided by the floor's. Higher is better for rates, lower for times. */
  ratio: number;
  /** The limit for the ratio. Without one, the ratio is only reported. */
  target?: { least: number } | { most: number };
};

/** A benchmark. It may report its progress on standard error. */
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
 * Measures all acts in several rounds, starting with a different one each time, because a busy machine
 * slows the act that happens to run. Returns the median of each.
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

export const median = (rounds: readonly number[]): number =>
  rounds.toSorted((one, other) => one - other)[rounds.length >> 1] ?? Number.NaN;

/** On standard error, so that standard output contains only figures. */
export const printProgress = (line: string) => process.stderr.write(`${line}\n`);

/** A benchmark received unknown arguments. The message lists the valid ones. */
export class BadArgument extends Error {}

/** The requested size. Throws BadArgument with a valid example if the word is no such number. */
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
