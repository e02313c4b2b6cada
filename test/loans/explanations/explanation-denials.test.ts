import { expect, test } from 'vitest';
import type { Call } from '../../../api/endpoints/route.ts';
import { fieldsByResource } from '../../../api/endpoints/field-vocabulary.ts';
import { explainLoan } from '../../../api/loans/explanations.ts';
import { routes } from '../../../api/routes.ts';
import type { Explanation } from '../../../jobs/loans/explanations/explain-figure.ts';
import { FIGURES } from '../../../jobs/loans/explanations/explanation.ts';
import { openLineOfCredit } from '../../setup/lines-of-credit.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStaff } from '../../setup/team.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

test('a viewer reads explanations, and a denied field is not explained', async () => {
  const { tenant, officer, viewer, deny } = await newStaff(stage);
  const { id } = await newLoan(tenant);
  const path = `/loans/${id}/explain?figure=`;
  await deny('loans', 'accrued_interest');
  await deny('payments', 'payment_date');

  const read = await Promise.all(FIGURES.map((figure) => viewer.get(path + figure)));
  const denied = await Promise.all(FIGURES.map((figure) => officer.get(path + figure)));

  expect(read.map(({ status }) => status)).toEqual(FIGURES.map(() => 200));
  expect(Object.fromEntries(FIGURES.map((figure, at) => [figure, denied[at]?.status]))).toEqual({
    accrued_interest: 403,
    amount_due: 403,
    past_due_amount: 403,
    days_past_due: 200,
    payoff_amount: 403,
    late_fee: 403,
  });
});

const FUNDED = '2026-01-15';
const TODAY = '2026-03-19';

/** Loans with records, whose explanations show as many values as possible. */
async function tellingLoans(tenant: Tenant) {
  const admin = await tenant.signedIn('admin');
  const late = { fee_type: 'late', trigger: 'past_due', calculation: 'percent_of_past_due' };
  const origination = { fee_type: 'origination', trigger: 'disbursement', calculation: 'flat' };
  const shared = {
    fee_rules: [
      {
        ...late,
        late_fee_rule: 'standard_fee',
        percentage: '0.0415',
        min_amount: '8.12',
        max_amount: '14.37',
      },
      { ...origination, amount: '37.19', treatment: 'deducted' },
    ],
    max_modifications: 83,
    late_fee_grace_days: 13,
    delinquency_grace_days: 11,
    day_count: 'actual_360',
    prepayment_penalty: { calculation: 'percent_of_principal', percentage: '0.0123' },
  };
  const newOne = async (product: object = {}, terms: object = {}) => {
    const product_id = await newProduct(tenant, { ...shared, ...product }, admin);
    const on = { disbursement_date: FUNDED, interest_rate: '0.0837', term_months: 47 };
    return (await newLoan(tenant, { ...on, ...terms, product_id })).id;
  };
  const done = async (path: string, body: object = {}, client = tenant.officer) => {
    const reply = await client.post(path, body);
    expect(reply.status, `${path} ${JSON.stringify(reply.body)}`).toBeLessThan(300);
  };
  const loans = {
    late: await newOne(),
    scheduled: await newOne({ interest_method: 'scheduled' }),
    matured: await newOne({}, { term_months: 1 }),
    promoted: await newOne(),
    frozen: await newOne(),
    accelerated: await newOne(),
    'on non-accrual': await newOne(),
    'in forbearance': await newOne(),
    deferred: await newOne(),
    'on a payment plan': await newOne(),
    modified: await newOne(),
    line: await openLineOfCredit(tenant, { ...shared, grace_on_purchases: true }),
  };
  const pay = async () => {
    const extra = { amount: '312.77', payment_type: 'extra_principal' };
    for (const id of Object.values(loans)) await done(`/loans/${id}/payments`, extra);
  };
  const live = async () => {
    const at = (loan: keyof typeof loans, path: string) => `/loans/${loans[loan]}/${path}`;
    await done(at('late', 'payments'), { amount: '117.41' });
    await done(at('late', 'service-credits'), { amount: '3.21', reason: 'Goodwill' });
    const promo = { promo_type: 'deferred_interest', promo_rate: '0' };
    const until = { start_date: '2026-02-20', end_date: '2026-06-05', name: 'Spring' };
    await done(at('promoted', 'activate-promo'), { ...promo, ...until }, admin);
    await done(at('frozen', 'freeze'), { reason: 'fraud' }, admin);
    await done(at('accelerated', 'accelerate'), { reason: 'default' }, admin);
    await done(at('on non-accrual', 'non-accrual'), {}, admin);
    await done(at('in forbearance', 'forbearances'), {
      forbearance_type: 'full',
      start_date: '2026-02-20',
      end_date: '2026-03-09',
      reason: 'Illness',
      interest_accrues: false,
    });
    const deferment = { periods: 1, start_date: '2026-03-01', fee_amount: '25.71' };
    await done(at('deferred', 'deferments'), { ...deferment, reason: 'Holiday' });
    await done(at('on a payment plan', 'payment-plans'), {
      installments: [{ due_date: '2026-04-02', amount: '201.55' }],
      grace_days: 17,
    });
    const rate = { modification_type: 'rate_change', new_interest_rate: '0.0411' };
    await done(at('modified', 'modifications'), rate, admin);
    await done(at('line', 'draws'), { amount: '431.19' });
  };
  const charge = async () => {
    await done(`/loans/${loans.late}/fees`, { fee_type: 'other', amount: '12.34' });
  };
  const quote = () => done(`/loans/${loans.late}/payoff-quotes`);
  return { loans, pay, live, charge, quote };
}

/** A field of a record about a loan, with its values. */
type Shown = { resource: string; field: string; values: Set<string> };

const RECORDS = [
  ...([
    'payments',
    'fees',
    'service-credits',
    'payoff-quotes',
    'forbearances',
    'deferments',
  ] as const),
  ...(['payment-plans', 'modifications', 'disbursements', 'draws', 'suspense'] as const),
];
const OF_LOANS = ['', '/amortization', '/list-promo-statuses', '/get-balances'];

/** Every field that can be read about the loan, at any depth. */
async function fieldsOf({ officer }: Tenant, id: string): Promise<Shown[]> {
  const found = new Map<string, Shown>();
  const collect = (resource: string, value: unknown, field = ''): void => {
    if (Array.isArray(value)) return value.forEach((inner) => collect(resource, inner, field));
    if (typeof value === 'object' && value !== null)
      return Object.entries(value).forEach(([name, inner]) => collect(resource, inner, name));
    const name = `${resource}.${field}`;
    const shown = found.get(name) ?? { resource, field, values: new Set() };
    if (isTelling(field, value))
      found.set(name, { ...shown, values: shown.values.add(String(value)) });
  };
  const read = async (resource: string, path: string) => {
    const { status, body } = await officer.get(path);
    expect(status, path).toBe(200);
    collect(resource, body);
    return body as Record<string, string>;
  };
  const [loan] = await Promise.all(OF_LOANS.map((path) => read('loans', `/loans/${id}${path}`)));
  await read('products', `/products/${loan?.['product_id']}`);
  await Promise.all(RECORDS.map((resource) => read(resource, `/loans/${id}/${resource}`)));
  return [...found.values()];
}

/** Small numbers occur everywhere. */
const isTelling = (field: string, value: unknown) =>
  typeof value === 'number'
    ? value > 2 && field.includes('days')
    : typeof value === 'string' && value.length > 3 && value !== '0.00' && !COINCIDENCES.has(field);
/** The day that the request asks for, and the action that has the name of a reason. */
const COINCIDENCES = new Set(['as_of_date', 'allowed_actions']);

/** The value as a sentence shows it: a date, days, an amount or a rate. */
function textsOf(value: string): string[] {
  const [year, month, day] = value.split('-').map(Number);
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return [`${MONTHS[(month ?? 0) - 1]} ${day}, ${year}`];
  if (/^\d+$/.test(value)) return [` ${value} days`];
  if (!/^\d+\.\d+$/.test(value)) return [];
  const amount = Number(value).toLocaleString('en-US', { minimumFractionDigits: 2 });
  return [`$${amount}`, ` ${(Number(value) * 100).toFixed(2)}%`];
}
const MONTHS = [
  ...(['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August'] as const),
  ...(['September', 'October', 'November', 'December'] as const),
];

/** The fields of an explanation's steps that have a value. Sentences and rules are not among them. */
function factsOf({ steps }: Explanation): [string, string][] {
  const leaves = (value: unknown, field = ''): [string, string][] => {
    if (Array.isArray(value)) return value.flatMap((inner) => leaves(inner, field));
    if (typeof value !== 'object') return [[field, String(value)]];
    return Object.entries(value ?? {}).flatMap(([name, inner]) => leaves(inner, name));
  };
  return leaves(steps).filter(([field]) => !['rule', 'text', 'explained_by'].includes(field));
}

function shows(explained: Explanation, { values }: Shown): boolean {
  const text = [explained.summary, ...explained.steps.map((step) => step.text)].join('\n');
  return (
    factsOf(explained).some(
      ([field, value]) => values.has(value) && (field.includes('days') || !/^\d+$/.test(value)),
    ) || [...values].flatMap(textsOf).some((form) => text.includes(form))
  );
}

/** Replaces the officer's denials. Written to the database because there are hundreds. */
async function denyOnly(tenant: Tenant, { resource, field }: Pick<Shown, 'resource' | 'field'>) {
  const whose = [tenant.id, tenant.userIds['loan_officer']];
  await stage.owner.query(
    'delete from user_permissions where tenant_id = $1 and user_id = $2',
    whose,
  );
  await stage.owner.query(
    `insert into user_permissions (tenant_id, user_id, type, action, resource, record)
     values ($1, $2, 'deny', '*', $3, $4)`,
    [...whose, resource, { [field]: true }],
  );
}

async function tellingWorld() {
  const tenant = await stage.tenant(FUNDED);
  const { loans, pay, live, charge, quote } = await tellingLoans(tenant);
  const days = { '2026-01-22': pay, '2026-02-20': live, '2026-02-22': charge, '2026-02-23': quote };
  for (const [day, happens] of Object.entries(days)) {
    await travelTo(stage, tenant, day);
    await happens();
  }
  await travelTo(stage, tenant, TODAY);
  return { tenant, loans };
}

test('no explanation shows the value of a denied field, and none is answered in part', async () => {
  const { tenant, loans } = await tellingWorld();
  const ask = (id: string, figure: string) =>
    tenant.officer.get(`/loans/${id}/explain?figure=${figure}`);
  const places: (Shown & { id: string; figure: string; loan: string; is_own: boolean })[] = [];
  for (const [loan, id] of Object.entries(loans)) {
    const fields = await fieldsOf(tenant, id);
    for (const figure of FIGURES) {
      const { status, body } = await ask(id, figure);
      expect(status, JSON.stringify(body)).toBe(200);
      const at = { id, figure, loan };
      const own = new Set(factsOf(body).map(([field]) => field));
      for (const field of own)
        places.push({ resource: 'loans', field, values: new Set(), ...at, is_own: true });
      for (const field of fields)
        if (shows(body, field)) places.push({ ...field, ...at, is_own: false });
    }
  }
  const byField = Map.groupBy(places, ({ resource, field }) => `${resource}.${field}`);

  const revealed: string[] = [];
  for (const [name, [first, ...more]] of byField) {
    if (first === undefined) continue;
    await denyOnly(tenant, first);
    for (const place of [first, ...more]) {
      const { status, body } = await ask(place.id, place.figure);
      if (status !== 403 && (place.is_own || shows(body, place)))
        revealed.push(`${name} in ${place.figure} of the loan ${place.loan}`);
    }
  }

  expect(byField.size).toBeGreaterThan(80);
  expect(revealed).toEqual([]);
}, 240_000);

/** Facts that a sentence tells without their value, or that decide whether a step appears. */
const IMPLIED = {
  accrued_interest: {
    loans: ['day_count', 'interest_method', 'interest_free_balance', 'payment_amount', 'is_frozen'],
    products: ['day_count', 'interest_method', 'grace_on_purchases'],
    forbearances: ['interest_accrues', 'status'],
    deferments: ['interest_treatment', 'start_date', 'status'],
  },
  amount_due: {
    loans: ['is_accelerated', 'payment_day', 'first_payment_date'],
    forbearances: ['reduced_payment_amount'],
    modifications: ['new_payment_amount'],
    products: ['minimum_payment'],
  },
  past_due_amount: { loans: ['is_accelerated', 'days_past_due'] },
  days_past_due: {
    products: ['delinquency_grace_days'],
    forbearances: ['suspend_delinquency', 'status'],
  },
  payoff_amount: { products: ['prepayment_penalty', 'percentage'], loans: ['suspense_balance'] },
  late_fee: {
    products: ['late_fee_grace_days', 'grace_days', 'late_fee_rule', 'percentage', 'min_amount'],
    forbearances: ['suspend_late_fees', 'start_date', 'status'],
    deferments: ['start_date', 'status'],
    'payment-plans': ['status', 'agreed_on'],
    loans: ['is_frozen', 'freeze_until'],
  },
};

test('a figure is not explained to a user who is denied a fact that its sentences imply', async () => {
  const tenant = await stage.tenant(FUNDED);
  const { id } = await newLoan(tenant);
  const told: string[] = [];

  for (const [figure, denials] of Object.entries(IMPLIED))
    for (const [resource, fields] of Object.entries(denials))
      for (const field of fields) {
        await denyOnly(tenant, { resource, field });
        const { status } = await tenant.officer.get(`/loans/${id}/explain?figure=${figure}`);
        if (status !== 403) told.push(`${resource}.${field} in ${figure}: ${status}`);
      }

  expect(told).toEqual([]);
});

test('every fact that an explanation carries is a field of its resource', async () => {
  const fields = fieldsByResource(routes);
  const { carries } = explainLoan;
  if (typeof carries !== 'function') throw new Error('The facts depend on the figure.');

  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the facts depend only on the query.
  const callOf = (figure: string) => ({ query: { figure } }) as unknown as Call;
  const carried = await Promise.all(FIGURES.map((figure) => carries(callOf(figure))));

  const unknown = carried.flat().filter((name) => {
    const [resource = '', field = ''] = name.split('.');
    return !fields.get(resource)?.has(field);
  });
  expect([...new Set(unknown)]).toEqual([]);
});
