import { expect, test } from 'vitest';
import { newLoan } from '../../setup/loans.ts';
import { newStaff } from '../../setup/team.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();
const DAY = '2026-01-15';

/** Lists of all records of a kind: how a test creates one below its loan, and the date to filter by. */
const LISTS: Record<string, { body: Record<string, unknown>; date: string }> = {
  'promises-to-pay': {
    body: { promised_amount: '100.00', promised_date: '2026-01-20' },
    date: 'promised_date',
  },
  modifications: {
    body: {
      modification_type: 'rate_change',
      new_interest_rate: '0.05',
      effective_date: '2026-02-01',
      apply_immediately: false,
    },
    date: 'effective_date',
  },
  forbearances: {
    body: { start_date: '2026-02-01', end_date: '2026-05-01', reason: 'Illness.' },
    date: 'start_date',
  },
  deferments: { body: { periods: 1, reason: 'Illness.' }, date: 'start_date' },
  'payment-plans': {
    body: {
      start_date: '2026-01-20',
      frequency: 'monthly',
      number_of_payments: 3,
      total_amount: '300.00',
    },
    date: 'agreed_on',
  },
  'payoff-quotes': { body: {}, date: 'payoff_date' },
  fees: { body: { fee_type: 'other', amount: '10.00' }, date: 'assessed_date' },
};

test.each(Object.entries(LISTS))(
  'staff list the %s of all loans, by borrower, status and date',
  async (path, { body, date }) => {
    const tenant = await stage.tenant(DAY);
    const [loan, other] = [await newLoan(tenant), await newLoan(tenant)];
    const stranger = await stage.tenant(DAY);
    const viewer = await tenant.signedIn('viewer');
    const post = (id: string) => tenant.officer.post(`/loans/${id}/${path}`, body);
    const [made, madeToo] = [await post(loan.id), await post(other.id)];
    const get = (query: string) => viewer.get(`/${path}?${query}`);

    const all = await get('');
    const ofBorrower = await get(`borrower_id=${loan.borrower_id}`);
    const sought = `status=${made.body.status}&${date}__gte=${made.body[date]}`;
    const found = await get(`${sought}&${date}__lte=${made.body[date]}&limit=1`);
    const later = await get(`${date}__gt=${made.body[date]}`);
    const elsewhere = await stranger.officer.get(`/${path}`);

    expect([made.status, madeToo.status]).toEqual([201, 201]);
    expect(all.body.map(({ id }: { id: string }) => id)).toEqual([madeToo.body.id, made.body.id]);
    expect(ofBorrower.body).toEqual([
      expect.objectContaining({ id: made.body.id, borrower_id: loan.borrower_id }),
    ]);
    expect(found).toMatchObject({ status: 200, body: [{ id: madeToo.body.id }] });
    expect(found.headers['content-range']).toBe(`${path} 0-0/2`);
    expect(later.body).toEqual([]);
    expect(elsewhere.body).toEqual([]);
  },
);

test('staff list all payouts, draws, accounts, autopay plans and notes', async () => {
  const tenant = await stage.tenant(DAY);
  const viewer = await tenant.signedIn('viewer');
  const loan = await newLoan(tenant);
  const note = await tenant.officer.post(`/borrowers/${loan.borrower_id}/notes`, {
    body: 'Called.',
  });
  const account = await tenant.officer.post(`/borrowers/${loan.borrower_id}/payment-instruments`, {
    instrument_type: 'bank_account',
    routing_number: '021000021',
    account_number: '1234567890',
  });
  const list = async (path: string) => (await viewer.get(path)).body;

  expect(await list(`/disbursements?borrower_id=${loan.borrower_id}`)).toMatchObject([
    { loan_id: loan.id, status: 'completed' },
  ]);
  expect(await list(`/draws?borrower_id=${loan.borrower_id}&status=failed`)).toEqual([]);
  expect(await list(`/payment-instruments?status=active`)).toMatchObject([{ id: account.body.id }]);
  expect(await list(`/autopay-plans?status=active&next_run_date__lte=2026-02-01`)).toEqual([]);
  expect(await list(`/notes?borrower_id=${loan.borrower_id}`)).toMatchObject([
    { id: note.body.id },
  ]);
});

test('a user who may not see the borrower of a loan cannot filter its records by borrower', async () => {
  const { tenant, officer, deny } = await newStaff(stage);
  const loan = await newLoan(tenant);
  await officer.post(`/loans/${loan.id}/fees`, { fee_type: 'other', amount: '10.00' });
  await deny('loans', 'borrower_id');

  const all = await officer.get('/fees');
  const filtered = await officer.get(`/fees?borrower_id=${loan.borrower_id}`);

  expect(all.body).toHaveLength(1);
  expect(all.body[0]).not.toHaveProperty('borrower_id');
  expect(filtered.status).toBe(422);
});
