import { afterAll } from 'vitest';
import { routes } from '../../api/routes.ts';
import { warnOfLapsingLiens } from '../../jobs/collateral/warn-of-lapsing-liens.job.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { newGround, type Ground } from '../attack/ground.ts';
import { newRandom, numberOfName } from '../attack/random.ts';
import { populate } from '../attack/populate.ts';
import { collectionIn, newDraw, mutate, findTargets, type Target } from '../attack/targets.ts';
import { insertMailBatches } from '../setup/letters.ts';
import type { Stage } from '../setup/world.ts';
import { RANDOM_ID } from './callers.ts';

const SEED = 1;
const TODAY = '2026-03-16';

/** Tenants with loans in every state and records of every kind, as in test/attack. */
export async function newGrounds(stage: Stage, slugs: readonly string[]): Promise<Ground[]> {
  const port = await stage.listen({ TRUSTED_PROXIES: ['127.0.0.1'] });
  const grounds: Ground[] = [];
  for (const slug of slugs) grounds.push(await newGround(stage.url, port, slug));
  afterAll(() => Promise.all(grounds.map(({ owner }) => owner.end())));
  await Promise.all(grounds.map((ground) => populate(ground, SEED, 1, 1)));
  for (const ground of grounds) {
    await complete(stage, ground);
    await fill(ground);
  }
  return grounds;
}

/** Adds records that need more than a POST on existing records. */
async function complete(stage: Stage, ground: Ground) {
  const { clients, idsOf } = ground;
  const { superadmin: admin, loan_officer: officer } = clients;
  const first = async (path: string) => (await idsOf(path))[0] ?? RANDOM_ID;
  const lien = { lien_type: 'ucc1', filing_date: '2021-03-20', expiration_date: '2026-03-20' };
  const active = (await admin.get('/loans?filter={"status":"active"}')).body as Loan[];
  const item = { loan_id: active[0]?.id, collateral_type: 'other', description: 'A boat.' };
  const { id } = (await admin.post('/collateral', item)).body as { id: string };
  await admin.post(`/collateral/${id}/liens`, lien);
  await createWithin(stage.pool, SYSTEM)(ground.tenant_id, (work) =>
    warnOfLapsingLiens(work, TODAY),
  );
  const addressed = String(active[0]?.borrower_id);
  await createWithin(stage.pool, SYSTEM)(ground.tenant_id, (work) =>
    insertMailBatches(work, addressed),
  );
  await admin.post(`/loan-tape-configs/${await first('/loan-tape-configs')}/generate`);
  await admin.post('/ledger/closings', { closed_through: '2026-01-01' });
  await admin.post('/ledger/year-ends', { fiscal_year_end: '2025-11-30' });
  const loans = (await admin.get('/loans?range=[0,99]')).body as Loan[];
  const line = loans.find((one) => one.loan_type !== 'installment' && one.status === 'approved');
  await admin.post(`/loans/${line?.id}/disburse`, { amount: '4000.00' });
  await admin.post(`/loans/${line?.id}/draws`, { amount: '100.00' });
  const held = { amount: '50.00', payment_type: 'fee_only' };
  await admin.post(`/loans/${line?.id}/payments`, held);
  await admin.post(`/loans/${line?.id}/suspense-applications`, { amount: '10.00' });
  const investor = `/investors/${await first('/investors')}`;
  await admin.post(`${investor}/settlement-instruments`, { instrument_type: 'check' });
  const share = { loan_id: line?.id, ownership_percentage: '0.1' };
  await admin.post(`${investor}/loan-assignments`, share);
  // The newest portal records belong to another borrower than the portal user.
  const own = (await clients.borrower.get('/users/me')).body as { borrower_id: string };
  const theirs = active.filter(({ borrower_id }) => borrower_id !== own.borrower_id);
  const [loan] = theirs;
  const whose = `/borrowers/${loan?.borrower_id}`;
  const bank = { routing_number: '021000021', account_number: '000123456789' };
  const account = (await admin.post(`${whose}/payment-instruments`, bank)).body as { id: string };
  const drawn = { loan_id: loan?.id, payment_instrument_id: account.id };
  await admin.post(`${whose}/autopay-plans`, drawn);
  const why = { hardship_type: 'medical', description: 'Ill.', requested_action: 'deferment' };
  const troubled = [...active.filter((one) => !theirs.includes(one)).slice(0, 1), ...theirs];
  for (const { id: loan_id } of troubled.slice(0, 5))
    await admin.post('/hardship-applications', { loan_id, ...why });
  const { program_id, product_id, borrower_id } = loan ?? {};
  const terms = { principal_amount: '500.00', interest_rate: '0.05', term_months: 12 };
  await admin.post('/loans', { program_id, product_id, borrower_id, ...terms });
  const file = { document_type: 'other', filename: 'a.pdf', content_type: 'application/pdf' };
  await admin.post('/documents/create-upload-link', { loan_id: loan?.id, ...file });
  const newest = (await idsOf('/borrowers')).at(-1);
  const firm = { legal_name: 'Hopper LLC', entity_type: 'llc' };
  await admin.post(`/borrowers/${newest}/business-detail`, firm);
  await ground.owner.query('update tenants set settings = settings || $2 where id = $1', [
    ground.tenant_id,
    { approvals: { four_eyes: ['reversals'] } },
  ]);
  await officer.send('DELETE', `/payments/${await first('/payments')}`);
  await ground.restore();
  await ground.refresh();
}
type Loan = Record<'id' | 'borrower_id' | 'program_id' | 'product_id', string> & {
  loan_type: string;
  status: string;
};

/** Creates one record of each missing kind, on the first record that accepts it. */
async function fill(ground: Ground) {
  const bodies = await rightBodies(ground);
  for (const { method, path, status, resource } of routes) {
    const last = path.slice(path.lastIndexOf('/'));
    if (method !== 'POST' || status !== 201 || !path.endsWith(`}${last}`)) continue;
    if ((await ground.idsOf(`/${resource}`)).length > 0) continue;
    const [body] = bodies.get(`${method} ${path}`) ?? [];
    for (const parent of await pathsIn(ground, path, 60)) {
      const made = await ground.clients.superadmin.post(parent, body);
      if (made.status === 201) break;
    }
  }
  await ground.refresh();
}

/** The collection of each parameter of a path. */
export const collectionsIn = (path: string): string[] =>
  [...path.matchAll(/\/\{(\w+)\}/g)].map(({ index, 1: name = '' }) =>
    collectionIn(path.slice(0, index), name),
  );

/** The path filled in with the tenant's own ids, at most `most` variants. Empty if there is no record. */
export async function pathsIn(ground: Ground, path: string, most = 1): Promise<string[]> {
  const [collection] = collectionsIn(path);
  if (collection === undefined) return [path];
  const ids = await ground.idsOf(collection);
  return ids.slice(-most).map((id) => path.replace(/\{\w+\}/g, id));
}

/** Valid bodies for every route, which name the tenant's records. */
export async function rightBodies(ground: Ground): Promise<Map<string, unknown[]>> {
  const targets = await findTargets(ground, SEED);
  const drawFor = (name: string) => newDraw(newRandom(SEED, numberOfName(name)), ground);
  const own = (await ground.clients.borrower.get('/portal/loans')).body as { id: string }[];
  const bodiesOf = ({ route: { body: schema, allow }, name, bodies }: Target) => {
    const draw = drawFor(name);
    return schema
      ? bodies
          .map((body) => mutate(body, draw) as object)
          // A borrower's requests are about the borrower's own loans.
          .map((body, at) =>
            allow === 'borrower' && 'loan_id' in body
              ? { ...body, loan_id: own[at % own.length]?.id }
              : body,
          )
          .filter((body) => schema.safeParse(body).success)
      : [{}];
  };
  return new Map(targets.map((target) => [target.name, bodiesOf(target)]));
}
