import { Forbidden } from '../errors.ts';
import type { Work } from '../work.ts';

/**
 * Throws Forbidden unless the actor is an admin or the system. For single fields or options of an endpoint
 * that other roles may call.
 */
export function assertAdmin({ actor }: Pick<Work, 'actor'>, what: string) {
  if (actor.type === 'system' || isAdmin({ actor })) return;
  throw new Forbidden(`Only an admin may ${what}.`, 'permission_denied', {
    required_role: 'admin',
  });
}

export const isAdmin = ({ actor }: Pick<Work, 'actor'>) =>
  ['admin', 'superadmin'].includes(actor.role ?? '');
