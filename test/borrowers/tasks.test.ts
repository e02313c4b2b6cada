import { expect, test } from 'vitest';
import { insertLoans } from '../setup/loan-rows.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('a task is assigned, completed by any user, and reopened', async () => {
  const tenant = await stage.tenant();
  const { officer, userIds } = tenant;
  const [loan_id] = await insertLoans(tenant, {});
  const path = `/borrowers/${await tenant.first('/borrowers')}/tasks`;

  const created = await officer.post(path, {
    title: 'Call back',
    task_type: 'callback',
    loan_id,
    assignee_id: userIds['collector'],
    due_date: '2026-01-20',
    source: 'system',
  });
  const url = `/tasks/${created.body.id}`;
  const done = await officer.put(url, { ...created.body, status: 'completed' });
  const reopened = await officer.put(url, { status: 'open' });
  const mine = await officer.get(`/tasks?assignee_id=${userIds['collector']}&status=open`);

  expect(created).toMatchObject({
    status: 201,
    body: { priority: 'normal', status: 'open', source: 'manual', completed_at: null },
  });
  expect(done.body).toMatchObject({
    status: 'completed',
    completed_by: userIds['loan_officer'],
    completed_at: expect.any(String),
  });
  expect(reopened.body).toMatchObject({ status: 'open', completed_at: null, completed_by: null });
  expect(mine.headers['content-range']).toBe('tasks 0-0/1');
});

test("a task names the borrower's own loan and one of the staff", async () => {
  const tenant = await stage.tenant();
  const { officer, userIds } = tenant;
  const [loan_id] = await insertLoans(tenant, {});
  const other = await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron' });
  const path = `/borrowers/${other.body.id}/tasks`;

  const loan = await officer.post(path, { title: 'Review', loan_id });
  const portalUser = await officer.post(path, {
    title: 'Review',
    assignee_id: userIds['borrower'],
  });

  expect(loan).toMatchObject({ status: 422, body: { errors: { loan_id: 'Does not exist.' } } });
  expect(portalUser).toMatchObject({
    status: 422,
    body: { errors: { assignee_id: expect.any(String) } },
  });
});

test('a held letter creates a task for a new address, and a new task if the first one is closed without one', async () => {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const borrower_id = await tenant.first('/borrowers');
  const [loan_id] = await insertLoans(tenant, {});
  const place = { street_line_1: '1 Main Street', city: 'Arlington', postal_code: '22201' };
  await officer.post(`/borrowers/${borrower_id}/addresses`, { ...place, address_indicator: 'U' });
  const letter = { borrower_id, loan_id, channel: 'letter', template_type: 'statement_ready' };
  const tasks = async () => (await officer.get(`/tasks?borrower_id=${borrower_id}`)).body;

  const held = await officer.post('/communications/send', letter);
  await officer.post('/communications/send', letter);
  const [task, ...others] = await tasks();
  await officer.put(`/tasks/${task.id}`, { status: 'completed' });
  await officer.post('/communications/send-batch', {
    borrower_ids: [borrower_id],
    channel: 'letter',
    template_type: 'statement_ready',
  });

  expect(held).toMatchObject({ status: 409, body: { reasons: ['contact_invalid'] } });
  expect(task).toMatchObject({
    title: expect.stringMatching(/Mail was returned/),
    source: 'system',
  });
  expect(others).toEqual([]);
  expect((await tasks()).map(({ status }: { status: string }) => status)).toEqual([
    'open',
    'completed',
  ]);
});
