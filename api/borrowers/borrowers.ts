import { z } from 'zod';
import { archiveBorrower, openLoans } from '../../jobs/borrowers/borrower.ts';
import { LegalHold, setLegalHold } from '../../jobs/borrowers/privacy/legal-hold.ts';
import {
  addBorrowerWithStatus,
  changeBorrowerWithStatus,
} from '../../jobs/cases/borrower-fields.ts';
import { derivedFrom } from '../../jobs/facts.ts';
import { borrowers as table } from '../../sql/borrowers/borrowers.ts';
import { BANKRUPTCY_STATUSES } from '../../sql/cases/bankruptcy-statuses.ts';
import { CHANNELS } from '../../sql/communications/channels.ts';
import { lastFourDigits } from '../../sql/formatted-text.ts';
import {
  date,
  externalId,
  flag,
  jsonObject,
  timestamps,
  text,
  timestamp,
  uuid,
  requiredText,
} from '../../sql/types.ts';
import { action, nested, resource } from '../endpoints/resource.ts';
import { addresses } from './addresses.ts';
import { autopayPlans } from './autopay-plans.ts';
import { consents } from './consents.ts';
import { emails } from './emails.ts';
import { borrowerExports } from './exports.ts';
import { identities } from './identities.ts';
import { legalReps } from './legal-reps.ts';
import { militaryReports } from './military-reports.ts';
import { notes } from './notes.ts';
import { paymentInstruments } from './payment-instruments.ts';
import { phones } from './phones.ts';
import { tasks } from './tasks.ts';
import { EXAMPLE_ID } from '../endpoints/examples.ts';

export const language = z
  .string()
  .max(10)
  .regex(/^[a-z]{2}(-[A-Z]{2})?$/, 'Must be a language code like en or es-MX.');

export const borrowers = resource({
  name: 'Borrower',
  path: 'borrowers',
  about: 'A person or business that borrows, with contact preferences and protections.',
  area: 'borrowers',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'create', 'update', 'archive'],
  archivable: true,
  audited: true,

  fields: {
    id: uuid.readonly(),
    borrower_type: z
      .enum(['individual', 'business'])
      .default('individual')
      .describe('A person or a business. A business has its details in `business-detail`.'),
    first_name: requiredText.describe('The first name.'),
    middle_name: text.nullish().describe('The middle name.'),
    last_name: requiredText.describe('The last name.'),
    suffix: text.nullish().describe('Such as Jr. or III.'),
    date_of_birth: date
      .nullish()
      .describe('Must be at least 18 years ago. Required for credit reporting.'),
    ssn_last_four: lastFourDigits
      .nullish()
      .describe(
        'The last four digits of the social security number. For the full number, add an identity.',
      ),
    language_preference: language
      .default('en')
      .describe('The language of messages and documents, such as en or es-MX.'),
    preferred_channel: z
      .enum(CHANNELS)
      .nullish()
      .describe('The channel of messages that name none. Default: email.'),
    time_zone: text
      .nullish()
      .describe(
        "IANA name such as America/Chicago, for quiet hours, unless the phone has its own. Default: the tenant's.",
      ),
    do_not_contact: flag
      .default(false)
      .describe('Blocks all messages except mandatory notices, which then go by letter.'),
    cease_and_desist_date: derivedFrom(
      date
        .nullish()
        .describe(
          'When you received a demand to stop all communication. From that day, only mandatory letters are sent. Follows from the cases of the borrower: a change opens or corrects one.',
        ),
      'cases.facts',
    ),
    email_enabled: flag
      .readonly()
      .describe('Whether the borrower wants emails. Change it with the channel preferences.'),
    sms_enabled: flag
      .readonly()
      .describe('Whether the borrower wants texts. Change it with the channel preferences.'),
    letter_enabled: flag
      .readonly()
      .describe('Whether the borrower wants letters. Change it with the channel preferences.'),
    marketing_enabled: flag
      .readonly()
      .describe('Whether the borrower wants marketing. Change it with the channel preferences.'),
    is_deceased: derivedFrom(
      flag
        .default(false)
        .describe(
          'Blocks all messages. Credit reports show that the person is deceased. Follows from the cases of the borrower: true opens one, false closes it as opened in error.',
        ),
      'cases.facts',
    ),
    bankruptcy_status: derivedFrom(
      z
        .enum([...BANKRUPTCY_STATUSES, 'none'])
        .nullish()
        .describe(
          'The newest bankruptcy, from the cases of the borrower. Another value opens or corrects a case, and a task asks for its dates. Null or `none` ends a petition.',
        ),
      'cases.facts',
    ),
    military_status: derivedFrom(
      z
        .enum(['active_duty', 'none'])
        .nullish()
        .describe(
          'Whether the borrower is on active duty, from the cases of the borrower. `active_duty` opens a case, and a task asks for its dates. Null or `none` ends the service. The compliance checks use the military reports instead.',
        ),
      'cases.facts',
    ),
    external_id: externalId.nullish(),
    metadata: jsonObject.default({}).describe('Your own data about the borrower, up to 16 kB.'),
    email: z.string().nullable().readonly().describe('The primary email address.'),
    phone: z.string().nullable().readonly().describe('The primary phone number.'),
    is_on_legal_hold: flag
      .readonly()
      .describe("Whether a legal hold protects the borrower's data."),
    legal_hold_reason: z.string().nullable().readonly().describe('Why the hold was placed.'),
    redacted_at: timestamp.nullable().readonly().describe('When the personal data was removed.'),
    redacted_by: uuid.nullable().readonly().describe('The user who removed it.'),
    is_archived: flag.readonly(),
    ...timestamps,
  },
  filters: ['do_not_contact', 'external_id', 'first_name', 'last_name', 'borrower_type'],

  conflicts: {
    delete: () => [openLoans([EXAMPLE_ID])],
  },
  create: addBorrowerWithStatus,
  update: changeBorrowerWithStatus,
  remove: archiveBorrower,
  nested: {
    addresses: nested(addresses, 'borrower_id'),
    emails: nested(emails, 'borrower_id'),
    phones: nested(phones, 'borrower_id'),
    identities: nested(identities, 'borrower_id'),
    'military-reports': nested(militaryReports, 'borrower_id'),
    'payment-instruments': nested(paymentInstruments, 'borrower_id'),
    consents: nested(consents, 'borrower_id'),
    'legal-reps': nested(legalReps, 'borrower_id'),
    'autopay-plans': nested(autopayPlans, 'borrower_id'),
    notes: nested(notes, 'borrower_id'),
    tasks: nested(tasks, 'borrower_id'),
    exports: nested(borrowerExports, 'borrower_id', ['list']),
  },
  actions: {
    'legal-hold': action({
      allow: 'admin',
      summary: 'Place or lift a legal hold',
      description:
        'While the hold is set, the borrower cannot be redacted and no file of the borrower is removed.',
      body: LegalHold,
      security_event: 'legal_hold',
      run: setLegalHold,
    }),
  },
});
