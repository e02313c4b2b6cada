import { z } from 'zod';
import { addContact, changeContact, removeContact } from '../../jobs/borrowers/primary-contacts.ts';
import { recordReturnedMail, ReturnedMail } from '../../jobs/borrowers/returned-mail.ts';
import { addresses as table } from '../../sql/borrowers/contacts.ts';
import { countryCode } from '../../sql/formatted-text.ts';
import { flag, timestamps, text, uuid, requiredText } from '../../sql/types.ts';
import { action, resource } from '../endpoints/resource.ts';

export const addresses = resource({
  name: 'Address',
  path: 'addresses',
  area: 'borrowers',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update', 'archive'],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid,
    address_type: z.enum(['mailing', 'residential', 'business', 'previous']).default('mailing'),
    street_line_1: requiredText,
    street_line_2: text.nullish(),
    city: requiredText,
    state: text.nullish(),
    postal_code: requiredText.max(20),
    country: countryCode.default('US'),
    is_primary: flag.default(false),
    address_indicator: z.enum(['C', 'Y', 'N', 'M', 'S', 'B', 'U', 'D', 'P']).nullish(),
    residence_code: z.enum(['O', 'R']).nullish(),
    is_archived: flag.readonly(),
    ...timestamps,
  },
  fixed: ['borrower_id'],
  filters: ['borrower_id', 'address_type', 'is_primary', 'is_archived'],

  actions: {
    'mail-returned': action({
      allow: 'collector',
      summary: 'Mark an address as undeliverable',
      description: 'Holds the letters to this address and creates a task.',
      body: ReturnedMail,
      run: recordReturnedMail,
    }),
  },

  create: addContact('addresses'),
  update: changeContact('addresses'),
  remove: removeContact('addresses'),
});
