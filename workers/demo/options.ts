import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isDate } from '../../jobs/dates.ts';
import { StartupError } from '../../sql/database/startup-error.ts';
import { readWorkerConfiguration } from '../processes/configuration.ts';
import { outputFileProblem } from '../processes/output-file.ts';
import { tapeFileProblem } from '../processes/tape-file.ts';
import { environmentOf } from './platform.ts';

type Variables = Record<string, string | undefined>;

export type DemoOptions = {
  tape: string;
  /** The last business date to close. Default: the end of the third month. */
  through: string | null;
  out: string;
  /** The number of statement PDFs per month. */
  statements: 'all' | 'none' | number;
  summary: string | null;
  environment: Variables;
};

const USAGE =
  'npm run demo -- [--tape FILE.csv] [--through YYYY-MM-DD] [--out DIR] [--statements all|N|none] [--summary FILE.json]';

const DEFAULT_TAPE = fileURLToPath(new URL('tape.csv', import.meta.url));

/** Reads the command line. Throws one error that lists every problem. */
export function readOptions(words: readonly string[], variables: Variables = {}): DemoOptions {
  const text = { type: 'string' as const };
  const { values } = parseOrUsageError(() =>
    parseArgs({
      args: [...words],
      options: { tape: text, through: text, out: text, statements: text, summary: text },
    }),
  );
  const { tape = DEFAULT_TAPE, through = null, out = '.data/demo', summary = null } = values;
  const { statements = 'all' } = values;
  const problems = [
    tapeFileProblem(tape),
    through !== null && !isDate(through) && `--through: "${through}" is no date.`,
    !/^(all|none|\d{1,6})$/.test(statements) && '--statements takes all, none, or a number.',
    summary !== null && outputFileProblem('--summary', summary),
    outputFileProblem('--out', path.join(out, 'summary')),
    ...environmentProblems(environmentOf('postgres://embedded', out, '', variables)),
  ].filter((problem) => typeof problem === 'string');
  if (problems.length > 0) throw new StartupError(problems.join('\n'));
  return {
    tape: path.resolve(tape),
    through,
    out: path.resolve(out),
    statements: statements === 'all' || statements === 'none' ? statements : Number(statements),
    summary: summary === null ? null : path.resolve(summary),
    environment: variables,
  };
}

/** The problems that the demo's processes would find in their environment. */
function environmentProblems(handedOn: Variables): string[] {
  try {
    readWorkerConfiguration(handedOn);
    return [];
  } catch (error) {
    if (error instanceof StartupError) return [error.message];
    throw error;
  }
}

function parseOrUsageError<Parsed>(parse: () => Parsed): Parsed {
  try {
    return parse();
  } catch (error) {
    throw new StartupError(`${(error as Error).message}\n${USAGE}`, { cause: error });
  }
}
