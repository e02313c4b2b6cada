import { expect, test } from 'vitest';
import { boarder, INSTALLMENT, paid } from '../../setup/boarding-histories.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

async function profileOf(transactions: object[], wish: Record<string, unknown> = {}) {
  const tenant = await stage.tenant('2025-08-05');
  const board = await boarder(tenant);
  const { status, body } = await board(transactions, wish);
  expect(status, JSON.stringify(body)).toBe(201);
  const { rows } = await stage.owner.query<{ profile: string | null }>(
    'select payment_history_profile as profile from loans where id = $1',
    [body.id],
  );
  return rows[0]?.profile;
}

// April and May are paid late together, and June is open on 31 July.
const LATE_TWICE = [
  paid('P1', '2025-02-10'),
  paid('P2', '2025-03-10'),
  paid('P3', '2025-06-15', '631.36'),
];

test('the payment history profile follows from a replayed history, newest month first', async () => {
  expect(await profileOf(LATE_TWICE)).toBe(`1010000${'B'.repeat(17)}`);
});

test('a profile that the previous servicer reported counts', async () => {
  const reported = '0'.repeat(24);

  expect(await profileOf(LATE_TWICE, { payment_history_profile: reported })).toBe(reported);
});

test('months before the history begins are unknown, and months before the loan have no history', async () => {
  const history = {
    from: '2025-06-01',
    opening: { principal_balance: '9000.00', paid_through_date: '2025-05-10' },
  };

  const profile = await profileOf([paid('P1', '2025-06-10', INSTALLMENT)], { history });

  expect(profile).toBe(`00DDDDD${'B'.repeat(17)}`);
});
