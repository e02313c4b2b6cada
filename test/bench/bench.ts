import { accrual } from './accrual.ts';
import { groups } from './groups.ts';
import { jobs } from './jobs.ts';
import { lists } from './lists.ts';
import { payments } from './payments.ts';
import { statementsPer } from './statements-per.ts';
import { statements } from './statements.ts';

/** `npm run bench -- NAME`: figures beside the least that any design must do, as ratios. */
const BENCHES: Record<string, (words: readonly string[]) => Promise<void>> = {
  accrual,
  groups,
  jobs,
  lists,
  payments,
  statements,
  'statements-per': statementsPer,
};

const [name = '', ...words] = process.argv.slice(2);
const bench = BENCHES[name];
if (bench) {
  await bench(words);
  // Servers and connections of what was measured are not waited for.
  process.exit();
} else {
  console.error(`Which one? ${Object.keys(BENCHES).join(', ')}: npm run bench -- accrual`);
  process.exitCode = 2;
}
