import { expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../sql/database/db.ts';
import { eventTypes, balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { LETTERHEAD, saveSettings } from '../../setup/settings.ts';
import { newProduct } from '../../setup/products.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();
const TOLD = ['loan.created', 'loan.status_changed'];

test('denying a loan stores its reasons, notifies subscribers and creates a task for the notice', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant, { status: 'pending' });

  const denied = await tenant.officer.post(`/loans/${id}/deny`, {
    reasons: ['income_insufficient', 'recent_inquiries'],
    notes: 'Score 540.',
  });
  const again = await tenant.officer.post(`/loans/${id}/deny`, {});

  expect(denied).toMatchObject({
    status: 200,
    body: { status: 'denied', denial_reasons: ['income_insufficient', 'recent_inquiries'] },
  });
  expect(denied.body.denied_at).not.toBeNull();
  expect(denied.body.allowed_actions).not.toContain('approve');
  expect(again).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect(await eventTypes(tenant)).toEqual(TOLD);
  expect(await balancesByRole(tenant)).toEqual({});
  const tasks = await tenant.within(({ tx }) =>
    tx.any(sql.type(z.object({ task_type: z.string(), due_date: z.string() }))`
      select task_type, due_date from tasks
    `),
  );
  // One task for the notice, and one to name the source of the credit report.
  const task = { task_type: 'compliance', due_date: '2026-02-14' };
  expect(tasks).toEqual([task, task]);
});

test('a free-text reason counts as other, and five reasons are too many', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant, { status: 'pending' });

  const many = await tenant.officer.post(`/loans/${id}/deny`, {
    reasons: ['other', 'bankruptcy', 'garnishment_or_foreclosure', 'recent_inquiries', 'other'],
  });
  const denied = await tenant.officer.post(`/loans/${id}/deny`, { reason: 'Thin file' });

  expect(many).toMatchObject({ status: 422 });
  expect(denied.body).toMatchObject({ status: 'denied', denial_reasons: ['other'] });
});

test('a loan can be canceled until money was disbursed', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const approved = await newLoan(tenant, { status: 'approved' });
  const active = await newLoan(tenant);

  const canceled = await tenant.officer.post(`/loans/${approved.id}/cancel`, {
    reason: 'borrower_withdrew',
  });
  const again = await tenant.officer.post(`/loans/${approved.id}/cancel`);
  const late = await tenant.officer.post(`/loans/${active.id}/cancel`);

  expect(canceled).toMatchObject({
    status: 200,
    body: { status: 'canceled', cancel_reason: 'borrower_withdrew' },
  });
  expect(again).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect(late).toMatchObject({
    status: 409,
    body: { code: 'invalid_transition', details: { current_status: 'active' } },
  });
});

test('labels are a set, ignoring case and repetition', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant, { status: 'pending' });

  await tenant.officer.post(`/loans/${id}/add-labels`, { labels: ['VIP', 'region: west'] });
  const added = await tenant.officer.post(`/loans/${id}/add-labels`, { labels: ['vip', 'scra'] });
  const removed = await tenant.officer.post(`/loans/${id}/remove-labels`, {
    labels: ['Vip', 'unknown'],
  });
  const wrong = await tenant.officer.post(`/loans/${id}/add-labels`, { labels: ['<b>'] });
  const many = await tenant.officer.post(`/loans/${id}/add-labels`, {
    labels: Array.from({ length: 49 }, (_, index) => `label ${index}`),
  });

  expect(added.body.labels).toEqual(['vip', 'region: west', 'scra']);
  expect(removed.body.labels).toEqual(['region: west', 'scra']);
  expect(wrong.status).toBe(422);
  expect(many).toMatchObject({ status: 422, body: { errors: { labels: expect.any(String) } } });
});

test('only an active user with the right role can become a loan’s officer, and the history keeps the previous one', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant, { status: 'pending' });
  const officerId = tenant.userIds['loan_officer'];

  const assigned = await admin.post(`/loans/${id}/assign-officer`, { user_id: officerId });
  const viewer = await admin.post(`/loans/${id}/assign-officer`, {
    loan_officer_id: tenant.userIds['viewer'],
  });
  const nothing = await admin.post(`/loans/${id}/assign-officer`, {});
  const unassigned = await admin.post(`/loans/${id}/assign-officer`, { loan_officer_id: null });
  const history = await admin.get(`/loans/${id}/history?action=assign-officer`);

  expect(assigned.body.loan_officer_id).toBe(officerId);
  expect(viewer).toMatchObject({
    status: 422,
    body: { errors: { loan_officer_id: expect.stringContaining('active') } },
  });
  expect(nothing).toMatchObject({ status: 422 });
  expect(unassigned.body.loan_officer_id).toBeNull();
  expect(history.body).toMatchObject([
    { changes: { loan_officer_id: { old: officerId, new: null } } },
    { changes: { loan_officer_id: { old: null, new: officerId } } },
  ]);
});

test('a denied applicant with an address gets the notice with the reasons as text', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id, borrower_id } = await newLoan(tenant, { status: 'pending' });
  await tenant.officer.post(`/borrowers/${borrower_id}/addresses`, {
    street_line_1: '1 Main Street',
    city: 'Albany',
    state: 'NY',
    postal_code: '12207',
  });

  await tenant.officer.post(`/loans/${id}/deny`, { reasons: ['recent_inquiries'] });
  const ordered = await tenant.within(({ tx }) =>
    tx.any(sql.type(z.object({ template: z.string(), reasons: z.array(z.string()) }))`
      select template, template_data -> 'reasons' as reasons from documents
    `),
  );
  const logs = await tenant.officer.get('/communication-logs');

  const tasks = await tenant.officer.get(`/tasks?filter=${JSON.stringify({ loan_id: id })}`);

  expect(tasks.body).toMatchObject([
    { title: expect.stringContaining('which credit bureau'), task_type: 'compliance' },
  ]);
  expect(ordered).toEqual([
    {
      template: 'adverse_action_notice',
      reasons: ['Number of recent inquiries on credit bureau report'],
    },
  ]);
  expect(logs.body).toMatchObject([
    { template_type: 'loan_denied', channel: 'letter', status: 'queued', loan_id: id },
  ]);
});

test('approving a loan orders its disclosure', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant, { status: 'approved' });

  const ordered = await tenant.within(({ tx }) =>
    tx.any(sql.type(z.object({ loan_id: z.string(), template: z.string(), total: z.string() }))`
      select loan_id, template, template_data ->> 'total_of_payments' as total from documents
    `),
  );

  expect(ordered).toEqual([{ loan_id: id, template: 'tila_disclosure', total: '11362.74' }]);
});

test('a one-week loan with a fee costs more than 1,000 percent a year, and this is disclosed', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const product_id = await newProduct(tenant, {
    payment_frequency: 'weekly',
    fee_rules: [
      { fee_type: 'origination', calculation: 'flat', trigger: 'disbursement', amount: '5000.00' },
    ],
  });
  const { id } = await newLoan(tenant, { status: 'pending', product_id, term_months: 1 });

  const approved = await tenant.officer.post(`/loans/${id}/approve`);
  const list = await tenant.officer.get('/loans');

  expect(approved.status).toBe(200);
  expect(Number(approved.body.apr)).toBeGreaterThan(10);
  expect(list).toMatchObject({ status: 200, body: [{ id, apr: approved.body.apr }] });
});

test('a notice uses the applicant’s language, and names the report and score that were used', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id, borrower_id } = await newLoan(tenant, { status: 'pending' });
  const { body: borrower } = await tenant.officer.get(`/borrowers/${borrower_id}`);
  await tenant.officer.put(`/borrowers/${borrower_id}`, { ...borrower, language_preference: 'es' });
  const credit_report = {
    bureau_name: 'Northern Credit Bureau',
    bureau_address: 'P.O. Box 100, Allen, TX 75013',
    bureau_phone: '(888) 555-0100',
    score: {
      score: 588,
      date: '2026-01-10',
      range_low: 300,
      range_high: 850,
      key_factors: ['Number of recent inquiries'],
    },
  };
  const score = { ...credit_report.score, score: 200 };
  const deny = (body: object) =>
    tenant.officer.post(`/loans/${id}/deny`, { reasons: ['bankruptcy'], ...body });

  const outOfRange = await deny({ credit_report: { ...credit_report, score } });
  await saveSettings(tenant, { adverse_action: {} });
  const denied = await deny({ credit_report });
  const [draft] = (await tenant.officer.get(`/loans/${id}/adverse-action-notices`)).body;
  await saveSettings(tenant, LETTERHEAD);
  await tenant.officer.post(`/adverse-action-notices/${draft.id}/send`, {});

  const told = await tenant.within(({ tx }) =>
    tx.oneFirst(sql.type(z.object({ data: z.looseObject({}) }))`
      select template_data as data from documents
      where loan_id = ${id} and template = 'adverse_action_notice'
    `),
  );
  expect([outOfRange.status, denied.status]).toEqual([422, 200]);
  expect(draft).toMatchObject({ status: 'draft', document_id: null });
  expect(draft).not.toHaveProperty('credit_report');
  expect(told).toMatchObject({
    reasons: ['Bancarrota'],
    agency: { name: 'Example Agency' },
    credit_bureau: { phone: '(888) 555-0100' },
    credit_score: { score: 588, source: 'Northern Credit Bureau' },
  });
});
