import { addTapeConfig } from '../../jobs/portfolios/tape-config.ts';
import { writeTape, requestTape } from '../../jobs/portfolios/generate-tape.job.ts';
import { COLUMN_DEFINITIONS, TAPE_COLUMNS } from '../../sql/portfolios/tape-columns.ts';
import { openFiles } from '../../jobs/files/open-files.ts';
import { parseSize, type Figure } from './figures.ts';
import { formatCount, compareWithFloor, formatRate } from './timing.ts';
import { openWorldWithLoans } from './many-loans.ts';
import { DAY, type BenchWorld } from './world.ts';
import { closeDay, startWorkers } from './workers.ts';

const LOANS = 50_000;
const ROUNDS = 3;
const LOOK_MS = 50;
const MB = 1_048_576;

/**
 * The CSV tape of a closed day with all columns, compared with a COPY of the same cells into a file by the
 * server.
 */
export async function benchTapes(words: readonly string[]): Promise<Figure[]> {
  const count = parseSize(words, { usual: LOANS, least: 1_000 });
  const world = await openWorldWithLoans(count);
  const { admin } = world;
  const workers = await startWorkers(world);
  await closeDay(world, workers, DAY).finally(() => workers.stop());
  await admin.query('vacuum analyze loan_snapshots, loan_attribute_history');
  const make = await prepareTape(world);
  const shown = await admin.query<{ data_directory: string }>('show data_directory');
  const file = `${shown.rows[0]?.data_directory}/tape.csv`;
  const memory = watchMemory();
  const { ours, floor } = await compareWithFloor(ROUNDS, make, () => admin.query(copyTo(file)));
  const { least, most } = memory.stop();
  await world.close();
  return [
    {
      what: `a tape of ${formatCount(count)} loans with all ${TAPE_COLUMNS.length} columns as csv, beside COPY`,
      ours: formatRate(count, ours),
      floor: formatRate(count, floor),
      ratio: floor / ours,
      target: { least: 0.6 },
    },
    {
      what: 'memory of the process while it makes it, beside what it had before',
      ours: `${(most / MB).toFixed(0)} MB`,
      floor: `${(least / MB).toFixed(0)} MB`,
      ratio: most / least,
    },
  ];
}

/** Orders a tape and creates it, as the job does. */
async function prepareTape({ within, tenant_id, folder }: BenchWorld) {
  const files = await openFiles(undefined, { folder, secret: 'x'.repeat(32) });
  const config = await within(tenant_id, (work) =>
    addTapeConfig(work, {
      name: 'Bench',
      format: 'csv',
      columns: TAPE_COLUMNS,
      schedule: 'none',
    }),
  );
  return async () => {
    const tape = await within(tenant_id, (work) => requestTape(work, config, { as_of_date: DAY }));
    await writeTape(within, files, tenant_id, tape);
  };
}

/** The same cells of the same rows in a single joined query. */
const copyTo = (file: string) => `
  copy (
    select ${TAPE_COLUMNS.map((name) => `${COLUMN_DEFINITIONS[name].from.sql} as ${name}`).join(', ')}
    from (
      select kept.*, told.external_id, told.borrower_name, told.borrower_state, told.borrower_zip,
             told.program, told.product, told.origination_date, told.first_payment_date, told.apr,
             told.term_months, told.payment_amount, told.payment_frequency, told.modification_count,
             told.charge_off_date, told.charge_off_amount, told.recovery_amount,
             told.collateral_type, told.collateral_value, told.lien_position, told.investor,
             told.portfolio, told.credit_score_origination
      from loan_snapshots as kept
      join loan_attribute_history as told on told.tenant_id = kept.tenant_id and told.loan_id = kept.loan_id
      where kept.snapshot_date = date '${DAY}'
    ) as row
    join loans as loan on loan.tenant_id = row.tenant_id and loan.id = row.loan_id
    order by row.loan_id
  ) to '${file}' with (format csv, header)`;

/** The lowest and highest memory use of this process while it is watched, in bytes. */
function watchMemory() {
  let [least, most] = [process.memoryUsage.rss(), 0];
  const timer = setInterval(() => {
    const now = process.memoryUsage.rss();
    [least, most] = [Math.min(least, now), Math.max(most, now)];
  }, LOOK_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return { least, most };
    },
  };
}
