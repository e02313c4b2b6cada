import { writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { job } from '../../jobs/job.ts';
import { sql, type Transaction } from '../../sql/database/db.ts';

/** Jobs for the fault tests: they take time, fail, hang or end the process. */
const Marked = z.object({ tenant_id: z.uuid(), number: z.int(), ms: z.int() });
type Marked = z.output<typeof Marked>;

const recordStart = (tx: Transaction, number: number) =>
  tx.query(sql.typeAlias('void')`insert into public.begun (number) values (${number})`);

const recordEffect = (tx: Transaction, number: number) =>
  tx.query(sql.typeAlias('void')`
    insert into public.effects (number) values (${number}) on conflict do nothing
  `);

/** Records its start, takes its time, and has one effect no matter how often it runs. */
const markJob = job<Marked>({
  name: 'mark',
  pool: 'ledger',
  payload: Marked,
  attempts: 10,
  run: async ({ tenant_id, number, ms }, outside) => {
    await outside.within(tenant_id, ({ tx }) => recordStart(tx, number));
    await wait(ms);
    await outside.within(tenant_id, ({ tx }) => recordEffect(tx, number));
  },
});

const misbehavingJob = (name: string, misbehave: () => Promise<void>) =>
  job<Marked>({
    name,
    pool: 'ledger',
    payload: Marked,
    attempts: 2,
    run: async ({ tenant_id, number }, outside) => {
      await outside.within(tenant_id, ({ tx }) => recordStart(tx, number));
      await misbehave();
      await outside.within(tenant_id, ({ tx }) => recordEffect(tx, number));
    },
  });

const blockForever = async () => {
  writeSync(2, 'blocking\n');
  for (;;);
};

export const faultJobs = [
  markJob,
  misbehavingJob('throws', () => Promise.reject(new Error('Always.'))),
  misbehavingJob('hangs', () => new Promise(() => {})),
  misbehavingJob('exits', () => process.exit(1)),
  misbehavingJob('blocks', blockForever),
];
