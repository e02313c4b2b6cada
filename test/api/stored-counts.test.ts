import fc from 'fast-check';
import { onTestFinished, expect, test } from 'vitest';
import type { Work } from '../../jobs/work.ts';
import { openPool } from '../../sql/database/db.ts';
import { checkInvariants } from '../../sql/invariants/invariants.ts';
import { listRows } from '../../sql/list.ts';
import { loans, setLoanStatus } from '../../sql/loans/loans.ts';
import type { Condition } from '../../sql/table.ts';
import { setArchived } from '../../sql/write.ts';
import { recountRecords } from '../../workers/ops/recount.ts';
import { newConcurrentWriter } from '../setup/concurrent-writer.ts';
import { newLoan } from '../setup/loans.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant('2026-01-15');
await newLoan(tenant);

async function writers(count: number) {
  const all = await Promise.all(
    Array.from({ length: count }, () => newConcurrentWriter(stage, tenant)),
  );
  onTestFinished(async () => {
    for (const writer of all) await writer.leave();
  });
  return all;
}

const TYPES: Record<string, string> = { is_archived: 'bool', borrower_id: 'uuid' };
const where = (field: string, ...values: string[]): Condition => ({
  field,
  comparison: 'in',
  values,
  type: TYPES[field] ?? 'text',
});

/** The total that a list with a full page reports. */
const totalOf = async ({ tx }: Work, ...conditions: Condition[]) => {
  const sort = { field: 'created_at', descending: true };
  return (await listRows(tx, loans, { conditions, sort, offset: 0, limit: 1 })).total;
};

const violations = async () => {
  const auditor = await openPool(stage.url, { role: 'servicing_auditor', size: 1 });
  const found = await checkInvariants(auditor);
  await auditor.end();
  return found.map(({ message }) => message).filter((message) => message.includes('are counted'));
};

const mend = () =>
  recountRecords.run({ url: stage.url } as Parameters<typeof recountRecords.run>[0]);

test('a loan that is created, archived or paid off changes the counts in the same transaction', async () => {
  const other = await stage.tenant('2026-01-15');
  const first = await newLoan(other);
  const second = await newLoan(other);

  const totals = await other.within(async (work) => {
    const seen = [await totalOf(work), await totalOf(work, where('status', 'active'))];
    await setArchived(work.tx, 'loans', first.id, true);
    seen.push(await totalOf(work, where('is_archived', 'false')));
    await setArchived(work.tx, 'loans', first.id, false);
    await setLoanStatus(work.tx, second.id, 'paid_off');
    seen.push(await totalOf(work, where('status', 'active')));
    seen.push(await totalOf(work, where('status', 'active', 'paid_off')));
    seen.push(await totalOf(work, where('status', 'paid_off'), where('is_archived', 'false')));
    return seen;
  });

  expect(totals).toEqual([2, 2, 1, 1, 2, 1]);
});

const WRITERS = 3;
const who = fc.nat(WRITERS - 1);
const CHANGES = ['board', 'board', 'archive', 'payOff', 'change', 'remove'] as const;
const steps = fc.oneof(
  fc.record({ who, what: fc.constantFrom(...CHANGES), count: fc.integer({ min: 0, max: 6 }) }),
  fc.record({ who, what: fc.constantFrom('fold', 'countAnew', 'commit', 'rollback') }),
);

test('counts equal the visible rows for every interleaving of boardings, closings, compactions and commits', async () => {
  const all = await writers(WRITERS);
  const [observer] = await writers(1);

  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 30 }), async (taken) => {
      for (const step of taken) {
        const writer = all[step.who];
        if ('count' in step) await writer?.[step.what](step.count);
        else await writer?.[step.what as 'fold']();
        // A second recount would wait for the first one, so each commits before the next step.
        if (step.what === 'countAnew') await writer?.commit();
        for (const each of all) expect(await each.differing()).toEqual([]);
        expect(await observer?.differing()).toEqual([]);
        await observer?.commit();
      }
      for (const each of all) await each.rollback();
    }),
    { numRuns: 25 },
  );
}, 120_000);

test('compactions and other transactions never wait for each other, and the counts add up', async () => {
  const [one, other, third] = await writers(3);
  await one?.board(3);
  await one?.fold();
  await other?.board(2);

  await other?.fold();
  await third?.board(1);
  await third?.fold();
  for (const writer of [other, one, third]) await writer?.commit();

  expect(await third?.differing()).toEqual([]);
  await third?.fold();
  // One for active loans, and one each for loans that other tests left paid off or archived.
  expect(await third?.kept()).toBeLessThanOrEqual(4);
  expect(await third?.differing()).toEqual([]);
});

test('counts are right during and after many concurrent writers', async () => {
  const all = await writers(4);
  const totals: number[] = [];

  await Promise.all(
    all.map(async (writer, at) => {
      for (let turn = 0; turn < 30; turn += 1) {
        await writer.board(3);
        if (turn % 3 === at % 3) await writer.fold();
        await writer.payOff(2);
        expect(await writer.differing()).toEqual([]);
        await (turn % 5 === 4 ? writer.rollback() : writer.commit());
        totals.push((await tenant.within((work) => totalOf(work))) ?? 0);
      }
    }),
  );

  expect(totals.length).toBe(120);
  expect(await all[0]?.differing()).toEqual([]);
  expect(await violations()).toEqual([]);
});

test('a long boarding leaves few count rows, even with other writers', async () => {
  const [writer] = await writers(1);

  for (let turn = 0; turn < 2_000; turn += 1) await writer?.board(1);

  // The chance that none of 1,500 changes in a row triggers a compaction is one in ten billion.
  expect(await writer?.kept()).toBeLessThan(1_500);
  expect(await writer?.differing()).toEqual([]);
}, 60_000);

test('a damaged count is found, appears in lists, and is repaired while another transaction writes', async () => {
  const [writer] = await writers(1);
  const { rows } = await stage.owner.query<{ count: string }>(
    `select count(*) from loans where tenant_id = $1 and not is_archived and status = 'active'`,
    [tenant.id],
  );
  const active = Number(rows[0]?.count);
  const conditions = [where('status', 'active'), where('is_archived', 'false')];
  const listed = () => tenant.within((work) => totalOf(work, ...conditions));
  await writer?.board(2);
  await stage.owner.query(
    `insert into row_counts (tenant_id, table_name, status, is_archived, rows)
     values ($1, 'loans', 'active', false, 5)`,
    [tenant.id],
  );

  const found = await violations();
  const damaged = await listed();
  const mended = await mend();
  await writer?.commit();

  expect(found).toEqual([
    `loans, active, not archived: ${active} rows exist, but ${active + 5} are counted.`,
  ]);
  expect(damaged).toBe(active + 5);
  expect(mended.rows).toMatchObject([{ tenant: tenant.slug, status: 'active', rows: -5 }]);
  expect(await listed()).toBe(active + 2);
  expect(await violations()).toEqual([]);
  expect(await mend()).toMatchObject({ say: 'All counts are correct.' });
});

test('a list with a filter that has no stored count counts its rows', async () => {
  const other = await stage.tenant('2026-01-15');
  const { borrower_id } = await newLoan(other);
  await newLoan(other);
  await stage.owner.query('delete from row_counts where tenant_id = $1', [other.id]);

  const total = await other.within((work) => totalOf(work, where('borrower_id', borrower_id)));
  await mend();

  expect(total).toBe(1);
  expect(await other.within((work) => totalOf(work))).toBe(2);
});

test('truncating a table removes its counts', async () => {
  const kept = () =>
    stage.owner.query(`select status, is_archived, sum(rows)::integer as rows from row_counts
      where table_name = 'scratch' group by 1, 2 order by 2`);
  await stage.owner.query(`begin; set local role servicing_owner;
    create table scratch (tenant_id uuid, is_archived boolean);
    call app.maintain_counts('scratch', '{is_archived}');
    insert into scratch select '${tenant.id}', number = 1 from generate_series(1, 3) as number;
    commit`);

  const before = await kept();
  await stage.owner.query('truncate scratch');
  const after = await kept();
  await stage.owner.query(`drop table scratch; drop function app.count_scratch;
    delete from app.counted_tables where table_name = 'scratch'`);

  expect(before.rows).toEqual([
    { status: null, is_archived: false, rows: 2 },
    { status: null, is_archived: true, rows: 1 },
  ]);
  expect(after.rows).toEqual([]);
});

test('the application can neither insert counts nor compact them', async () => {
  const [writer] = await writers(1);

  const rejected = await Promise.allSettled([
    writer?.ask(`insert into row_counts (table_name, rows) values ('loans', 1)`),
  ]);
  await writer?.rollback();
  const folded = await Promise.allSettled([writer?.ask(`select app.compact_counts('loans')`)]);

  expect([...rejected, ...folded].map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
