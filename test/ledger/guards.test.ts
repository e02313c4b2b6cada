import { Pool } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { postEntry } from '../../jobs/ledger/post.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const stranger = await stage.tenant();
const app = new Pool({ connectionString: stage.url, options: '-c role=servicing_app' });
afterAll(() => app.end());

/**
 * Runs statements with the application's role in one transaction, bypassing the application's own checks.
 */
async function asApplication(...statements: string[]) {
  const client = await app.connect();
  try {
    await client.query('begin');
    await client.query(`select set_config('app.tenant_id', $1, true)`, [tenant.id]);
    for (const statement of statements) await client.query(statement);
    await client.query('commit');
    return 'done';
  } catch (error) {
    await client.query('rollback');
    return (error as Error).message;
  } finally {
    client.release();
  }
}

const accountOf = async (tenant: { id: string }, role: string) =>
  (
    await stage.owner.query<{ id: string }>(
      'select id from ledger_accounts where tenant_id = $1 and role = $2',
      [tenant.id, role],
    )
  ).rows[0]?.id;
const cash = await accountOf(tenant, 'cash');
const equity = await accountOf(tenant, 'retained_earnings');
const foreignCash = await accountOf(stranger, 'cash');

let made = 0;
const nextId = () => {
  made += 1;
  return `00000000-0000-7000-8000-${String(made).padStart(12, '0')}`;
};
const entry = (id: string, status = 'posted', day = '2026-01-15') =>
  `insert into journal_entries (id, entry_date, effective_date, reference_type, source, status)
   values ('${id}', '${day}', '${day}', 'test', 'manual', '${status}')`;
const line = (id: string, account = cash, debit = '0', credit = '0', day = '2026-01-15') =>
  `insert into journal_lines (entry_id, entry_date, account_id, position, debit, credit)
   values ('${id}', '${day}', '${account}', 1, '${debit}', '${credit}')`;
const balanced = (id: string, status = 'posted') => [
  entry(id, status),
  line(id, cash, '5.00'),
  line(id, equity, '0', '5.00'),
];

const standing = nextId();
const draft = nextId();
await asApplication(...balanced(standing));
await asApplication(...balanced(draft, 'draft'));

test('the application can write a balanced entry', async () => {
  expect(await asApplication(...balanced(nextId()))).toBe('done');
});

test.each([
  ['an entry without lines', (id: string) => [entry(id)], /unbalanced/],
  ['an entry of one line', (id: string) => [entry(id), line(id, cash, '5.00')], /unbalanced/],
  [
    'an unbalanced entry',
    (id: string) => [entry(id), line(id, cash, '5.00'), line(id, equity, '0', '4.99')],
    /unbalanced by 0.01/,
  ],
  [
    'an unbalanced draft',
    (id: string) => [entry(id, 'draft'), line(id, cash, '5.00'), line(id, equity, '0', '4.99')],
    /unbalanced by 0.01/,
  ],
  [
    'amounts that are no numbers',
    (id: string) => [entry(id), line(id, cash, 'NaN'), line(id, equity, '0', 'NaN')],
    /violates check/,
  ],
  [
    'infinite amounts',
    (id: string) => [entry(id), line(id, cash, 'Infinity'), line(id, equity, '0', 'Infinity')],
    /numeric field overflow/,
  ],
  [
    'a negative amount',
    (id: string) => [entry(id), line(id, cash, '-5.00'), line(id, equity, '0', '-5.00')],
    /violates check/,
  ],
  [
    'a line of both sides',
    (id: string) => [entry(id), line(id, cash, '5.00', '5.00'), line(id, equity, '5.00', '5.00')],
    /violates check/,
  ],
  [
    'a line of no side',
    (id: string) => [entry(id), line(id, cash), line(id, equity)],
    /violates check/,
  ],
  [
    'an account of another tenant',
    (id: string) => [entry(id), line(id, foreignCash, '5.00'), line(id, equity, '0', '5.00')],
    /foreign key/,
  ],
  [
    'a line of another day',
    (id: string) => [entry(id), line(id, cash, '5.00', '0', '2026-01-14')],
    /date of its entry/,
  ],
])('the database refuses %s', async (_what, statements, message) => {
  expect(await asApplication(...statements(nextId()))).toMatch(message);
});

test.each([
  ['changing a posted entry', `update journal_entries set description = 'x'`],
  ['taking a posting back', `update journal_entries set status = 'draft' where id = '${standing}'`],
  ['archiving a posted entry', `update journal_entries set is_archived = true`],
  ['deleting an entry', `delete from journal_entries where id = '${standing}'`],
  ['emptying the entries', 'truncate journal_entries cascade'],
  ['changing a line', 'update journal_lines set debit = debit + 1 where debit > 0'],
  ['changing a line of a draft', `update journal_lines set debit = 1 where entry_id = '${draft}'`],
  ['deleting a line', `delete from journal_lines where entry_id = '${standing}'`],
  ['emptying the lines', 'truncate journal_lines'],
  [
    'changing by conflict',
    `insert into journal_entries (id, entry_date, effective_date, reference_type, source, status)
     values ('${standing}', '2026-01-15', '2026-01-15', 'x', 'manual', 'posted')
     on conflict (tenant_id, id) do update set reference_type = 'x'`,
  ],
  [
    'changing by merge',
    `merge into journal_lines using (values (1)) as one on entry_id = '${standing}'
     when matched then delete`,
  ],
  ['switching triggers off', 'alter table journal_lines disable trigger all'],
  ['leaving replication to others', `set local session_replication_role = 'replica'`],
  ['reopening a period', 'delete from period_closings'],
])('the application cannot do this: %s', async (_what, statement) => {
  expect(await asApplication(statement)).toMatch(
    /permission denied|cannot change|append-only|must be owner/,
  );
});

const owner = async (statement: string) =>
  stage.owner.query(statement).then(
    () => 'done',
    (error: Error) => error.message,
  );

test('not even the owner of the tables can change posted entries', async () => {
  expect(await owner(`update journal_entries set loan_id = null`)).toMatch(/cannot change/);
  expect(await owner(`delete from journal_entries`)).toMatch(/cannot change/);
  expect(await owner(`update journal_lines set debit = 1`)).toMatch(/append-only/);
  expect(await owner(`truncate journal_lines, journal_entries cascade`)).toMatch(/append-only/);
});

test.each([
  ['posted entry', standing],
  ['draft', draft],
])('no line can be added to a %s later, not even a balanced pair', async (_what, id) => {
  const joined = await asApplication(line(id, cash, '1.00'), line(id, equity, '0', '1.00'));

  expect(joined).toMatch(/transaction that creates their entry/);
});

test('the trial balance balances in every answer while twenty entries are posted concurrently', async () => {
  const admin = await tenant.signedIn('admin');
  const posting = (writer: number, round: number) =>
    tenant.within((work) =>
      postEntry(work, {
        entry_date: '2026-01-15',
        reference_type: 'payment',
        purpose: `${writer} ${round}`,
        debit: { cash: `${writer + 1}.37`, interest_income: '0.10' },
        credit: { loans_receivable: `${writer + 1}.37`, interest_receivable: '0.10' },
      }),
    );
  const writer = async (_: unknown, number: number) => {
    for (let round = 0; round < 10; round += 1) await posting(number, round);
  };
  const state = { isWriting: true };
  const writing = Promise.all(Array.from({ length: 20 }, writer)).finally(() => {
    state.isWriting = false;
  });
  const differences: string[] = [];
  while (state.isWriting) {
    const { body } = await admin.get('/ledger/trial-balance');
    if (body.total_debits !== body.total_credits) differences.push(body.total_debits);
  }
  await writing;
  const { body } = await admin.get('/ledger/trial-balance');

  expect(differences).toEqual([]);
  expect(body.accounts).toContainEqual(
    expect.objectContaining({ code: '1200', debit: '0.00', credit: '20.00' }),
  );
  expect(body.total_debits).toBe(body.total_credits);
});

test('closing a period waits for postings in progress, and nothing is posted into it afterwards', async () => {
  const admin = await tenant.signedIn('admin');
  const other = await app.connect();
  await other.query('begin');
  await other.query(`select set_config('app.tenant_id', $1, true)`, [tenant.id]);
  const id = nextId();
  await other.query(entry(id, 'posted', '2026-01-05'));

  const closing = admin.post('/ledger/closings', { closed_through: '2026-01-10' });
  const first = await Promise.race([
    closing.then(() => 'closed'),
    new Promise((resolve) => setTimeout(() => resolve('waits'), 200)),
  ]);
  await other.query(line(id, cash, '1.00', '0', '2026-01-05'));
  await other.query(line(id, equity, '0', '1.00', '2026-01-05'));
  await other.query('commit');
  other.release();
  const closed = await closing;
  const late = await asApplication(entry(nextId(), 'posted', '2026-01-10'));

  expect(first).toBe('waits');
  expect(closed.status).toBe(201);
  expect(late).toMatch(/closed through 2026-01-10/);
});
