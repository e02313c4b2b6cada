import { strToU8, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { boardImport } from '../../jobs/books/imports/board-import.ts';
import { boardNextChunk } from '../../jobs/books/imports/board-chunk.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { openPool } from '../../sql/database/db.ts';
import { tapeLine, tapeText } from '../setup/boarding-tapes.ts';
import { lentTo, runImports, uploadBook } from '../setup/imports.ts';
import { bookOf } from '../setup/books.ts';
import { newStage } from '../setup/world.ts';
import { violationsIn } from '../setup/violations.ts';

const stage = await newStage();
const LOANS = 1_203;

const PAYMENTS = ['2025-12-20', '2026-01-10'];
const loansFile = tapeText(
  ...Array.from({ length: LOANS }, (_, index) =>
    tapeLine({
      loan_number: `C-${index}`,
      // Some borrowers have loans in several chunks.
      borrower_external_id: `B-${index % 700}`,
      current_principal_balance: '1000.00',
      payment_amount: '45.00',
    }),
  ),
);
const historyFile = [
  'loan_number,transaction_id,date,type,amount',
  ...Array.from({ length: LOANS }, (_, index) =>
    PAYMENTS.map((date) => `C-${index},${date},${date},payment,45.00`),
  ).flat(),
].join('\n');
const files = { 'loans.csv': loansFile, 'history.csv': historyFile };
const book = zipSync({ 'loans.csv': strToU8(loansFile), 'history.csv': strToU8(historyFile) });

test('an import whose worker dies in the middle continues: each loan once, the books balanced, the totals equal', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = (await uploadBook(admin, book, {}, 'book.zip')).body as { id: string };
  await runImports(stage);
  await admin.post(`/imports/${id}/confirm`, {
    loan_count: LOANS,
    principal_total: `${LOANS}000.00`,
  });
  await stage.owner.query(`delete from graphile_worker._private_jobs`);
  const count = async (sql: string) =>
    Number((await stage.owner.query<{ count: string }>(sql, [tenant.id])).rows[0]?.count);
  const loans = () => count('select count(*) from loans where tenant_id = $1');
  const source = bookOf(files);

  // The connections of a worker end while it prepares the rows, and again while it boards the second chunk.
  const seen: number[] = [];
  const prepared: number[] = [];
  for (const dies of ['staging', 'boarding'] as const) {
    const pool = await openPool(stage.url, { size: 1, isShared: true });
    const within = createWithin(pool, SYSTEM, stage.installation);
    const died = await boardImport(within, tenant.id, id, source, {
      onStaged: () => dies === 'staging' && void pool.end(),
      onBoarded: () => dies === 'boarding' && void pool.end(),
    }).catch((error: unknown) => error);
    expect(died).toBeInstanceOf(Error);
    seen.push(await loans());
    prepared.push((await admin.get(`/imports/${id}`)).body['rows_staged'] as number);
  }
  const { within } = lentTo(stage);
  // A chunk that was boarded but not committed leaves nothing behind.
  await within(tenant.id, async (work) => {
    await boardNextChunk(work, id);
    throw new Error('the worker is killed');
  }).catch(() => undefined);
  seen.push(await loans());
  // Two workers continue at the same time. One of them finds the import busy, at once or later.
  const both = await Promise.allSettled(
    [1, 2].map(() => boardImport(within, tenant.id, id, source)),
  );

  expect(both.map(({ status }) => status)).toContain('fulfilled');
  expect(prepared).toEqual([2_000, LOANS * (1 + PAYMENTS.length)]);
  expect(seen).toEqual([0, 500, 500]);
  expect(await count('select count(*) from earlier_transactions where tenant_id = $1')).toBe(
    LOANS * PAYMENTS.length,
  );
  expect(await loans()).toBe(LOANS);
  expect(await count('select count(distinct loan_number) from loans where tenant_id = $1')).toBe(
    LOANS,
  );
  expect(
    await count(`select count(*) from borrowers where tenant_id = $1 and external_id like 'B-%'`),
  ).toBe(700);
  expect(await count('select count(*) from import_rows where tenant_id = $1')).toBe(0);
  const done = (await admin.get(`/imports/${id}`)).body;
  expect(done).toMatchObject({ status: 'boarded', loans_boarded: LOANS });
  expect(done.boarded_totals).toEqual(done.control_totals);
  expect(await violationsIn(stage)).toEqual([]);
});
