import { expect, test } from 'vitest';
import { correctCase, openCase } from '../setup/cases.ts';
import { newBorrower } from '../setup/joint-loans.ts';
import { newLoan } from '../setup/loans.ts';
import { assertOk, newPortalBorrower, refusal } from '../setup/portal.ts';
import { newOutside } from '../setup/outside.ts';
import { runJobs, travelTo } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('facts of a closed case cannot begin a protection without an end', async () => {
  const tenant = await stage.tenant('2026-06-15');
  const { officer } = tenant;
  const { id: loan, borrower_id } = await newLoan(tenant, { disbursement_date: '2026-03-01' });
  const facts = { chapter: '13', petition_date: '2026-06-01' };
  const over = { ...facts, dismissal_date: '2026-06-10' };
  const { id } = await openCase(officer, borrower_id, 'bankruptcy', over);
  const resolution = 'The court dismissed the petition.';
  assertOk(await officer.put(`/cases/${id}`, { status: 'closed', resolution }));

  const endless = await officer.put(`/cases/${id}`, { facts });
  const corrected = await officer.put(`/cases/${id}`, {
    facts: { ...over, dismissal_date: '2026-06-12' },
  });

  expect(endless).toMatchObject(refusal(409, 'conditions_open'));
  expect(corrected.status).toBe(200);
  expect((await officer.get(`/loans/${loan}`)).body.sub_status).toBe(null);
});

test('a demand to stop all contact changes the bills of the person who made it, not those of a co-borrower', async () => {
  const home = await newPortalBorrower(stage, { disbursement_date: '2025-11-15' });
  const { officer, borrower, borrower_id, loan, id } = home;
  const other = await newBorrower(home.tenant);
  const path = `/loans/${id}/co-borrowers`;
  assertOk(await officer.post(path, { borrower_id: other, role: 'co_borrower' }));
  const formOf = async () => (await borrower.get(loan)).body.statement_form as string;
  const billOn = async (day: string) => {
    await travelTo(stage, home.tenant, day);
    await runJobs(stage, newOutside(stage.pool), ['issue-statements']);
    const { rows } = await stage.owner.query(
      `select figures #> '{legal,periods}' as legal from statements
       where loan_id = $1 order by statement_month desc limit 1`,
      [id],
    );
    return rows[0]?.legal as object[] | null;
  };

  await openCase(officer, other, 'cease_and_desist', { received_date: '2026-01-10' });
  const [ofOther, february] = [await formOf(), await billOn('2026-02-01')];
  await openCase(officer, borrower_id, 'cease_and_desist', { received_date: '2026-02-01' });
  const march = await billOn('2026-03-01');

  expect([ofOther, await formOf()]).toEqual(['regular', 'no_demand']);
  expect(february).toBe(null);
  expect(march).toMatchObject([{ condition: 'cease_and_desist', from: '2026-02-01' }]);
});

test('the stay of a guarantor under chapter 13 protects people, not a business that owes the loan', async () => {
  const tenant = await stage.tenant('2026-06-15');
  const { officer } = tenant;
  const standingsOf = async (borrower_type: string) => {
    const { id, borrower_id } = await newLoan(tenant, { disbursement_date: '2026-03-01' });
    assertOk(await officer.put(`/borrowers/${borrower_id}`, { borrower_type }));
    const guarantor = await newBorrower(tenant);
    assertOk(
      await officer.post(`/loans/${id}/co-borrowers`, {
        borrower_id: guarantor,
        role: 'guarantor',
        liable_from: '2026-03-01',
      }),
    );
    await openCase(officer, guarantor, 'bankruptcy', {
      chapter: '13',
      petition_date: '2026-06-01',
    });
    const shown = async () => {
      const { body } = await officer.get(`/loans/${id}`);
      return [body.sub_status, body.allowed_actions.includes('accelerate')];
    };
    const first = await shown();
    assertOk(await officer.put(`/borrowers/${borrower_id}`, { borrower_type: 'individual' }));
    return [first, await shown()];
  };

  const [individual, business] = [await standingsOf('individual'), await standingsOf('business')];

  const held = ['bankruptcy', false];
  expect(individual).toEqual([held, held]);
  expect(business).toEqual([[null, true], held]);
});

test('an acceleration that a petition forbids which became known later is reviewed, unless the date was wrong', async () => {
  const tenant = await stage.tenant('2026-06-15');
  const admin = await tenant.signedIn('admin');
  const { officer } = tenant;
  const { id, borrower_id } = await newLoan(tenant, { disbursement_date: '2026-03-01' });
  assertOk(await admin.post(`/loans/${id}/accelerate`));
  await travelTo(stage, tenant, '2026-06-20');
  const reviews = async () => {
    const { body } = await officer.get(`/tasks?loan_id=${id}&task_type=review`);
    return (body as Record<string, string>[]).map(({ title, status }) => `${status}: ${title}`);
  };
  const facts = { chapter: '13', petition_date: '2026-06-16' };

  const made = await openCase(officer, borrower_id, 'bankruptcy', facts);
  const later = await reviews();
  await correctCase(officer, made.id, { ...facts, petition_date: '2026-06-10' });
  const [during] = await reviews();
  await correctCase(officer, made.id, facts);
  const [withdrawn] = await reviews();
  await correctCase(officer, made.id, { ...facts, petition_date: '2026-06-11' });
  const again = await reviews();

  const title = expect.stringMatching(/^open: Review the acceleration of LN-\S+ on 2026-06-15$/);
  expect(later).toEqual([]);
  expect(during).toEqual(title);
  expect(withdrawn).toMatch(/^canceled: Review the acceleration/);
  expect(again).toContainEqual(title);
});

test('a joint debtor has one open bankruptcy: that of the joint petition', async () => {
  const { officer } = await stage.tenant('2026-06-15');
  const add = async () =>
    String(assertOk(await officer.post('/borrowers', { first_name: 'A', last_name: 'B' }))['id']);
  const [one, two, three] = [await add(), await add(), await add()];
  const facts = { chapter: '13', petition_date: '2026-06-01' };
  const opening = (borrower_id: string, more: object = {}) =>
    officer.post('/cases', {
      borrower_id,
      case_type: 'bankruptcy',
      facts: { ...facts, ...more },
      subject: 'Petition',
      description: 'A letter of the court arrived.',
    });

  const joint = await openCase(officer, one, 'bankruptcy', { ...facts, joint_debtor_id: two });
  const second = await opening(two);
  const own = await openCase(officer, three, 'bankruptcy', facts);
  const correcting = { facts: { ...facts, joint_debtor_id: three } };
  const other = await officer.put(`/cases/${joint.id}`, correcting);

  expect(second).toMatchObject(refusal(409, 'already_exists'));
  expect(second.body.details).toMatchObject({ case_id: joint.id });
  expect(other.body.errors).toEqual({
    'facts.joint_debtor_id': `Has an open case of this type: ${String(own['case_number'])}. Close it first.`,
  });
});
