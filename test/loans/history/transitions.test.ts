import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { loanActions } from '../../../api/loans/actions.ts';
import { LOAN_STATUSES } from '../../../jobs/loans/history/statuses.ts';
import { ACTIONS_BY_STATUS } from '../../../sql/loans/actions.ts';
import { sql } from '../../../sql/database/db.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { closeThrough } from '../../setup/queue.ts';
import { newStage } from '../../setup/world.ts';
import { standingsIn } from '../reporting/standings.ts';

const stage = await newStage();
const tenant = await stage.tenant('2026-01-15');
const superadmin = await tenant.signedIn('superadmin');
const standings = standingsIn(tenant, superadmin, {
  program_id: await tenant.first('/programs'),
  product_id: await tenant.first('/products'),
});

/** Every action with a valid body, so that only the loan's state can refuse it. */
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
  draws: { amount: '100.00' },
  freeze: {},
  unfreeze: {},
  accelerate: {},
  'reverse-acceleration': {},
  'assign-officer': { loan_officer_id: null },
  'add-labels': { labels: ['one'] },
  'remove-labels': { labels: ['one'] },
  'run-compliance-checks': {},
};

/** Actions that do nothing on a loan that already is in the state they lead to. */
const WITHOUT_EFFECT: Record<string, (loan: Record<string, unknown>) => boolean> = {
  freeze: ({ is_frozen }) => is_frozen === true,
  unfreeze: ({ is_frozen }) => is_frozen === false,
  accelerate: ({ is_accelerated, status }) =>
    is_accelerated === true &&
    ['pending', 'approved', 'active', 'charged_off'].includes(String(status)),
  'reverse-acceleration': ({ is_accelerated }) => is_accelerated === false,
};

/** The loan, and the number of records of every kind that an action could create. */
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

const shownOf = async (id: string) => (await superadmin.get(`/loans/${id}`)).body;

/**
 * Each action is tried in a sixth of the states that offer it and in a third of those that refuse it. Set
 * LIVES to try all states.
 */
const [OFFERED, REFUSED] = process.env['LIVES'] ? [1, 1] : [6, 3];
const places = Object.entries(standings).map(([name, make], place) => ({ name, make, place }));

describe.each(places)('a loan that is $name', ({ make, place }) => {
  test('refuses every other action and changes nothing', async () => {
    const id = await make();
    const loan = await shownOf(id);
    const { allowed_actions, status } = loan;
    const before = await traces(id);

    const refused: Record<string, unknown> = {};
    const not = Object.entries(BODIES).filter(
      ([action]) => !allowed_actions.includes(action) && !WITHOUT_EFFECT[action]?.(loan),
    );
    for (const [action, body] of not.filter((_, index) => (index + place) % REFUSED === 0)) {
      refused[action] = await superadmin.post(`/loans/${id}/${action}`, body);
    }

    const details = { current_status: status, allowed_actions };
    const expected = { status: 409, body: { code: expect.any(String), details } };
    for (const [action, reply] of Object.entries(refused)) {
      expect({ action, reply }).toMatchObject({ action, reply: expected });
    }
    expect(await traces(id)).toEqual(before);
  });

  test('performs its own actions', async () => {
    const { allowed_actions } = await shownOf(await make());
    const tried = (allowed_actions as string[]).filter(
      (_, index) => (index + place) % OFFERED === 0,
    );

    const replies: Record<string, unknown> = {};
    for (const action of tried) {
      replies[action] = await superadmin.post(`/loans/${await make()}/${action}`, BODIES[action]);
    }

    for (const [action, reply] of Object.entries(replies)) {
      const status = ['payments', 'draws'].includes(action) ? 201 : 200;
      expect({ action, reply }).toMatchObject({ action, reply: { status } });
    }
  });
});

test('a loan offers to freeze or to unfreeze, to accelerate or to reverse the acceleration', async () => {
  const { id } = await newLoan(tenant);
  const names = ['freeze', 'unfreeze', 'accelerate', 'reverse-acceleration'];
  const offered = async () => {
    const actions = (await shownOf(id)).allowed_actions as string[];
    return names.filter((name) => actions.includes(name));
  };

  const open = await offered();
  await superadmin.post(`/loans/${id}/freeze`, {});
  const frozen = await offered();
  await superadmin.post(`/loans/${id}/accelerate`, {});
  const both = await offered();

  expect(open).toEqual(['freeze', 'accelerate']);
  expect(frozen).toEqual(['unfreeze', 'accelerate']);
  const repeated = [
    await superadmin.post(`/loans/${id}/freeze`, {}),
    await superadmin.post(`/loans/${id}/accelerate`, {}),
  ];

  expect(both).toEqual(['unfreeze', 'reverse-acceleration']);
  expect(repeated).toMatchObject([{ status: 200 }, { status: 200 }]);
});

test('every status is tested, and every action of a loan', async () => {
  const statuses = new Set<string>();
  for (const make of Object.values(standings)) statuses.add((await shownOf(await make())).status);

  expect([...statuses].toSorted()).toEqual(LOAN_STATUSES.toSorted());
  const named = new Set<string>(Object.values(ACTIONS_BY_STATUS).flat());
  expect([...named].toSorted()).toEqual(Object.keys(BODIES).toSorted());
  expect(Object.keys(BODIES)).toEqual(
    expect.arrayContaining(['approve', ...Object.keys(loanActions)]),
  );
});

test('a loan whose rescission period is over can be disbursed', async () => {
  const other = await stage.tenant('2026-01-14');
  const product_id = await newProduct(other, { rescission_days: 3 });
  const { id } = await newLoan(other, { product_id, status: 'approved' });
  const offered = async () =>
    (await other.officer.get(`/loans/${id}`)).body.allowed_actions.includes('disburse');

  const before = await offered();
  await closeThrough(stage, other, '2026-01-17');

  expect([before, await offered()]).toEqual([false, true]);
});

test.each(['paid_off', 'denied', 'canceled', 'settled', 'transferred'])(
  'nothing becomes due on a loan that is %s',
  async (status) => {
    const name = status.replaceAll('_', ' ');
    const id = await standings[name]?.();

    const refused = await superadmin.post(`/loans/${id}/accelerate`);

    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: 'invalid_transition',
        message: `A loan that is ${name} cannot be accelerated.`,
      },
    });
  },
);
