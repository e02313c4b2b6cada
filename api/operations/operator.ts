import { z } from 'zod';
import { Forbidden } from '../../jobs/errors.ts';
import { seesAll } from '../../sql/operations/platform.ts';
import type { Call } from '../endpoints/route.ts';

/**
 * Whether who calls operates the platform, or else one tenant on it. What operators see is of all
 * tenants: it takes two factors, whatever their tenant asks of others.
 */
export async function isOperator({ work, user }: Pick<Call, 'work' | 'user'>): Promise<boolean> {
  if (!(await seesAll(work.tx))) return false;
  if (user?.second_factor) return true;
  const say = 'Operators sign in with two factors. Set up a second one, and sign in again.';
  throw new Forbidden(say, 'second_factor_required');
}

export async function assertOperator(call: Pick<Call, 'work' | 'user'>) {
  if (await isOperator(call)) return;
  throw new Forbidden('Only operators of the platform may do this: it concerns all tenants.');
}

/** Who is kept beside a change: the person, and the tenant whose superadmin it is. */
export const causeOf = ({ user }: Pick<Call, 'user'>, why: string) => ({
  who: user?.email ?? 'unknown',
  why,
});

export const kindOfJob = z
  .string()
  .max(60)
  .regex(/^[a-z][a-z0-9-]*$/, 'There is no such kind of job.')
  .describe('Such as print-letter.');
