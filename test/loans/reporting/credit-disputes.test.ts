import { expect, test } from 'vitest';
import {
  creditRecords,
  runCreditReports,
  newReportingTenant,
  type Body,
} from '../../setup/credit-reporting.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('a dispute sets its compliance condition, warns before its deadline, and an answer corrects the record', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const { officer } = tenant;
  const loan = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-03');
  await runCreditReports(stage);

  const made = await officer.post(`/loans/${loan.id}/credit-disputes`, {
    dispute_source: 'indirect_acdv',
    bureau: 'equifax',
    dispute_codes: ['106'],
  });
  const path = `/credit-disputes/${made.body.id}`;
  const early = await officer.put(path, { status: 'closed' });
  const mute = await officer.put(path, { status: 'responded' });
  await officer.put(path, { status: 'investigating' });
  await travelTo(stage, tenant, '2026-03-06');
  await runCreditReports(stage);
  const overdue = await officer.get(path);
  const tasks = await officer.get('/tasks?source=system&ordering=created_at');
  const [disputed] = await creditRecords(tenant, loan.id);
  const answered = await officer.put(path, {
    ...overdue.body,
    status: 'responded',
    response_code: '02',
    corrected_values: { amount_past_due: 7 },
  });
  const closed = await officer.put(path, { status: 'closed' });
  const records = await creditRecords(tenant, loan.id);
  const wrong = await officer.post(`/loans/${loan.id}/credit-disputes`, {
    dispute_codes: ['106'],
    corrected_values: { loan_id: loan.id },
  });

  expect(made, JSON.stringify(made.body)).toMatchObject({
    status: 201,
    body: { status: 'received', due_date: '2026-02-26', compliance_condition_code: 'XB' },
  });
  expect(early).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect(mute).toMatchObject({
    status: 422,
    body: { errors: { response_code: expect.anything() } },
  });
  expect(overdue.body.status).toBe('overdue');
  // Tasks about findings in the records name no loan.
  const ofLoans = tasks.body.filter(({ loan_id }: Body) => loan_id !== null);
  expect(ofLoans.map(({ priority }: Body) => priority)).toEqual(['high', 'urgent']);
  expect(disputed).toMatchObject({
    reporting_period: '2026-02-28',
    compliance_condition_code: 'XB',
    correction_indicator: 0,
  });
  expect(answered, JSON.stringify(answered.body)).toMatchObject({
    status: 200,
    body: { status: 'responded', compliance_condition_code: 'XH' },
  });
  expect(closed.body).toMatchObject({ status: 'closed', resolved_at: expect.any(String) });
  expect(records).toHaveLength(3);
  expect(records.find(({ correction_indicator }) => correction_indicator === 1)).toMatchObject({
    reporting_period: '2026-02-28',
    amount_past_due: 7,
    compliance_condition_code: 'XH',
    credit_dispute_id: made.body.id,
    status: 'queued',
    payment_history_profile: disputed?.['payment_history_profile'],
  });
  expect(wrong).toMatchObject({ status: 422 });
});
