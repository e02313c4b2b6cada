import { expect, test } from 'vitest';
import { receivePayment } from '../../../jobs/payments/receive.ts';
import { settingsOf } from '../../../jobs/users/settings/settings.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

/** Runs only once, even if its transaction is repeated. */
function onlyOnce(happens: () => Promise<unknown>) {
  let happened: Promise<unknown> | null = null;
  return () => (happened ??= happens());
}

test('a payment that started before the day ended counts together with those of the new day', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const another = onlyOnce(async () => {
    await travelTo(stage, tenant, '2026-01-16');
    await tenant.officer.post(`/loans/${id}/payments`, { amount: '100.00' });
  });

  await tenant.within(async (work) => {
    // A statement before the date moves has already verified the date, so only the loan's lock can detect
    // the change.
    await settingsOf(work.tx);
    await another();
    await receivePayment(work, id, { amount: '50.00', payment_type: 'regular' });
  });
  const loan = await tenant.officer.get(`/loans/${id}`);
  const payments = await tenant.officer.get(`/loans/${id}/payments`);

  // One day's interest of 2.33 is paid, and the rest goes to principal.
  expect(loan.body).toMatchObject({ principal_balance: '9852.33', accrued_interest: '0.00' });
  expect(payments.body).toMatchObject([
    { amount: '50.00', effective_date: '2026-01-16' },
    { amount: '100.00', effective_date: '2026-01-16' },
  ]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('two payments that started before the day ended both count', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const ends = onlyOnce(() => travelTo(stage, tenant, '2026-01-16'));
  const pay = () =>
    tenant.within(async (work) => {
      await settingsOf(work.tx);
      await ends();
      await receivePayment(work, id, { amount: '50.00', payment_type: 'regular' });
    });

  await Promise.all([pay(), pay()]);
  const loan = await tenant.officer.get(`/loans/${id}`);

  expect(loan.body).toMatchObject({ principal_balance: '9902.33' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('days end while payments come and go, and nothing is lost', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant, { principal_amount: '100000.00' });
  const received: string[] = [];
  const shift = new AbortController();
  const officer = async (amount: string) => {
    while (!shift.signal.aborted) {
      const paid = await tenant.officer.post(`/loans/${id}/payments`, { amount });
      received.push(paid.body.id);
      const [oldest] = received.length > 5 ? received.splice(0, 1) : [];
      if (oldest) await tenant.officer.post(`/payments/${oldest}/reverse`, { reason: 'nsf' });
    }
  };

  const officers = ['10.01', '20.02', '30.03'].map(officer);
  await travelTo(stage, tenant, '2026-01-25');
  shift.abort();
  await Promise.all(officers);

  expect(await violationsIn(stage)).toEqual([]);
});
