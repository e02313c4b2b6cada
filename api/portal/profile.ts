import { z } from 'zod';
import { Preferences } from '../../jobs/communications/preferences.ts';
import { choose } from '../../jobs/portal/consents.ts';
import { basicProfile, changeProfile, profileOf } from '../../jobs/portal/profile.ts';
import { uuid } from '../../sql/types.ts';
import { addresses } from '../borrowers/addresses.ts';
import { language } from '../borrowers/borrowers.ts';
import { wishes } from '../borrowers/communication-preferences.ts';
import { phoneNumber } from '../../sql/fixed-forms.ts';
import type { Call, Route } from '../endpoints/route.ts';
import { own } from './own.ts';

const basic = z
  .object({
    id: uuid,
    email: z.string().nullable(),
    first_name: z.string(),
    last_name: z.string(),
    phone: z.string().nullable(),
  })
  .meta({ id: 'PortalUser' });

const profile = basic
  .extend({
    language_preference: language,
    addresses: z.array(addresses.reply),
    communication_preferences: wishes,
  })
  .meta({ id: 'PortalProfile' });

const Changes = z.object({
  phone: phoneNumber.nullish(),
  language_preference: language.optional(),
});

const emailOf = ({ user }: Call) => user?.email ?? '';

export const portalProfile: Route[] = [
  own({
    method: 'GET',
    path: '/portal/me',
    action: 'me',
    summary: 'Get the signed-in borrower',
    reply: basic,
    run: (call, borrowerId) => basicProfile(call.work, borrowerId, emailOf(call)),
  }),
  own({
    method: 'GET',
    path: '/portal/profile',
    action: 'profile',
    summary: "Get the borrower's profile",
    reply: profile,
    run: (call, borrowerId) => profileOf(call.work, borrowerId, emailOf(call)),
  }),
  own({
    method: 'PUT',
    path: '/portal/profile',
    action: 'change-profile',
    summary: "Update the borrower's language or phone number",
    body: Changes,
    reply: profile,
    run: async (call, borrowerId) => {
      await changeProfile(call.work, borrowerId, Changes.parse(call.body));
      return profileOf(call.work, borrowerId, emailOf(call));
    },
  }),
  own({
    method: 'PUT',
    path: '/portal/profile/communication-preferences',
    action: 'change-preferences',
    summary: "Update the borrower's notification preferences",
    body: Preferences,
    reply: wishes,
    run: ({ work, body }, borrowerId) =>
      choose(work, borrowerId, body as z.output<typeof Preferences>),
  }),
];
