import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { newOutside } from '../setup/outside.ts';
import { newPortalBorrower, assertOk, refusal } from '../setup/portal.ts';
import { runJobs } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

const WISH = {
  hardship_type: 'job_loss',
  description: 'I was laid off.',
  requested_action: 'forbearance',
  monthly_income: '1200.00',
  monthly_expenses: '1900.50',
};

const home = await newPortalBorrower(stage);
const { tenant, officer, borrower, borrower_id } = home;
const collector = await tenant.signedIn('collector');
await officer.post(`/borrowers/${borrower_id}/emails`, { email: 'bo@example.com' });

/**
 * A hardship application for a new loan, and functions that read it as the borrower and as staff see it.
 */
async function applied() {
  const { id: loan_id } = await newLoan(tenant, { borrower_id });
  const apply = () => borrower.post('/portal/hardship', { loan_id, ...WISH });
  const application = assertOk(await apply()) as Application;
  const own = `/hardship-applications/${application.id}`;
  const shown = async () => (await borrower.get(`/portal/hardship/${application.id}`)).body;
  const ownCase = async () => (await officer.get(`/cases/${application.case_id}`)).body;
  return { apply, application, loan_id, own, shown, ownCase };
}
type Application = { id: string; case_id: string; application_number: string };

const FORBEARANCE = { start_date: '2026-01-15', end_date: '2026-04-14', reason: 'Job loss.' };

test('an application opens a case, is acknowledged, and is its loan’s only open one', async () => {
  const { apply, application, loan_id, ownCase } = await applied();
  const outside = newOutside(stage.pool);

  const second = await apply();
  await runJobs(stage, outside, ['send-communication']);

  const number = application.application_number;
  expect(application).toMatchObject({
    status: 'submitted',
    loan_id,
    monthly_surplus: '-700.50',
    decision: null,
    ...WISH,
  });
  expect(application).not.toHaveProperty('decided_by');
  expect(second).toMatchObject(refusal(409, 'already_exists'));
  expect(await ownCase()).toMatchObject({ case_type: 'hardship', source: 'portal', loan_id });
  expect(
    (await officer.get(`/hardship-applications?status=submitted&loan_id=${loan_id}`)).body,
  ).toHaveLength(1);
  expect(outside.mailbox.at(-1)).toMatchObject({ subject: expect.stringMatching(/hardship/) });
  expect(outside.mailbox.at(-1)?.html).toContain(number);
  const { rows } = await stage.owner.query(
    `select entity_type, action, actor_type from audit_log
     where loan_id = $1 and entity_type in ('support_cases', 'hardship_applications')
     order by entity_type`,
    [loan_id],
  );
  expect(rows).toMatchObject([
    { entity_type: 'hardship_applications', action: 'submit', actor_type: 'borrower' },
    { entity_type: 'support_cases', action: 'open', actor_type: 'borrower' },
  ]);
});

test('of two concurrent applications one is accepted, and nothing of the other remains', async () => {
  const { id: loan_id } = await newLoan(tenant, { borrower_id });

  const replies = await Promise.all(
    [1, 2, 3].map(() => borrower.post('/portal/hardship', { loan_id, ...WISH })),
  );

  const { rows } = await stage.owner.query(
    'select count(*)::int as cases from support_cases where loan_id = $1',
    [loan_id],
  );
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
  expect(rows).toEqual([{ cases: 1 }]);
});

test('for fifteen days the borrower gets no collections contacts, but other contacts', async () => {
  const at = await newPortalBorrower(stage);
  assertOk(await at.borrower.post('/portal/hardship', { loan_id: at.id, ...WISH }));
  const ask = async (template_type: string) =>
    (
      await at.officer.post('/communications/can-interact', {
        borrower_id: at.borrower_id,
        channel: 'in_app',
        template_type,
      })
    ).body;
  const wake = (today: string) =>
    stage.owner.query('update tenants set business_date = $1 where id = $2', [today, at.tenant.id]);

  const first = [await ask('past_due_notice'), await ask('payment_reminder')];
  await wake('2026-01-30');
  const last = await ask('past_due_notice');
  await wake('2026-01-31');

  expect(first).toMatchObject([
    { can_interact: false, reasons: ['hardship_review'] },
    { can_interact: true, reasons: [] },
  ]);
  expect(last).toMatchObject({ can_interact: false });
  expect(await ask('past_due_notice')).toMatchObject({ can_interact: true });
});

test('an approval creates the relief under its usual rules', async () => {
  const { own, loan_id, shown, ownCase } = await applied();
  const outside = newOutside(stage.pool);

  const wrong = await officer.post(`${own}/approve`, {
    forbearance: { ...FORBEARANCE, end_date: '2025-01-01' },
  });
  const none = await officer.post(`${own}/approve`, {});
  const approved = await officer.post(`${own}/approve`, {
    forbearance: FORBEARANCE,
    message: 'Three months.',
  });
  await runJobs(stage, outside, ['send-communication']);

  const [relief] = (await officer.get(`/loans/${loan_id}/forbearances`)).body;
  expect(wrong).toMatchObject({
    status: 422,
    body: { errors: { 'forbearance.end_date': expect.any(String) } },
  });
  expect(none.status).toBe(422);
  expect(assertOk(approved)).toMatchObject({
    status: 'approved',
    resulting_type: 'forbearance',
    resulting_status: 'active',
    resulting_id: relief.id,
    decision_reason: 'Three months.',
  });
  expect(relief).toMatchObject({
    ...FORBEARANCE,
    hardship_application_id: own.split('/').at(-1),
  });
  expect(await shown()).toMatchObject({ status: 'approved', decision: 'approved' });
  expect(await ownCase()).toMatchObject({
    status: 'resolved',
    messages: [{ message: 'Three months.', author_type: 'agent' }],
  });
  expect(outside.mailbox.at(-1)?.html).toContain('We have approved');
});

test('an approval may name existing relief of this loan that is still in force', async () => {
  const { own, loan_id } = await applied();
  const other = await newLoan(tenant);
  const agree = async (id: string) =>
    assertOk(await officer.post(`/loans/${id}/forbearances`, FORBEARANCE)) as { id: string };
  const [theirs, ours] = [await agree(other.id), await agree(loan_id)];
  const name = (resulting_id: string, more: object = {}) =>
    officer.post(`${own}/approve`, { resulting_type: 'forbearance', resulting_id, ...more });

  const foreign = await name(theirs.id);
  const both = await name(ours.id, { forbearance: FORBEARANCE });
  const approved = await name(ours.id);
  const again = await name(ours.id);

  expect([foreign.status, both.status]).toEqual([422, 422]);
  expect(assertOk(approved)).toMatchObject({ resulting_id: ours.id });
  expect(again).toMatchObject(refusal(409, 'invalid_transition'));
});

test('expired relief completes the application', async () => {
  const { own } = await applied();

  const approved = await officer.post(`${own}/approve`, {
    modification: { modification_type: 'rate_change', new_interest_rate: '0.05' },
  });

  expect(assertOk(approved)).toMatchObject({ status: 'completed', resulting_status: 'completed' });
});

test('a denial states its reason in the case and by email, and the loan can apply again', async () => {
  const { own, apply, shown, ownCase } = await applied();
  const outside = newOutside(stage.pool);

  const mute = await officer.post(`${own}/deny`, { reason: ' ' });
  assertOk(await officer.post(`${own}/deny`, { reason: 'The income suffices.' }));
  await runJobs(stage, outside, ['send-communication']);

  expect(mute.status).toBe(422);
  expect(await shown()).toMatchObject({
    status: 'denied',
    decision: 'denied',
    decision_reason: 'The income suffices.',
    resulting_type: null,
    resulting_id: null,
  });
  expect(await ownCase()).toMatchObject({
    status: 'resolved',
    messages: [{ message: 'The income suffices.' }],
  });
  expect(outside.mailbox.at(-1)?.html).toContain('The income suffices.');
  assertOk(await apply());
});

test('collectors review applications and request information; loan officers decide', async () => {
  const { own, shown, ownCase, application } = await applied();

  assertOk(await collector.post(`${own}/review`));
  const reviewed = await ownCase();
  assertOk(await collector.post(`${own}/request-info`, { message: 'Send a pay stub.' }));
  const waiting = await shown();
  const closing = await collector.put(`/cases/${application.case_id}`, {
    status: 'closed',
    resolution: 'Gone.',
  });
  const replies = [
    await collector.post(`${own}/approve`, { forbearance: FORBEARANCE }),
    await collector.post(`${own}/deny`, { reason: 'No.' }),
  ];
  assertOk(await collector.post(`${own}/withdraw`, { reason: 'Found work.' }));

  const { messages } = (await borrower.get(`/portal/support/cases/${application.case_id}`)).body;
  expect(reviewed).toMatchObject({ status: 'in_progress', assigned_to: expect.any(String) });
  expect(waiting).toMatchObject({ status: 'more_info_needed' });
  expect(messages).toMatchObject([{ message: 'Send a pay stub.' }]);
  expect(closing).toMatchObject(refusal(409, 'application_open'));
  expect(replies.map(({ status }) => status)).toEqual([403, 403]);
  expect(await shown()).toMatchObject({ status: 'withdrawn' });
});

test('an application must be about the borrower’s own loan with a balance', async () => {
  const apply = (loan_id: string, more: object = {}) =>
    borrower.post('/portal/hardship', { loan_id, ...WISH, ...more });
  const other = await newLoan(tenant);
  const pending = await newLoan(tenant, { borrower_id, status: 'pending' });
  const taken = assertOk(
    await officer.post('/hardship-applications', { loan_id: other.id, ...WISH }),
  ) as Application;

  const replies = [
    await apply(other.id),
    await borrower.get(`/portal/hardship/${taken.id}`),
    await apply(pending.id),
    await apply(pending.id, { monthly_income: '-1' }),
    await apply(pending.id, { description: '' }),
  ];

  expect(replies.map(({ status }) => status)).toEqual([404, 404, 409, 422, 422]);
  expect((await borrower.get(`/portal/hardship?id=${taken.id}`)).body).toEqual([]);
});
