import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { newOutside } from '../setup/outside.ts';
import { newPortalBorrower, portalBorrowerId, assertOk, refusal } from '../setup/portal.ts';
import { runJobs } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const home = await newPortalBorrower(stage);
const { tenant, officer, borrower, borrower_id, id: loan_id } = home;
const collector = await tenant.signedIn('collector');
await officer.post(`/borrowers/${borrower_id}/emails`, { email: 'bo@example.com' });

const QUESTION = { subject: 'A payment is missing', description: 'I paid on Monday.' };
const asked = async (more: object = {}) =>
  assertOk(await borrower.post('/portal/support/cases', { loan_id, ...QUESTION, ...more })) as Case;
type Case = { id: string; case_number: string };
const shown = async ({ id }: Case) => (await borrower.get(`/portal/support/cases/${id}`)).body;
const say = ({ id }: Case, message: string) =>
  borrower.post(`/portal/support/cases/${id}/messages`, { message });
const answer = ({ id }: Case, message: string, more: object = {}) =>
  collector.post(`/cases/${id}/messages`, { message, ...more });
const tasksOf = async ({ id }: Case) =>
  (await officer.get(`/tasks?related_id=${id}`)).body as Record<string, unknown>[];

test('a borrower asks, staff are reminded and answer, and the borrower gets an email', async () => {
  const outside = newOutside(stage.pool);
  const made = await asked();
  const [queued] = (await collector.get('/cases?awaits_answer=true')).body;
  const [reminder] = await tasksOf(made);

  assertOk(await answer(made, 'It came on Tuesday. <b>All is well.</b>'));
  await runJobs(stage, outside, ['send-communication']);

  expect(queued).toMatchObject({ id: made.id, status: 'open', source: 'portal', ...QUESTION });
  expect(reminder).toMatchObject({ status: 'open', borrower_id, loan_id, task_type: 'review' });
  expect(JSON.stringify(reminder)).not.toContain(QUESTION.subject);
  expect(await tasksOf(made)).toMatchObject([{ status: 'completed' }]);
  expect(await shown(made)).toMatchObject({
    ...QUESTION,
    status: 'waiting_on_borrower',
    messages: [
      { author_type: 'agent', author_name: 'collector', message: expect.stringContaining('<b>') },
    ],
  });
  expect(outside.mailbox).toMatchObject([{ to: { address: 'bo@example.com' } }]);
  expect(outside.mailbox[0]?.html).toContain(made.case_number);
  expect(outside.mailbox[0]?.html).not.toContain('All is well');
});

test('a borrower sees staff’s first names, and none of their internal notes', async () => {
  const made = await asked();

  const remark = assertOk(await answer(made, 'Looks like fraud.', { is_internal: true }));
  const before = await shown(made);
  assertOk(await answer(made, 'We look into it.'));

  const after = await shown(made);
  const kept = (await collector.get(`/cases/${made.id}`)).body;
  expect(remark).toMatchObject({ author_name: 'collector User', is_internal: true });
  expect(before).toMatchObject({ status: 'open', messages: [] });
  expect(after.messages).toHaveLength(1);
  expect(JSON.stringify(after)).not.toMatch(/fraud|User|assigned_to|priority/);
  expect(kept).toMatchObject({ assigned_to: tenant.userIds['collector'] });
  expect(kept.messages).toHaveLength(2);
});

test('the second answer of a day is announced as well', async () => {
  const outside = newOutside(stage.pool);
  const made = await asked();

  await answer(made, 'We look into it.');
  await answer(made, 'It is found.');
  await runJobs(stage, outside, ['send-communication']);

  expect(outside.mailbox.filter(({ html }) => html.includes(made.case_number))).toHaveLength(2);
});

test('a borrower’s message reopens a resolved case, and a closed case takes no message', async () => {
  const made = await asked();
  const mute = await collector.put(`/cases/${made.id}`, { status: 'resolved' });
  const resolution = 'The payment was found.';
  assertOk(await collector.put(`/cases/${made.id}`, { status: 'resolved', resolution }));

  const resolved = await shown(made);
  assertOk(await say(made, 'It is missing again.'));
  const reopened = await shown(made);
  assertOk(await collector.put(`/cases/${made.id}`, { status: 'closed' }));
  const late = await say(made, 'Hello?');
  const later = await answer(made, 'Hello?');

  expect(mute).toMatchObject({ status: 422, body: { errors: { resolution: expect.any(String) } } });
  expect(resolved).toMatchObject({ status: 'resolved', resolution });
  expect(reopened).toMatchObject({ status: 'open', resolved_at: null });
  expect(late).toMatchObject(refusal(409, 'case_closed'));
  expect(later).toMatchObject(refusal(409, 'case_closed'));
  expect(await shown(made)).toMatchObject({
    status: 'closed',
    messages: [{ author_name: 'Bo Rower' }],
  });
  expect(await tasksOf(made)).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
});

test('a case that staff open is hidden from the borrower until they write to the borrower in it', async () => {
  const own = { borrower_id, loan_id, subject: 'Call', description: 'Sounded worried.' };
  const made = assertOk(await collector.post('/cases', { ...own, case_type: 'complaint' })) as Case;

  const hidden = await borrower.get(`/portal/support/cases/${made.id}`);
  const unheard = await say(made, 'Hello?');
  assertOk(await answer(made, 'Thank you for your call.'));

  expect([hidden.status, unheard.status]).toEqual([404, 404]);
  expect(await shown(made)).toMatchObject({ subject: 'Call', description: null });
});

test('the queue can be filtered, and a case is assigned to users who work on cases', async () => {
  const made = await asked({ case_type: 'technical' });
  const worker = tenant.userIds['collector'];

  const given = await collector.put(`/cases/${made.id}`, {
    assigned_to: worker,
    priority: 'urgent',
  });
  const viewer = await collector.put(`/cases/${made.id}`, {
    assigned_to: tenant.userIds['viewer'],
  });
  const stranger = await collector.put(`/cases/${made.id}`, {
    assigned_to: tenant.userIds['borrower'],
  });

  const found = await collector.get(
    `/cases?assigned_to=${worker}&case_type=technical&priority=urgent&status=open`,
  );
  expect(assertOk(given)).toMatchObject({ assigned_to: worker });
  expect([viewer.status, stranger.status]).toEqual([422, 422]);
  expect(found.body).toMatchObject([{ id: made.id }]);
});

test('another borrower cannot see the case, nor ask about another borrower’s loan', async () => {
  const made = await asked();
  const other = await newLoan(tenant);
  const elsewhere = await newPortalBorrower(stage);

  const replies = [
    await borrower.post('/portal/support/cases', { loan_id: other.id, ...QUESTION }),
    await elsewhere.borrower.get(`/portal/support/cases/${made.id}`),
    await elsewhere.borrower.post(`/portal/support/cases/${made.id}/messages`, { message: 'Hi' }),
  ];
  await stage.owner.query('update support_cases set borrower_id = $1 where id = $2', [
    other.borrower_id,
    made.id,
  ]);
  replies.push(await borrower.get(`/portal/support/cases/${made.id}`), await say(made, 'Hi'));

  expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  expect(await portalBorrowerId(tenant)).toBe(borrower_id);
});

test('a dispute about a loan reported to bureaus creates a direct credit dispute', async () => {
  const unknown = await asked({ case_type: 'dispute' });
  await report(loan_id);

  const known = await asked({ case_type: 'dispute' });

  const tasks = await tasksOf(known);
  expect((await tasksOf(unknown)).map(({ task_type }) => task_type)).toEqual(['review']);
  expect(tasks.find(({ task_type }) => task_type === 'compliance')).toMatchObject({
    priority: 'high',
    due_date: '2026-02-14',
    loan_id,
  });
});

/** Reports the loan's month to the bureaus. */
const report = (id: string) =>
  stage.owner.query(
    `insert into credit_reporting_records (
       tenant_id, loan_id, reporting_period, bureaus, consumer_account_number, portfolio_type,
       account_type, date_opened, date_of_account_information, highest_credit, terms_duration, terms_frequency,
       scheduled_monthly_payment, actual_payment_amount, current_balance, amount_past_due,
       account_status, payment_history_profile, ecoa_code, interest_type_indicator, consumer, status)
     select tenant_id, id, '2025-12-31', '["equifax"]', loan_number, 'I', '01', '2025-12-01', '2025-12-31', 1, '036',
       'M', 1, 0, 1, 0, '11', repeat('B', 24), '1', 'F', '{}', 'reported'
     from loans where id = $1`,
    [id],
  );

test('an empty question is refused, and a borrower has at most twenty open cases', async () => {
  const { borrower: asking, id } = await newPortalBorrower(stage);
  const ask = (body: object) => asking.post('/portal/support/cases', { loan_id: id, ...body });

  const wrong = [
    await ask({ ...QUESTION, subject: ' ' }),
    await ask({ ...QUESTION, description: '\n' }),
    await ask({ ...QUESTION, case_type: 'nonsense' }),
    await ask({ ...QUESTION, loan_id: 'x' }),
  ];
  for (let at = 0; at < 20; at += 1) assertOk(await ask(QUESTION));

  expect(wrong.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
  expect(await ask(QUESTION)).toMatchObject(refusal(409, 'too_many_cases'));
});
