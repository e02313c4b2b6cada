import { expect, test } from 'vitest';
import { fileLines } from '../setup/credit-reporting.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';
import { newLegalStory, owedOn } from './legal-story.ts';

/** A borrower reports that the loan is the work of an identity thief. Months later, the report turns out to be wrong. */

const stage = await newStage();
const AFFIDAVIT = {
  report_type: 'ftc_affidavit',
  report_number: 'FTC-114',
  report_received_date: '2026-03-05',
};

test('a block of information stops reporting, late fees and collection, until it is lifted', async () => {
  const story = await newLegalStory(stage);
  const { id, borrower_id, tenant, officer, superadmin, rows, read } = story;
  const reporting = async () =>
    (await story.reports()).map(
      ({ reporting_period, status, suppression_reason, account_status }) =>
        `${reporting_period} ${account_status} ${status} ${suppression_reason ?? ''}`.trim(),
    );
  const fileOfBureaus = async () => {
    const made = await superadmin.post('/credit-reporting-files');
    const names = (await superadmin.get('/credit-reporting-files')).body as { filename: string }[];
    const lines = await Promise.all(
      names.map(({ filename }) => fileLines(stage, tenant, filename)),
    );
    return { status: made.status, text: lines.flat().join('\n') };
  };
  const fees = async () =>
    (await rows(`/loans/${id}/fees?fee_type=late&ordering=assessed_date`)).map(
      ({ assessed_date, status }) => `${assessed_date} ${status}`,
    );
  await story.travel('2026-03-05');
  const before = await reporting();

  const report = await story.open(borrower_id, 'identity_theft', AFFIDAVIT, { loan_id: id });
  const blocked = await fileOfBureaus();
  await story.travel('2026-05-22');
  const during = {
    reports: await reporting(),
    tried: await story.tryMessages(borrower_id),
    fees: await fees(),
    accelerated: (await superadmin.post(`/loans/${id}/accelerate`, {})).body.code,
    tasks: (await rows(`/borrowers/${borrower_id}/tasks`)).map(({ title }) => title),
  };
  await story.correct(report.id, {
    ...AFFIDAVIT,
    bureaus_notified_date: '2026-03-09',
    released_date: '2026-05-20',
  });
  await story.travel('2026-06-23');
  const after = {
    reports: await reporting(),
    tried: await story.tryMessages(borrower_id),
    fees: await fees(),
  };
  const file = await fileOfBureaus();
  const closed = await officer.put(`/cases/${report.id}`, {
    status: 'closed',
    resolution: 'The signature is hers.',
  });

  expect(before).toEqual(['2026-01-31 11 queued', '2026-02-28 11 queued']);
  expect(blocked.text).not.toContain('HOPPER');
  expect(during).toEqual({
    reports: [
      '2026-01-31 11 suppressed identity_theft_block',
      '2026-02-28 11 suppressed identity_theft_block',
      '2026-03-31 71 suppressed identity_theft_block',
      '2026-04-30 78 suppressed identity_theft_block',
    ],
    tried: {
      past_due_notice: ['identity_theft'],
      late_fee_notice: ['identity_theft'],
      payment_reminder: ['identity_theft'],
      payoff_letter: [],
    },
    fees: ['2026-02-21 assessed'],
    accelerated: 'legal_condition',
    tasks: ['Act on case C-2026-000001 by 2026-03-11'],
  });
  expect(after.reports.at(-1)).toBe('2026-05-31 80 queued');
  expect(after.tried).toMatchObject({ past_due_notice: [], payment_reminder: [] });
  // What fell due during the block is not charged later.
  expect(after.fees).toEqual(['2026-02-21 assessed', '2026-06-21 assessed']);
  expect(file.text).toContain('HOPPER');
  expect(closed.status, JSON.stringify(closed.body)).toBe(200);
  const { principal_balance, accrued_interest } = owedOn('2026-06-23', {});
  expect(await read(`/loans/${id}/get-balances`)).toMatchObject({
    principal_balance,
    accrued_interest,
    outstanding_fees: '50.00',
  });
  expect(await violationsIn(stage)).toEqual([]);
}, 600_000);
