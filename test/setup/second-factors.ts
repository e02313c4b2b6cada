import { Secret, TOTP } from 'otpauth';
import { expect } from 'vitest';
import type { Client } from './client.ts';
import { userEmail } from './browsers.ts';
import { PASSWORD, type Stage, type Tenant } from './world.ts';

const PERIOD_MS = 30_000;

/** The code that the authenticator app shows now or in the next time step. A code can be used only once. */
export const totpCode = (secret: string, steps: 0 | 1 = 0) =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: Date.now() + steps * PERIOD_MS });

/** Allows used codes again, as if time had passed. */
export const allowCodeReuse = (stage: Stage, tenant: Tenant) =>
  stage.owner.query('update second_factors set last_used_step = null where tenant_id = $1', [
    tenant.id,
  ]);

/** Enrolls an authenticator app for the client's user. Returns its secret and the recovery codes. */
export async function enrollApp(client: Client, again: object = { current_password: PASSWORD }) {
  const begun = await client.post('/auth/second-factors/totp', again);
  const secret = begun.body.secret as string;
  const code = totpCode(secret);
  const confirmed = await client.post('/auth/second-factors/totp/confirm', { code });
  expect([begun.status, confirmed.status]).toEqual([200, 200]);
  return { secret, recovery_codes: confirmed.body.recovery_codes as string[] };
}

/** A browser in which the password was correct and the second factor is still missing. */
export async function signInHalfway(tenant: Tenant, role: string) {
  const client = tenant.anonymous();
  const reply = await client.login(userEmail(tenant, role), PASSWORD);
  expect(reply).toMatchObject({ status: 200, body: { second_factor: expect.any(Object) } });
  return { client, reply, prove: (proof: object) => client.post('/auth/second-factor', proof) };
}

/** The account notices waiting to be sent to the tenant's users, oldest first. */
export const accountNotices = async (stage: Stage, tenant: Tenant) =>
  (
    await stage.owner.query<{ message: string }>(
      `select payload->>'message' as message from graphile_worker._private_jobs
       where payload->>'tenant_id' = $1 order by id`,
      [tenant.id],
    )
  ).rows.map(({ message }) => message);

/** The security log, one line per event, oldest first. */
export const securityEvents = async (stage: Stage, tenant: Tenant) =>
  (
    await stage.owner.query<{ line: string }>(
      `select concat_ws(' ', event, outcome, reason, user_id::text) as line
       from security_log where tenant_id = $1 order by id`,
      [tenant.id],
    )
  ).rows.map(({ line }) => line);
