import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { allowedActions, LOAN_STATUSES } from '../../jobs/loans/history/statuses.ts';
import { sql } from '../../sql/database/db.ts';
import { newLoan } from '../setup/loans.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant('2026-01-15');
const superadmin = await tenant.signedIn('superadmin');

/** Every action with a body that is right in itself, so that only the status can refuse it. */
const BODIES: Record<string, object> = {
  approve: {},
  deny: { reasons: ['other'] },
  cancel: { reason: 'other' },
  disburse: {},
  'charge-off': {},
  'reverse-charge-off': {},
  'pay-off': {},
  'non-accrual': {},
  reschedule: { shift_periods: 1 },
  'change-due-date': { payment_day: 20 },
  'activate-promo': { promo_type: 'zero_interest', duration_months: 3 },
  payments: { amount: '100.00' },
  freeze: {},
  unfreeze: {},
  accelerate: {},
  'reverse-acceleration': {},
  'assign-officer': { loan_officer_id: null },
  'add-labels': { labels: ['one'] },
  'remove-labels': { labels: ['one'] },
  'run-compliance-checks': {},
};

/** A loan that got its status the way that loans do; the last two come from other areas. */
async function loanIn(status: string) {
  const begun = status === 'approved' ? 'approved' : 'active';
  const isEarly = ['pending', 'denied', 'canceled'].includes(status);
  const { id } = await newLoan(tenant, { status: isEarly ? 'pending' : begun }, superadmin);
  const by: Record<string, string> = {
    denied: 'deny',
    canceled: 'cancel',
    paid_off: 'pay-off',
    charged_off: 'charge-off',
  };
  if (by[status]) await superadmin.post(`/loans/${id}/${by[status]}`);
  if (['settled', 'transferred'].includes(status)) {
    await tenant.within(({ tx }) =>
      tx.query(sql.typeAlias('void')`update loans set status = ${status} where id = ${id}`),
    );
  }
  return id;
}

/** Everything that an action could leave behind, counted, and the loan itself. */
const traces = (id: string) =>
  tenant.within(({ tx }) =>
    tx.one(sql.type(z.looseObject({}))`
      select (select to_jsonb(loan) from loans as loan where id = ${id}) as loan,
             (select count(*) from loan_events) as happened,
             (select count(*) from events) as told,
             (select count(*) from journal_lines) as posted,
             (select count(*) from audit_log) as audited,
             (select count(*) from payments) as payments,
             (select count(*) from loan_promotions) as promotions,
             (select count(*) from compliance_runs) as runs,
             (select count(*) from tasks) as tasks,
             (select count(*) from installments) as installments
    `),
  );

describe.each(LOAN_STATUSES)('a loan that is %s', (status) => {
  test('shows what it allows, and refuses all else without leaving a trace', async () => {
    const id = await loanIn(status);
    const shown = await superadmin.get(`/loans/${id}`);
    const before = await traces(id);

    const refused: Record<string, unknown> = {};
    for (const [action, body] of Object.entries(BODIES)) {
      if (allowedActions(status).includes(action)) continue;
      refused[action] = await superadmin.post(`/loans/${id}/${action}`, body);
    }

    expect(shown.body).toMatchObject({ status, allowed_actions: allowedActions(status) });
    const details = { current_status: status, allowed_actions: allowedActions(status) };
    const expected = { status: 409, body: { code: 'invalid_transition', details } };
    for (const [action, reply] of Object.entries(refused)) {
      expect({ action, reply }).toMatchObject({ action, reply: expected });
    }
    expect(await traces(id)).toEqual(before);
  });

  test('does what it allows, or says why not, and is never at a loss', async () => {
    const replies: Record<string, number> = {};
    for (const action of allowedActions(status)) {
      const id = await loanIn(status);
      replies[action] = (await superadmin.post(`/loans/${id}/${action}`, BODIES[action])).status;
    }

    for (const [action, reply] of Object.entries(replies)) {
      const isFullyFunded = status === 'active' && action === 'disburse';
      expect({ action, reply }).toEqual({
        action,
        reply: isFullyFunded ? 409 : action === 'payments' ? 201 : 200,
      });
    }
  });
});

test('every action that a status allows has its endpoint', () => {
  const named = new Set(LOAN_STATUSES.flatMap((status) => allowedActions(status)));

  expect([...named].toSorted()).toEqual(Object.keys(BODIES).toSorted());
});
