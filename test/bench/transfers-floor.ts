import pg from 'pg';
import type { BenchWorld } from './world.ts';

/**
 * The least that a transfer-based ledger does for one transfer: two locked balances and an entry with two
 * lines, in one database function called by a prepared statement. No HTTP, no loan, no tenant.
 */
export async function prepareBareTransfer({ admin, url }: BenchWorld) {
  await admin.query(`
    create schema transfers;
    create table transfers.accounts (id integer primary key, balance numeric not null default 0);
    create table transfers.entries (id uuid primary key default uuidv7(), made_at timestamptz default now());
    create table transfers.lines (
      id uuid primary key default uuidv7(), entry_id uuid not null references transfers.entries (id),
      account_id integer not null references transfers.accounts (id), amount numeric not null,
      balance_before numeric not null, balance_after numeric not null
    );
    create index on transfers.lines (account_id, id);
    insert into transfers.accounts select number from generate_series(1, 400) as number;
    create function transfers.move(source integer, target integer, moved numeric) returns uuid
    language plpgsql as $function$
    declare entry uuid; before numeric[];
    begin
      perform from transfers.accounts where id in (source, target) order by id for update;
      insert into transfers.entries default values returning id into entry;
      with changed as (
        update transfers.accounts
        set balance = balance + case when id = source then -moved else moved end
        where id in (source, target)
        returning id, balance, case when id = source then -moved else moved end as amount
      )
      insert into transfers.lines (entry_id, account_id, amount, balance_before, balance_after)
      select entry, id, amount, balance - amount, balance from changed;
      return entry;
    end $function$`);
  const pool = new pg.Pool({ connectionString: url, max: 16 });
  pool.on('error', () => {});
  pool.on('connect', (connection) => connection.on('error', () => {}));
  const move = (at: number) =>
    pool.query({
      name: 'move',
      text: 'select transfers.move($1, $2, 5)',
      values: [1 + (at % 200), 201 + (at % 200)],
    });
  return {
    /** Transfers per second. */
    rate: async ({ clients, seconds }: { clients: number; seconds: number }) => {
      let done = 0;
      const until = performance.now() + seconds * 1_000;
      const client = async () => {
        for (; performance.now() < until; done += 1) await move(done);
      };
      await Promise.all(Array.from({ length: clients }, client));
      return done / seconds;
    },
    end: () => pool.end(),
  };
}
