import { newProduct } from '../setup/products.ts';
import type { Tenant } from '../setup/world.ts';
import type { Ground } from './ground.ts';
import { newRandom } from './random.ts';
import { ACCOUNT_NUMBER, VALID_FILE, PROVIDER_SECRET, VALID_BODIES } from './valid-bodies.ts';
import { newDraw, mutate, findTargets, type Target } from './targets.ts';
import { CANARY } from './hostile-values.ts';

type LoanSteps = readonly (readonly [string, object?])[];
const FUNDED: LoanSteps = [['approve'], ['disburse', { disbursement_date: '2026-01-15' }]];
const PAID = { payment_method: 'ach', payment_date: '2026-02-15' };
const paid = (amount: string) => ['payments', { ...PAID, amount }] as const;

/** A loan in every state, so that requests reach the code behind the checks. */
const LOAN_HISTORIES: readonly LoanSteps[] = [
  [],
  [['deny', { reasons: ['other'] }]],
  [['cancel', { reason: 'withdrawn' }]],
  [['approve']],
  [['approve'], ['cancel', { reason: 'withdrawn' }]],
  FUNDED,
  [...FUNDED, paid('315.68'), paid('20.00')],
  [...FUNDED, paid('5000.00')],
  [...FUNDED, paid('20000.00')],
  [...FUNDED, ['freeze', { reason: 'Fraud.' }]],
  [...FUNDED, ['accelerate', { reason: 'Default.' }]],
  [...FUNDED, ['non-accrual', { enabled: true }]],
  [...FUNDED, ['charge-off', { reason: 'delinquency' }]],
  [...FUNDED, ['pay-off']],
  [...FUNDED, ['forbearances', { start_date: '2026-03-01', end_date: '2026-05-01' }]],
];

/**
 * Fills the tenant with loans of every kind and with other records. With one hand, a seed always creates
 * the same records.
 */
export async function populate(ground: Ground, seed: number, rounds = 2, hands = 6) {
  const { officer, tenant } = asTenant(ground);
  const admin = ground.clients.superadmin;
  for (const channel of ['sms', 'email']) {
    const provider = { name: 'generic', secret: PROVIDER_SECRET };
    await admin.put(`/communications/providers/${channel}`, provider);
  }
  const borrower_id = (await officer.post('/borrowers', { first_name: 'Grace', last_name: CANARY }))
    .body.id as string;
  const account = { routing_number: '021000021', account_type: 'checking' };
  const more = { account_number: ACCOUNT_NUMBER, account_holder_name: CANARY };
  await officer.post(`/borrowers/${borrower_id}/payment-instruments`, { ...account, ...more });
  await officer.post(`/borrowers/${borrower_id}/phones`, { phone_number: '+12025550123' });
  const line = await newProduct(tenant, { loan_type: 'line_of_credit' }, admin).catch(() => '');
  const terms = {
    borrower_id,
    program_id: await tenant.first('/programs'),
    principal_amount: '10000.00',
    interest_rate: '0.085',
    term_months: 36,
  };
  const product_id = await tenant.first('/products?code=DEFAULT');
  await setUpBorrower(ground, { ...terms, product_id }, { ...account, ...more });
  const lives = [...LOAN_HISTORIES, ...LOAN_HISTORIES.slice(0, 6)];
  const waiting = [...lives.entries()];
  await processConcurrently(hands, waiting, async ([at, steps]) => {
    const product = at >= LOAN_HISTORIES.length && line ? { product_id: line } : { product_id };
    const made = await officer.post('/loans', { ...terms, ...product });
    for (const [step, body] of steps) await admin.post(`/loans/${made.body.id}/${step}`, body);
  });
  for (let round = 0; round < rounds; round += 1) await createRecords(ground, seed + round, hands);
  await upload(ground);
  await ground.refresh();
}

/**
 * Gives the attacking borrower the oldest records of their kind: loans, a verified account, scheduled
 * payments, support cases and documents.
 */
async function setUpBorrower({ clients }: Ground, terms: object, account: object) {
  const { borrower, superadmin: admin } = clients;
  const { borrower_id } = (await borrower.get('/users/me')).body;
  const instruments = `/borrowers/${borrower_id}/payment-instruments`;
  const { id } = (await admin.post(instruments, { ...account, is_verified: true })).body;
  for (const _loan of [1, 2]) {
    const loan = (await admin.post('/loans', { ...terms, borrower_id })).body;
    for (const [step, body] of FUNDED) await admin.post(`/loans/${loan.id}/${step}`, body);
    const order = { amount: '10.00', payment_instrument_id: id, payment_date: '2026-04-15' };
    await borrower.post(`/portal/loans/${loan.id}/payments`, order);
    const question = { loan_id: loan.id, subject: CANARY, description: CANARY };
    await borrower.post('/portal/support/cases', question);
    const file = { filename: `${CANARY}.pdf`, content_type: 'application/pdf' };
    const announced = { loan_id: loan.id, document_type: 'other', ...file };
    await borrower.post('/portal/documents/upload', announced);
  }
}

const CREATES = /^\/([\w-]+|ledger\/\w+|[\w-]+\/\{\w+\}\/[\w-]+|webhooks\/subscribe)$/;
const DEFERRED_ROUTES = /settings|subscribe-all|closings|close-of-business/;

/** Creates one of each record with valid bodies. Refusals do not matter here. */
async function createRecords(ground: Ground, seed: number, hands: number) {
  const waiting = (await findTargets(ground, seed)).filter(
    ({ route: { method, status, path } }) => {
      const isNew = CREATES.test(path) || path.endsWith('create-upload-link');
      return method === 'POST' && status === 201 && isNew && !DEFERRED_ROUTES.test(path);
    },
  );
  await processConcurrently(hands, waiting, (target) => createOne(ground, target, seed));
}

async function processConcurrently<Item>(
  hands: number,
  waiting: Item[],
  work: (item: Item) => Promise<void>,
) {
  const hand = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: hands }, hand));
}

const ATTEMPTS_MAX = 4;
async function createOne(ground: Ground, { route, bodies }: Target, seed: number) {
  for (let at = 0; at < ATTEMPTS_MAX; at += 1) {
    const random = newRandom(seed + route.path.length, at);
    const draw = newDraw(random, ground);
    const path = route.path.replace(/^\/(.+?)\/\{\w+\}/, (_, collection: string) => {
      const ids = ground.pool(`/${collection}`);
      return `/${collection}/${random.pick(ids) ?? 'none'}`;
    });
    const body = mutate(bodies[at % bodies.length], draw);
    const { status } = await ground.clients.superadmin.post(path, body);
    if (status === 201) break;
  }
  await ground.idsOf(`/${route.path.split('/').at(-1)}`);
}

/** Uploads documents with files and confirms half of them. */
async function upload({ clients, pool, idsOf }: Ground) {
  await idsOf('/loans');
  const headers = { 'Content-Type': 'application/pdf' };
  for (let at = 0; at < 6; at += 1) {
    const link = await clients.superadmin.post('/documents/create-upload-link', {
      loan_id: pool('/loans')[at],
      document_type: 'other',
      filename: `${CANARY} ${at}.pdf`,
      content_type: 'application/pdf',
    });
    const { pathname } = new URL(link.body.upload_url as string);
    await clients.superadmin.send('PUT', `/${pathname}`, undefined, { raw: VALID_FILE, headers });
    const right = VALID_BODIES['POST /documents/{id}/confirm-upload'];
    if (at % 2 === 0)
      await clients.superadmin.post(`/documents/${link.body.id}/confirm-upload`, right);
  }
}

/** The parts of a tenant that the builders in test/setup need. */
function asTenant({ clients }: Ground) {
  const officer = clients.loan_officer;
  const first = async (path: string) =>
    ((await officer.get(path)).body as { id: string }[])[0]?.id ?? '';
  return { officer, tenant: { officer, first } as unknown as Tenant };
}
