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
  email: z.string().readonly().describe('The address with which the user signs in.'),
  first_name: z.string(),
  last_name: z.string(),
  tenant_role: z.enum(TENANT_ROLES).nullable().readonly().describe('The role. Null for borrowers.'),
  is_active: z.boolean().describe('Whether the user may sign in.'),
  date_joined: timestamp.readonly().describe('When the user was created.'),
  last_login: timestamp
    .nullable()
    .readonly()
    .describe('When the user last signed in. Null if never.'),
};

const permission = z.object({
  type: z
    .literal('deny')
    .optional()
    .describe(
      '`deny` if the permission closes endpoints or hides fields. Missing if it opens them.',
    ),
  action: z.string().describe('The action on the resource, such as `create`. * means all.'),
  resource: z.string().describe('The resource, such as `loans`. * means all.'),
  record: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'With `deny`: the hidden fields. Otherwise the single record that the permission opens.',
    ),
});

export const meReply = z
  .object({
    ...userFields,
    borrower_id: uuid
      .nullable()
      .describe('The borrower whom the user represents in the portal. Null for staff.'),
    permissions: z
      .array(permission)
      .describe('What the user may do, from the role, groups, own permissions and object grants.'),
  })
  .meta({ id: 'CurrentUser' });

/** Returns the user with the permissions of role, groups, user and object grants together. */
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
    'Returns the user of the session with all permissions that follow from the role, groups, own permissions and object grants. Use it to decide which parts of a user interface to show.',
  reply: meReply,
  status: 200,
  transaction: 'read',
  run: ({ work, user, routes }) => currentUser(work, user?.id ?? '', routes),
};
