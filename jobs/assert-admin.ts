import { Forbidden } from './errors.ts';
import type { Work } from './work.ts';

/** Refuses a person below admin a part of an endpoint that others may call; the system may. */
export function assertAdmin({ actor }: Pick<Work, 'actor'>, what: string) {
  if (actor.type === 'system' || isAdmin({ actor })) return;
  throw new Forbidden(`Only an admin may ${what}.`, 'permission_denied', {
    required_role: 'admin',
  });
}

export const isAdmin = ({ actor }: Pick<Work, 'actor'>) =>
  ['admin', 'superadmin'].includes(actor.role ?? '');
