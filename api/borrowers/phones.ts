import { z } from 'zod';
import { addContact, changeContact, removeContact } from '../../jobs/borrowers/primary-contacts.ts';
import { phones as table } from '../../sql/borrowers/contacts.ts';
import { phoneNumber } from '../../sql/formatted-text.ts';
import { flag, timestamps, text, timestamp, uuid } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

export const phones = resource({
  name: 'Phone',
  path: 'phones',
  area: 'borrowers',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update', 'archive'],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid,
    phone_number: phoneNumber,
    phone_type: z.enum(['mobile', 'home', 'work', 'fax', 'other']).default('mobile'),
    is_primary: flag.default(false),
    is_verified: flag.readonly(),
    verified_at: timestamp.nullable().readonly(),
    can_sms: flag.optional(),
    can_call: flag.default(true),
    do_not_call: flag.default(false),
    carrier_name: text.nullish(),
    is_landline: flag.nullish(),
    time_zone: text.nullish(),
    extension: text.nullish(),
    status: z.enum(['active', 'invalid', 'reassigned']).default('active'),
    is_archived: flag.readonly(),
    ...timestamps,
  },
  fixed: ['borrower_id'],
  filters: ['borrower_id', 'phone_number', 'phone_type', 'is_primary', 'status', 'is_archived'],

  create: addContact('phones'),
  update: changeContact('phones'),
  remove: removeContact('phones'),
});
