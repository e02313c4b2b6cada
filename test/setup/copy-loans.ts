import pg from 'pg';

/** The tables whose rows are copied with a loan, and the columns in which each copy differs. */
const COPIED_TABLES: Record<string, { of: string; other: Record<string, string> }> = {
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
  loan_outlook: { of: 'model.id = row.loan_id', other: { loan_id: 'copy.loan' } },
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

/** The tenant whose loans are copied. Default: the only tenant. */
type CopyOptions = { tenantId?: string; isAnalyzed?: boolean };

/**
 * Adds `count` copies of a tenant's boarded loans, with their borrowers, schedules and entries. Updates the
 * tables' statistics unless `isAnalyzed` is false.
 */
export async function copyLoans(url: string, count: number, whose: CopyOptions = {}) {
  const { tenantId = null, isAnalyzed = true } = whose;
  const admin = new pg.Client(url);
  await admin.connect();
  // Foreign keys were checked when the original loans were boarded.
  await admin.query('set session_replication_role = replica');
  await admin.query(
    `create temp table copies as
     select model.id as model, number.number, uuidv7() as borrower, uuidv7() as loan, uuidv7() as event,
            uuidv7() as entry
     from generate_series(1, $1::integer) as number (number)
     join (
       select id, row_number() over (order by id) as number, count(*) over () as models
       from loans where $2::uuid is null or tenant_id = $2
     ) as model on model.number = 1 + number.number % model.models
     order by number.number`,
    [count, tenantId],
  );
  await admin.query('analyze copies');
  for (const [table, { of, other }] of Object.entries(COPIED_TABLES)) {
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
    if (isAnalyzed) await admin.query(`vacuum (freeze, analyze) ${table}`);
  }
  await admin.query('select app.recount_rows(table_name) from app.counted_tables');
  await admin.end();
}
