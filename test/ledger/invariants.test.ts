import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { postEntry } from '../../jobs/ledger/post.ts';
import { openPool, sql } from '../../sql/database/db.ts';
import { checkInvariants } from '../../sql/invariants/invariants.ts';
import { newLoan as newFundedLoan } from '../setup/loans.ts';
import { newStage } from '../setup/world.ts';
import { bookAccrual, newLoan } from './books.ts';

const stage = await newStage();
const auditor = await openPool(stage.url, { role: 'servicing_auditor', size: 1 });
afterAll(() => auditor.end());

const broken = async () =>
  (await checkInvariants(auditor)).map(({ rule, message }) => `${rule}: ${message}`);

/** Makes a forbidden change, as a storage fault or an administrator could. */
async function behindTheGuards(...statements: string[]) {
  await stage.owner.query(
    `begin; set local session_replication_role = 'replica'; ${statements.join(';')}; commit`,
  );
}

const earnInterest = (loan: string, amount: string) =>
  stage.owner.query(
    'update loan_outlook set interest_base = $2::numeric, interest_earned = $2::numeric where loan_id = $1',
    [loan, amount],
  );

async function deleteLoan(loan: string) {
  await stage.owner.query('delete from loan_outlook where loan_id = $1', [loan]);
  await stage.owner.query('delete from loans where id = $1', [loan]);
}

test('a database whose books are right has no violations', async () => {
  const tenant = await stage.tenant();
  const loan = await newLoan(tenant, { principal_balance: '1000.00' });
  await earnInterest(loan, '0.23');
  await tenant.within((work) =>
    postEntry(work, {
      entry_date: '2026-01-01',
      reference_type: 'disbursement',
      loan_id: loan,
      debit: { loans_receivable: '1000.00' },
      credit: { cash: '1000.00' },
    }),
  );
  await bookAccrual(tenant, '2026-01-01', { [loan]: '0.23' });

  const violations = await broken();

  expect(violations).toEqual([]);
});

/** Runs the command and returns its exit code and output. */
const runCommand = () =>
  new Promise<{ code: number | string | null | undefined; said: string }>((resolve) => {
    execFile(
      process.execPath,
      ['workers/invariants.ts'],
      { env: { ...process.env, DATABASE_URL: stage.url, DATA_DIR: '.data-of-nobody' } },
      (error, said) => resolve({ code: error ? error.code : 0, said }),
    );
  });

test('npm run invariants lists the violations and exits with 1, or reports that there are none', async () => {
  const tenant = await stage.tenant();

  const well = await runCommand();
  const loan = await newLoan(tenant, { loan_number: 'L-1', principal_balance: '5.00' });
  const ill = await runCommand();
  await deleteLoan(loan);

  expect(well).toEqual({ code: 0, said: 'Every invariant holds.\n' });
  expect(ill.code).toBe(1);
  expect(ill.said).toMatch(/Loan L-1: the ledger has 0.00 of principal, the loan says 5.00/);
});

test('npm run invariants recomputes loans and names the shown figures that their events do not give', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newFundedLoan(tenant, { disbursement_date: '2026-01-15' });
  const well = await runCommand();
  await behindTheGuards(
    `update loan_outlook set delinquency_bucket = 'dpd_30_59', past_due_from = '2025-12-10' where loan_id = '${id}'`,
  );

  const ill = await runCommand();
  await behindTheGuards(
    `update loan_outlook set delinquency_bucket = 'current', past_due_from = null where loan_id = '${id}'`,
  );

  expect(well).toEqual({ code: 0, said: 'Every invariant holds.\n' });
  expect(ill.code).toBe(1);
  expect(ill.said).toMatch(
    /a loan shows what its events give: Loan LN-\d+-\d+: it shows days_past_due 36, its events give 0\./,
  );
  expect(ill.said).toContain('it shows delinquency_bucket dpd_30_59, its events give current.');
});

test('a loan whose balance differs from its entries is found, component by component', async () => {
  const tenant = await stage.tenant();
  const loan = await newLoan(tenant, {
    loan_number: 'L-77',
    principal_balance: '10.00',
    outstanding_fees: '3.00',
    suspense_balance: '4.00',
  });
  await earnInterest(loan, '0.50');

  const violations = await broken();
  await deleteLoan(loan);

  expect(violations).toEqual([
    'the ledger has what the loans owe: Loan L-77: the ledger has 0.00 of principal, the loan says 10.00.',
    'the ledger has what the loans owe: Loan L-77: the ledger has 0.00 of interest, the loan says 0.50.',
    'the ledger has what the loans owe: Loan L-77: the ledger has 0.00 of fees, the loan says 3.00.',
    'the ledger has what the loans owe: Loan L-77: the ledger has 0.00 of suspense, the loan says 4.00.',
    'accrual rows add up to the interest accrued: Loan L-77: its accrual rows add up to 0.00, its interest accrued by 2026-01-15 to 0.50.',
  ]);
});

test('an entry for an unknown loan is found', async () => {
  const tenant = await stage.tenant();
  const id = await tenant.within((work) =>
    postEntry(work, {
      entry_date: '2026-01-15',
      reference_type: 'fee_assessment',
      loan_id: randomUUID(),
      debit: { fees_receivable: '25.00' },
      credit: { fee_income: '25.00' },
    }),
  );

  const violations = await broken();
  await behindTheGuards(
    `delete from journal_lines where entry_id = '${id}'`,
    `delete from journal_entries where id = '${id}'`,
  );

  expect(violations).toEqual([
    expect.stringMatching(/\(unknown\): the ledger has 25.00 of fees, the loan says/),
  ]);
});

test('a changed line is found in its entry and in the trial balance, even past all guards', async () => {
  const tenant = await stage.tenant();
  const id = await tenant.within((work) =>
    postEntry(work, {
      entry_date: '2026-01-15',
      reference_type: 'reimbursement',
      debit: { rounding: '5.00' },
      credit: { cash: '5.00' },
    }),
  );
  await behindTheGuards(
    `update journal_lines set debit = 5.01 where entry_id = '${id}' and debit = 5`,
  );

  const violations = await broken();
  await behindTheGuards(
    `update journal_lines set debit = 5 where entry_id = '${id}' and debit > 0`,
  );

  expect(violations).toEqual([
    `entries balance: Entry ${id} of 2026-01-15 has 2 lines and is unbalanced by 0.01.`,
    'the trial balance balances on every day: What is booked on 2026-01-15 differs by 0.01.',
  ]);
});

test('a row that references another tenant’s record is found, with or without a foreign key', async () => {
  const [tenant, stranger] = [await stage.tenant(), await stage.tenant()];
  const foreign = await newLoan(stranger);
  await tenant.within((work) =>
    work.tx.query(sql.unsafe`
      insert into events (event_type, loan_id, body, relayed_at)
      values ('loan.created', ${foreign}, '{}', now())
    `),
  );

  const violations = await broken();
  await behindTheGuards(`delete from events where loan_id = '${foreign}'`);

  expect(violations).toEqual([
    `no row references another tenant: A row of events references in loan_id the record ${foreign} of loans, which belongs to tenant ${stranger.id}.`,
  ]);
});

test('an event without a delivery to a subscriber who asked for it is found', async () => {
  const tenant = await stage.tenant();
  await stage.owner.query(
    `insert into webhook_subscriptions
     select * from jsonb_populate_record(null::webhook_subscriptions, $1)`,
    [
      {
        tenant_id: tenant.id,
        id: randomUUID(),
        url: 'https://receiver.test',
        events: ['loan.created'],
        secret: 'x',
        secret_sealed: 'x',
        secret_last_four: 'x',
        is_active: true,
        consecutive_failures: 0,
        is_deleted: false,
        is_slow: false,
        created_at: '2026-01-01',
        updated_at: '2026-01-01',
      },
    ],
  );
  await stage.owner.query(
    `insert into events (tenant_id, event_type, body, relayed_at) values
       ($1, 'loan.created', '{}', now()), ($1, 'fee.assessed', '{}', now())`,
    [tenant.id],
  );

  const violations = await broken();
  await stage.owner.query('delete from events where tenant_id = $1', [tenant.id]);

  expect(violations).toEqual([
    expect.stringMatching(/Event .* \(loan.created\) has no delivery to subscription/),
  ]);
});

test('jobs of dead workers, unreported failures and deliveries without a job are found', async () => {
  await stage.owner.query(`
    select graphile_worker.add_job('deliver-webhook', '{}', max_attempts => 3);
    select graphile_worker.add_job('close-loans', '{}', max_attempts => 3);
    update graphile_worker._private_jobs set attempts = 3, updated_at = now() - interval '2 minutes'
    where task_id = (select id from graphile_worker._private_tasks where identifier = 'close-loans');
    update graphile_worker._private_jobs
    set locked_by = 'worker-gone', locked_at = now() - interval '2 minutes'
    where task_id = (select id from graphile_worker._private_tasks where identifier = 'deliver-webhook')
  `);

  const violations = await broken();
  await stage.owner.query('delete from graphile_worker._private_jobs');

  expect(violations).toEqual([
    expect.stringMatching(
      /^jobs are held by living workers: .* is held by worker-gone, which is not alive/,
    ),
    expect.stringMatching(/^failed jobs are visible: Job \d+ \(close-loans\) failed for good/),
  ]);
});

test('an uploaded document with a missing or different object is found', async () => {
  const tenant = await stage.tenant();
  const hash = 'a'.repeat(64);
  for (const name of ['kept', 'lost', 'other']) {
    await stage.owner.query(
      `insert into documents (tenant_id, document_type, filename, content_type, status, source,
         storage_key, sha256_hash)
       values ($1, 'other', $2, 'text/plain', 'uploaded', 'direct', $2, $3)`,
      [tenant.id, name, hash],
    );
  }

  const violations = await checkInvariants(auditor, {
    describeFile: async (key) =>
      key === 'lost' ? null : { size: 1, sha256_hash: key === 'kept' ? hash : 'b'.repeat(64) },
  });

  expect(violations.map(({ message }) => message)).toEqual([
    expect.stringMatching(/\(lost\) has no object at lost/),
    expect.stringMatching(/\(other\) has an object of another hash at other/),
  ]);
});

test('files are checked a hundred at a time, so that the transaction never waits long between statements', async () => {
  const tenant = await stage.tenant();
  const hash = 'c'.repeat(64);
  await stage.owner.query(
    `insert into documents (tenant_id, document_type, filename, content_type, status, source,
       storage_key, sha256_hash)
     select $1, 'other', 'file', 'text/plain', 'uploaded', 'direct', 'many-' || number, $2
     from generate_series(1, 250) as number`,
    [tenant.id, hash],
  );
  const statements = new Map<string, number>();
  const seen: string[] = [];

  await checkInvariants(auditor, {
    describeFile: async (key) => {
      const { rows } = await stage.owner.query<{ started: string }>(
        `select query_start::text as started from pg_stat_activity
         where state = 'idle in transaction' and query like '%from documents%'`,
      );
      const started = rows[0]?.started ?? '';
      statements.set(started, (statements.get(started) ?? 0) + 1);
      if (key.startsWith('many-')) seen.push(key);
      return { size: 1, sha256_hash: hash };
    },
  });

  expect(new Set(seen).size).toBe(250);
  expect(Math.max(...statements.values())).toBe(100);
});
