import { z } from 'zod';
import { addTo, changeIn, removeFrom } from '../../jobs/borrowers/primary.ts';
import { mailReturned, Returned } from '../../jobs/borrowers/returned-mail.ts';
import { addresses as table } from '../../sql/borrowers/contacts.ts';
import { countryCode } from '../../sql/fixed-forms.ts';
import { flag, stamps, text, uuid, words } from '../../sql/types.ts';
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
    street_line_1: words,
    street_line_2: text.nullish(),
    city: words,
    state: text.nullish(),
    postal_code: words.max(20),
    country: countryCode.default('US'),
    is_primary: flag.default(false),
    address_indicator: z.enum(['C', 'Y', 'N', 'M', 'S', 'B', 'U', 'D', 'P']).nullish(),
    residence_code: z.enum(['O', 'R']).nullish(),
    is_archived: flag.readonly(),
    ...stamps,
  },
  fixed: ['borrower_id'],
  filters: ['borrower_id', 'address_type', 'is_primary', 'is_archived'],

  actions: {
    'mail-returned': action({
      allow: 'collector',
      summary: 'Mark an address as undeliverable; letters are held and a task is created',
      body: Returned,
      run: mailReturned,
    }),
  },

  create: addTo('addresses'),
  update: changeIn('addresses'),
  remove: removeFrom('addresses'),
});
