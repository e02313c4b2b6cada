import pg from 'pg';
import { readAccountBalance } from '../../sql/ledger/accounts.ts';
import { trialBalance } from '../../sql/ledger/reports.ts';
import { parseSize, type Figure } from './figures.ts';
import { makeTenant, openCachedWorld } from './cached-world.ts';
import { formatCount, compareWithFloor } from './timing.ts';

const LINES = 500_000;
/** Many rounds, because a connection becomes fast only after a few queries. */
const ROUNDS = 25;
const TODAY = '2026-12-31';
const DAYS = 365;

/**
 * The balance of an account with a seventh of all lines, and the trial balance. Each is compared with the
 * plain sum over the covering index by a superuser, who bypasses row-level security.
 */
export async function benchLedger(words: readonly string[]): Promise<Figure[]> {
  const count = parseSize(words, { usual: LINES, least: 1_000 });
  const world = await openCachedWorld(`lines-${count}`, (url) =>
    createBenchEntries(url, count / 2),
  );
  const { admin, within, tenant_id } = world;
  const { rows } = await admin.query<{ id: string }>(
    `select id from ledger_accounts where role = 'fee_income'`,
  );
  const id = rows[0]?.id ?? '';
  const sum = 'sum(debit - credit) from journal_lines where tenant_id = $1';
  const account = await compareWithFloor(
    ROUNDS,
    () => within(tenant_id, ({ tx }) => readAccountBalance(tx, id, TODAY)),
    () =>
      admin.query(`select ${sum} and account_id = $2 and entry_date <= $3`, [tenant_id, id, TODAY]),
  );
  const all = await compareWithFloor(
    ROUNDS,
    () => within(tenant_id, ({ tx }) => trialBalance(tx, TODAY, false)),
    () =>
      admin.query(`select account_id, ${sum} and entry_date <= $2 group by account_id`, [
        tenant_id,
        TODAY,
      ]),
  );
  await world.close();
  return [
    figure(`balance of an account, ${formatCount(count)} lines in the books`, account),
    figure(`trial balance of ${formatCount(count)} lines`, all),
  ];
}

const figure = (what: string, { ours, floor }: { ours: number; floor: number }): Figure => ({
  what,
  ours: ms(ours),
  floor: ms(floor),
  ratio: ours / floor,
  target: { most: 1.2 },
});

const ms = (seconds: number) => `${(seconds * 1000).toFixed(1)} ms`;

/** Accounts whose balance no other record has to match. */
const BENCH_ACCOUNTS = `('other_assets_owned', 'retained_earnings', 'fee_income', 'recovery_income', 'gain_on_sale',
  'service_credit_expense', 'rounding')`;

/** Inserts entries with two lines each between two accounts, spread over the days of a year. */
async function createBenchEntries(url: string, entries: number) {
  await makeTenant(url, TODAY, async () => {});
  const admin = new pg.Client(url);
  await admin.connect();
  // Skips the triggers that check each entry. These entries balance by construction.
  await admin.query('set session_replication_role = replica');
  await admin.query(
    `create temp table made as
     select tenant.id as tenant_id, uuidv7() as id, number,
            date '${TODAY}' - (number % ${DAYS})::integer as day
     from tenants as tenant cross join generate_series(1, $1::integer) as number`,
    [entries],
  );
  await admin.query(
    `insert into journal_entries (tenant_id, id, entry_date, effective_date, description,
       reference_type, source, status, posted_at)
     select tenant_id, id, day, day, 'Entry ' || number, 'manual', 'manual', 'posted', now() from made`,
  );
  await admin.query(
    `with account as (
       select id, role, row_number() over (order by code) - 1 as number, count(*) over () as many
       from ledger_accounts where role in ${BENCH_ACCOUNTS}
     )
     insert into journal_lines (tenant_id, entry_id, entry_date, account_id, role, position, debit, credit)
     select made.tenant_id, made.id, made.day, account.id, account.role, side.position,
            case when side.position = 1 then 10 + made.number % 90 else 0 end,
            case when side.position = 2 then 10 + made.number % 90 else 0 end
     from made
     cross join (values (1), (2)) as side (position)
     join account
       on account.number = (made.number + (side.position - 1) * (1 + made.number % 5)) % account.many`,
  );
  await admin.query('vacuum (freeze, analyze) journal_entries, journal_lines');
  await admin.end();
}
