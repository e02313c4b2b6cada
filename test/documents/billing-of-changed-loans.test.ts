import { expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../sql/database/db.ts';
import { newMonthEnd } from '../setup/month-ends.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const { aMonthHasEnded } = newMonthEnd(stage);

const goodwill = { credit_type: 'goodwill', reason: 'Sorry', apply_to: 'principal' };
const lostJob = { reason: 'hardship', end_treatment: 'reinstatement', suspend_late_fees: true };
const loss = { reason: 'fraud', force: true };

/** Everything that may be done to a loan on February 1, as path and body. */
const DEEDS: [path: string, body?: object][] = [
  ['payments', { amount: '100.00' }],
  ['payments', { amount: '150.00', effective_date: '2026-01-20' }],
  ['fees', { fee_type: 'other', amount: '15.00' }],
  ['fees', { fee_type: 'other', amount: '15.00', effective_date: '2026-01-18' }],
  ['service-credits', { amount: '25.00', ...goodwill }],
  ['modifications', { modification_type: 'rate_change', new_interest_rate: '0.04' }],
  ['deferments', { periods: 1, reason: 'Holiday' }],
  [
    'forbearances',
    { forbearance_type: 'full', start_date: '2026-02-01', end_date: '2026-05-01', ...lostJob },
  ],
  ['change-due-date', { payment_day: 20 }],
  ['reschedule', { shift_periods: 1 }],
  ['activate-promo', { promo_type: 'zero_interest', duration_months: 3 }],
  ['freeze', { reason: 'fraud' }],
  ['accelerate'],
  ['non-accrual'],
  ['charge-off', { ...loss, amount: '1000.00' }],
  ['charge-off', loss],
  ['pay-off'],
];

const Frozen = z.object({ loan_id: z.string(), figures: z.string() });

/** The billed figures of each loan, without its recipient. */
const figuresOf = (tenant: Tenant) =>
  tenant.within(({ tx }) =>
    tx.any(sql.type(Frozen)`
      select loan_id, (figures - 'letter' - 'loan_then')::text as figures from statements
      order by loan_id
    `),
  );

test('a loan changed before its turn gets the same statement as an unchanged loan', async () => {
  const { tenant, ids, bill } = await aMonthHasEnded(DEEDS.length + 1);
  const admin = await tenant.signedIn('admin');

  const replies = [];
  for (const [at, [path, body]] of DEEDS.entries())
    replies.push(await admin.post(`/loans/${ids[at]}/${path}`, body));
  await bill();
  const statements = await figuresOf(tenant);

  expect(replies.filter(({ status }) => status >= 300).map(({ body }) => body)).toEqual([]);
  const alone = statements.find(({ loan_id }) => loan_id === ids.at(-1));
  expect(statements).toEqual(ids.map((loan_id) => ({ loan_id, figures: alone?.figures })));
});
