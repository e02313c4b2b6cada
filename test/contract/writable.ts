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

/** The business date of the tenants in these tests. */
const TODAY = '2026-01-15';

/** Creates one record of a collection, on a new loan if it belongs to a loan. */
export function newRecords(tenant: Tenant, client: Client) {
  const samples = newSamples(client);

  async function make(collection: string, more: object = {}): Promise<Row> {
    const { path, body } = await requestFor(creationOf(collection));
    return rowOf(await client.post(path, { ...body, ...more }));
  }

  /** The parts of a request that creates another record. */
  async function requestFor(create: Route) {
    const path = create.path.includes('{id}') ? await parentOf(create.path) : create.path;
    const body = (await samples.bodyOf(create.body as z.ZodType)) as Record<string, unknown>;
    return { path, body: { ...body, ...create.example?.(TODAY) } };
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
      const { body } = await requestFor(creationOf('/payment-instruments'));
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

const findCreation = (collection: string) =>
  routes.find(
    ({ action, path, body, resource }) =>
      body && (path === collection || (action === 'create' && `/${resource}` === collection)),
  );

function creationOf(collection: string): Route {
  const create = findCreation(collection);
  if (!create) throw new Error(`Nothing makes a record of ${collection}.`);
  return create;
}

function rowOf({ status, body }: Reply): Row {
  if (status === 201) return body as Row;
  throw new Error(`${status}: ${JSON.stringify(body)}`);
}

/** A field that a PUT changes, with a different value for each round. */
export type Field = { name: string; value: (round: number, by: string) => unknown };

/** The fields of a PUT that accept any number of values. Rules restrict the fields of an example. */
export function fieldsOf({ path, body }: Route): Field[] {
  const restricted = findCreation(collectionOf({ path }))?.example?.(TODAY) ?? {};
  const { properties = {} } = z.toJSONSchema(body as z.ZodType, {
    io: 'input',
    unrepresentable: 'any',
  }) as { properties?: Record<string, Property> };
  const [free, named] = [[], []] as [Field[], Field[]];
  for (const [name, property] of Object.entries(properties)) {
    const [shape = property] = property.anyOf ?? [];
    const { enum: names } = shape;
    const isPlain = shape.type === 'string' && !shape.format && !shape.pattern && !names;
    if (name in restricted) continue;
    if (name === 'url') free.push({ name, value: (round, by) => `https://a.test/${by}/${round}` });
    else if (name === 'email') free.push({ name, value: (round, by) => `${by}.${round}@a.test` });
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
