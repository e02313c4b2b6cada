import { expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../sql/database/db.ts';
import { newBorrower } from '../../setup/joint-loans.ts';
import { newLoan } from '../../setup/loans.ts';
import { assertOk } from '../../setup/portal.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();
const ADDRESS = {
  street_line_1: '1 Main Street',
  city: 'Albany',
  state: 'NY',
  postal_code: '12207',
};
const REPORT = {
  bureau_name: 'Northern Credit Bureau',
  bureau_address: 'P.O. Box 100, Allen, TX 75013',
  bureau_phone: '(888) 555-0100',
};

/** A pending loan whose applicant has an address. */
async function applied(tenant: Tenant) {
  const loan = await newLoan(tenant, { status: 'pending' });
  assertOk(await tenant.officer.post(`/borrowers/${loan.borrower_id}/addresses`, ADDRESS));
  const { officer } = tenant;
  const path = `/loans/${loan.id}/adverse-action-notices`;
  return {
    ...loan,
    path,
    notices: async () => (await officer.get(`${path}?ordering=id`)).body as Notice[],
    tasks: async () =>
      (await officer.get(`/tasks?loan_id=${loan.id}&ordering=id`)).body as Record<string, string>[],
    send: (notice: object) => officer.post(path, notice),
    deny: async (body: object = {}) => {
      assertOk(await officer.post(`/loans/${loan.id}/deny`, body));
      return ((await officer.get(path)).body as Notice[])[0]?.id ?? '';
    },
    printed: () =>
      tenant.within(({ tx }) =>
        tx.anyFirst(sql.type(z.object({ data: z.looseObject({}) }))`
          select template_data as data from documents where loan_id = ${loan.id} order by id
        `),
      ),
  };
}
type Notice = { id: string; borrower_id: string; kind: string; status: string };

test('an applicant asks for the reasons, and staff state them within 30 days', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const loan = await applied(tenant);
  const id = await loan.deny();
  await travelTo(stage, tenant, '2026-02-01');
  const ask = (body: object = {}) =>
    officer.post(`/adverse-action-notices/${id}/request-reasons`, body);
  const state = (body: object) => officer.post(`/adverse-action-notices/${id}/state-reasons`, body);

  const asked = assertOk(await ask({ requested_on: '2026-01-30' }));
  const twice = await ask();
  const [task] = await loan.tasks();
  const vague = [await state({}), await state({ reasons: ['other'] })];
  const stated = assertOk(
    await state({ reasons: ['income_insufficient'], other_reasons: ['Too short a lease'] }),
  );
  const again = await state({ reasons: ['bankruptcy'] });

  expect(asked).toMatchObject({
    has_right_to_reasons: true,
    reasons_requested_on: '2026-01-30',
    reasons_due_on: '2026-03-01',
  });
  expect(twice).toMatchObject({ status: 409, body: { code: 'already_exists' } });
  expect(task).toMatchObject({ due_date: '2026-03-01', task_type: 'compliance', status: 'open' });
  expect(vague.map(({ status }) => status)).toEqual([422, 422]);
  expect(stated).toMatchObject({
    reasons_stated_on: '2026-02-01',
    statement_document_id: expect.any(String),
  });
  expect(again).toMatchObject({ status: 409, body: { code: 'reasons_stated' } });
  expect(await loan.tasks()).toMatchObject([{ status: 'completed' }]);
  const [notice, statement] = await loan.printed();
  expect(notice).toMatchObject({ reasons: [], reasons_on_request: true });
  expect(statement).toMatchObject({
    reasons: ['Income insufficient for amount of credit requested', 'Too short a lease'],
    reasons_on_request: false,
    statement: { decided_on: '2026-01-15' },
  });
  const { body: logs } = await officer.get('/communication-logs?ordering=id');
  expect(logs).toMatchObject([
    { template_type: 'loan_denied', channel: 'letter', status: 'queued' },
    { template_type: 'application_notice', channel: 'letter', status: 'queued' },
  ]);
  const { body: denied } = await officer.get(`/loans/${loan.id}`);
  expect(denied.denial_reasons).toEqual(['income_insufficient', 'other']);
});

test('a request is refused after 60 days, and where all reasons were stated', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const open = await applied(tenant);
  const stated = await applied(tenant);
  const ids = [await open.deny(), await stated.deny({ reasons: ['bankruptcy'] })];
  await travelTo(stage, tenant, '2026-03-17');
  const ask = (id: string | undefined, body: object = {}) =>
    tenant.officer.post(`/adverse-action-notices/${id}/request-reasons`, body);

  const known = await ask(ids[1]);
  const wrong = [
    await ask(ids[0], { requested_on: '2026-01-14' }),
    await ask(ids[0], { requested_on: '2026-03-18' }),
  ];
  const late = await ask(ids[0]);
  const inTime = await ask(ids[0], { requested_on: '2026-03-16' });

  expect(known).toMatchObject({ status: 409, body: { code: 'reasons_stated' } });
  expect(wrong.map(({ status }) => status)).toEqual([422, 422]);
  expect(late).toMatchObject({ status: 409, body: { code: 'too_late' } });
  expect(late.body.details).toMatchObject({ ended_on: '2026-03-16' });
  expect(inTime).toMatchObject({ status: 200, body: { reasons_due_on: '2026-04-15' } });
});

test('a counteroffer and an incomplete application have their own notices and deadlines', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await applied(tenant);
  const offer = {
    kind: 'counteroffer',
    counteroffer: '6,000.00 over 24 months at 9 percent',
    respond_by: '2026-02-15',
  };
  const missing = {
    kind: 'incomplete_application',
    information_needed: ['Your last two pay slips'],
    respond_by: '2026-02-01',
  };

  const made = [await loan.send(offer), await loan.send(missing)];
  const wrong = [
    await loan.send({ kind: 'counteroffer' }),
    await loan.send({ ...offer, respond_by: '2026-01-15' }),
    await loan.send({ ...missing, information_needed: [] }),
    await loan.send({ ...missing, reasons: ['bankruptcy'] }),
    await loan.send({
      ...offer,
      reasons: ['bankruptcy', 'garnishment_or_foreclosure', 'recent_inquiries'],
      other_reasons: ['One', 'Two'],
    }),
  ];
  const early = await loan.send({ kind: 'denial' });
  const ask = await tenant.officer.post(
    `/adverse-action-notices/${made[1]?.body.id}/request-reasons`,
    {},
  );

  expect(made.map(({ status, body }) => [status, body.status])).toEqual([
    [201, 'sent'],
    [201, 'sent'],
  ]);
  expect(wrong.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422]);
  const { body: history } = await tenant.officer.get(
    `/loans/${loan.id}/history?entity_type=adverse_action_notices`,
  );
  expect(history).toMatchObject([{ action: 'create' }, { action: 'create' }]);
  expect(early).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect(ask).toMatchObject({ status: 409, body: { code: 'reasons_stated' } });
  const printed = await loan.printed();
  expect(printed).toMatchObject([
    {
      reasons_on_request: true,
      counteroffer: { terms: offer.counteroffer, respond_by: '2026-02-15' },
    },
    {
      reasons_on_request: false,
      incomplete: { information_needed: missing.information_needed, respond_by: '2026-02-01' },
    },
  ]);
  expect((await loan.tasks()).map(({ due_date }) => due_date)).toEqual([
    '2026-02-15',
    '2026-02-01',
  ]);
});

test('a co-applicant whose report was used gets an own notice, once', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await applied(tenant);
  const other = await newBorrower(tenant);
  const stranger = await newBorrower(tenant);
  assertOk(await tenant.officer.post(`/borrowers/${other}/addresses`, ADDRESS));
  const party = { borrower_id: other, role: 'co_borrower' };
  assertOk(await tenant.officer.post(`/loans/${loan.id}/co-borrowers`, party));
  await loan.deny({ reasons: ['bankruptcy'], credit_report: REPORT });
  const own = { borrower_id: other, reasons: ['bankruptcy'], credit_report: REPORT };

  const reminder = (await loan.tasks()).map(({ title }) => title);
  const sent = await loan.send(own);
  const again = await loan.send(own);
  const primary = await loan.send({ reasons: ['bankruptcy'] });
  const foreign = await loan.send({ ...own, borrower_id: stranger });

  expect(reminder).toEqual([expect.stringContaining('send them their own notices')]);
  expect(sent).toMatchObject({ status: 201, body: { status: 'sent', borrower_id: other } });
  expect([again, primary]).toMatchObject([
    { status: 409, body: { code: 'already_exists' } },
    { status: 409, body: { code: 'already_exists' } },
  ]);
  expect(foreign).toMatchObject({ status: 422 });
  const [first, second] = await loan.printed();
  expect(first).toMatchObject({ recipient: { name: 'Grace Hopper' } });
  expect(second).toMatchObject({
    recipient: { name: 'Ada Byron' },
    credit_bureau: { name: REPORT.bureau_name },
  });
});

test.each([
  ['pending', 'fraud', ['denial'], 0],
  ['pending', undefined, [], 1],
  ['pending', 'other', [], 1],
  ['pending', 'expired', [], 1],
  ['approved', 'expired', [], 0],
  ['pending', 'borrower_withdrew', [], 0],
  ['pending', 'duplicate', [], 0],
] as const)(
  'a %s loan that is canceled (%s) leads to the notices %j and %i tasks',
  async (status, reason, kinds, tasks) => {
    const tenant = await stage.tenant('2026-01-15');
    const loan = await applied(tenant);
    if (status === 'approved') assertOk(await tenant.officer.post(`/loans/${loan.id}/approve`));

    assertOk(await tenant.officer.post(`/loans/${loan.id}/cancel`, { reason }));

    const notices = await loan.notices();
    expect(notices.map(({ kind }) => kind)).toEqual(kinds);
    expect(await loan.tasks()).toHaveLength(tasks);
    if (tasks === 0) return;
    expect(await loan.tasks()).toMatchObject([
      { title: expect.stringContaining('needs an adverse action notice'), due_date: '2026-02-14' },
    ]);
    expect(await loan.send({})).toMatchObject({ status: 201, body: { kind: 'denial' } });
  },
);

test('a notice whose applicant has no address waits, and is sent after the address is entered', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id, borrower_id } = await newLoan(tenant, { status: 'pending' });
  assertOk(await tenant.officer.post(`/loans/${id}/deny`, {}));
  const [draft] = (await tenant.officer.get(`/loans/${id}/adverse-action-notices`)).body;
  const send = () => tenant.officer.post(`/adverse-action-notices/${draft.id}/send`, {});

  const still = await send();
  const { body: waiting } = await tenant.officer.get(`/tasks?related_id=${draft.id}`);
  assertOk(await tenant.officer.post(`/borrowers/${borrower_id}/addresses`, ADDRESS));
  const sent = await send();
  const twice = await send();

  expect(draft.status).toBe('draft');
  expect(still.body.status).toBe('draft');
  expect(waiting).toMatchObject([
    { title: expect.stringContaining('Send the adverse action notice'), due_date: '2026-02-14' },
  ]);
  expect(sent.body).toMatchObject({ status: 'sent', sent_on: '2026-01-15' });
  expect(twice).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  const { body: done } = await tenant.officer.get(`/tasks?related_id=${draft.id}`);
  expect(done).toMatchObject([{ status: 'completed' }]);
});
