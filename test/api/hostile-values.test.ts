import { expect, test } from 'vitest';
import { checkStorable } from '../../api/http/bodies.ts';
import { newLoan } from '../setup/loans.ts';
import { cpuTimeMs } from '../setup/cpu-time.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('a time outside the years with four digits in UTC is refused', async () => {
  const tenant = await stage.tenant('2026-03-10');
  const { id } = await newLoan(tenant);
  const dispute = {
    dispute_codes: ['001'],
    received_date: '2026-03-10',
    frivolous_notice_sent_at: '9999-12-31T23:59:59-14:00',
  };

  const reply = await tenant.officer.post(`/loans/${id}/credit-disputes`, dispute);

  expect(reply.status).toBe(422);
  expect(Object.keys(reply.body.errors)).toEqual(['frivolous_notice_sent_at']);
});

test('a rule over several amounts is skipped if one of them is not an amount', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const rule = { fee_type: 'late', trigger: 'past_due', calculation: 'flat', amount: '5.00' };

  const reply = await admin.post('/products', {
    name: 'Personal',
    code: 'P-1',
    fee_rules: [{ ...rule, min_amount: 'abc', max_amount: '1.00' }],
  });

  expect(reply.status).toBe(422);
  expect(Object.keys(reply.body.errors)).toEqual(['fee_rules.0.min_amount']);
});

test('a body of hundreds of thousands of numbers is checked quickly', () => {
  const body: unknown = JSON.parse(`[${'1,'.repeat(400_000)}1]`);

  expect(cpuTimeMs(() => checkStorable(body, []))).toBeLessThan(50);
});

test('a list with thousands of errors reports the first hundred', async () => {
  const admin = await (await stage.tenant()).signedIn('admin');
  const portfolio = (await admin.post('/portfolios', { name: 'All' })).body.id as string;
  const loan_ids = Array.from({ length: 9_000 }, () => 'no id');

  const reply = await admin.post(`/portfolios/${portfolio}/assign-loans`, { loan_ids });

  expect(reply.status).toBe(422);
  expect(Object.keys(reply.body.errors)).toHaveLength(100);
  expect(reply.body.errors).toHaveProperty(['loan_ids.0']);
});
