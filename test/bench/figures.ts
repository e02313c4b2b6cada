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

export const HEAD = [
  '| Ratio | Target | Met | What | Ours | Floor |',
  '|---:|---|---|---|---|---|',
];

export const asRow = (figure: Figure) => {
  const { what, ours, floor, ratio, target } = figure;
  const met = target === undefined ? '' : isMet(figure) ? 'yes' : 'no';
  return `| ${ratio.toPrecision(3)} | ${targetOf(figure)} | ${met} | ${what} | ${ours} | ${floor} |`;
};

/** The middle one of several rounds. */
export const median = (rounds: readonly number[]): number =>
  rounds.toSorted((one, other) => one - other)[rounds.length >> 1] ?? Number.NaN;

/** Progress, beside the figures and not among them. */
export const say = (line: string) => process.stderr.write(`${line}\n`);
