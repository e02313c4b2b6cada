import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { addTenant } from '../../jobs/users/add-tenant.ts';
import { hashPassword } from '../../jobs/users/sign-in/passwords.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { openPool } from '../../sql/database/db.ts';
import { insert } from '../../sql/write.ts';
import { newClient, type Client } from '../setup/client.ts';
import { REPORTER } from '../setup/credit-reporting.ts';
import { ORIGINATOR } from '../setup/nacha.ts';
import { LETTERHEAD } from '../setup/settings.ts';
import { ACCOUNT_NUMBER, PASSWORD } from './valid-bodies.ts';
import { CANARY } from './hostile-values.ts';

/** The attackers: most keep their session; the session of 'leaver' may end at any time. */
export const ATTACKERS = [
  ...(['viewer', 'collector', 'loan_officer', 'admin', 'superadmin'] as const),
  ...(['no role', 'borrower', 'nobody', 'leaver'] as const),
];
export type Attacker = (typeof ATTACKERS)[number];
const BORROWERS_USER = 'borrower';
const VICTIMS = 8;
const TODAY = '2026-03-16';

/** Values that must not appear in a log, regardless of who sends them. */
export const CANARIES = [CANARY, ACCOUNT_NUMBER];

/** Tables whose name differs from their collection's. */
const TABLES: Record<string, string> = {
  '/collateral': 'collateral_items',
  '/ledger/entries': 'journal_entries',
  '/ledger/closings': 'period_closings',
  '/ledger/year-ends': 'year_ends',
  '/ledger/loans': 'loans',
  '/webhooks': 'webhook_subscriptions',
  '/jobs/runs': 'cob_runs',
  '/cases': 'support_cases',
  '/hardship': 'hardship_applications',
  '/support/cases': 'support_cases',
};
/**
 * The highest throttle limits that a tenant may set, and the settings that bank files, bureau files and
 * documents need.
 */
export const attackSettings = {
  throttle: { login: 60, request: 60, reset: 60 },
  nacha: ORIGINATOR,
  credit_reporting: REPORTER,
  ...LETTERHEAD,
};

/**
 * Conditions that spare some records: the attackers' own users and sessions, and the journal entries of
 * loan events. Reversing such an entry manually would make the books differ from the loan, which the
 * invariants report.
 */
const EXCLUDED_ROWS: Record<string, string> = {
  users: "and email like 'victim%'",
  sessions: "and csrf_token = 'of a victim'",
  journal_entries: "and source = 'manual'",
};

/** Portal collections use the same tables as the staff's. */
const tableForPath = (collection: string) => {
  const whole = collection.replace(/^\/portal/, '');
  return TABLES[whole] ?? whole.slice(1).replaceAll(/[-/]/g, '_');
};

export type Ground = Awaited<ReturnType<typeof newGround>>;

/** A tenant with a signed-in user of every role, and the ids of its records. */
export async function newGround(url: string, port: number, slug: string) {
  const owner = new pg.Pool({ connectionString: url, max: 2 });
  owner.on('error', () => {});
  const host = `${slug}.test`;
  const tenant_id = await populate(url, slug, host);
  const clients = await signInAttackers(port, host, slug);
  await owner.query('update tenants set settings = $2 where id = $1', [tenant_id, attackSettings]);
  await signInVictims(owner, tenant_id);

  const pools = new Map<string, string[]>();
  /** Some records of a collection in any state, oldest first. */
  async function idsOf(collection: string): Promise<string[]> {
    const table = tableForPath(collection);
    const found = await owner
      .query<{ id: string }>(
        `select id from "${table}" where tenant_id = $1 ${EXCLUDED_ROWS[table] ?? ''} order by id limit 2000`,
        [tenant_id],
      )
      .catch(() => ({ rows: [] }));
    const ids = found.rows.map(({ id }) => id);
    pools.set(collection, ids);
    return ids;
  }

  return {
    tenant_id,
    slug,
    host,
    clients,
    owner,
    idsOf,
    pool: (collection: string) => pools.get(collection) ?? [],
    refresh: () => Promise.all([...pools.keys()].map(idsOf)),
    /** Undoes changes that would end the attack: settings and passwords. */
    restore: async () => {
      await owner.query('update tenants set settings = $2 where id = $1', [
        tenant_id,
        attackSettings,
      ]);
      await signInVictims(owner, tenant_id);
      await owner.query(
        `update users set is_active = true, password_hash = other.password_hash
         from users as other
         where users.tenant_id = $1 and other.tenant_id = $1 and other.email = $2`,
        [tenant_id, `viewer@${slug}.test`],
      );
    },
    signIn: (who: Attacker) => signIn(clients[who], slug, who),
  };
}

/** Sessions that may be ended, of users who may be deactivated. */
const signInVictims = (owner: pg.Pool, tenantId: string) =>
  owner.query(
    `insert into sessions
       (tenant_id, id_hash, user_id, csrf_token, epoch, idle_seconds, absolute_expires_at)
     select tenant_id, sha256(id::text::bytea), id, 'of a victim', session_epoch, 36000,
            now() + interval '1 day'
     from users where tenant_id = $1 and email like 'victim%'
     on conflict do nothing`,
    [tenantId],
  );

async function populate(url: string, slug: string, host: string): Promise<string> {
  const founder = await openPool(url, { role: 'servicing_owner', size: 1 });
  const app = await openPool(url, { size: 1 });
  const password_hash = await hashPassword(PASSWORD);
  const tenant = { slug, name: `Tenant ${slug}`, business_date: TODAY, domains: [host] };
  const id = await addTenant(founder, createWithin(app, SYSTEM), tenant);
  await createWithin(app, SYSTEM)(id, async ({ tx }) => {
    const named = { first_name: 'Bo', last_name: CANARY };
    const borrower_id = await insert(tx, 'borrowers', named);
    const staff = ATTACKERS.slice(0, 5);
    const people = [...ATTACKERS, ...Array.from({ length: VICTIMS }, (_, at) => `victim${at}`)];
    for (const who of people) {
      const tenant_role =
        staff.find((role) => role === who) ?? (who === 'leaver' ? 'viewer' : null);
      const email = `${who.replace(' ', '-')}@${slug}.test`;
      const own = { borrower_id: who === BORROWERS_USER ? borrower_id : null };
      await insert(tx, 'users', { email, ...named, tenant_role, password_hash, ...own });
    }
  });
  await Promise.all([founder.end(), app.end()]);
  return id;
}

async function signInAttackers(port: number, host: string, slug: string) {
  const clients = {} as Record<Attacker, Client>;
  for (const who of ATTACKERS) {
    clients[who] = newClient(port, host);
    await signIn(clients[who], slug, who);
  }
  return clients;
}

/** A new address for each attempt, so that the throttle counts attempts only by name. */
export const randomAddress = () => `10.${[...randomBytes(3)].join('.')}`;

async function signIn(client: Client, slug: string, who: Attacker) {
  await client.get('/auth/csrf');
  if (who === 'nobody') return;
  const email = `${who.replace(' ', '-')}@${slug}.test`;
  const headers = { 'X-Forwarded-For': randomAddress() };
  const reply = await client.post('/auth/login', { email, password: PASSWORD }, { headers });
  if (reply.status !== 200)
    throw Object.assign(new Error(`${who} could not sign in: ${reply.status}`), reply);
}
