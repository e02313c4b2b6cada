import { z } from 'zod';
import { recordReturnedMail, ReturnedMail } from '../../jobs/borrowers/returned-mail.ts';
import { addresses as table } from '../../sql/borrowers/contacts.ts';
import { countryCode } from '../../sql/formatted-text.ts';
import { flag, timestamps, text, uuid, requiredText } from '../../sql/types.ts';
import { action, resource } from '../endpoints/resource.ts';
import { contactOperations } from './contact-operations.ts';

export const addresses = resource({
  name: 'Address',
  path: 'addresses',
  about: 'A postal address of a borrower.',
  area: 'borrowers',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update', 'archive'],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid,
    address_type: z
      .enum(['mailing', 'residential', 'business', 'previous'])
      .default('mailing')
      .describe('What the address is for. Letters prefer `mailing` and never use `previous`.'),
    street_line_1: requiredText.describe('Street and number.'),
    street_line_2: text.nullish().describe('Apartment, suite or unit.'),
    city: requiredText.describe('The city.'),
    state: text
      .nullish()
      .describe(
        'Two-letter code for the US, otherwise a region of up to 10 characters. The primary mailing address decides about state rules.',
      ),
    postal_code: requiredText.max(20).describe('The postal or ZIP code.'),
    country: countryCode.default('US').describe('ISO 3166-1 code of two letters.'),
    is_primary: flag
      .default(false)
      .describe(
        'Makes it the primary address of its type, instead of the present one. The first address of a type is always primary.',
      ),
    address_indicator: z
      .enum(['C', 'Y', 'N', 'M', 'S', 'B', 'U', 'D', 'P'])
      .nullish()
      .describe(
        'Metro 2 address indicator. U marks returned mail: letters are held until another address exists.',
      ),
    residence_code: z
      .enum(['O', 'R'])
      .nullish()
      .describe('Metro 2 residence code: O owns, R rents.'),
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
  ...contactOperations('addresses'),
});
