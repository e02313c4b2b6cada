import pg from 'pg';
import { board, Boarding } from '../../jobs/loans/boarding/board.ts';
import { addPortfolio } from '../../jobs/portfolios/portfolio.ts';
import type { Work } from '../../jobs/work.ts';
import * as tape from '../../sql/loans/tape.ts';
import { insert } from '../../sql/write.ts';
import { makeTenant, worldOfKept } from './kept-world.ts';
import { DAY, type BenchWorld } from './world.ts';

/** Loans that are boarded, each with another amount and rate; all others are their copies. */
const MODELS = 8;
const PORTFOLIOS = 4;

/**
 * A world with so many active loans in four portfolios, each with a borrower, a history, a schedule and its
 * entry in the books. They are made once and kept.
 */
export const manyLoans = (count: number): Promise<BenchWorld> =>
  worldOfKept(`loans-${count}`, async (url) => {
    await makeTenant(url, DAY, (work) => boardModels(work, Math.min(MODELS, count)));
    await multiply(url, Math.min(MODELS, count), count - Math.min(MODELS, count));
  });

async function boardModels(work: Work, models: number) {
  const [product] = await tape.products(work.tx);
  const program_id = await tape.firstProgram(work.tx);
  const portfolios: string[] = [];
  for (let number = 1; number <= PORTFOLIOS; number += 1) {
    const name = `Portfolio ${number}`;
    portfolios.push(await addPortfolio(work, { name, portfolio_type: 'static', criteria: {} }));
  }
  for (let number = 0; number < models; number += 1) {
    const borrower_id = await insert(work.tx, 'borrowers', {
      first_name: 'Ada',
      last_name: 'Byron',
    });
    const terms = {
      principal_amount: `${6_000 + 1_700 * number}.00`,
      interest_rate: `0.0${number + 1}99`,
      term_months: 12,
      origination_date: DAY,
    };
    const portfolio_id = portfolios[number % PORTFOLIOS];
    const parents = { borrower_id, program_id, product_id: product?.id, portfolio_id };
    await board(work, Boarding.parse({ ...parents, ...terms }));
  }
}

/** Tables whose rows are copied for each copy of a loan, and what differs in them. */
const COPIED: Record<string, { of: string; other: Record<string, string> }> = {
  borrowers: {
    of: 'model.borrower_id = row.id',
    other: { id: 'copy.borrower', last_name: `'Byron ' || copy.number` },
  },
  loans: {
    of: 'model.id = row.id',
    other: { id: 'copy.loan', loan_number: `'B-' || copy.number`, borrower_id: 'copy.borrower' },
  },
  loan_events: {
    of: 'model.id = row.loan_id',
    other: { id: 'copy.event', loan_id: 'copy.loan' },
  },
  installments: { of: 'model.id = row.loan_id', other: { loan_id: 'copy.loan' } },
  journal_entries: {
    of: 'model.id = row.loan_id',
    other: { id: 'copy.entry', loan_id: 'copy.loan', reference_id: 'copy.event' },
  },
  journal_lines: {
    of: 'row.entry_id = (select id from journal_entries where loan_id = model.id)',
    other: { id: 'uuidv7()', entry_id: 'copy.entry' },
  },
};

async function multiply(url: string, models: number, count: number) {
  const admin = new pg.Client(url);
  await admin.connect();
  // Copies of what the database has checked are not checked again, each reference of each row.
  await admin.query('set session_replication_role = replica');
  await admin.query(
    `create temp table copies as
     select model.id as model, number.number, uuidv7() as borrower, uuidv7() as loan, uuidv7() as event,
            uuidv7() as entry
     from generate_series(1, $2::integer) as number (number)
     join (select id, row_number() over (order by id) as number from loans) as model
       on model.number = 1 + number.number % $1
     order by number.number`,
    [models, count],
  );
  await admin.query('analyze copies');
  for (const [table, { of, other }] of Object.entries(COPIED)) {
    const { rows } = await admin.query<{ name: string }>(
      `select quote_ident(attname) as name from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and attgenerated = '' and not attisdropped`,
      [table],
    );
    const names = rows.map(({ name }) => name);
    await admin.query(
      `insert into ${table} (${names.join(', ')})
       select ${names.map((name) => other[name] ?? `row.${name}`).join(', ')}
       from copies as copy
       join loans as model on model.id = copy.model
       join ${table} as row on ${of}`,
    );
    await admin.query(`vacuum (freeze, analyze) ${table}`);
  }
  await admin.query('select app.count_anew(table_name) from app.counted_tables');
  await admin.end();
}
