import {
  Invitation,
  inviteUser,
  invitePortalUser,
  findInvitationRecipient,
  PortalInvitation,
  borrowerArchived,
  hasPortalAccess,
} from '../../jobs/users/invite.ts';
import {
  AssignRole,
  assignRole,
  changeUser,
  deactivateUser,
  RemoveRole,
  removeRole,
  lastSuperadmin,
  borrowerUser,
} from '../../jobs/users/roles.ts';
import { borrowers } from '../../sql/borrowers/borrowers.ts';
import { find } from '../../sql/table.ts';
import { flag, timestamps, uuid, requiredText } from '../../sql/types.ts';
import { users as table } from '../../sql/users/users.ts';
import { action, nested, resource } from '../endpoints/resource.ts';
import type { Call, Route } from '../endpoints/route.ts';
import { userFields } from './me.ts';
import { objectGrants, userPermissions } from './permissions.ts';

/** Reactivating a user grants power. Other changes of a user do not. */
async function reactivatesUser({ work, params, body }: Call) {
  if ((body as { is_active?: boolean }).is_active !== true) return false;
  const user = await find(work.tx, table, params['id'] ?? '');
  return user?.['is_active'] === false;
}

export const users = resource({
  name: 'User',
  about:
    'A person who can sign in: staff with a role, or a borrower with access to the portal. Invite staff with POST /users/invite and borrowers with POST /borrowers/{id}/invite-portal-user.',
  path: 'users',
  area: 'users',
  table,
  read: 'admin',
  write: 'admin',
  offers: ['list', 'read', 'update'],

  fields: {
    ...userFields,
    first_name: requiredText,
    last_name: requiredText,
    is_active: flag.describe(
      "Whether the user may sign in. Setting it to false ends the user's sessions immediately. Only a superadmin can change it for a superadmin.",
    ),
    borrower_id: uuid.nullable().readonly(),
    ...timestamps,
  },
  filters: ['email', 'first_name', 'last_name', 'tenant_role', 'is_active', 'borrower_id'],

  update: changeUser,
  needs_proof: { update: reactivatesUser },
  four_eyes: { update: 'invitations' },
  asks_if: { update: reactivatesUser },
  security_events: { update: 'user_change' },
  nested: {
    permissions: nested(userPermissions, 'user_id'),
    'object-grants': nested(objectGrants, 'user_id'),
  },
  actions: {
    deactivate: action({
      allow: 'superadmin',
      summary: 'Deactivate a user',
      description:
        "Ends the user's sessions and voids open links immediately. Answers 409 for yourself and for the last superadmin. To undo it, set is_active to true.",
      conflicts: () => [lastSuperadmin()],
      security_event: 'user_deactivate',
      run: deactivateUser,
    }),
  },
});

const routeDefaults = {
  tag: 'users',
  resource: 'users',
  method: 'POST',
  reply: users.reply,
  transaction: 'write',
} as const;

/** The body names the role, not the path. */
export const userRoutes: Route[] = [
  {
    ...routeDefaults,
    path: '/users/assign-role',
    security_event: 'role_change',
    action: 'assign-role',
    summary: 'Assign a role to a user',
    description:
      "Replaces the user's role and ends sessions that started with another role. An identity provider cannot raise the role above this one. Answers 409 for a borrower's user, for yourself and for the last superadmin.",
    conflicts: () => [borrowerUser(), lastSuperadmin()],
    allow: 'superadmin',
    status: 200,
    body: AssignRole,
    four_eyes: 'invitations',
    needs_proof: true,
    run: ({ work, body }: Call) => assignRole(work, AssignRole.parse(body)),
  },
  {
    ...routeDefaults,
    path: '/users/remove-role',
    security_event: 'role_change',
    action: 'remove-role',
    summary: "Remove a user's role",
    description:
      'The user loses all permissions of the role, and an identity provider cannot restore it. Answers 409 for yourself and for the last superadmin.',
    conflicts: () => [lastSuperadmin()],
    allow: 'superadmin',
    status: 200,
    body: RemoveRole,
    run: ({ work, body }: Call) => removeRole(work, RemoveRole.parse(body)),
  },
  {
    ...routeDefaults,
    path: '/users/invite',
    security_event: 'user_invite',
    action: 'invite',
    summary: 'Invite a staff member',
    description:
      'Creates the user and emails a link with which the user chooses a password. The link works once within seven days. To send another one, use POST /users/{id}/invite-again.',
    allow: 'superadmin',
    status: 201,
    body: Invitation,
    example: () => ({ email: 'colleague@example.com' }),
    four_eyes: 'invitations',
    needs_proof: true,
    run: ({ work, body }: Call) => inviteUser(work, Invitation.parse(body)),
  },
  {
    ...routeDefaults,
    path: '/borrowers/{id}/invite-portal-user',
    security_event: 'user_invite',
    action: 'invite-portal-user',
    carries: 'portal',
    resource: 'borrowers',
    summary: 'Invite a borrower to the portal',
    description: 'Sends a link with which the borrower chooses a password, or sends it again.',
    conflicts: () => [borrowerArchived(), hasPortalAccess()],
    allow: 'loan_officer',
    status: 201,
    body: PortalInvitation,
    example: () => ({ email: 'portal@example.com' }),
    four_eyes: 'invitations',
    record: borrowers,
    content: ({ work, params, body }) =>
      findInvitationRecipient(work, params['id'] ?? '', PortalInvitation.parse(body)),
    run: ({ work, params, body }: Call) =>
      invitePortalUser(work, params['id'] ?? '', PortalInvitation.parse(body)),
  },
];
