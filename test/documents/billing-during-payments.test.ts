import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { januaryStatements, newMonthEnd, EXPECTED_BALANCE } from '../setup/month-ends.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const { aMonthHasEnded, theCloseHasPassed } = newMonthEnd(stage);

test('a payment before a loan’s turn bills the loan first, as of the start of the day', async () => {
  const { tenant, ids, pay, bill } = await aMonthHasEnded(2);

  const before = await januaryStatements(tenant);
  const status = await pay(ids[0] ?? '');
  const paid = await januaryStatements(tenant);
  await bill();
  const all = await januaryStatements(tenant);
  const { body } = await tenant.officer.get(`/loans/${ids[0]}/get-balances`);

  expect([before, status]).toEqual([[], 201]);
  expect(paid).toEqual([{ loan_id: ids[0], new_balance: EXPECTED_BALANCE }]);
  expect(all).toEqual(ids.map((loan_id) => ({ loan_id, new_balance: EXPECTED_BALANCE })));
  expect(body.total_balance).toBe('9939.59');
});

test('a refused payment does not bill the loan early', async () => {
  const { tenant, ids, bill } = await aMonthHasEnded(1);
  const late = { amount: '1.00', effective_date: '2025-01-01' };

  const { status } = await tenant.officer.post(`/loans/${ids[0]}/payments`, late);
  const refused = await januaryStatements(tenant);
  await bill();

  expect([status, refused]).toEqual([422, []]);
  expect(await januaryStatements(tenant)).toHaveLength(1);
});

test('payments during billing change no statement, and none waits long', async () => {
  const { tenant, ids, pay, bill } = await aMonthHasEnded(6);

  const [, ...statuses] = await Promise.all([bill(), ...ids.map(pay), bill()]);

  expect(statuses.slice(0, ids.length)).toEqual(ids.map(() => 201));
  expect(await januaryStatements(tenant)).toEqual(
    ids.map((loan_id) => ({ loan_id, new_balance: EXPECTED_BALANCE })),
  );
});

test('a loan that is funded or boarded on the first is not billed for the previous month', async () => {
  const { tenant, ids, bill } = await aMonthHasEnded(1);

  const fresh = await newLoan(tenant);
  await bill();

  expect((await januaryStatements(tenant)).map(({ loan_id }) => loan_id)).toEqual(ids);
  expect(ids).not.toContain(fresh.id);
});

test('a loan that is paid off before its turn still gets its last statement', async () => {
  const { tenant, ids, bill } = await aMonthHasEnded(1);

  const paid = await tenant.officer.post(`/loans/${ids[0]}/payments`, { amount: EXPECTED_BALANCE });
  await bill();
  const { body } = await tenant.officer.get(`/loans/${ids[0]}`);

  expect([paid.status, body.status]).toEqual([201, 'paid_off']);
  expect(await januaryStatements(tenant)).toEqual([
    { loan_id: ids[0], new_balance: EXPECTED_BALANCE },
  ]);
});

test('a loan that is funded on the last day after its close is still billed', async () => {
  const { tenant, ids, signed, endDay, bill } = await theCloseHasPassed(1);

  const { status } = await tenant.officer.post(`/loans/${signed}/disburse`, {});
  await endDay();
  await bill();

  expect(status).toBe(200);
  expect(await januaryStatements(tenant)).toEqual([
    { loan_id: ids[0], new_balance: EXPECTED_BALANCE },
    { loan_id: signed, new_balance: '10002.33' },
  ]);
});

test('a loan that is paid off on the last day and reopened on the first is not billed for the month', async () => {
  const { tenant, ids, endDay, bill } = await theCloseHasPassed(1);

  const paid = await tenant.officer.post(`/loans/${ids[0]}/payments`, { amount: EXPECTED_BALANCE });
  await endDay();
  const back = await tenant.officer.post(`/payments/${paid.body.id}/reverse`, { reason: 'nsf' });
  await bill();
  const { body } = await tenant.officer.get(`/loans/${ids[0]}`);

  expect([paid.status, back.status, body.status]).toEqual([201, 200, 'active']);
  expect(await januaryStatements(tenant)).toEqual([]);
});
