import { z } from 'zod';
import {
  confirmLink,
  listLinks,
  removeLink,
  noLinkToConfirm,
  onlyWayIn,
} from '../../jobs/users/providers/provider-links.ts';
import { timestamp, uuid } from '../../sql/types.ts';
import type { Call, OwnTransactionCall, Route } from '../endpoints/route.ts';

const routeDefaults = { tag: 'users', resource: 'auth', allow: 'any', status: 200 } as const;
const message = z.object({ message: z.string().describe('What was done.') });

/** The identity providers that the user may sign in with. */
export const providerLinkRoutes: Route[] = [
  {
    ...routeDefaults,
    method: 'GET',
    path: '/auth/provider-links',
    action: 'provider-links',
    summary: 'List your identity provider links',
    description: 'The identity providers with which you may sign in.',
    reply: z.object({
      links: z
        .array(
          z.object({
            provider_id: uuid.describe('The id of the identity provider.'),
            name: z.string().describe('The name of the identity provider.'),
            linked_at: timestamp.describe('When you linked it.'),
          }),
        )
        .describe('Your links.'),
    }),
    transaction: 'read',
    run: async ({ work, user }: Call) => ({ links: await listLinks(work, user?.id ?? '') }),
  },
  {
    ...routeDefaults,
    method: 'POST',
    path: '/auth/provider-links',
    action: 'confirm-provider-link',
    security_event: 'provider_link',
    needs_proof: true,
    summary: 'Confirm the link between your account and an identity provider',
    description:
      'Call it within 30 minutes after a sign-in at the provider answered `link`, in the same browser, once you have signed in as usual. Answers 409 `no_link_to_confirm` otherwise.',
    conflicts: () => [noLinkToConfirm()],
    reply: message,
    transaction: 'own',
    run: async ({ within, tenant_id, session, user }: OwnTransactionCall) => {
      const consent = { token: session.pending_link, user_id: user?.id ?? '' };
      await within(tenant_id, (work) => confirmLink(work, consent));
      session.dropLink();
      return { message: 'You can now sign in at this provider.' };
    },
  },
  {
    ...routeDefaults,
    method: 'DELETE',
    path: '/auth/provider-links/{id}',
    action: 'remove-provider-link',
    security_event: 'provider_link_remove',
    summary: 'Remove your link to an identity provider',
    description: 'You can no longer sign in there. Ends your other sessions.',
    conflicts: () => [onlyWayIn()],
    reply: message,
    transaction: 'own',
    run: async (call: OwnTransactionCall) => {
      const { id = '', borrower_id = null, second_factor = null } = call.user ?? {};
      const link = { user_id: id, provider_id: call.params['id'] ?? '' };
      const epoch = await call.within(call.tenant_id, (work) => removeLink(work, link));
      const factor = second_factor === 'provider' ? null : second_factor;
      const goesOn = { id, borrower_id, second_factor: factor, epoch, is_proved: false };
      await call.session.begin(goesOn);
      return { message: 'The link was removed.' };
    },
  },
];
