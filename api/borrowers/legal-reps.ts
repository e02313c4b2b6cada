import { z } from 'zod';
import { addLegalRep, changeLegalRep, removeLegalRep } from '../../jobs/borrowers/legal-rep.ts';
import { legalReps as table } from '../../sql/borrowers/legal-reps.ts';
import { countryCode, phoneNumber } from '../../sql/formatted-text.ts';
import { date, emailAddress, flag, timestamps, text, uuid, requiredText } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

export const legalReps = resource({
  name: 'LegalRepresentative',
  path: 'legal-reps',
  about: 'A person who acts for a borrower, such as an attorney or a bankruptcy trustee.',
  area: 'borrowers',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update', 'archive'],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid,
    representative_type: z
      .enum([
        'attorney',
        'power_of_attorney',
        'guardian',
        'executor',
        'bankruptcy_trustee',
        'debt_settlement',
        'other',
      ])
      .describe(
        'The role of the representative. With a `bankruptcy_trustee`, collection messages to the borrower are blocked.',
      ),
    first_name: requiredText.describe('The first name.'),
    last_name: requiredText.describe('The last name.'),
    firm_name: text.nullish().describe('The firm.'),
    email: emailAddress.nullish().describe('The email address.'),
    phone: phoneNumber.nullish().describe('The phone number in E.164 form.'),
    street_line_1: text.nullish().describe('Street and number.'),
    street_line_2: text.nullish().describe('Suite or unit.'),
    city: text.nullish().describe('The city.'),
    state: text
      .nullish()
      .describe('Two-letter code for the US, otherwise a region of up to 10 characters.'),
    postal_code: text.max(20).nullish().describe('The postal or ZIP code.'),
    country: countryCode.nullish().describe('ISO 3166-1 code of two letters.'),
    bar_number: text.nullish().describe("The attorney's bar number."),
    effective_date: date
      .optional()
      .describe('The first day of the representation. Default: the business date.'),
    end_date: date.nullish().describe('The last day. Default: open.'),
    authorization_document_id: uuid
      .nullish()
      .describe('The document with the power of attorney or a similar authorization.'),
    contact_through_representative: flag
      .optional()
      .describe(
        'Whether messages to the borrower are blocked, except mandatory letters. Default: true for an attorney.',
      ),
    is_active: flag.default(true).describe('Whether the representation is in force.'),
    is_archived: flag.readonly(),
    ...timestamps,
  },
  fixed: ['borrower_id'],
  filters: ['borrower_id', 'representative_type', 'is_active', 'is_archived'],

  example: () => ({ representative_type: 'power_of_attorney' }),
  create: addLegalRep,
  update: changeLegalRep,
  remove: removeLegalRep,
});
