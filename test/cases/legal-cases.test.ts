import { expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../sql/database/db.ts';
import { conditionsOfLoans } from '../../sql/loans/legal-conditions.ts';
import { openCase } from '../setup/cases.ts';
import { newLoan } from '../setup/loans.ts';
import { refusal, assertOk } from '../setup/portal.ts';
import { newStage } from '../setup/world.ts';

const TODAY = '2026-06-15';
const stage = await newStage();
const tenant = await stage.tenant(TODAY);
const { officer } = tenant;
const collector = await tenant.signedIn('collector');

type Body = Record<string, unknown> & { id: string };
const words = { subject: 'Petition', description: 'A letter of the court arrived.' };
const caseOf = async (borrower_id: string, case_type: string, facts: object, more: object = {}) =>
  assertOk(
    await collector.post('/cases', { borrower_id, case_type, facts, ...words, ...more }),
  ) as Body;
const correct = ({ id }: Body, facts: object, more: object = {}) =>
  collector.put(`/cases/${id}`, { facts, ...more });
const tasksOf = async ({ id }: Body) =>
  ((await officer.get(`/tasks?related_id=${id}`)).body as Record<string, unknown>[])
    .map(({ title, status, due_date }) => `${status} ${due_date} ${title}`)
    .toSorted();
const Held = z.object({
  borrower_id: z.string(),
  condition: z.string(),
  from_date: z.string(),
  until_date: z.string().nullable(),
});
const heldOn = (loanId: string) =>
  tenant.within(({ tx }) =>
    tx.any(sql.type(Held)`
      select borrower_id, condition, from_date, until_date from ${conditionsOfLoans} as held
      where loan_id = ${loanId} order by from_date, condition, borrower_id
    `),
  );
const conditionsOf = async (loanId: string) =>
  (await heldOn(loanId)).map(
    ({ condition, from_date, until_date }) => `${condition} ${from_date} – ${until_date ?? 'open'}`,
  );
const oldLoan = () => newLoan(tenant, { disbursement_date: '2026-03-01' });
const PETITION = { chapter: '13', petition_date: '2026-06-01' };

test('a bankruptcy is recorded with its facts, and the loans get its conditions', async () => {
  const { borrower_id, id: loan_id } = await oldLoan();

  const made = await caseOf(borrower_id, 'bankruptcy', { ...PETITION, court: 'M.D. Fla.' });

  expect(made).toMatchObject({
    facts: { ...PETITION, court: 'M.D. Fla.', known_date: TODAY },
    facts_reason: null,
    opened_in_error: false,
  });
  expect(made['conditions']).toEqual([
    {
      condition: 'codebtor_stay',
      borrower_id,
      loan_id: null,
      from_date: '2026-06-01',
      until_date: null,
    },
    { condition: 'stay_13', borrower_id, loan_id: null, from_date: '2026-06-01', until_date: null },
  ]);
  expect(await conditionsOf(loan_id)).toEqual(['stay_13 2026-06-01 – open']);
  expect(await tasksOf(made)).toEqual([
    `open 2026-07-27 Act on case ${String(made['case_number'])} by 2026-08-10`,
  ]);
  expect((await collector.get(`/cases/${made.id}`)).body.deadlines).toEqual([
    { deadline: 'file_proof_of_claim', last_day: '2026-08-10', due_date: '2026-07-27' },
  ]);
});

test('a corrected date is a new version, and the conditions and tasks follow it', async () => {
  const { borrower_id, id: loan_id } = await oldLoan();
  const made = await caseOf(borrower_id, 'bankruptcy', PETITION);

  const corrected = { ...PETITION, petition_date: '2026-05-20' };
  assertOk(await correct(made, corrected, { facts_reason: 'Misread the letter.' }));
  assertOk(await correct(made, { ...corrected, proof_of_claim_filed_date: TODAY }));
  assertOk(await correct(made, { ...corrected, proof_of_claim_filed_date: TODAY }));

  const versions = (await collector.get(`/cases/${made.id}/facts`)).body as Body[];
  expect(versions).toMatchObject([
    { version: 3, reason: null, facts: { proof_of_claim_filed_date: TODAY } },
    { version: 2, reason: 'Misread the letter.', facts: { petition_date: '2026-05-20' } },
    { version: 1, changed_by: tenant.userIds['collector'], facts: PETITION },
  ]);
  expect(await conditionsOf(loan_id)).toEqual(['stay_13 2026-05-20 – open']);
  const number = String(made['case_number']);
  expect(await tasksOf(made)).toEqual([
    `canceled 2026-07-27 Act on case ${number} by 2026-08-10`,
    `completed 2026-07-15 Act on case ${number} by 2026-07-29`,
  ]);
});

test('a loan made after the petition is not concerned', async () => {
  const { borrower_id } = await oldLoan();
  await caseOf(borrower_id, 'bankruptcy', { ...PETITION, discharge_date: '2026-06-10' });
  const later = await newLoan(tenant, {});
  await stage.owner.query('update loans set borrower_id = $1 where id = $2', [
    borrower_id,
    later.id,
  ]);

  expect(await conditionsOf(later.id)).toEqual([]);
});

test('a petition under chapter 13 protects the co-borrower, and one under chapter 7 does not', async () => {
  const [with13, with7] = [await oldLoan(), await oldLoan()];
  const conditions: string[][] = [];
  for (const [{ id, borrower_id }, chapter] of [
    [with13, '13'],
    [with7, '7'],
  ] as const) {
    const other = (await officer.post('/borrowers', { first_name: 'Al', last_name: 'So' })).body;
    assertOk(
      await officer.post(`/loans/${id}/co-borrowers`, {
        borrower_id: other.id,
        role: 'co_borrower',
      }),
    );
    await caseOf(borrower_id, 'bankruptcy', { ...PETITION, chapter });
    const held = await heldOn(id);
    conditions.push(
      held
        .map(
          ({ condition, borrower_id: who }) =>
            `${condition} ${who === other.id ? 'other' : 'debtor'}`,
        )
        .toSorted(),
    );
  }

  expect(conditions).toEqual([['codebtor_stay other', 'stay_13 debtor'], ['stay_7 debtor']]);
});

test('a joint petition concerns both spouses', async () => {
  const [one, two] = [await oldLoan(), await oldLoan()];

  await caseOf(one.borrower_id, 'bankruptcy', { ...PETITION, joint_debtor_id: two.borrower_id });

  expect([await conditionsOf(one.id), await conditionsOf(two.id)]).toEqual([
    ['stay_13 2026-06-01 – open'],
    ['stay_13 2026-06-01 – open'],
  ]);
});

test('a case opened in error is closed and leaves no condition and no task', async () => {
  const { borrower_id, id: loan_id } = await oldLoan();
  const made = await caseOf(borrower_id, 'bankruptcy', PETITION);

  const mute = await collector.put(`/cases/${made.id}`, { opened_in_error: true });
  const resolution = 'Another person of the same name.';
  const undone = assertOk(
    await collector.put(`/cases/${made.id}`, { opened_in_error: true, resolution }),
  );
  const again = await collector.put(`/cases/${made.id}`, { opened_in_error: false });
  const corrected = await correct(made, { ...PETITION, chapter: '7' });

  expect(mute).toMatchObject({ status: 422, body: { errors: { resolution: expect.any(String) } } });
  expect(undone).toMatchObject({ status: 'closed', conditions: [], facts: PETITION });
  expect([again, corrected]).toMatchObject([
    refusal(409, 'case_closed'),
    refusal(409, 'case_closed'),
  ]);
  expect(await conditionsOf(loan_id)).toEqual([]);
  expect(await tasksOf(made)).toEqual([expect.stringMatching(/^canceled/)]);
  // The mistake does not keep the true case from being opened.
  await caseOf(borrower_id, 'bankruptcy', PETITION);
});

test('a case is closed when its stay has ended, and can still be corrected', async () => {
  const { borrower_id, id: loan_id } = await oldLoan();
  const made = await caseOf(borrower_id, 'bankruptcy', { ...PETITION, chapter: '7' });
  const closing = { status: 'closed', resolution: 'Discharged.' };

  const early = await collector.put(`/cases/${made.id}`, closing);
  const facts = { ...PETITION, chapter: '7', discharge_date: '2026-06-14' };
  const closed = assertOk(await correct(made, facts, closing));
  assertOk(await correct(made, { ...facts, discharge_date: '2026-06-12' }));

  expect(early).toMatchObject(refusal(409, 'conditions_open'));
  expect(closed).toMatchObject({ status: 'closed' });
  expect(await conditionsOf(loan_id)).toEqual([
    'stay_7 2026-06-01 – 2026-06-12',
    'discharged_7 2026-06-12 – open',
  ]);
});

test('facts must fit the type, the loan and the people of the case', async () => {
  const { borrower_id, id: loan_id } = await oldLoan();
  const stranger = await oldLoan();
  const post = (body: object) => collector.post('/cases', { borrower_id, ...words, ...body });
  const bankruptcy = (facts: object) => post({ case_type: 'bankruptcy', facts });

  const replies = {
    missing: await post({ case_type: 'bankruptcy' }),
    without_form: await post({ case_type: 'general', facts: PETITION }),
    one_loan: await post({ case_type: 'bankruptcy', loan_id, facts: PETITION }),
    not_an_object: await post({ case_type: 'bankruptcy', facts: 'chapter 13' }),
    other_loan: await bankruptcy({ ...PETITION, excepted_loan_ids: [stranger.id] }),
    unknown_debtor: await bankruptcy({ ...PETITION, joint_debtor_id: loan_id }),
    unknown_attorney: await bankruptcy({ ...PETITION, attorney_id: loan_id }),
    unknown_document: await post({ case_type: 'general', document_ids: [loan_id] }),
  };

  const named = Object.entries(replies).map(([name, { status, body }]) => [
    name,
    `${status} ${Object.keys(body.errors ?? {}).join()}`,
  ]);
  expect(Object.fromEntries(named)).toEqual({
    missing: '422 facts',
    without_form: '422 facts',
    one_loan: '422 loan_id',
    not_an_object: '422 facts',
    other_loan: '422 facts.excepted_loan_ids',
    unknown_debtor: '422 facts.joint_debtor_id',
    unknown_attorney: '422 facts.attorney_id',
    unknown_document: '422 document_ids',
  });
});

test('a borrower has one open bankruptcy, also if two people open it at once', async () => {
  const { borrower_id } = await oldLoan();
  const body = { borrower_id, case_type: 'bankruptcy', facts: PETITION, ...words };

  const replies = await Promise.all([
    collector.post('/cases', body),
    officer.post('/cases', body),
    collector.post('/cases', body),
  ]);

  expect(replies.map(({ status }) => String(status)).toSorted()).toEqual(['201', '409', '409']);
  expect(replies.find(({ status }) => status === 409)).toMatchObject(
    refusal(409, 'already_exists'),
  );
});

test('of two people who correct the same case, the second one is asked to read it again', async () => {
  const { borrower_id } = await oldLoan();
  const made = await caseOf(borrower_id, 'bankruptcy', PETITION);
  const etag = (await collector.get(`/cases/${made.id}`)).headers['etag'];
  const matching = { headers: { 'if-match': String(etag) } };

  const first = await collector.put(
    `/cases/${made.id}`,
    { facts: { ...PETITION, chapter: '7' } },
    matching,
  );
  const second = await officer.put(
    `/cases/${made.id}`,
    { facts: { ...PETITION, dismissal_date: TODAY } },
    matching,
  );

  expect([first.status, second.status]).toEqual([200, 412]);
});

test('a complaint may have facts later, and its type cannot change then', async () => {
  const { borrower_id, id: loan_id } = await oldLoan();
  const made = assertOk(
    await collector.post('/cases', { borrower_id, loan_id, case_type: 'complaint', ...words }),
  ) as Body;

  const facts = { received_date: '2026-06-10', regulator: 'cfpb' };
  assertOk(await correct(made, facts));
  const changed = await collector.put(`/cases/${made.id}`, { case_type: 'general' });
  const removed = await collector.put(`/cases/${made.id}`, { facts: null });

  expect(await tasksOf(made)).toEqual([
    expect.stringMatching(/^open 2026-06-22 Act on case .* by 2026-06-25$/),
    expect.stringMatching(/^open 2026-08-02 Act on case .* by 2026-08-09$/),
  ]);
  expect([changed.status, removed.status]).toEqual([422, 422]);
});

test('an estimated date asks for the true one', async () => {
  const { borrower_id } = await oldLoan();
  const facts = { date_of_death: '2026-06-14', estimated_dates: ['date_of_death'] };
  const made = await caseOf(borrower_id, 'deceased', facts);

  const before = await tasksOf(made);
  assertOk(await correct(made, { date_of_death: '2026-06-11' }));

  const title = `Complete the dates of case ${String(made['case_number'])}`;
  expect(before).toContain(`open 2026-06-18 ${title}`);
  expect(await tasksOf(made)).toContain(`completed 2026-06-18 ${title}`);
});

test('a case about one loan concerns this loan only', async () => {
  const { borrower_id, id: loan_id } = await oldLoan();
  const other = await oldLoan();
  await stage.owner.query('update loans set borrower_id = $1 where id = $2', [
    borrower_id,
    other.id,
  ]);

  await caseOf(borrower_id, 'identity_theft', { report_received_date: '2026-06-10' }, { loan_id });

  expect([await conditionsOf(loan_id), await conditionsOf(other.id)]).toEqual([
    ['identity_theft_block 2026-06-10 – open'],
    [],
  ]);
});

test('a user who is denied the facts sees nothing that follows from them', async () => {
  const { borrower_id, id: loan_id } = await oldLoan();
  const made = await caseOf(borrower_id, 'bankruptcy', PETITION);
  const admin = await tenant.signedIn('superadmin');
  assertOk(
    await admin.post(`/users/${tenant.userIds['collector']}/permissions`, {
      type: 'deny',
      action: '*',
      resource: 'cases',
      record: { facts: true },
    }),
  );

  const shown = (await collector.get(`/cases/${made.id}`)).body;
  const versions = (await collector.get(`/cases/${made.id}/facts`)).body;
  const refused = await correct(made, { ...PETITION, chapter: '7' });
  const asked = { borrower_id, channel: 'email', template_type: 'past_due_notice' };
  await officer.post('/communications/send', { ...asked, loan_id });
  const logs = `/communication-logs?borrower_id=${borrower_id}`;
  const [ofOfficer, ofCollector] = [await officer.get(logs), await collector.get(logs)];

  expect(JSON.stringify(ofOfficer.body)).toContain('bankruptcy');
  expect(JSON.stringify(ofCollector.body)).not.toContain('bankruptcy');
  expect(ofCollector.body).toMatchObject([{ status: 'blocked', borrower_id }]);
  expect(JSON.stringify([shown, versions])).not.toMatch(/stay_13|2026-06-01|petition_date/);
  expect(refused.status).toBe(403);
});

test('an end so far away that no calendar has it is refused', async () => {
  const { borrower_id } = await oldLoan();

  const refused = await officer.post('/cases', {
    borrower_id,
    case_type: 'servicemember',
    facts: { service_from: '2026-05-01', service_to: '9999-12-31' },
    ...words,
  });

  expect(refused).toMatchObject({
    status: 422,
    body: { errors: { 'facts.service_to': expect.stringContaining('within 100 years') } },
  });
});

test('a person who begins to owe a loan after a petition brings no stay with them', async () => {
  const { id } = await oldLoan();
  const other = (await officer.post('/borrowers', { first_name: 'Al', last_name: 'So' })).body;
  await openCase(officer, other.id, 'bankruptcy', { ...PETITION, chapter: '7' });
  const added = await officer.post(`/loans/${id}/co-borrowers`, {
    borrower_id: other.id,
    role: 'co_borrower',
  });
  const held = await conditionsOf(id);
  await officer.put(`/co-borrowers/${added.body.id}`, { liable_from: '2026-03-01' });
  const since = await conditionsOf(id);
  await officer.post(`/co-borrowers/${added.body.id}/release`, { reason: 'divorce' });

  expect(held).toEqual([]);
  expect(since).toEqual(['stay_7 2026-06-01 – open']);
  expect(await conditionsOf(id)).toEqual(['stay_7 2026-06-01 – 2026-06-15']);
});
