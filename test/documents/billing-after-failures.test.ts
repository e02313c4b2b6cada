import { expect, test } from 'vitest';
import { startClose } from '../../jobs/business-day/close-loans.job.ts';
import { findQuarantinedLoans } from '../../sql/business-day/quarantines.ts';
import { januaryStatements, newMonthEnd, EXPECTED_BALANCE } from '../setup/month-ends.ts';
import { runJobs, travelTo } from '../setup/queue.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const { aMonthHasEnded, aMonthHasEndedWithoutOne, ordersOfDocuments } = newMonthEnd(stage);

test('the next day closes automatically once all loans are billed', async () => {
  const { tenant, ids, today } = await aMonthHasEnded(2);

  const planned = await tenant.within((work) => startClose(work, '2026-02-02'));
  const waiting = await today();
  await runJobs(stage, {}, ['close-loans']);

  expect([planned, waiting]).toEqual([null, '2026-02-01']);
  expect(await today()).toBe('2026-02-03');
  expect(await januaryStatements(tenant)).toEqual(
    ids.map((loan_id) => ({ loan_id, new_balance: EXPECTED_BALANCE })),
  );
  expect(await ordersOfDocuments(tenant)).toBe(1);
});

test('wherever a worker is killed, the next one bills the month and orders its documents', async () => {
  const { tenant, ids, billUntilKilled, bill } = await aMonthHasEnded(1);

  for (let after = 1; (await billUntilKilled(after)) !== null;) after += 1;
  await bill();

  expect((await januaryStatements(tenant)).map(({ loan_id }) => loan_id)).toEqual(ids);
  expect(await ordersOfDocuments(tenant)).toBe(1);
});

test('a quarantined loan is repaired and billed, and does not stop the others', async () => {
  const { tenant, ids, bill, pay, today } = await aMonthHasEndedWithoutOne(3);

  const before = await pay(ids[1] ?? '');
  await bill();
  const statements = await januaryStatements(tenant);
  const after = await pay(ids[0] ?? '');
  await runJobs(stage, {}, ['close-loans']);
  await travelTo(stage, tenant, '2026-02-02');

  expect(statements).toEqual(ids.map((loan_id) => ({ loan_id, new_balance: EXPECTED_BALANCE })));
  expect([before, after, await today()]).toEqual([201, 201, '2026-02-02']);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a loan that cannot be billed is quarantined, and its next statement covers both months', async () => {
  const { tenant, ids, bill, pay } = await aMonthHasEnded(2);
  const [broken = '', whole] = ids;

  await stage.owner.query(
    `alter table statements add constraint is_unbroken check (loan_id <> '${broken}') not valid`,
  );
  await bill();
  const alone = await januaryStatements(tenant);
  const told = await tenant.within(({ tx }) => findQuarantinedLoans(tx, 10));
  const status = await pay(broken);
  await stage.owner.query('alter table statements drop constraint is_unbroken');
  await travelTo(stage, tenant, '2026-03-01');

  expect(alone).toEqual([{ loan_id: whole, new_balance: EXPECTED_BALANCE }]);
  expect(told.map(({ loan_id, step }) => [loan_id, step])).toEqual([[broken, 'billing']]);
  expect(status).toBe(201);
  const { rows } = await stage.owner.query(
    `select figures ->> 'period_start' as since from statements where loan_id = $1`,
    [broken],
  );
  expect(rows).toEqual([{ since: '2026-01-15' }]);
});
