import type pg from 'pg';

type Column = {
  name: string;
  type: string;
  is_needed: boolean;
  becomes: string | null;
  /** The first value that the column's check allows. */
  allowed: string | null;
};

/** Values that a row needs and that the column's type does not reveal. */
const REQUIRED_VALUES: Record<string, string> = {
  'payment_instruments.routing_number': '021000021',
  'payment_instruments.account_number_last_four': '6789',
  'phones.phone_number': '+12025550123',
  'nacha_entries.trace_number': '021000020000001',
  'change_notices.code': 'C01',
  'change_notices.corrected_routing_number': '021000021',
  'change_notices.corrected_account_number_last_four': '6789',
  'forms_1099c.identifiable_event_code': 'A',
  'credit_reporting_records.payment_history_profile': 'B'.repeat(24),
  'statements.statement_month': '2026-01-01',
  'security_log.event': 'sign_in',
  'second_factors.secret_sealed': 'x',
  'journal_lines.credit': '0',
  'liquidations.net_proceeds': '0',
  'sanctions_hits.status': 'cleared',
  'approvals.status': 'canceled',
  'approvals.decided_at': '2026-01-15T12:00:00Z',
};

const VALUES: Record<string, string> = {
  text: 'x',
  uuid: '00000000-0000-7000-8000-000000000001',
  date: '2026-01-15',
  boolean: 'false',
  jsonb: '{}',
  bytea: '\\x00',
  'timestamp with time zone': '2026-01-15T12:00:00Z',
};
const valueOf = ({ type, allowed }: Column) => allowed ?? VALUES[type] ?? '1';

/**
 * A table, the condition that selects the borrower's rows, and the links by which a row belongs to the
 * borrower.
 */
type Target = {
  name: string;
  is_deleted_on_redaction: boolean;
  said: string;
  columns: Column[];
  ties: { through: string; id: string | null }[];
};

const TARGETS = `
  select kept.table_name as name, kept.is_deleted_on_redaction, app.borrower_condition(kept.table_name, ids) as said,
         (
           select jsonb_agg(jsonb_build_object(
             'name', attname,
             'type', case typtype when 'd' then format_type(typbasetype, null)
               else format_type(atttypid, null) end,
             'is_needed', attnotnull and not atthasdef,
             'becomes', listed.becomes,
             'allowed', (
               select substring(pg_get_constraintdef(con.oid) from 'ARRAY\\[''([^'']+)''')
               from pg_constraint as con
               where con.conrelid = attrelid and con.contype = 'c' and con.conkey = array[attnum]
               limit 1
             )
           ) order by attnum)
           from pg_attribute
           join pg_type as type on type.oid = atttypid
           left join app.borrower_columns as listed
             on listed.table_name = kept.table_name and listed.column_name = attname
           where attrelid = kept.table_name::regclass and attnum > 0 and not attisdropped
             and attgenerated = ''
         ) as columns,
         (
           select jsonb_agg(jsonb_build_object('through', through, 'id', ids -> parent ->> 0)
             order by through, parent)
           from app.borrower_links as tie where tie.table_name = kept.table_name
         ) as ties
  from app.borrower_tables as kept cross join (select app.borrower_ids($1) as ids offset 0) as known
  order by kept.table_name`;

/**
 * Gives a borrower a row in every table that leads to borrowers, and writes the mark into every column that
 * is declared to hold personal text. Foreign keys and triggers are off because only the shape of the rows
 * matters. Returns the columns whose checks refuse the mark.
 */
export async function plantMarks(
  owner: pg.Pool,
  tenantId: string,
  borrowerId: string,
  mark: string,
) {
  const db = await owner.connect();
  const targets = async () => (await db.query<Target>(TARGETS, [borrowerId])).rows;
  try {
    await db.query(`select app.ensure_accrual_month('2026-01-15')`);
    await db.query(`begin; set local session_replication_role = replica;
      set local app.tenant_id = '${tenantId}'`);
    const done = new Set<string>();
    // A row may belong to the borrower through rows that a later round adds.
    for (let round = 0; round < 4; round += 1) {
      for (const target of await targets())
        if (!done.has(target.name) && (await hasRow(db, target))) done.add(target.name);
    }
    const all = await targets();
    const missing = all.filter(({ name }) => !done.has(name)).map(({ name }) => name);
    if (missing.length > 0) throw new Error(`Nothing leads to a row of ${missing.join(', ')}.`);
    const unmarked: string[] = [];
    for (const target of all) unmarked.push(...(await writeMark(db, target, mark)));
    await db.query('commit');
    return unmarked;
  } finally {
    db.release();
  }
}

/** Whether the borrower has a row in the table. Adds one if its parent row exists. */
async function hasRow(
  db: pg.ClientBase,
  { name, is_deleted_on_redaction, said, columns, ties }: Target,
) {
  if ((await db.query(`select from ${name} where ${said} limit 1`)).rowCount) return true;
  const tie = ties.find(({ id }) => id !== null);
  if (!tie?.id) return false;
  const values: Record<string, string> = {};
  for (const column of columns) {
    const needed = REQUIRED_VALUES[`${name}.${column.name}`];
    if (needed !== undefined) values[column.name] = needed;
    else if (column.is_needed || (column.becomes !== null && !is_deleted_on_redaction))
      values[column.name] = valueOf(column);
  }
  // These two tables name the borrower in a text instead of a key.
  if (name === 'approvals') values['params'] = JSON.stringify({ id: tie.id });
  else if (name === 'idempotency_keys') values['path'] = `/borrowers/${tie.id}`;
  else values[tie.through] = tie.id;
  const names = Object.keys(values);
  await db.query(
    `insert into ${name} (${names.join(', ')})
     values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(values),
  );
  return true;
}

/**
 * Tables in which redaction depends on the author: only text by the borrower, or entered manually, is
 * redacted.
 */
const AUTHOR_CONDITIONS: Record<string, string> = {
  audit_log: `actor_type = 'borrower'`,
  journal_entries: `source = 'manual'`,
  support_case_messages: `author_type = 'borrower'`,
};

/** Tables whose JSON names the record it is about, so the mark is added and does not replace it. */
const MERGED_JSON_TABLES = new Set(['approvals', 'idempotency_keys']);

/** Writes the mark into every column for personal text. Returns the columns that refuse it. */
async function writeMark(
  db: pg.ClientBase,
  { name, is_deleted_on_redaction, said, columns }: Target,
  mark: string,
) {
  const json = JSON.stringify({ letter: { old: mark, new: [mark] }, borrower: mark });
  const words = columns
    .filter(
      ({ type, becomes }) =>
        /text|jsonb/.test(type) && (is_deleted_on_redaction || becomes !== null),
    )
    .map((column) => {
      const isJson = column.type === 'jsonb' || (name === 'events' && column.name === 'body');
      const value = isJson ? json : mark;
      const added = MERGED_JSON_TABLES.has(name) && isJson ? `${column.name} || ` : '';
      return { name: column.name, set: `${column.name} = ${added}'${value}'` };
    });
  const write = async (chosen: typeof words) => {
    await db.query('savepoint marking');
    const sets = chosen.map(({ set }) => set).join(', ');
    try {
      await db.query(`update ${name} set ${sets} where ${said}`);
      return [];
    } catch {
      await db.query('rollback to marking');
      return chosen.map((column) => `${name}.${column.name}`);
    }
  };
  const written = AUTHOR_CONDITIONS[name];
  if (written) await db.query(`update ${name} set ${written} where ${said}`);
  if (words.length === 0 || (await write(words)).length === 0) return [];
  const refused: string[] = [];
  for (const word of words) refused.push(...(await write([word])));
  return is_deleted_on_redaction ? [] : refused;
}
