import { z } from 'zod';
import { NotFound } from '../../jobs/errors.ts';
import type { Work } from '../../jobs/work.ts';
import type { Row } from '../../sql/table.ts';
import { timestamp, uuid } from '../../sql/types.ts';
import { TENANT_ROLES } from '../../sql/users/users.ts';
import { findUserWithRules } from '../../sql/users/permissions.ts';
import type { Route } from '../endpoints/route.ts';
import { resolveAccess } from '../http/access.ts';
import type { User } from '../http/permissions.ts';

export const userFields = {
  id: uuid.readonly(),
  email: z.string().readonly(),
  first_name: z.string(),
  last_name: z.string(),
  tenant_role: z.enum(TENANT_ROLES).nullable().readonly(),
  is_active: z.boolean(),
  date_joined: timestamp.readonly(),
  last_login: timestamp.nullable().readonly(),
};

const permission = z.object({
  type: z.literal('deny').optional(),
  action: z.string(),
  resource: z.string(),
  record: z.record(z.string(), z.unknown()).optional(),
});

export const meReply = z
  .object({ ...userFields, borrower_id: uuid.nullable(), permissions: z.array(permission) })
  .meta({ id: 'CurrentUser' });

/** Returns the user with the combined permissions of role, group rules and grants. */
export async function currentUser(
  { tx, tenant_id }: Pick<Work, 'tx' | 'tenant_id'>,
  id: string,
  routes: readonly Route[],
) {
  const found = await findUserWithRules(tx, tenant_id, id);
  if (found === null) throw new NotFound();
  const { rules, ...user } = found;
  return { ...user, permissions: resolveAccess(asUser(user), rules, routes).permissions() };
}

export const asUser = (row: Row) => row as Row & User;

export const currentUserRoute: Route = {
  tag: 'users',
  resource: 'users',
  action: 'me',
  allow: 'any',
  method: 'GET',
  path: '/users/me',
  summary: 'Get the signed-in user',
  description:
    'Returns the user of the session with all permissions that follow from role, groups and grants. Use it to decide which parts of a user interface to show.',
  reply: meReply,
  status: 200,
  transaction: 'read',
  run: ({ work, user, routes }) => currentUser(work, user?.id ?? '', routes),
};
