import { z } from 'zod';
import { OwnPreferences, setOwnPreferences } from '../../jobs/portal/consents.ts';
import { getBasicProfile, changeProfile, getProfile } from '../../jobs/portal/profile.ts';
import { timestamp, uuid } from '../../sql/types.ts';
import { addresses } from '../borrowers/addresses.ts';
import { language } from '../borrowers/borrowers.ts';
import { communicationPreferences } from '../borrowers/communication-preferences.ts';
import { phoneNumber } from '../../sql/formatted-text.ts';
import type { Call, Route } from '../endpoints/route.ts';
import { borrowerEndpoint } from './borrower-endpoint.ts';

const basicProfile = z
  .object({
    id: uuid,
    email: z.string().nullable().describe('The primary email address. Null if there is none.'),
    first_name: z.string(),
    last_name: z.string(),
    phone: z.string().nullable().describe('The primary phone number. Null if there is none.'),
  })
  .meta({ id: 'PortalUser' });

const profile = basicProfile
  .extend({
    language_preference: language.describe('The language of messages, letters and the portal.'),
    addresses: z.array(addresses.reply).describe("The borrower's addresses."),
    communication_preferences: communicationPreferences.describe(
      'How the borrower wants to be contacted.',
    ),
    text_message_consent: z
      .object({
        granted_at: timestamp.describe('When the borrower agreed.'),
        consent_text: z.string().nullable().describe('The text to which the borrower agreed.'),
      })
      .nullable()
      .describe('The consent to automated text messages that is in force.'),
  })
  .meta({ id: 'PortalProfile' });

const ProfileChanges = z.object({
  phone: phoneNumber.nullish().describe('A new number, which becomes the primary one.'),
  language_preference: language
    .optional()
    .describe('The language of messages, letters and the portal, such as en or es.'),
});

const emailOf = ({ user }: Call) => user?.email ?? '';

export const portalProfile: Route[] = [
  borrowerEndpoint({
    method: 'GET',
    path: '/portal/me',
    action: 'me',
    summary: 'Get the signed-in borrower',
    description: 'The name and primary contacts of the borrower. GET /portal/profile returns more.',
    reply: basicProfile,
    run: (call, borrowerId) => getBasicProfile(call.work, borrowerId, emailOf(call)),
  }),
  borrowerEndpoint({
    method: 'GET',
    path: '/portal/profile',
    action: 'profile',
    summary: "Get the borrower's profile",
    description: 'Includes addresses, language and notification preferences.',
    reply: profile,
    run: (call, borrowerId) => getProfile(call.work, borrowerId, emailOf(call)),
  }),
  borrowerEndpoint({
    method: 'PUT',
    path: '/portal/profile',
    action: 'change-profile',
    summary: "Update the borrower's language or phone number",
    description: 'Changes only what you send. Earlier phone numbers stay.',
    body: ProfileChanges,
    reply: profile,
    run: async (call, borrowerId) => {
      await changeProfile(call.work, borrowerId, ProfileChanges.parse(call.body));
      return getProfile(call.work, borrowerId, emailOf(call));
    },
  }),
  borrowerEndpoint({
    method: 'PUT',
    path: '/portal/profile/communication-preferences',
    action: 'change-preferences',
    summary: "Update the borrower's notification preferences",
    description:
      'Turning email, texts or marketing off revokes the consent. Turning them on records a new one with the text that the borrower saw.',
    body: OwnPreferences,
    reply: communicationPreferences,
    run: ({ work, body }, borrowerId) =>
      setOwnPreferences(work, borrowerId, body as z.output<typeof OwnPreferences>),
  }),
];
