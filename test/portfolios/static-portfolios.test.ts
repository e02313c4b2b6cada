import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const NOWHERE = '0198a000-0000-7000-8000-000000000000';

test('an admin puts a loan into a static portfolio and removes it through the loan itself', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const { id: loan } = await newLoan(tenant);
  const hand = await admin.post('/portfolios', { name: 'By hand' });
  const other = await admin.post('/portfolios', { name: 'Other' });
  const dynamic = await admin.post('/portfolios', {
    name: 'Self',
    portfolio_type: 'dynamic',
    criteria: { status: 'active' },
  });
  const place = (portfolio_id: string | null, by = admin) =>
    by.put(`/loans/${loan}`, { portfolio_id });

  const stranger = await place(NOWHERE);
  const wrong = await place(dynamic.body.id);
  const officer = await place(hand.body.id, tenant.officer);
  const placed = await place(hand.body.id);
  const whole = await tenant.officer.put(`/loans/${loan}`, placed.body);
  const elsewhere = await place(other.body.id);
  const out = await place(null);

  expect(stranger).toMatchObject({
    status: 422,
    body: { errors: { portfolio_id: 'Does not exist.' } },
  });
  expect(wrong).toMatchObject({ status: 409, body: { code: 'not_static' } });
  expect(officer.status).toBe(403);
  expect(placed).toMatchObject({ status: 200, body: { portfolio_id: hand.body.id } });
  expect(whole).toMatchObject({ status: 200, body: { portfolio_id: hand.body.id } });
  expect(elsewhere).toMatchObject({ status: 409, body: { code: 'already_assigned' } });
  expect(out).toMatchObject({ status: 200, body: { portfolio_id: null } });
});
