import { z } from 'zod';
import { addLegalRep, changeLegalRep, removeLegalRep } from '../../jobs/borrowers/legal-rep.ts';
import { legalReps as table } from '../../sql/borrowers/legal-reps.ts';
import { countryCode, phoneNumber } from '../../sql/formatted-text.ts';
import { date, emailAddress, flag, timestamps, text, uuid, requiredText } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

export const legalReps = resource({
  name: 'LegalRepresentative',
  path: 'legal-reps',
  area: 'borrowers',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update', 'archive'],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid,
    representative_type: z.enum([
      'attorney',
      'power_of_attorney',
      'guardian',
      'executor',
      'bankruptcy_trustee',
      'debt_settlement',
      'other',
    ]),
    first_name: requiredText,
    last_name: requiredText,
    firm_name: text.nullish(),
    email: emailAddress.nullish(),
    phone: phoneNumber.nullish(),
    street_line_1: text.nullish(),
    street_line_2: text.nullish(),
    city: text.nullish(),
    state: text.nullish(),
    postal_code: text.max(20).nullish(),
    country: countryCode.nullish(),
    bar_number: text.nullish(),
    effective_date: date.optional().describe('Default: today.'),
    end_date: date.nullish(),
    authorization_document_id: uuid.nullish(),
    contact_through_representative: flag
      .optional()
      .describe('True for an attorney: the borrower is then not contacted directly.'),
    is_active: flag.default(true),
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
