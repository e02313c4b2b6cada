import type pg from 'pg';
import { board, Boarding } from '../../jobs/loans/boarding/board.ts';
import * as tape from '../../sql/loans/tape.ts';
import { insert } from '../../sql/write.ts';
import { DAY, openWorld, type BenchWorld } from './world.ts';

/** A world with so many active loans: one is boarded, the others are its copies. */
export async function manyLoans(count: number): Promise<BenchWorld> {
  const world = await openWorld();
  const { admin, within, tenant_id } = world;
  const model = await within(tenant_id, async (work) => {
    const [product] = await tape.products(work.tx);
    const program_id = await tape.firstProgram(work.tx);
    const borrower_id = await insert(work.tx, 'borrowers', { first_name: 'A', last_name: 'B' });
    const terms = { principal_amount: '12000.00', interest_rate: '0.0999', term_months: 12 };
    const parents = { borrower_id, program_id, product_id: product?.id, origination_date: DAY };
    return board(work, Boarding.parse({ ...parents, ...terms }));
  });
  await copy(admin, model, count - 1);
  return world;
}

/** What a loan is made of, with the columns of a copy that are its own. */
const PARTS: Record<string, { of: string; own: Record<string, string> }> = {
  loans: {
    of: 'model.id = $1',
    own: { id: 'copies.loan_id', loan_number: `'B-' || copies.number` },
  },
  installments: { of: 'model.loan_id = $1', own: { loan_id: 'copies.loan_id' } },
  loan_events: {
    of: 'model.loan_id = $1',
    own: { id: 'copies.event_id', loan_id: 'copies.loan_id' },
  },
  journal_entries: {
    of: 'model.loan_id = $1',
    own: { id: 'copies.entry_id', loan_id: 'copies.loan_id', reference_id: 'copies.event_id' },
  },
  journal_lines: {
    of: 'model.entry_id in (select id from journal_entries where loan_id = $1)',
    own: { id: 'uuidv7()', entry_id: 'copies.entry_id' },
  },
};

/** Whole copies: the loan, its plan, its one event and the entry of that, so that the books agree. */
async function copy(admin: pg.Client, model: string, count: number) {
  await admin.query(
    `create temp table copies as
     select number, uuidv7() as loan_id, uuidv7() as event_id, uuidv7() as entry_id
     from generate_series(1, ${count}) as number`,
  );
  // Copies of what the database has checked are not checked again, each reference of each row.
  await admin.query('set session_replication_role = replica');
  for (const [table, { of, own }] of Object.entries(PARTS)) {
    const { rows } = await admin.query<{ name: string }>(
      `select attname as name from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and attgenerated = '' and not attisdropped`,
      [table],
    );
    const columns = rows.map(({ name }) => `"${name}"`).join(', ');
    const copied = rows.map(({ name }) => own[name] ?? `model."${name}"`).join(', ');
    await admin.query(
      `insert into ${table} (${columns})
       select ${copied} from ${table} as model cross join copies where ${of}`,
      [model],
    );
    await admin.query(`vacuum analyze ${table}`);
  }
  await admin.query('reset session_replication_role');
}
