import { z } from 'zod';
import { NotFound } from '../../jobs/errors.ts';
import type { Work } from '../../jobs/work.ts';
import { find } from '../../sql/table.ts';
import { timestamp, uuid } from '../../sql/types.ts';
import { TENANT_ROLES } from '../../sql/users/users.ts';
import { permissions, users } from '../../sql/users/users.ts';
import type { Route } from '../endpoints/route.ts';
import { permissionsOf, type Permission, type Role } from '../http/permissions.ts';

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

/** The user with what the role, the grants and the denials come to together. */
export async function currentUser({ tx }: Pick<Work, 'tx'>, id: string, routes: readonly Route[]) {
  const user = await find(tx, users, id);
  if (user === null) throw new NotFound();
  const extra: Permission[] = (await permissions(tx, id)).map(
    ({ type, action, resource, record }) => ({
      ...(type === 'deny' && { type }),
      action,
      resource,
      ...(record && { record }),
    }),
  );
  return {
    ...user,
    permissions: [...permissionsOf(user['tenant_role'] as Role | null, routes), ...extra],
  };
}

export const me: Route = {
  tag: 'users',
  resource: 'users',
  action: 'me',
  allow: 'any',
  method: 'GET',
  path: '/users/me',
  summary: 'The signed-in user',
  reply: meReply,
  status: 200,
  transaction: 'read',
  run: ({ work, user, routes }) => currentUser(work, user?.id ?? '', routes),
};
