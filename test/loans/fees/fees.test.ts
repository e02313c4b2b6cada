import { expect, test } from 'vitest';
import { eventTypes, balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('a manually assessed fee is owed and recognized, and a waiver reverses both', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);

  const fee = await tenant.officer.post(`/loans/${loan.id}/fees`, {
    fee_type: 'legal',
    amount: '40.00',
    description: 'Filing',
  });
  const assessed = await balancesByRole(tenant);
  const part = await tenant.officer.post(`/fees/${fee.body.id}/waive`, {
    amount: '15.00',
    reason: 'Goodwill',
  });
  const rest = await tenant.officer.post(`/fees/${fee.body.id}/waive`, { reason: 'Goodwill' });
  const again = await tenant.officer.post(`/fees/${fee.body.id}/waive`, { reason: 'Goodwill' });

  expect(fee).toMatchObject({ status: 201, body: { status: 'assessed', amount: '40.00' } });
  expect(fee.body.journal_entry_id).not.toBeNull();
  expect(assessed).toMatchObject({ fees_receivable: '40.00', fee_income: '-40.00' });
  expect(part.body).toMatchObject({ outstanding_amount: '25.00', amount_waived: '15.00' });
  expect(rest.body).toMatchObject({ status: 'waived', outstanding_amount: '0.00' });
  expect(again).toMatchObject({ status: 409, body: { code: 'nothing_to_waive' } });
  expect(await balancesByRole(tenant)).toEqual({ loans_receivable: '10000.00', cash: '-10000.00' });
  expect(await eventTypes(tenant)).toContain('fee.assessed');
});

test('a fee is refused on a loan that is not active, and can never be deleted', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const pending = await newLoan(tenant, { status: 'approved' });
  const active = await newLoan(tenant);
  const fee = { fee_type: 'other', amount: '10.00' };

  const refused = await tenant.officer.post(`/loans/${pending.id}/fees`, fee);
  const made = await tenant.officer.post(`/loans/${active.id}/fees`, fee);
  const deleted = await tenant.officer.delete(`/fees/${made.body.id}`);
  const more = await tenant.officer.post(`/fees/${made.body.id}/waive`, {
    amount: '11.00',
    reason: 'x',
  });
  const listed = await tenant.officer.get(`/loans/${active.id}/fees`);

  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'loan_not_active', details: { current_status: 'approved' } },
  });
  expect(deleted).toMatchObject({ status: 409, body: { code: 'immutable' } });
  expect(more).toMatchObject({ status: 409, body: { code: 'exceeds_outstanding' } });
  expect(listed.headers['content-range']).toBe('fees 0-0/1');
});
