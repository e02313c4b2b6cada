import { expect, test } from 'vitest';
import { openCase } from '../setup/cases.ts';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { newPortfolioForSale } from '../setup/sales.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const REPORT = { report_type: 'ftc_affidavit', report_received_date: '2026-01-15' };

test('a debt from identity theft is not sold, but can be pledged, and a tenant may decide otherwise', async () => {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  const [stolen, own] = [await newLoan(tenant), await newLoan(tenant)];
  const { admin, id, investor_id, sell } = await newPortfolioForSale(tenant, stolen.id, own.id);
  await openCase(tenant.officer, stolen.borrower_id, 'identity_theft', REPORT);
  const assign = (assignment_type: string) =>
    admin.post(`/investors/${investor_id}/loan-assignments`, {
      loan_id: stolen.id,
      assignment_type,
      ownership_percentage: '0.1',
    });

  const sold = await sell({ sale_price: '9000.00' });
  const participation = await assign('participation');
  const pledge = await assign('pledge');
  const ended = await admin.put(`/loan-assignments/${pledge.body.id}`, { status: 'ended' });
  const saved = await superadmin.put('/tenant/settings', {
    cases: { effects: { identity_theft_block: { sale: true } } },
  });
  const soldAfterwards = await sell({ sale_price: '9000.00' });

  expect(sold).toMatchObject({
    status: 409,
    body: { code: 'legal_condition', details: { loan_ids: [stolen.id] } },
  });
  expect(participation).toMatchObject({ status: 409, body: { code: 'legal_condition' } });
  expect([pledge.status, ended.status, saved.status]).toEqual([201, 200, 200]);
  expect(soldAfterwards.status, JSON.stringify(soldAfterwards.body)).toBe(200);
  expect((await admin.get(`/portfolios/${id}`)).body.status).toBe('sold');
});

test('a loan that turns out to come from identity theft before the sale settles stays with the seller', async () => {
  const tenant = await stage.tenant();
  const [stolen, own] = [await newLoan(tenant), await newLoan(tenant)];
  const { admin, id, sell, list } = await newPortfolioForSale(tenant, stolen.id, own.id);
  const sold = await sell({ sale_price: '9000.00', settlement_date: '2026-01-20' });
  await openCase(tenant.officer, stolen.borrower_id, 'identity_theft', REPORT);
  await travelTo(stage, tenant, '2026-01-22');

  const assignments = (await admin.get(list)).body as Record<string, unknown>[];
  const portfolio = (await admin.get(`/portfolios/${id}`)).body;

  expect(sold.status, JSON.stringify(sold.body)).toBe(200);
  expect(
    Object.fromEntries(
      assignments.map(({ loan_id, status, decline_reason }) => [
        String(loan_id),
        [status, decline_reason],
      ]),
    ),
  ).toEqual({ [stolen.id]: ['declined', 'not_allowed'], [own.id]: ['active', null] });
  expect(portfolio.left_out).toEqual([{ loan_id: stolen.id, reason: 'not_allowed' }]);
});
