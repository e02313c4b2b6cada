import { z } from 'zod';
import { IDENTITY_TYPES } from '../../jobs/borrowers/identifier.ts';
import {
  addIdentity,
  findBorrowersByNumber,
  changeIdentity,
  removeIdentity,
  identityExists,
} from '../../jobs/borrowers/identity.ts';
import { identities as table } from '../../sql/borrowers/identities.ts';
import { countryCode } from '../../sql/formatted-text.ts';
import {
  date,
  flag,
  freeText,
  integer,
  timestamps,
  text,
  timestamp,
  uuid,
} from '../../sql/types.ts';
import { endpoint, resource } from '../endpoints/resource.ts';
import { EXAMPLE_ID } from '../endpoints/examples.ts';

const identifier = z.string().min(1).max(40);

export const identities = resource({
  name: 'BorrowerIdentity',
  path: 'borrower-identities',
  about: 'An identity number or document of a borrower, such as the social security number.',
  area: 'borrowers',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update', 'archive'],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid,
    identity_type: z.enum(IDENTITY_TYPES).describe('The kind of number or document.'),
    identifier_last_four: z
      .string()
      .regex(/^[A-Z0-9]{4}$/, 'Must be the last four letters and digits.')
      .nullish()
      .describe(
        'The last four letters or digits. Required without `identifier`, and taken from it otherwise.',
      ),
    issuing_authority: freeText.nullish().describe('Who issued it.'),
    issuing_state: text.nullish().describe('The state that issued it.'),
    issuing_country: countryCode
      .nullish()
      .describe('ISO 3166-1 code of the country that issued it.'),
    issue_date: date.nullish().describe('When it was issued.'),
    expiration_date: date.nullish().describe('When it expires. Must be after `issue_date`.'),
    verification_status: z
      .enum(['unverified', 'pending', 'verified', 'failed', 'expired'])
      .default('unverified')
      .describe(
        'Whether you verified it. `verified` stores who did it and when. A changed number becomes `unverified`.',
      ),
    verified_at: timestamp.nullable().readonly().describe('When it was verified.'),
    verified_by: uuid.nullable().readonly().describe('The user who verified it.'),
    verification_method: z
      .enum(['document', 'database', 'biometric', 'manual'])
      .nullish()
      .describe('How you verified it.'),
    document_id: uuid.nullish().describe('The document with the evidence.'),
    other_borrowers: integer
      .readonly()
      .describe('Number of other borrowers with the same number on file.'),
    is_archived: flag.readonly(),
    ...timestamps,
  },
  writeOnly: {
    identifier: identifier
      .nullish()
      .describe(
        'The full number. It is stored encrypted; responses contain only the last four characters.',
      ),
  },
  fixed: ['borrower_id', 'identity_type'],
  filters: ['borrower_id', 'identity_type', 'verification_status', 'document_id', 'is_archived'],

  example: () => ({ identifier: '123-45-6789' }),
  conflicts: {
    create: () => [identityExists(EXAMPLE_ID)],
  },
  create: addIdentity,
  update: changeIdentity,
  remove: removeIdentity,
});

const Search = z.object({
  identity_type: z.enum(IDENTITY_TYPES).describe('The kind of number.'),
  identifier: identifier.describe(
    'The full number. Spaces, dots, dashes and slashes do not matter.',
  ),
});

/** The number is sent in the body, because logs store URLs. */
export const identitySearch = endpoint({
  method: 'POST',
  path: '/borrower-identities/search',
  tag: 'borrowers',
  summary: 'Find borrowers by a full identity number',
  description: 'Only complete numbers match.',
  action: 'search',
  resource: 'borrower-identities',
  allow: 'loan_officer',
  security_event: 'identity_search',
  transaction: 'read',
  status: 200,
  body: Search,
  example: () => ({ identifier: '123-45-6789' }),
  reply: z.object({ borrower_ids: z.array(uuid).describe('The borrowers with this number.') }),
  run: ({ work, body }) => findBorrowersByNumber(work, body as z.output<typeof Search>),
});
