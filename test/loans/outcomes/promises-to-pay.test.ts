import { expect, test } from 'vitest';
import { evaluatePromise } from '../../../jobs/loans/outcomes/promises.ts';
import { endOfDayCutoff } from '../../../jobs/loans/outcomes/receipts.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('a promise is kept as soon as the money arrives, and broken after its grace period', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const promise = (promised_date: string) => ({ promised_amount: '100.00', promised_date });
  const path = `/loans/${loan.id}/promises-to-pay`;

  const early = await tenant.officer.post(path, promise('2026-01-20'));
  await tenant.officer.post(`/loans/${loan.id}/payments`, { amount: '100.00' });
  await travelTo(stage, tenant, '2026-01-16');
  const late = await tenant.officer.post(path, { ...promise('2026-01-18'), grace_days: 1 });
  await travelTo(stage, tenant, '2026-01-19');
  const waiting = await tenant.officer.get(`/promises-to-pay/${late.body.id}`);
  await travelTo(stage, tenant, '2026-01-20');

  expect(early).toMatchObject({ status: 201, body: { status: 'pending' } });
  expect((await tenant.officer.get(`/promises-to-pay/${early.body.id}`)).body).toMatchObject({
    status: 'kept',
    fulfilled_amount: '100.00',
  });
  expect(waiting.body.status).toBe('pending');
  expect((await tenant.officer.get(`/promises-to-pay/${late.body.id}`)).body).toMatchObject({
    status: 'broken',
    fulfilled_amount: '0.00',
    fulfilled_at: null,
  });
});

test.each([
  ['99.99', '2026-01-22', 'partially_kept'],
  ['0.00', '2026-01-22', 'broken'],
  ['0.00', '2026-01-21', 'pending'],
  ['100.00', '2026-01-16', 'kept'],
])('a promise of 100.00 by the 20th with %s paid is, on %s, %s', (paid, day, verdict) => {
  const agreed = { promised_on: '2026-01-15', promised_amount: '100.00', grace_days: 2 };
  const promise = { ...agreed, promised_date: '2026-01-20' };
  const receipts = [{ effective_date: '2026-01-16', amount: paid }];

  expect(evaluatePromise(promise, receipts, endOfDayCutoff(day)).status).toBe(verdict);
});

test('a promise can be canceled only while it is pending', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const body = { promised_amount: '100.00', promised_date: '2026-01-20' };
  const path = `/loans/${loan.id}/promises-to-pay`;
  const past = await tenant.officer.post(path, { ...body, promised_date: '2026-01-14' });
  const made = await tenant.officer.post(path, body);

  const noted = await tenant.officer.put(`/promises-to-pay/${made.body.id}`, {
    ...made.body,
    promised_amount: '1.00',
    contact_note: 'Called back',
  });
  const canceled = await tenant.officer.put(`/promises-to-pay/${made.body.id}`, {
    status: 'canceled',
  });
  const again = await tenant.officer.delete(`/promises-to-pay/${made.body.id}`);

  expect(past).toMatchObject({
    status: 422,
    body: { errors: { promised_date: expect.any(String) } },
  });
  expect(noted.body).toMatchObject({ promised_amount: '100.00', contact_note: 'Called back' });
  expect(canceled).toMatchObject({ status: 200, body: { status: 'canceled' } });
  expect(again).toMatchObject({ status: 409, body: { code: 'immutable' } });
});
