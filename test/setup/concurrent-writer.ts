import pg from 'pg';
import type { Stage, Tenant } from './world.ts';

/**
 * Differences between the kept counts and the rows, as the current transaction sees both. Deliberately
 * shares no code with the implementation.
 */
const COUNT_DIFFERENCES = `
  select status, is_archived, sum(rows)::integer as difference from (
    select status, is_archived, count(*) as rows from loans group by 1, 2
    union all
    select status, is_archived, -sum(rows) from row_counts where table_name = 'loans' group by 1, 2
  ) as counted
  group by 1, 2 having sum(rows) <> 0`;

const AS_APPLICATION = 'set local role servicing_app';

let copiesWritten = 0;

/**
 * A writer with its own transactions. It writes only copies of the tenant's first loan, which no other
 * writer touches. A statement that waits for a lock fails after two seconds.
 */
export async function newConcurrentWriter({ url }: Stage, { id: tenantId }: Tenant) {
  const connection = new pg.Client(url);
  await connection.connect();
  const own = `W${(copiesWritten += 1)}`;
  const columns = await columnsOf(connection);
  let isOpen = false;
  const ask = async (text: string, values: unknown[] = []) => {
    if (!isOpen) {
      await connection.query(`begin; set local lock_timeout = '2s'; ${AS_APPLICATION}`);
      await connection.query(`select set_config('app.tenant_id', $1, true)`, [tenantId]);
      isOpen = true;
    }
    return (await connection.query(text, values)).rows;
  };
  const asOwner = async (text: string) => {
    await ask('set local role servicing_owner');
    await ask(text);
    await ask(AS_APPLICATION);
  };
  const end = (how: 'commit' | 'rollback') => async () => {
    if (isOpen) await connection.query(how);
    isOpen = false;
  };
  const some = `loan_number in (
    select loan_number from loans where loan_number like '${own} %' order by loan_number limit $1)`;
  return {
    ask,
    differing: () => ask(COUNT_DIFFERENCES),
    board: (count: number) =>
      ask(
        `insert into loans (loan_number, ${columns})
         select $1 || number, ${columns}
         from (select * from loans where loan_number not like 'W%' order by id limit 1) as model
         cross join generate_series(1, $2::integer) as number`,
        [`${own} ${(copiesWritten += 1)}-`, count],
      ),
    archive: (count: number) =>
      ask(`update loans set is_archived = not is_archived where ${some}`, [count]),
    payOff: (count: number) =>
      ask(
        `update loans set status = case status when 'active' then 'paid_off' else 'active' end
         where ${some}`,
        [count],
      ),
    change: (count: number) => ask(`update loans set status = status where ${some}`, [count]),
    remove: (count: number) => ask(`delete from loans where ${some}`, [count]),
    fold: () => asOwner(`select app.compact_counts('loans')`),
    countAnew: () => asOwner(`select app.recount_rows('loans')`),
    /** The number of rows that store the counts. */
    kept: async () =>
      Number((await ask(`select count(*) from row_counts where table_name = 'loans'`))[0].count),
    commit: end('commit'),
    rollback: end('rollback'),
    leave: async () => {
      await end('rollback')();
      await connection.end();
    },
  };
}

async function columnsOf(connection: pg.Client): Promise<string> {
  const { rows } = await connection.query<{ columns: string }>(`
    select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
    where attrelid = 'loans'::regclass and attnum > 0 and not attisdropped and attgenerated = ''
      and attname not in ('id', 'loan_number', 'external_id')`);
  return rows[0]?.columns ?? '';
}
