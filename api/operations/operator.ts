import { z } from 'zod';
import { Forbidden } from '../../jobs/errors.ts';
import { isPlatformOperator } from '../../sql/operations/platform.ts';
import type { Call } from '../endpoints/route.ts';

/**
 * Whether the session was proved with a second factor enrolled on this platform. A factor asserted by an
 * identity provider does not count, because any superadmin can add a provider.
 */
export const hasEnrolledFactor = (user: Call['user']) =>
  user !== null && user.second_factor !== null && user.second_factor !== 'provider';

/**
 * Whether the caller operates the whole platform. Operators see all tenants, so they need an enrolled
 * second factor even if their own tenant does not require one.
 */
export async function isOperator({ work, user }: Pick<Call, 'work' | 'user'>): Promise<boolean> {
  if (!(await isPlatformOperator(work.tx))) return false;
  if (hasEnrolledFactor(user)) return true;
  const say =
    'Operators need two-step verification on this account. Set it up and sign in again, or call POST /auth/prove.';
  throw new Forbidden(say, 'second_factor_required');
}

export async function assertOperator(call: Pick<Call, 'work' | 'user'>) {
  if (await isOperator(call)) return;
  throw new Forbidden('Only platform operators can do this, because it affects all tenants.');
}

/** The actor recorded with a change: the person and the tenant whose superadmin this person is. */
export const causeOf = ({ user }: Pick<Call, 'user'>, why: string) => ({
  who: user?.email ?? 'unknown',
  why,
});

export const jobKind = z
  .string()
  .max(60)
  .regex(/^[a-z][a-z0-9-]*$/, 'This kind of job does not exist.')
  .describe('A kind of job, such as print-letter.');
