import { expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../sql/database/db.ts';
import { conditionsOfPerson } from '../../../sql/loans/legal-conditions.ts';
import { correctCase, openCase } from '../../setup/cases.ts';
import {
  creditRecords,
  makeReportable,
  newReportingTenant,
  runCreditReports,
} from '../../setup/credit-reporting.ts';
import { newJointLoan } from '../../setup/joint-loans.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

/** A loan that two people owe, reported from the end of January on. */
async function newReportedJointLoan() {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const joint = await newJointLoan(tenant);
  for (const who of [joint.borrower_id, joint.other]) await makeReportable(tenant, who);
  await travelTo(stage, tenant, '2026-01-28');
  const reportOn = async (day: string) => {
    await travelTo(stage, tenant, day);
    await runCreditReports(stage);
    const [record] = await creditRecords(tenant, joint.id);
    return record ?? {};
  };
  return { tenant, ...joint, reportOn };
}
const petition = (petition_date: string, chapter = '7') => ({ chapter, petition_date });

test('a current account has the petition date of the person in its base segment', async () => {
  const { tenant, borrower_id, other, reportOn } = await newReportedJointLoan();
  const { officer } = tenant;
  await openCase(officer, borrower_id, 'bankruptcy', petition('2026-01-20'));
  await openCase(officer, borrower_id, 'deceased', { date_of_death: '2026-01-25' });
  const january = await reportOn('2026-02-01');
  // The death is reported once. Then the surviving borrower is in the base segment.
  await (await tenant.signedIn('admin')).post('/credit-reporting-files');
  await openCase(officer, other, 'bankruptcy', petition('2026-02-01'));

  const february = await reportOn('2026-03-01');

  expect(january).toMatchObject({
    ecoa_code: 'X',
    consumer_information_indicator: 'A',
    date_first_delinquency: '2026-01-20',
  });
  expect(february).toMatchObject({
    ecoa_code: '1',
    consumer: { borrower_id: other },
    consumer_information_indicator: 'A',
    date_first_delinquency: '2026-02-01',
    account_status: '11',
  });
});

test('a petition of the co-borrower alone also dates a current account, and ends with the dismissal', async () => {
  const { tenant, other, reportOn } = await newReportedJointLoan();
  const { officer } = tenant;
  const { id } = await openCase(officer, other, 'bankruptcy', petition('2026-01-20', '13'));

  const january = await reportOn('2026-02-01');
  await correctCase(officer, id, { ...petition('2026-01-20', '13'), dismissal_date: '2026-02-01' });
  const february = await reportOn('2026-02-10').then(() => reportOn('2026-03-01'));

  expect(january).toMatchObject({
    consumer_information_indicator: null,
    date_first_delinquency: '2026-01-20',
    co_consumers: [{ consumer_information_indicator: 'D' }],
  });
  expect(february).toMatchObject({
    date_first_delinquency: null,
    co_consumers: [{ consumer_information_indicator: 'Q' }],
  });
});

test('after a second petition the date is that of the petition that is reported', async () => {
  const { tenant, borrower_id, reportOn } = await newReportedJointLoan();
  const old = { ...petition('2026-01-16'), discharge_date: '2026-01-17' };
  const first = await openCase(tenant.officer, borrower_id, 'bankruptcy', old);
  const closed = { status: 'closed', resolution: 'Discharged.' };
  expect((await tenant.officer.put(`/cases/${first.id}`, closed)).status).toBe(200);
  await openCase(tenant.officer, borrower_id, 'bankruptcy', petition('2026-01-20', '13'));

  expect(await reportOn('2026-02-01')).toMatchObject({
    consumer_information_indicator: 'D',
    date_first_delinquency: '2026-01-20',
  });
});

test('a loan is reported as affected by a disaster while a case says so, without a freeze', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const loan = await newLoan(tenant);
  await makeReportable(tenant, loan.borrower_id);
  const facts = { from: '2026-01-20', declaration: 'DR-4834' };
  const { id } = await openCase(tenant.officer, loan.borrower_id, 'disaster', facts);
  const comments = async (day: string) => {
    await travelTo(stage, tenant, day);
    await runCreditReports(stage);
    return (await creditRecords(tenant, loan.id)).map((record) => record['special_comment']);
  };

  const january = await comments('2026-02-01');
  await correctCase(tenant.officer, id, { ...facts, to: '2026-02-10' });
  const both = await comments('2026-03-01');

  expect(january).toEqual(['AW']);
  expect(both).toEqual([null, 'AW']);
});

const conditionsAbout = (tenant: Tenant, person: string, loan: string | null) =>
  tenant.within(({ tx }) =>
    tx.oneFirst(sql.type(z.object({ conditions: z.array(z.string()) }))`
      select ${conditionsOfPerson(sql.fragment`${person}::uuid`, sql.fragment`${loan}::uuid`)} as conditions
    `),
  );

test('a person who took over a debt after the petition is not protected for it, and keeps the other protections', async () => {
  const tenant = await stage.tenant('2026-02-15');
  const { id, other } = await newJointLoan(tenant);
  await openCase(tenant.officer, other, 'bankruptcy', petition('2026-02-01'));
  await openCase(tenant.officer, other, 'cease_and_desist', { received_date: '2026-02-10' });
  const elsewhere = await newLoan(tenant);

  const ofLoan = await conditionsAbout(tenant, other, id);
  const ofNone = await conditionsAbout(tenant, other, null);
  const ofAnother = await conditionsAbout(tenant, other, elsewhere.id);

  expect(ofLoan).toEqual(['cease_and_desist']);
  expect(ofNone.toSorted()).toEqual(['cease_and_desist', 'stay_7']);
  expect(ofAnother.toSorted()).toEqual(['cease_and_desist', 'stay_7']);
});
