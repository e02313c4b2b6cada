import { z } from 'zod';
import { addBorrower, changeBorrower } from '../../jobs/borrowers/borrower.ts';
import { borrowers as table } from '../../sql/borrowers/borrowers.ts';
import { CHANNELS } from '../../sql/communications/channels.ts';
import {
  date,
  externalId,
  flag,
  freeText,
  jsonObject,
  stamps,
  text,
  uuid,
  words,
} from '../../sql/types.ts';
import { nested, resource } from '../endpoints/resource.ts';
import { addresses } from './addresses.ts';
import { autopayPlans } from './autopay-plans.ts';
import { emails } from './emails.ts';
import { paymentInstruments } from './payment-instruments.ts';
import { phones } from './phones.ts';
import { tasks } from './tasks.ts';

export const language = z
  .string()
  .max(10)
  .regex(/^[a-z]{2}(-[A-Z]{2})?$/, 'Must be a language code like en or es-MX.');

export const borrowers = resource({
  name: 'Borrower',
  path: 'borrowers',
  area: 'borrowers',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'create', 'update', 'archive'],
  archivable: true,
  audited: true,

  fields: {
    id: uuid.readonly(),
    borrower_type: z.enum(['individual', 'business']).default('individual'),
    first_name: words,
    middle_name: text.nullish(),
    last_name: words,
    suffix: text.nullish(),
    date_of_birth: date.nullish(),
    ssn_last_four: z
      .string()
      .regex(/^\d{4}$/, 'Must be exactly the last four digits.')
      .nullish(),
    language_preference: language.default('en'),
    preferred_channel: z.enum(CHANNELS).nullish(),
    time_zone: text.nullish(),
    do_not_contact: flag.default(false),
    is_deceased: flag.default(false),
    bankruptcy_status: freeText.nullish(),
    military_status: freeText.nullish(),
    external_id: externalId.nullish(),
    metadata: jsonObject.default({}),
    email: z.string().nullable().readonly(),
    phone: z.string().nullable().readonly(),
    is_archived: flag.readonly(),
    ...stamps,
  },
  filters: ['do_not_contact', 'external_id', 'first_name', 'last_name', 'borrower_type'],

  create: addBorrower,
  update: changeBorrower,
  nested: {
    addresses: nested(addresses, 'borrower_id'),
    emails: nested(emails, 'borrower_id'),
    phones: nested(phones, 'borrower_id'),
    'payment-instruments': nested(paymentInstruments, 'borrower_id'),
    'autopay-plans': nested(autopayPlans, 'borrower_id'),
    tasks: nested(tasks, 'borrower_id'),
  },
});
