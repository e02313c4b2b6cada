import { benchAccrual } from './accrual.ts';
import { runBenches } from './run-benches.ts';
import { benchBoarding } from './board.ts';
import { benchClose } from './close.ts';
import { figureRow, TABLE_HEADER, printProgress, BadArgument, type Bench } from './figures.ts';
import { benchGrowth } from './growth.ts';
import { benchGroups } from './groups.ts';
import { benchImportMemory } from './import-memory.ts';
import { benchJobs } from './jobs.ts';
import { benchLedger } from './ledger.ts';
import { benchLists, benchOutlookLists, benchSearches } from './lists.ts';
import { benchListFilters } from './list-filters.ts';
import { benchMail } from './mail.ts';
import { benchMixed } from './mixed.ts';
import { benchPayments, benchRefusals } from './payments.ts';
import { benchSnapshots } from './snapshots.ts';
import { benchStartup } from './starting.ts';
import { benchQueriesPerRequest } from './statements-per.ts';
import { benchStatements } from './statements.ts';
import { benchTapes } from './tapes.ts';
import { benchWebhooks } from './webhooks.ts';

/**
 * `npm run bench -- NAME [--json]`: compares our speed with the least that any design must do, as ratios.
 */
const BENCHES = new Map<string, Bench>(
  Object.entries({
    accrual: benchAccrual,
    board: benchBoarding,
    close: benchClose,
    groups: benchGroups,
    growth: benchGrowth,
    'import-memory': benchImportMemory,
    jobs: benchJobs,
    ledger: benchLedger,
    lists: benchLists,
    'list-filters': benchListFilters,
    'outlook-lists': benchOutlookLists,
    searches: benchSearches,
    mail: benchMail,
    mixed: benchMixed,
    payments: benchPayments,
    refusals: benchRefusals,
    snapshots: benchSnapshots,
    starting: benchStartup,
    statements: benchStatements,
    'statements-per': benchQueriesPerRequest,
    tapes: benchTapes,
    webhooks: benchWebhooks,
  }),
);

const isJson = process.argv.includes('--json');
const [name = '', ...words] = process.argv.slice(2).filter((word) => word !== '--json');
const bench = BENCHES.get(name);
try {
  if (name === 'all') process.exit(await runBenches([...BENCHES.keys()], isJson));
  const known = ['all', ...BENCHES.keys()].join(', ');
  if (!bench) throw new BadArgument(`Which one? ${known}: npm run bench -- payments`);
  const figures = await bench(words);
  console.log(
    isJson
      ? JSON.stringify(figures, null, 2)
      : [...TABLE_HEADER, ...figures.map(figureRow)].join('\n'),
  );
  // Exits without waiting for the servers and connections of the benchmark.
  process.exit();
} catch (error) {
  const isWord = error instanceof BadArgument;
  if (!isWord) printProgress((error as Error).stack ?? '');
  printProgress((error as Error).message);
  process.exit(isWord ? 2 : 1);
}
