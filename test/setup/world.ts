import { argon2Sync, randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import type { DatabasePool } from 'slonik';
import { afterAll } from 'vitest';
import type { Route } from '../../api/endpoints/route.ts';
import { createApp, createHttpServer, type AppParts } from '../../api/http/app.ts';
import { openIntake } from '../../api/http/receive.ts';
import { routes } from '../../api/routes.ts';
import type { Installation } from '../../jobs/installation.ts';
import { openLog, type Log } from '../../jobs/monitoring/log.ts';
import { parseNetworks } from '../../jobs/networks/networks.ts';
import { deriveKeys } from '../../jobs/sealing/secrets.ts';
import { createUser } from '../../jobs/users/create-user.ts';
import { initializeTenant } from '../../jobs/users/initialize-tenant.ts';
import { SYSTEM, createWithin, type Work } from '../../jobs/work.ts';
import { openPool, sql } from '../../sql/database/db.ts';
import { insert } from '../../sql/write.ts';
import { newClient, type Client } from './client.ts';
import { cloneDatabase } from './database.ts';
import { ORIGINATOR } from './nacha.ts';
import { newFiles } from './outside.ts';
import { LETTERHEAD, saveSettings } from './settings.ts';

export const PASSWORD = 'correct horse battery';
const STAFF = ['viewer', 'collector', 'loan_officer', 'admin', 'superadmin'] as const;

/** The format of hashPassword() with cheap parameters. Tests of the hashing cost create their own hash. */
const CHEAP_HASH_OPTIONS = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 };
export const PASSWORD_HASH = hashCheaply(PASSWORD);
function hashCheaply(message: string): string {
  const nonce = randomBytes(16);
  const tag = argon2Sync('argon2id', { ...CHEAP_HASH_OPTIONS, message, nonce });
  const [salt, hash] = [nonce, tag].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=${CHEAP_HASH_OPTIONS.memory},t=${CHEAP_HASH_OPTIONS.passes},p=${CHEAP_HASH_OPTIONS.parallelism}$${salt}$${hash}`;
}

type StageOptions = {
  log?: Log;
  /** A database with data that was sealed with the secret. The stage removes it. Default: an empty one. */
  database?: Awaited<ReturnType<typeof cloneDatabase>>;
  secret?: string;
};

/**
 * One database and an API for one test file. `tenant()` creates a tenant with a user of every role and a
 * client for each.
 */
export async function newStage({
  log = openLog('silent', {}),
  database: given,
  secret = randomBytes(32).toString('hex'),
}: StageOptions = {}) {
  // A test may replace parts of it. Each stage has its own.
  const installation: { -readonly [Part in keyof Installation]: Installation[Part] } = {
    files: newFiles(),
    link_secret: secret,
    keys: deriveKeys(secret),
    networks: parseNetworks([]),
    scans_uploads: false,
    may_close_future: true,
    local_port: null,
  };
  const database = given ?? (await cloneDatabase());
  const pool = await openPool(database.url, { size: 8, isShared: true });
  const owner = new pg.Pool({ connectionString: database.url, max: 2 });
  owner.on('error', () => {});
  const servers: Server[] = [];
  const pools = [pool];
  /** Starts another API, which behaves like a separate process. */
  const listen = async (
    configuration: Partial<AppParts['configuration']> = {},
    declared: readonly Route[] = routes,
    intake = openIntake(),
  ) => {
    const own =
      servers.length === 0 ? pool : await openPool(database.url, { size: 4, isShared: true });
    if (own !== pool) pools.push(own);
    const app = createApp({
      pool: own,
      configuration: { NODE_ENV: 'test', TRUSTED_PROXIES: [], ...configuration },
      log,
      routes: declared,
      health: { isReady: true },
      installation,
      intake,
    });
    // Longer than a pause of a busy machine, so that a client never uses a connection that is being closed.
    const kept = { keepAliveTimeout: 300_000 };
    const server = createHttpServer(app, kept);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return portOf(server);
  };
  const port = await listen();
  /** The number of open connections of the server on that port. */
  const connections = async (count: number) => {
    const server = servers.find((known) => portOf(known) === count);
    return new Promise<number>((resolve) => {
      server?.getConnections((_error, count) => resolve(count));
    });
  };
  let tenants = 0;

  afterAll(async () => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
    for (const pool of pools) await pool.end();
    await owner.end();
    await database.drop();
  });

  return {
    pool,
    owner,
    port,
    installation,
    url: database.url,
    listen,
    connections,
    tenant: (today = '2026-01-15', { is_sandbox = false } = {}) => {
      tenants += 1;
      const slug = `tenant-${tenants}`;
      return newTenant({ pool, owner, port, installation, slug, today, is_sandbox });
    },
  };
}
const portOf = (server: Server) => (server.address() as AddressInfo).port;

export type Stage = Awaited<ReturnType<typeof newStage>>;

type StageServices = {
  pool: DatabasePool;
  owner: pg.Pool;
  port: number;
  installation: Installation;
  slug: string;
  today: string;
  is_sandbox: boolean;
};

async function newTenant({ slug, today, is_sandbox, ...services }: StageServices) {
  const { pool, owner, port, installation } = services;
  const host = `${slug}.test`;
  const made = await owner.query<{ id: string }>(
    'select app.create_tenant($1, $2, $3, $4, $5) as id',
    [slug, `Tenant ${slug}`, today, [host], is_sandbox],
  );
  const id = made.rows[0]?.id ?? '';
  const within = <Result>(steps: (work: Work) => Promise<Result>) =>
    createWithin(pool, SYSTEM, installation)(id, steps);
  // Payment instruments require the originator settings, and documents require the letterhead.
  await saveSettings({ within }, { nacha: ORIGINATOR, ...LETTERHEAD });
  const userIds = await within(async (work) => {
    await initializeTenant(work);
    const ids: Record<string, string> = {};
    for (const tenant_role of STAFF) {
      const user = {
        email: `${tenant_role}@${slug}.test`,
        first_name: tenant_role,
        last_name: 'User',
        tenant_role,
      };
      ids[tenant_role] = await createUser(work, user);
    }
    const borrower_id = await insert(work.tx, 'borrowers', {
      first_name: 'Bo',
      last_name: 'Rower',
    });
    const user = {
      email: `borrower@${slug}.test`,
      first_name: 'Bo',
      last_name: 'Rower',
      tenant_role: null,
      borrower_id,
    };
    ids['borrower'] = await createUser(work, user);
    await work.tx.query(sql.typeAlias('void')`update users set password_hash = ${PASSWORD_HASH}`);
    return ids;
  });
  const signedIn = async (role: string): Promise<Client> => {
    const client = newClient(port, host);
    const reply = await client.login(`${role}@${slug}.test`, PASSWORD);
    if (reply.status !== 200)
      throw new Error(`${role} could not sign in: ${JSON.stringify(reply.body)}`);
    return client;
  };
  const first = async (path: string) =>
    ((await officer.get(path)).body as { id: string }[])[0]?.id ?? '';
  // Throttles count per address and account, so tests sign in only as the roles they need.
  const officer = await signedIn('loan_officer');
  return {
    id,
    slug,
    host,
    port,
    within,
    userIds,
    signedIn,
    officer,
    first,
    anonymous: () => newClient(port, host),
  };
}
export type Tenant = Awaited<ReturnType<typeof newTenant>>;
