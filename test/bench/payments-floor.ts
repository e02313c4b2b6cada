import { randomUUIDv7 } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';

const TABLES = [
  'loan_events',
  'payments',
  'journal_entries',
  'journal_lines',
  'events',
  'audit_log',
];

/** Tables of the same shape and indexes, without triggers, policies and foreign keys. */
export async function createBareTables(admin: pg.Client) {
  await admin.query('create schema plain');
  for (const table of [...TABLES, 'loans', 'installments'])
    await admin.query(
      `create table plain.${table} (like public.${table} including all excluding generated)`,
    );
  await admin.query('insert into plain.loans select * from public.loans');
  await admin.query('insert into plain.installments select * from public.installments');
}

/**
 * node:http and the bare driver: writes a payment's rows with invented figures, one prepared statement
 * after another in a transaction. It parses, checks, allocates and returns nothing.
 */
export async function startBareServer(connectionString: string, tenant: string) {
  const pool = new pg.Pool({ connectionString, max: 16 });
  pool.on('error', () => {});
  pool.on('connect', (connection) => connection.on('error', () => {}));
  const found = await pool.query<{ id: string }>('select id from ledger_accounts order by code');
  const accounts = found.rows.slice(0, 4).map(({ id }) => id);
  const server = createServer((incoming, response) => {
    const loan = incoming.url?.split('/')[4] ?? '';
    incoming.on('end', () => {
      void pay(pool, tenant, accounts, loan).then(
        () => response.writeHead(201).end(),
        (error: Error) => response.writeHead(500).end(error.message),
      );
    });
    incoming.resume();
  });
  return { server, headers: {}, end: () => pool.end() };
}

async function pay(pool: pg.Pool, tenant: string, accounts: string[], loan: string) {
  const connection = await pool.connect();
  const run = (name: string, text: string, values: unknown[]) =>
    connection.query({ name, text, values });
  const id = randomUUIDv7();
  const entry = randomUUIDv7();
  await connection.query('begin');
  await run('lock', 'select * from plain.loans where tenant_id = $1 and id = $2 for update', [
    tenant,
    loan,
  ]);
  await run(
    'event',
    `insert into plain.loan_events (tenant_id, id, loan_id, kind, effective_date, details, recorded_on)
     values ($1, $2, $3, 'payment', '2026-01-15', '{"amount": "5.00"}', '2026-01-15')`,
    [tenant, id, loan],
  );
  await run(
    'loan',
    `update plain.loans set principal_balance = principal_balance - 0.01, paid_principal = paid_principal + 0.01
     where tenant_id = $1 and id = $2`,
    [tenant, loan],
  );
  await run(
    'installment',
    `update plain.installments set paid_amount = 0
     where tenant_id = $1 and loan_id = $2 and version = 1 and period_number = 1`,
    [tenant, loan],
  );
  await run(
    'entry',
    `with entry as (
       insert into plain.journal_entries
         (tenant_id, id, entry_date, effective_date, description, reference_type, reference_id, loan_id, source, status)
       values ($1, $2, '2026-01-15', '2026-01-15', 'Payment', 'payment', $3, $4, 'system', 'posted')
     )
     insert into plain.journal_lines (tenant_id, entry_id, entry_date, account_id, position, debit)
     select $1, $2, '2026-01-15', account, position, 1
     from unnest($5::uuid[]) with ordinality as line (account, position)`,
    [tenant, entry, id, loan, accounts],
  );
  await run(
    'payment',
    `insert into plain.payments
       (tenant_id, id, loan_id, borrower_id, receipt_number, amount, payment_date, effective_date, payment_method,
        status, principal_applied)
     values ($1, $2::uuid, $3, $3, $2::uuid::text, 5, '2026-01-15', '2026-01-15', 'external', 'completed', 5)`,
    [tenant, id, loan],
  );
  await run(
    'told',
    `insert into plain.events (tenant_id, event_type, loan_id, body)
     values ($1, 'payment.received', $2, $3)`,
    [tenant, loan, JSON.stringify({ payment_id: id, loan_id: loan, amount: '5.00' })],
  );
  await run(
    'audit',
    `insert into plain.audit_log (tenant_id, entity_type, entity_id, action, actor_type, changes)
     values ($1, 'payments', $2, 'create', 'user', $3)`,
    [tenant, id, JSON.stringify({ amount: { old: null, new: '5.00' } })],
  );
  await connection.query('commit');
  connection.release();
}
