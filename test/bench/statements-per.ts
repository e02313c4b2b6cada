import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Bench, Figure } from './figures.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILE = 'test/api/round-trips.test.ts';

/** The limits: how often an act may wait for the database, or how many statements it may send. */
const BUDGETS: Record<string, { trips: number } | { statements: number }> = {
  'a loan is read': { trips: 4 },
  'loans are listed and counted': { trips: 4 },
  'payments of a loan are listed': { trips: 4 },
  'a payment is received': { trips: 7 },
  'a payment is refused (422)': { trips: 4 },
  'an action is refused (409)': { trips: 4 },
  'a record is not there (404)': { trips: 4 },
  'a role may not (403)': { trips: 4 },
  'a webhook is delivered': { trips: 2 },
  // A tenth of a trip per loan.
  'forty loans are boarded': { trips: 4 },
  'a day with nothing due is closed': { statements: 40 },
};

/**
 * How many statements each act sends and how often it waits. test/api/round-trips.test.ts enforces the same
 * limits.
 */
export const benchQueriesPerRequest: Bench = async () => {
  const words = ['vitest', 'run', '--config', 'test/vitest.config.ts', FILE];
  const child = spawn('npx', words, {
    cwd: ROOT,
    env: { ...process.env, PRINT: '1', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (part: Buffer) => (output += part.toString()));
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`${output}\n${FILE} does not hold what it counted.`);
  return [...output.matchAll(/^\| ([^|]+) \| (\d+) \| (\d+) \|$/gm)].map(
    ([, what = '', statements, trips]) => toFigure(what, Number(statements), Number(trips)),
  );
};

function toFigure(what: string, statements: number, trips: number): Figure {
  const ours = `${trips} round trips, ${statements} statements`;
  const budget = BUDGETS[what];
  // Without a limit, the figure compares trips with statements.
  if (!budget) return { what, ours, floor: `${statements} statements`, ratio: trips / statements };
  const [asked, most, unit] =
    'trips' in budget
      ? [trips, budget.trips, 'round trips']
      : [statements, budget.statements, 'statements'];
  return { what, ours, floor: `${most} ${unit}`, ratio: asked / most, target: { most: 1 } };
}
