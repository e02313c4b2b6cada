import { z } from 'zod';
import {
  CONSENT_SOURCES,
  CONSENT_TYPES,
  REVOCATION_METHODS,
} from '../../../sql/borrowers/consents.ts';
import { CHANNELS } from '../../../sql/communications/channels.ts';
import { countryCode, lastFourDigits, phoneNumber } from '../../../sql/formatted-text.ts';
import { emailAddress, freeText, jsonObject } from '../../../sql/types.ts';
import { IDENTITY_TYPES } from '../../borrowers/identifier.ts';
import { isRoutingNumber } from '../../banks/routing-number.ts';
import { bookFile, optional, required } from './columns.ts';
import * as kinds from './kinds.ts';

export const borrowerId = kinds.line(200);
const borrower = required(borrowerId, 'The borrower, as in `borrowers.csv`.', {
  refers_to: 'borrowers',
});
const flag = kinds.flag;
const is_primary = optional(
  flag,
  'Whether it is the one to use. Default: true for the first one of the borrower.',
);
export const language = kinds.textOf(
  z.string().regex(/^[a-z]{2}(-[A-Z]{2})?$/, 'Must be a language code like en or es-MX.'),
);
const optedOut = optional(
  flag,
  'Whether its owner answered STOP or unsubscribed, so that nothing is sent there. Default: false.',
);
const timeZone = optional(
  kinds.line(),
  "IANA name such as America/Chicago. Default: the tenant's.",
);
const lastFour = kinds.textOf(lastFourDigits);
const returnCode = kinds.textOf(z.string().regex(/^R\d{2}$/, 'Must be a return code like R01.'));

/** Nine digits, with or without dashes. The area, group and serial of a number that exists are never zero. */
export const socialSecurityNumber = kinds.textOf(
  z
    .string()
    .transform((text) => text.replace(/[\s.-]/g, ''))
    .refine(
      (digits) => /^(?!000|666)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(digits),
      'Must be a social security number or ITIN of nine digits.',
    ),
);

export const borrowers = bookFile(
  'A person or business that borrows or owes a loan with others.',
  {
    borrower_external_id: required(borrowerId, 'Your id of the borrower. Other files name it.'),
    borrower_type: optional(
      kinds.choice(['individual', 'business']),
      'A person or a business. Default: `individual`.',
    ),
    first_name: required(kinds.line(100), 'The first name, or the name of a business.'),
    middle_name: optional(kinds.line(100), 'The middle name.'),
    last_name: required(kinds.line(100), 'The last name.'),
    suffix: optional(kinds.line(20), 'Such as Jr. or III.'),
    date_of_birth: optional(kinds.date, 'Needed for credit reporting.'),
    ssn: optional(
      socialSecurityNumber,
      'The social security number or ITIN, with or without dashes. Stored encrypted.',
      { is_personal_number: true },
    ),
    ssn_last_four: optional(lastFour, 'The last four digits, if you do not have the whole number.'),
    language_preference: optional(language, 'The language of messages. Default: `en`.'),
    preferred_channel: optional(kinds.choice(CHANNELS), 'Default: email.'),
    time_zone: timeZone,
    do_not_contact: optional(flag, 'Only mandatory letters are sent. Default: false.'),
    email_enabled: optional(flag, 'Whether the borrower wants emails. Default: true.'),
    sms_enabled: optional(flag, 'Whether the borrower wants texts. Default: true.'),
    letter_enabled: optional(flag, 'Whether the borrower wants letters. Default: true.'),
    marketing_enabled: optional(flag, 'Whether the borrower wants marketing. Default: false.'),
    metadata: optional(kinds.json(jsonObject), 'Your own data about the borrower.'),
  },
  { key: ['borrower_external_id'] },
);

export const addresses = bookFile('A postal address of a borrower.', {
  borrower_external_id: borrower,
  address_type: optional(
    kinds.choice(['mailing', 'residential', 'business', 'previous']),
    'What the address is for. Letters never use `previous`. Default: `mailing`.',
  ),
  street_line_1: required(kinds.line(), 'Street and number.'),
  street_line_2: optional(kinds.line(), 'Apartment, suite or unit.'),
  city: required(kinds.line(), 'The city.'),
  state: optional(kinds.line(10), 'Two letters for the US, otherwise a region.'),
  postal_code: required(kinds.line(20), 'The ZIP or postal code.'),
  country: optional(kinds.textOf(countryCode), 'ISO 3166-1 code. Default: `US`.'),
  is_primary,
  address_indicator: optional(
    kinds.choice(['C', 'Y', 'N', 'M', 'S', 'B', 'U', 'D', 'P']),
    'Metro 2 address indicator. U marks returned mail.',
  ),
  residence_code: optional(kinds.choice(['O', 'R']), 'Metro 2: O owns, R rents.'),
});

export const emails = bookFile(
  'An email address of a borrower.',
  {
    borrower_external_id: borrower,
    email: required(kinds.textOf(emailAddress), 'The address.'),
    email_type: optional(kinds.choice(['personal', 'work', 'other']), 'Default: `personal`.'),
    is_primary,
    status: optional(
      kinds.choice(['active', 'bounced', 'complained', 'unsubscribed']),
      'All but `active` block emails. Default: `active`.',
    ),
    is_opted_out: optedOut,
  },
  { key: ['borrower_external_id', 'email'] },
);

/** A US number may be written in any way; it gets the country code. */
const phone = kinds.textOf(
  z
    .string()
    .max(30)
    .transform((text) => {
      const digits = text.replace(/[\s().-]/g, '');
      if (/^[2-9]\d{9}$/.test(digits)) return `+1${digits}`;
      return /^1[2-9]\d{9}$/.test(digits) ? `+${digits}` : digits;
    })
    .pipe(phoneNumber),
);

export const phones = bookFile(
  'A phone number of a borrower.',
  {
    borrower_external_id: borrower,
    phone_number: required(phone, 'In E.164 form such as +12025550123, or ten digits for the US.'),
    phone_type: optional(
      kinds.choice(['mobile', 'home', 'work', 'fax', 'other']),
      'Default: `mobile`.',
    ),
    is_primary,
    can_sms: optional(flag, 'Whether it receives texts. Default: true for `mobile`.'),
    can_call: optional(flag, 'Whether it may be called. Default: true.'),
    do_not_call: optional(flag, 'Whether the borrower does not want calls. Default: false.'),
    carrier_name: optional(kinds.line(), 'The phone company.'),
    is_landline: optional(flag, 'Whether it is a landline.'),
    time_zone: timeZone,
    extension: optional(kinds.line(20), 'The extension to dial.'),
    status: optional(
      kinds.choice(['active', 'invalid', 'reassigned']),
      'All but `active` block texts. Default: `active`.',
    ),
    is_opted_out: optedOut,
  },
  { key: ['borrower_external_id', 'phone_number'] },
);

export const consents = bookFile('A consent of a borrower, with its evidence.', {
  borrower_external_id: borrower,
  consent_type: required(kinds.choice(CONSENT_TYPES), 'What the borrower agreed to.'),
  channel: optional(kinds.choice(CHANNELS), 'The channel that the consent is about.'),
  granted_at: required(kinds.timestamp, 'When it was granted. A date means midnight UTC.'),
  expires_at: optional(kinds.timestamp, 'When it ends. Default: never.'),
  source: optional(kinds.choice(CONSENT_SOURCES), 'How it was received. Default: `import`.'),
  consent_text: optional(kinds.prose, 'The words to which the borrower agreed.'),
  document_version: optional(kinds.line(), 'The version of these words.'),
  ip_address: optional(
    kinds.textOf(z.string().regex(/^[0-9a-fA-F.:]{2,45}$/, 'Must be an IP address.')),
    "The address of the borrower's device.",
  ),
  user_agent: optional(kinds.textOf(freeText), "The borrower's browser."),
  contact_value: optional(kinds.line(254), 'The number or address that it covers. Default: all.'),
  revoked_at: optional(kinds.timestamp, 'When it was revoked.'),
  revocation_method: optional(
    kinds.choice(REVOCATION_METHODS),
    'How it was revoked. Required with `revoked_at`.',
  ),
  revocation_reason: optional(kinds.words, 'Why it was revoked.'),
});

export const identities = bookFile('An identity number or document of a borrower.', {
  borrower_external_id: borrower,
  identity_type: required(kinds.choice(IDENTITY_TYPES), 'The kind of number or document.'),
  identifier: optional(kinds.line(40), 'The whole number. Stored encrypted.', {
    is_personal_number: true,
  }),
  identifier_last_four: optional(
    kinds.textOf(z.string().regex(/^[A-Z0-9]{4}$/, 'Must be four letters and digits.')),
    'Required if there is no `identifier`.',
  ),
  issuing_authority: optional(kinds.words, 'Who issued it.'),
  issuing_state: optional(kinds.line(50), 'The state that issued it.'),
  issuing_country: optional(kinds.textOf(countryCode), 'ISO 3166-1 code.'),
  issue_date: optional(kinds.date, 'When it was issued.'),
  expiration_date: optional(kinds.date, 'When it expires.'),
  verification_status: optional(
    kinds.choice(['unverified', 'pending', 'verified', 'failed', 'expired']),
    'Default: `unverified`.',
  ),
  verification_method: optional(
    kinds.choice(['document', 'database', 'biometric', 'manual']),
    'How you verified it.',
  ),
});

export const bank_accounts = bookFile(
  'A bank account or another way in which a borrower pays.',
  {
    bank_account_id: required(kinds.line(100), 'Your id of the account. `autopay.csv` names it.'),
    borrower_external_id: borrower,
    instrument_type: optional(
      kinds.choice(['bank_account', 'debit_card', 'check', 'cash', 'wire', 'external']),
      'Only a `bank_account` can be drawn on. Default: `bank_account`.',
    ),
    account_holder_name: optional(kinds.line(), 'Default: the name of the borrower.'),
    bank_name: optional(kinds.line(), 'The name of the bank.'),
    routing_number: optional(
      kinds.textOf(
        z.string().refine(isRoutingNumber, 'Must be nine digits that pass the ABA check.'),
      ),
      'The ABA routing number. Required to draw on the account.',
    ),
    account_number: optional(
      kinds.textOf(z.string().regex(/^\d{4,17}$/, 'Must be 4 to 17 digits.')),
      'The whole number. Stored encrypted. Required to draw on the account.',
      { is_personal_number: true },
    ),
    account_number_last_four: optional(lastFour, 'Taken from `account_number` if that is given.'),
    account_type: optional(
      kinds.choice(['checking', 'savings', 'business_checking']),
      'Required to draw on the account.',
    ),
    card_brand: optional(kinds.line(50), 'The brand of a card.'),
    card_exp_month: optional(kinds.wholeNumber(1, 12), 'The month in which a card expires.'),
    card_exp_year: optional(kinds.wholeNumber(2000, 2100), 'The year in which a card expires.'),
    is_default: optional(flag, 'Default: true for the first account of the borrower.'),
    is_verified: optional(flag, 'Whether money may be paid out to it. Default: false.'),
    verification_method: optional(
      kinds.choice(['micro_deposit', 'instant', 'manual', 'none']),
      'Default: `none`.',
    ),
    status: optional(
      kinds.choice(['active', 'inactive', 'blocked']),
      'Only an `active` account can be used. Default: `active`.',
    ),
    block_code: optional(returnCode, 'The return that blocked the account, such as R02.'),
    last_return_code: optional(returnCode, 'The last return of a draw, such as R01.'),
  },
  { key: ['bank_account_id'] },
);
