import { expect, test } from 'vitest';
import { compose } from '../../jobs/communications/compose.ts';
import { mapConcurrently } from '../../sql/database/batch-by-transaction.ts';
import { newLoan } from '../setup/loans.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

/** A borrower with two loans who can be reached by email. */
async function twoLoans() {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  for (const template_type of ['payment_reminder', 'late_fee_notice'])
    await admin.post('/communication-templates', {
      name: template_type,
      template_type,
      channel: 'email',
      subject: 'Loan {{ loan.number }}',
      body: '<p>{{ borrower.name }}</p>',
    });
  const first = await newLoan(tenant);
  const { borrower_id } = first;
  const other = await newLoan(tenant, { borrower_id });
  await tenant.officer.post(`/borrowers/${borrower_id}/emails`, { email: 'grace@example.com' });
  const write = (loan_ids: string[], template_type: string) =>
    tenant.within((work) =>
      mapConcurrently(loan_ids, (loan_id) =>
        compose(work, {
          borrower_id,
          loan_id,
          template_type,
          channel: 'email',
          triggered_by: 'system',
        }),
      ),
    );
  return { tenant, write, loans: [first.id, other.id] };
}

test('the second of two equal messages to a borrower is skipped, also within one transaction', async () => {
  const { write, loans } = await twoLoans();

  const composed = await write(loans, 'payment_reminder');

  expect(composed.map(({ status, reasons }) => [status, ...reasons])).toEqual([
    ['queued'],
    ['blocked', 'recently_contacted'],
  ]);
});

test('the collections contacts of a week are counted one by one in a transaction', async () => {
  const { tenant, write, loans } = await twoLoans();
  const [loan = ''] = loans;
  const communications = { suppression_hours: 0, weekly_cap: 2 };
  const superadmin = await tenant.signedIn('superadmin');
  await superadmin.put('/tenant/settings', { communications });

  const composed = await write([loan, loan, loan], 'late_fee_notice');

  expect(composed.map(({ status, reasons }) => [status, ...reasons])).toEqual([
    ['queued'],
    ['queued'],
    ['blocked', 'frequency_cap'],
  ]);
});
