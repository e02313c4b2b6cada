import { z } from 'zod';
import { setPreferences } from '../../jobs/communications/preferences.ts';
import { basicProfile, changeProfile, profileOf } from '../../jobs/portal/profile.ts';
import { flag, uuid } from '../../sql/types.ts';
import { addresses } from '../borrowers/addresses.ts';
import { language } from '../borrowers/borrowers.ts';
import { phoneNumber } from '../borrowers/phones.ts';
import type { Call, Route } from '../endpoints/route.ts';
import { own } from './own.ts';

const preferences = z
  .object({
    email_enabled: flag,
    sms_enabled: flag,
    letter_enabled: flag,
    marketing_enabled: flag,
  })
  .meta({ id: 'CommunicationPreferences' });

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
    communication_preferences: preferences,
  })
  .meta({ id: 'PortalProfile' });

const Changes = z.object({
  phone: phoneNumber.nullish(),
  language_preference: language.optional(),
});
const Wishes = preferences.partial();

const emailOf = ({ user }: Call) => user?.email ?? '';

export const portalProfile: Route[] = [
  own({
    method: 'GET',
    path: '/portal/me',
    action: 'me',
    summary: 'Who is signed in',
    reply: basic,
    run: (call, borrowerId) => basicProfile(call.work, borrowerId, emailOf(call)),
  }),
  own({
    method: 'GET',
    path: '/portal/profile',
    action: 'profile',
    summary: 'The borrower, with addresses and preferences',
    reply: profile,
    run: (call, borrowerId) => profileOf(call.work, borrowerId, emailOf(call)),
  }),
  own({
    method: 'PUT',
    path: '/portal/profile',
    action: 'change-profile',
    summary: 'Change the language, or the number to be called at',
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
    summary: 'What is sent to the borrower, and how',
    body: Wishes,
    reply: preferences,
    run: ({ work, body }, borrowerId) => setPreferences(work, borrowerId, Wishes.parse(body)),
  }),
];
