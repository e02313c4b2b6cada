import { expect, test } from 'vitest';
import {
  ORIGINATOR,
  buildReturnFile,
  readSentEntries,
  newLoanWithAccount,
} from '../setup/nacha.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const NUMBER = '000987654321';

/** A sent payment, and a bank that answers with change codes and corrected data. */
async function sentOnce(settings?: object) {
  const tenant = await stage.tenant('2026-01-15');
  if (settings) await saveSettings(tenant, settings);
  const admin = await tenant.signedIn('admin');
  const { officer } = tenant;
  const loan = await newLoanWithAccount(tenant);
  const paid = await officer.post(`/loans/${loan.id}/payments`, {
    amount: '100.00',
    payment_instrument_id: loan.account,
  });
  const { filename } = (await admin.post('/nacha-files')).body;
  const [line = ''] = await readSentEntries(stage, tenant, filename);
  return {
    tenant,
    admin,
    officer,
    loan,
    answer: async (code: string, data = '') =>
      (await admin.post('/nacha-returns', { file: buildReturnFile([line, code, data]) })).body
        .entries[0],
    notices: async () => (await officer.get('/change-notices')).body,
    tasks: async () => (await officer.get('/tasks?source=system')).body,
    account: async () => (await officer.get(`/payment-instruments/${loan.account}`)).body,
    payment: async () => (await officer.get(`/payments/${paid.body.id}`)).body,
    next: async () => {
      await officer.post(`/loans/${loan.id}/payments`, {
        amount: '50.00',
        payment_instrument_id: loan.account,
      });
      const made = await admin.post('/nacha-files');
      return (await readSentEntries(stage, tenant, made.body.filename))[0] ?? '';
    },
  };
}

test('a correction is shown without its number, applied on request, and used from then on', async () => {
  const { officer, loan, answer, notices, tasks, account, payment, next } = await sentOnce();
  await officer.put(`/payment-instruments/${loan.account}`, { bank_name: 'First Bank' });

  const taken = await answer('C03', `121000248   ${NUMBER}`);
  const again = await answer('C03', `121000248   ${NUMBER}`);
  const [notice, ...others] = await notices();
  const [task, ...more] = await tasks();
  const applied = await officer.post(`/change-notices/${notice.id}/apply`);
  const second = await officer.post(`/change-notices/${notice.id}/apply`);

  expect(taken).toMatchObject({ status: 'change_notice', code: 'C03' });
  expect(again.message).toBe('The notice was already recorded.');
  expect(notice).toMatchObject({
    code: 'C03',
    status: 'pending',
    payment_instrument_id: loan.account,
    corrected_routing_number: '121000248',
    corrected_account_number_last_four: '4321',
    corrected_account_type: null,
    received_on: '2026-01-15',
    // January 19 is a holiday.
    due_date: '2026-01-26',
  });
  expect(task).toMatchObject({
    due_date: '2026-01-26',
    related_type: 'change_notice',
    related_id: notice.id,
    description: expect.stringContaining('account number ending in 4321'),
  });
  expect([others, more]).toEqual([[], []]);
  expect(JSON.stringify([notice, task, applied.body, taken])).not.toContain(NUMBER);
  expect(applied).toMatchObject({ status: 200, body: { status: 'applied' } });
  expect(second).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect((await tasks())[0].status).toBe('completed');
  expect(await account()).toMatchObject({
    routing_number: '121000248',
    account_number_last_four: '4321',
  });
  expect(await payment()).toMatchObject({ status: 'completed' });
  expect(await next()).toMatch(new RegExp(`^627121000248${NUMBER} `));
});

test.each([
  ['C01', NUMBER, { account_number_last_four: '4321', routing_number: '021000021' }],
  ['C02', '121000248', { routing_number: '121000248', account_number_last_four: '6789' }],
  ['C05', '37', { account_type: 'savings', account_number_last_four: '6789' }],
  ['C06', `${NUMBER.padEnd(20)}37`, { account_type: 'savings', account_number_last_four: '4321' }],
  [
    'C07',
    `121000248${NUMBER.padEnd(17)}37`,
    { account_type: 'savings', account_number_last_four: '4321', routing_number: '121000248' },
  ],
])('%s is applied automatically if the settings say so', async (code, data, wanted) => {
  const { answer, tasks, account, notices } = await sentOnce({
    nacha: { ...ORIGINATOR, apply_change_notices: true },
  });

  const taken = await answer(code, data);

  expect(taken).toMatchObject({ status: 'change_notice', message: 'The account is corrected.' });
  expect(await account()).toMatchObject(wanted);
  expect(await notices()).toMatchObject([{ status: 'applied', decided_by: expect.any(String) }]);
  expect(await tasks()).toEqual([]);
});

test.each([
  ['C01', 'no digits'],
  ['C02', '123456789'],
  ['C04', 'HOPPER GRACE'],
  ['C05', '52'],
  ['C03', `121000248   12`],
  ['C13', ''],
])('%s with "%s" is left for manual correction', async (code, data) => {
  const { officer, answer, notices, tasks, account } = await sentOnce();
  const before = await account();

  await answer(code, data);
  const [notice] = await notices();
  const applied = await officer.post(`/change-notices/${notice.id}/apply`);
  const [task] = await tasks();
  const dismissed = await officer.post(`/change-notices/${notice.id}/dismiss`);

  expect(applied).toMatchObject({ status: 409, body: { code: 'nothing_to_apply' } });
  expect(task.description).toContain('no corrected data that can be applied');
  expect(dismissed.body.status).toBe('dismissed');
  expect((await tasks())[0].status).toBe('completed');
  expect(await account()).toEqual(before);
});

test('a correction does not overwrite an account that changed since', async () => {
  const { officer, loan, answer, notices, account } = await sentOnce();
  await answer('C01', NUMBER);
  await officer.put(`/payment-instruments/${loan.account}`, { account_number: '55555555' });
  const [notice] = await notices();

  const applied = await officer.post(`/change-notices/${notice.id}/apply`);

  expect(applied).toMatchObject({ status: 409, body: { code: 'account_changed' } });
  expect(await account()).toMatchObject({ account_number_last_four: '5555' });
});

test.each([
  ['R61', 'dishonored', 'dishonored (R61)'],
  ['R68', 'dishonored', 'dishonored (R68)'],
  ['R72', 'contested', 'contests a dishonored return (R72)'],
  ['C61', 'change_refused', 'refused (C61)'],
])('%s books nothing and creates one task', async (code, status, title) => {
  const { answer, tasks, payment, notices } = await sentOnce();

  const taken = await answer(code);
  await answer(code);

  expect(taken).toMatchObject({ status, code });
  expect(await tasks()).toMatchObject([{ title: expect.stringContaining(title) }]);
  expect(await payment()).toMatchObject({ status: 'completed', return_code: null });
  expect(await notices()).toEqual([]);
});

test('a return that is disputed later stays booked once', async () => {
  const { answer, payment, account } = await sentOnce();

  await answer('R01');
  const contested = await answer('R72');

  expect(contested.status).toBe('contested');
  expect(await payment()).toMatchObject({ status: 'returned', return_code: 'R01' });
  expect(await account()).toMatchObject({ last_return_code: 'R01' });
});

test('an unknown return code is booked as a return, and a task asks the bank', async () => {
  const { answer, payment, tasks } = await sentOnce();

  expect(await answer('R97')).toMatchObject({ status: 'returned', message: 'Returned with R97' });
  expect(await payment()).toMatchObject({ status: 'returned', return_code: 'R97' });
  expect(await tasks()).toMatchObject([{ title: expect.stringContaining('R97 is not known') }]);
});
