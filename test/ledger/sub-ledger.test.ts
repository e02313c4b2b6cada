import { expect, test } from 'vitest';
import { postEntry } from '../../jobs/ledger/post.ts';
import { newStage } from '../setup/world.ts';
import { bookAccrual, newLoan } from './books.ts';

const stage = await newStage();

test('a loan’s sub-ledger contains its entries and its share of the accruals', async () => {
  const tenant = await stage.tenant();
  const loan = await newLoan(tenant);
  const other = await newLoan(tenant);
  await tenant.within((work) =>
    postEntry(work, {
      entry_date: '2026-01-01',
      reference_type: 'disbursement',
      loan_id: loan,
      debit: { loans_receivable: '1000.00' },
      credit: { cash: '1000.00' },
    }),
  );
  await bookAccrual(tenant, '2026-01-01', { [loan]: '0.23', [other]: '0.50' });
  await bookAccrual(tenant, '2026-01-02', { [loan]: '-0.02' });

  const daily = await tenant.officer.get(`/ledger/loans/${loan}/sub-ledger`);
  const monthly = await tenant.officer.get(`/ledger/loans/${loan}/sub-ledger?accruals_by=month`);

  expect(daily.headers['content-range']).toBe('sub-ledger 0-2/3');
  expect(daily.body).toMatchObject([
    {
      entry_date: '2026-01-01',
      reference_type: 'disbursement',
      lines: [
        { account: 'Loans Receivable', debit: '1000.00', credit: '0.00' },
        { account: 'Cash', debit: '0.00', credit: '1000.00' },
      ],
    },
    {
      entry_date: '2026-01-01',
      reference_type: 'interest_accrual',
      lines: [
        { account: 'Interest Receivable', debit: '0.23', credit: '0.00' },
        { account: 'Interest Income', debit: '0.00', credit: '0.23' },
      ],
    },
    {
      entry_date: '2026-01-02',
      lines: [
        { account: 'Interest Receivable', debit: '0.00', credit: '0.02' },
        { account: 'Interest Income', debit: '0.02', credit: '0.00' },
      ],
    },
  ]);
  expect(monthly.body.slice(1)).toMatchObject([
    {
      description: 'Interest accrual, January 2026',
      lines: [
        { account: 'Interest Receivable', debit: '0.21' },
        { account: 'Interest Income', credit: '0.21' },
      ],
    },
  ]);
});

test('a loan of another tenant has no sub-ledger', async () => {
  const [tenant, stranger] = [await stage.tenant(), await stage.tenant()];
  const loan = await newLoan(stranger);

  const foreign = await tenant.officer.get(`/ledger/loans/${loan}/sub-ledger`);
  const nonsense = await tenant.officer.get('/ledger/loans/nonsense/sub-ledger');

  expect([foreign.status, nonsense.status]).toEqual([404, 404]);
});
