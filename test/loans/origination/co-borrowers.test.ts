import { expect, test } from 'vitest';
import { sendCommunication } from '../../../jobs/communications/send.job.ts';
import { runJobs, travelTo } from '../../setup/queue.ts';
import { newOutside } from '../../setup/outside.ts';
import { newJointPortalLoan, newJointLoan, newBorrower } from '../../setup/joint-loans.ts';
import { newPortalBorrower, assertOk, refusal } from '../../setup/portal.ts';
import { newLoan } from '../../setup/loans.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();
const shared = await stage.tenant();

const home = await newPortalBorrower(stage, { disbursement_date: '2025-12-01' });
const { officer: homes, borrower, account } = home;
type Body = Record<string, unknown>;

test('an added co-borrower owes the loan once, and a borrower cannot be their own co-borrower', async () => {
  const { officer } = shared;
  const { id, borrower_id, other, path, party } = await newJointLoan(shared);
  const foreign = await newBorrower(home.tenant);
  const add = (who: string, more: object = {}) =>
    officer.post(path, { borrower_id: who, role: 'guarantor', ...more });

  const refusals = [await add(borrower_id), await add(foreign)];
  const late = await add(await newBorrower(shared), { liable_from: '2026-01-16' });
  const twice = await add(other);
  const over = await newLoan(shared, { status: 'pending' });
  const signer = { borrower_id: await newBorrower(shared), role: 'co_signer' };
  const addSigner = () => officer.post(`/loans/${over.id}/co-borrowers`, signer);
  assertOk(await addSigner());
  const { body: tasks } = await officer.get(`/borrowers/${signer.borrower_id}/tasks`);
  const swapped = await officer.put(`/loans/${over.id}`, { borrower_id: signer.borrower_id });
  assertOk(await officer.post(`/loans/${over.id}/cancel`));
  const ended = await addSigner();

  expect(party).toMatchObject({
    loan_id: id,
    borrower_name: 'Ada Byron',
    status: 'liable',
    liable_from: '2026-01-15',
  });
  expect(refusals.map(({ status, body }) => [status, body.errors])).toEqual([
    [422, { borrower_id: 'Is the borrower of this loan.' }],
    [422, { borrower_id: 'Does not exist.' }],
  ]);
  expect(late.body.errors).toEqual({ liable_from: 'Must not be after the business date.' });
  expect(twice).toMatchObject(refusal(409, 'already_exists'));
  expect(ended).toMatchObject(refusal(409, 'loan_not_active'));
  expect(swapped.body.errors).toHaveProperty('borrower_id');
  expect(tasks).toMatchObject([{ task_type: 'compliance', loan_id: over.id }]);
});

test('when two officers add the same person concurrently, one gets a conflict', async () => {
  const { path } = await newJointLoan(shared);
  const body = { borrower_id: await newBorrower(shared), role: 'co_signer' };

  const replies = await Promise.all([1, 2].map(() => shared.officer.post(path, body)));

  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201, 409]));
});

test('a release keeps its date and reason, and the person may be added again', async () => {
  const { officer } = shared;
  const { other, path, party, release } = await newJointLoan(shared);
  const away = await officer.delete(`/borrowers/${other}`);

  const early = await release({ release_date: '2026-01-14' });
  const released = await release({ notes: 'Refinanced alone.' });
  const twice = await release();
  const changed = await officer.put(`/co-borrowers/${String(party['id'])}`, { role: 'guarantor' });
  const again = await officer.post(path, { borrower_id: other, role: 'guarantor' });
  const { body: all } = await officer.get(`/co-borrowers?filter={"borrower_id":"${other}"}`);

  expect(away).toMatchObject(refusal(409, 'in_use'));
  expect(early.body.errors).toEqual({ release_date: 'Must not be before liable_from.' });
  expect(released.body).toMatchObject({
    status: 'released',
    released_on: '2026-01-15',
    release_reason: 'other',
    release_notes: 'Refinanced alone.',
    released_by: shared.userIds['loan_officer'],
  });
  expect([twice.body.code, changed.body.code]).toEqual(['already_released', 'already_released']);
  expect(again.status).toBe(201);
  expect(all.map(({ status }: Body) => status)).toEqual(['liable', 'released']);
});

test('a co-borrower sees the loan and pays it from their own account until released', async () => {
  const { at, joint, theirs, release } = await newJointPortalLoan(home, 'co_borrower');
  const order = { amount: '20.00', payment_instrument_id: account };

  const listed = async () =>
    ((await borrower.get('/portal/loans')).body as Body[]).map((row) => [
      row['id'],
      row['liable_as'],
    ]);
  const before = await listed();
  const shown = assertOk(await borrower.get(at));
  const { body: board } = await borrower.get('/portal/dashboard');
  const paid = assertOk(await borrower.post(`${at}/payments`, order));
  const strange = await borrower.post(`${at}/payments`, {
    ...order,
    payment_instrument_id: theirs,
  });
  const ahead = { ...order, payment_date: '2026-02-10' };
  const scheduled = assertOk(await borrower.post(`${at}/payments`, ahead));
  assertOk(await borrower.post(`${at}/autopay/enroll`, { payment_instrument_id: account }));
  const byStaff = assertOk(await homes.post(`/loans/${joint.id}/payments`, order));
  await release();
  const gone = await Promise.all([
    ...['', '/amortization', '/payments', '/autopay'].map((end) => borrower.get(at + end)),
    borrower.post(`${at}/payments`, order),
  ]);
  const { body: plans } = await homes.get(`/borrowers/${home.borrower_id}/autopay-plans`);

  expect(before).toEqual([
    [joint.id, 'co_borrower'],
    [home.id, 'borrower'],
  ]);
  expect(shown).toMatchObject({ id: joint.id, liable_as: 'co_borrower', can_change: true });
  expect(board.alerts.map(({ loan_id }: Body) => loan_id)).toContain(joint.id);
  expect([paid, byStaff]).toMatchObject([order, order]);
  expect(strange.body.errors).toHaveProperty('payment_instrument_id');
  expect(gone.map(({ status }) => status)).toEqual(Array(5).fill(404));
  expect(await listed()).toEqual([[home.id, 'borrower']]);
  const { body: payment } = await homes.get(`/payments/${String(scheduled['id'])}`);
  expect([payment, ...plans]).toMatchObject([{ status: 'canceled' }, { status: 'canceled' }]);
});

test('a co-borrower can neither change the other’s scheduled payment nor see it', async () => {
  const { joint, at, theirs } = await newJointPortalLoan(home, 'co_borrower');
  const plan = { loan_id: joint.id, payment_instrument_id: theirs };
  assertOk(await home.admin.post(`/borrowers/${joint.borrower_id}/autopay-plans`, plan));
  const ahead = { amount: '20.00', payment_instrument_id: theirs, payment_date: '2026-02-10' };
  const { id } = assertOk(await home.admin.post(`/loans/${joint.id}/payments`, ahead));

  const autopay = assertOk(await borrower.get(`${at}/autopay`));
  const ended = await borrower.post(`${at}/autopay/cancel`);
  const canceled = await borrower.post(`/portal/payments/${String(id)}/cancel`);

  expect(autopay).toEqual({
    is_enrolled: true,
    is_enabled: true,
    plan: null,
    authorization: null,
  });
  expect(ended).toMatchObject(refusal(409, 'not_your_plan'));
  expect(canceled.status).toBe(404);
});

test('a guarantor sees and pays the loan but cannot change it', async () => {
  const { joint, at } = await newJointPortalLoan(home, 'guarantor');
  const why = { hardship_type: 'medical', description: 'Ill.', requested_action: 'other' };

  const paid = await borrower.post(`${at}/payments`, {
    amount: '20.00',
    payment_instrument_id: account,
  });
  const shown = assertOk(await borrower.get(at));
  const enrolled = await borrower.post(`${at}/autopay/enroll`, { payment_instrument_id: account });
  const applied = await borrower.post('/portal/hardship', { loan_id: joint.id, ...why });

  expect(paid.status).toBe(201);
  expect(shown).toMatchObject({ liable_as: 'guarantor', can_change: false });
  expect(enrolled).toMatchObject(refusal(409, 'borrowers_only'));
  expect(applied).toMatchObject(refusal(409, 'borrowers_only'));
});

test('a message to all obligors reaches each reachable one, and a guarantor gets messages about the debt', async () => {
  const { officer } = shared;
  const { id, borrower_id, other, path } = await newJointLoan(shared);
  const surety = await newBorrower(shared, { first_name: 'Gus', language_preference: 'es' });
  assertOk(await officer.post(path, { borrower_id: surety, role: 'guarantor' }));
  for (const [who, email] of [
    [borrower_id, 'grace@example.com'],
    [other, 'ada@example.com'],
    [surety, 'gus@example.com'],
  ])
    assertOk(await officer.post(`/borrowers/${who}/emails`, { email }));
  assertOk(await officer.put(`/borrowers/${borrower_id}`, { do_not_contact: true }));
  const tell = (template_type: string, more: object = {}) =>
    officer.post('/communications/send', {
      borrower_id,
      loan_id: id,
      channel: 'email',
      template_type,
      to_all_who_owe: true,
      ...more,
    });

  const reminder = await tell('payment_reminder');
  const notice = await tell('past_due_notice', { borrower_id: other });
  const unsaid = await tell('past_due_notice', { loan_id: null });
  const outside = newOutside(stage.pool);
  await runJobs(stage, outside, [sendCommunication.name]);

  expect(reminder).toMatchObject(refusal(409, 'communication_blocked'));
  expect(reminder.body.details.copies).toMatchObject([{ borrower_id: other, status: 'queued' }]);
  const told = Object.fromEntries(
    notice.body.copies.map((copy: Body) => [copy['borrower_id'], copy['status']]),
  );
  expect([notice.status, told]).toEqual([201, { [borrower_id]: 'blocked', [surety]: 'queued' }]);
  expect(unsaid.body.errors).toHaveProperty('loan_id');
  expect(outside.mailbox.map(({ to }) => to.address).toSorted()).toEqual([
    'ada@example.com',
    'ada@example.com',
    'gus@example.com',
  ]);
  expect(outside.mailbox.find(({ to }) => to.address === 'gus@example.com')?.html).toContain(
    'lang="es"',
  );
});

test('each obligor gets their own payoff letter', async () => {
  const { officer } = shared;
  const { id, borrower_id, other } = await newJointLoan(shared, 'guarantor');
  for (const who of [borrower_id, other])
    assertOk(await officer.post(`/borrowers/${who}/emails`, { email: `${who}@example.com` }));

  assertOk(await officer.post(`/loans/${id}/payoff-quotes`, { delivery_method: 'email' }));
  const { body: documents } = await officer.get(`/documents?filter={"loan_id":"${id}"}`);
  const { body: logs } = await officer.get(`/communication-logs?filter={"loan_id":"${id}"}`);

  const letters = documents.filter(({ filename }: Body) => String(filename).startsWith('payoff'));
  const whose = (rows: Body[]) => rows.map((row) => String(row['borrower_id'])).toSorted();
  expect(whose(letters)).toEqual([borrower_id, other].toSorted());
  expect(whose(logs)).toEqual([borrower_id, other].toSorted());
  expect(new Set(logs.map((log: Body) => log['document_id']))).toEqual(
    new Set(letters.map((letter: Body) => letter['id'])),
  );
});

test('all obligors see the statements; each one’s requests and uploads stay private', async () => {
  const { joint } = await newJointPortalLoan(home, 'co_borrower');
  const { officer, tenant, borrower_id } = home;
  await officer.post(`/borrowers/${joint.borrower_id}/emails`, { email: 'grace@example.com' });
  await officer.post(`/borrowers/${borrower_id}/emails`, { email: 'bo@example.com' });
  const why = { hardship_type: 'medical', description: 'Ill.', requested_action: 'other' };
  const number = (await officer.get(`/loans/${joint.id}`)).body.loan_number as string;
  const outside = newOutside(stage.pool);
  const pdf = async () => ({ bytes: new Uint8Array([37, 80, 68, 70]), pages: 1 });

  await travelTo(stage, tenant, '2026-02-01');
  await runJobs(stage, { ...outside, pdf }, ['issue-statements', 'render-document']);
  await runJobs(stage, outside, [sendCommunication.name]);
  const applied = assertOk(await borrower.post('/portal/hardship', { loan_id: joint.id, ...why }));
  const wanted = `{"loan_id":"${joint.id}","document_type":"monthly_statement"}`;
  const { body: documents } = await borrower.get(`/portal/documents?filter=${wanted}`);
  const collect = { channel: 'email', template_type: 'past_due_notice', loan_id: joint.id };
  const asked = await officer.post('/communications/can-interact', {
    ...collect,
    borrower_id: joint.borrower_id,
  });

  const about = outside.mailbox.filter(({ html }) => html.includes(number));
  expect(about.map(({ to, attachments = [] }) => [to.address, attachments.length])).toEqual([
    ['grace@example.com', 1],
    ['bo@example.com', 0],
  ]);
  expect(documents).toHaveLength(1);
  expect(await borrower.get(`/portal/documents/${documents[0].id}/download`)).toMatchObject({
    status: 200,
  });
  // No obligor receives payment requests while the hardship application of one of them is under review.
  expect(asked.body.reasons).toEqual(['hardship_review']);
  const { body } = await officer.get(`/hardship-applications/${String(applied['id'])}`);
  expect(body.borrower_id).toBe(borrower_id);
});
