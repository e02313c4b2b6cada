import { resendInvitation, userInactive, passwordChosen } from '../../jobs/users/invite.ts';
import { users as table } from '../../sql/users/users.ts';
import type { Route } from '../endpoints/route.ts';
import { users } from './users.ts';

export const resendInvitationRoute: Route = {
  tag: 'users',
  resource: 'users',
  method: 'POST',
  path: '/users/{id}/invite-again',
  allow: 'superadmin',
  action: 'invite-again',
  security_event: 'user_invite',
  summary: 'Resend an invitation',
  description:
    'Emails a new link if the first was lost or has expired. The previous link stops working. Answers 409 for an inactive user and for a user who has a password.',
  conflicts: () => [userInactive(), passwordChosen()],
  status: 200,
  reply: users.reply,
  four_eyes: 'invitations',
  needs_proof: true,
  record: table,
  transaction: 'write',
  run: ({ work, params }) => resendInvitation(work, params['id'] ?? ''),
};
