import { expect, test } from 'vitest';
import { correctCase, openCase } from '../setup/cases.ts';
import { pageClient } from '../setup/pages.ts';
import { newPortalBorrower } from '../setup/portal.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('the portal asks nothing of a borrower about a loan in bankruptcy, until the case is dismissed', async () => {
  const { officer, borrower, borrower_id, loan } = await newPortalBorrower(stage, {
    disbursement_date: '2025-11-15',
  });
  const pages = pageClient(borrower);
  const shown = async () => ({
    dashboard: (await borrower.get('/portal/dashboard')).body,
    loan: (await borrower.get(loan)).body,
    home: (await pages.get('')).body,
    page: (await pages.get(loan.replace('/portal', ''))).body,
  });
  const alertsOf = ({ alerts }: { alerts: { type: string }[] }) => alerts.map(({ type }) => type);

  const late = await shown();
  const facts = { chapter: '13', petition_date: '2026-01-10' };
  const petition = await openCase(officer, borrower_id, 'bankruptcy', facts);
  const during = await shown();
  await correctCase(officer, petition.id, { ...facts, dismissal_date: '2026-01-15' });
  const after = await shown();

  expect(alertsOf(late.dashboard)).toEqual(['past_due']);
  expect(late.loan.statement_form).toBe('regular');
  expect(alertsOf(during.dashboard)).toEqual(['bankruptcy']);
  expect(during.dashboard).toMatchObject({ next_payment: null, total_past_due: '0.00' });
  expect(during.loan.statement_form).toBe('bankruptcy');
  expect(during.home).toContain('for information only');
  expect(during.page).toContain('for information only');
  expect(during.home + during.page).not.toContain('is past due by');
  expect(during.page).toContain('Payment amount');
  expect(during.page).not.toMatch(/<d[td]>(Amount due|Past due)/);
  expect(alertsOf(after.dashboard)).toEqual(['past_due']);
  expect(after.dashboard).toEqual(late.dashboard);
});
