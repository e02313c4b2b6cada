import { z } from 'zod';
import { phones as table } from '../../sql/borrowers/contacts.ts';
import { phoneNumber } from '../../sql/formatted-text.ts';
import { flag, timestamps, text, timestamp, uuid } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';
import { contactOperations } from './contact-operations.ts';

export const phones = resource({
  name: 'Phone',
  path: 'phones',
  about: 'A phone number of a borrower.',
  area: 'borrowers',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update', 'archive'],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid,
    phone_number: phoneNumber.describe(
      'In E.164 form, such as +12025550123. A change resets its verification.',
    ),
    phone_type: z
      .enum(['mobile', 'home', 'work', 'fax', 'other'])
      .default('mobile')
      .describe('Classifies the number.'),
    is_primary: flag
      .default(false)
      .describe(
        'Makes it the number for texts, instead of the present one. The first number is always primary.',
      ),
    is_verified: flag.readonly().describe('Whether the number was verified.'),
    verified_at: timestamp.nullable().readonly().describe('When it was verified.'),
    can_sms: flag
      .optional()
      .describe('Whether texts can be sent to it. Default: true for a mobile phone.'),
    can_call: flag
      .default(true)
      .describe(
        'Whether the borrower can be called on it. For your staff: the service makes no calls.',
      ),
    do_not_call: flag
      .default(false)
      .describe(
        'Whether the borrower does not want calls on it. For your staff: the service makes no calls.',
      ),
    carrier_name: text.nullish().describe('The phone company, for your records.'),
    is_landline: flag.nullish().describe('Whether it is a landline, for your records.'),
    time_zone: text
      .nullish()
      .describe(
        'IANA name such as America/Chicago, for the quiet hours of texts. Default: that of the borrower.',
      ),
    extension: text.nullish().describe('The extension to dial.'),
    status: z
      .enum(['active', 'invalid', 'reassigned'])
      .default('active')
      .describe('`invalid` and `reassigned` block texts to it.'),
    is_archived: flag.readonly(),
    ...timestamps,
  },
  fixed: ['borrower_id'],
  filters: ['borrower_id', 'phone_number', 'phone_type', 'is_primary', 'status', 'is_archived'],
  ...contactOperations('phones'),
});
