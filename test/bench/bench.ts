import { accrual } from './accrual.ts';
import { all } from './all.ts';
import { board } from './board.ts';
import { close } from './close.ts';
import { asRow, HEAD, say, WrongWord, type Bench } from './figures.ts';
import { growth } from './growth.ts';
import { groups } from './groups.ts';
import { jobs } from './jobs.ts';
import { ledger } from './ledger.ts';
import { lists, searches } from './lists.ts';
import { mail } from './mail.ts';
import { payments, refusals } from './payments.ts';
import { snapshots } from './snapshots.ts';
import { starting } from './starting.ts';
import { statementsPer } from './statements-per.ts';
import { statements } from './statements.ts';
import { tapes } from './tapes.ts';
import { webhooks } from './webhooks.ts';

/** `npm run bench -- NAME [--json]`: figures beside the least that any design must do, as ratios. */
const BENCHES = new Map<string, Bench>(
  Object.entries({
    accrual,
    board,
    close,
    groups,
    growth,
    jobs,
    ledger,
    lists,
    searches,
    mail,
    payments,
    refusals,
    snapshots,
    starting,
    statements,
    'statements-per': statementsPer,
    tapes,
    webhooks,
  }),
);

const isJson = process.argv.includes('--json');
const [name = '', ...words] = process.argv.slice(2).filter((word) => word !== '--json');
const bench = BENCHES.get(name);
try {
  if (name === 'all') process.exit(await all([...BENCHES.keys()], isJson));
  const known = ['all', ...BENCHES.keys()].join(', ');
  if (!bench) throw new WrongWord(`Which one? ${known}: npm run bench -- payments`);
  const figures = await bench(words);
  console.log(
    isJson ? JSON.stringify(figures, null, 2) : [...HEAD, ...figures.map(asRow)].join('\n'),
  );
  // Servers and connections of what was measured are not waited for.
  process.exit();
} catch (error) {
  const isWord = error instanceof WrongWord;
  if (!isWord) say((error as Error).stack ?? '');
  say((error as Error).message);
  process.exit(isWord ? 2 : 1);
}
