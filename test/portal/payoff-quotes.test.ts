import { expect, test } from 'vitest';
import { newPortalBorrower, assertOk, refusal } from '../setup/portal.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('the amount that the portal shows for a payoff quote pays off the loan on any day it covers', async () => {
  const { tenant, borrower, officer, loan, id, pay, staffs } = await newPortalBorrower(stage);
  const asked = { good_through_date: '2026-02-12' };
  const quote = assertOk(await officer.post(`/loans/${id}/payoff-quotes`, asked));
  const shown = assertOk(await borrower.get('/portal/dashboard'))['alerts'];
  const quoted = '10065.21';
  await travelTo(stage, tenant, '2026-02-01');

  const more = await pay('10065.22');
  const preview = await borrower.post(`${loan}/payments/preview`, { amount: quoted });
  const paid = await pay(quoted);

  expect(quote).toMatchObject({ payoff_amount: '10000.00', payoff_amount_good_through: quoted });
  expect(shown).toMatchObject([{ type: 'payoff_quote_ready', amount: quoted, date: '2026-02-12' }]);
  expect(more).toMatchObject(refusal(409, 'exceeds_balance'));
  expect(preview).toMatchObject({ status: 200, body: { remaining_balance: '0.00' } });
  expect(paid).toMatchObject({
    status: 201,
    body: { payment_type: 'payoff', remaining_balance: '0.00' },
  });
  expect(await staffs()).toMatchObject({ status: 'paid_off', total_balance: '0.00' });
});
