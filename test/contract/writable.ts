import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Route } from '../../api/endpoints/route.ts';
import { routes } from '../../api/routes.ts';
import { warnOfLapsingLiens } from '../../jobs/collateral/warn-of-lapsing-liens.job.ts';
import type { Client, Reply } from '../setup/client.ts';
import { newLoan } from '../setup/loans.ts';
import { newProduct } from '../setup/products.ts';
import type { Tenant } from '../setup/world.ts';
import { newSamples } from './samples.ts';

/** Every endpoint that changes one record of a collection. */
export const puts = routes.filter(({ method, path }) => method === 'PUT' && path.endsWith('/{id}'));
export const collectionOf = ({ path }: Pick<Route, 'path'>) => path.replace('/{id}', '');

/** Values that a body needs in addition to its schema's requirements. */
const SAID: Record<string, object> = {
  '/borrowers': { first_name: 'Grace', last_name: 'Hopper' },
  '/payment-instruments': { account_number: '000123456789', routing_number: '021000021' },
  '/borrower-identities': { identifier: '123-45-6789' },
  // Only a line of credit with billing cycles may have a grace period on purchases.
  '/products': { grace_on_purchases: false },
  '/payment-plans': {
    start_date: '2026-01-16',
    frequency: 'weekly',
    number_of_payments: 2,
    amount: '50.00',
  },
  '/modifications': { modification_type: 'rate_change', new_interest_rate: '0.05' },
  '/forbearances': { end_date: '2026-06-15', reason: 'hardship' },
  '/deferments': { periods: 1, reason: 'Holiday' },
  '/promises-to-pay': { promised_amount: '100.00', promised_date: '2026-01-20' },
  '/forms-1099c': { amount_discharged: '700.00' },
  '/payments': { amount: '10.00' },
  '/service-credits': { amount: '10.00' },
  '/suspense-applications': { amount: '10.00' },
  '/fees': { fee_type: 'other', amount: '10.00' },
  '/draws': { amount: '100.00' },
  '/credit-disputes': { dispute_codes: ['106'] },
  '/loan-assignments': { ownership_percentage: '0.5' },
  '/loan-tape-configs': { columns: ['loan_number'] },
  '/sftp-servers': {
    host: 'sftp.fund.example',
    username: 'lender',
    password: 'a-secret',
    host_keys: ['SHA256:uNiVztksCsDhcc0u9e8BrrHXzGOdLZEDN1jn9nT5nE8'],
  },
  '/identity-providers': { client_id: 'desk', client_secret: 'a-secret' },
  // Every other type already has a template.
  '/communication-templates': { template_type: 'custom' },
  '/webhooks': { url: 'https://receiver.example.com/hook', events: ['*'] },
};

/** Creates one record of a collection, on a new loan if it belongs to a loan. */
export function newRecords(tenant: Tenant, client: Client) {
  const samples = newSamples(client);

  async function make(collection: string, more: object = {}): Promise<Row> {
    const create = routes.find(
      ({ action, path, body, resource }) =>
        body && (path === collection || (action === 'create' && `/${resource}` === collection)),
    );
    if (!create) throw new Error(`Nothing makes a record of ${collection}.`);
    const { path, body } = await requestFor(create, collection);
    return rowOf(await client.post(path, { ...body, ...more }));
  }

  /** The parts of a request that creates another record of the collection. */
  async function requestFor(create: Route, collection: string) {
    const path = create.path.includes('{id}') ? await parentOf(create.path) : create.path;
    const body = (await samples.bodyOf(create.body as z.ZodType)) as Record<string, unknown>;
    return { path, body: { ...body, ...SAID[collection] } };
  }

  async function parentOf(path: string): Promise<string> {
    const collection = path.slice(0, path.indexOf('/{id}'));
    const id = collection === '/loans' ? await loanFor(path) : (await recordOf(collection)).id;
    return path.replace('{id}', id);
  }

  async function loanFor(path: string): Promise<string> {
    if (path.endsWith('/suspense-applications')) return loanWithSuspense();
    if (!path.endsWith('/draws')) return (await newLoan(tenant)).id;
    const product_id = await newProduct(tenant, { loan_type: 'line_of_credit' }, client);
    const { id } = await newLoan(tenant, { product_id, status: 'approved' });
    await client.post(`/loans/${id}/disburse`, { amount: '4000.00' });
    return id;
  }

  async function loanWithSuspense(): Promise<string> {
    const { id } = await newLoan(tenant);
    await client.post(`/loans/${id}/payments`, { amount: '50.00', payment_type: 'fee_only' });
    return id;
  }

  const investor = () => make('/investors', { name: `Fund ${randomUUID()}` });
  const firstOf = async (path: string) => ((await client.get(path)).body as Row[])[0] as Row;

  /** Records that are not created by their collection's own POST. */
  const SPECIAL: Record<string, () => Promise<Row>> = {
    '/autopay-plans': async () => {
      const { borrower_id, id } = await newLoan(tenant);
      const path = `/borrowers/${borrower_id}`;
      const body = SAID['/payment-instruments'];
      const instrument = rowOf(await client.post(`${path}/payment-instruments`, body));
      const plan = { loan_id: id, payment_instrument_id: instrument.id };
      return rowOf(await client.post(`${path}/autopay-plans`, plan));
    },
    '/disbursements': async () => firstOf(`/loans/${(await newLoan(tenant)).id}/disbursements`),
    '/collateral': async () => make('/collateral', { loan_id: (await newLoan(tenant)).id }),
    '/investors': investor,
    '/loan-assignments': async () => {
      const { id } = await newLoan(tenant);
      return make('/loan-assignments', { loan_id: id, effective_date: '2026-02-01' });
    },
    '/lien-alerts': async () => {
      const { id } = await recordOf('/collateral');
      await client.post(`/collateral/${id}/liens`, {
        lien_type: 'ucc1',
        expiration_date: '2026-02-01',
      });
      await tenant.within((work) => warnOfLapsingLiens(work, '2026-01-15'));
      return firstOf('/lien-alerts');
    },
    '/users': async () => ({ id: tenant.userIds['viewer'] ?? '' }),
  };

  const recordOf = (collection: string) => (SPECIAL[collection] ?? (() => make(collection)))();
  return { recordOf, requestFor };
}
export type Row = Record<string, unknown> & { id: string };

function rowOf({ status, body }: Reply): Row {
  if (status === 201) return body as Row;
  throw new Error(`${status}: ${JSON.stringify(body)}`);
}

/** A field that a PUT changes, with a different value for each round. */
export type Field = { name: string; value: (round: number, by: string) => unknown };

/** The fields of a PUT that accept any number of values. */
export function fieldsOf({ body }: Route): Field[] {
  const { properties = {} } = z.toJSONSchema(body as z.ZodType, {
    io: 'input',
    unrepresentable: 'any',
  }) as { properties?: Record<string, Property> };
  const [free, named] = [[], []] as [Field[], Field[]];
  for (const [name, property] of Object.entries(properties)) {
    const [shape = property] = property.anyOf ?? [];
    const { enum: names } = shape;
    const isPlain = shape.type === 'string' && !shape.format && !shape.pattern && !names;
    if (name === 'url') free.push({ name, value: (round, by) => `https://a.test/${by}/${round}` });
    else if (name === 'email') free.push({ name, value: (round, by) => `${by}.${round}@a.test` });
    else if (name === 'grace_on_purchases') continue;
    else if (shape.type === 'boolean') free.push({ name, value: (round) => round % 2 === 0 });
    else if (isPlain) free.push({ name, value: (round, by) => `${by} ${round}` });
    else if (names) named.push({ name, value: (round) => names[round % names.length] });
  }
  return free.length > 0 ? free : named;
}
type Property = {
  type?: string;
  format?: string;
  pattern?: string;
  enum?: string[];
  anyOf?: Property[];
};
