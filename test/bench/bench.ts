import { accrual } from './accrual.ts';
import { board } from './board.ts';
import { asRow, HEAD, type Bench, type Figure } from './figures.ts';
import { groups } from './groups.ts';
import { jobs } from './jobs.ts';
import { lists, searches } from './lists.ts';
import { mail } from './mail.ts';
import { payments, refusals } from './payments.ts';
import { statementsPer } from './statements-per.ts';
import { statements } from './statements.ts';
import { webhooks } from './webhooks.ts';

/** `npm run bench -- NAME [--json]`: figures beside the least that any design must do, as ratios. */
const BENCHES = new Map<string, Bench | ((words: readonly string[]) => Promise<void>)>(
  Object.entries({
    accrual,
    board,
    groups,
    jobs,
    lists,
    searches,
    mail,
    payments,
    refusals,
    statements,
    'statements-per': statementsPer,
    webhooks,
  }),
);

const [name = '', ...words] = process.argv.slice(2).filter((word) => word !== '--json');
const bench = BENCHES.get(name);
if (bench) {
  show((await bench(words)) ?? []);
  // Servers and connections of what was measured are not waited for.
  process.exit();
} else {
  console.error(`Which one? ${[...BENCHES.keys()].join(', ')}: npm run bench -- accrual`);
  process.exitCode = 2;
}

function show(figures: readonly Figure[]) {
  if (process.argv.includes('--json')) console.log(JSON.stringify(figures, null, 2));
  else if (figures.length > 0) console.log([...HEAD, ...figures.map(asRow)].join('\n'));
}
