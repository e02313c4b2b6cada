import { z } from 'zod';
import {
  asciiLine,
  furnisherCode,
  routingNumber,
  settingGroup,
  singleLine,
} from './setting-types.ts';

/** Tenant settings for files to banks and credit bureaus, and for notices and forms that name the lender. */

export const credit_reporting = settingGroup(
  'Monthly Metro 2 files for credit bureaus. A file needs enabled, reporter_name, reporter_address, identification_number and one of program_ids.',
  {
    enabled: z
      .boolean()
      .default(false)
      .describe(
        'Whether the monthly records of loans are queued for a file. If false, they are drafts.',
      ),
    reporter_name: singleLine
      .default('')
      .describe('The name of the furnisher in the file. The first 40 characters are used.'),
    reporter_address: singleLine
      .default('')
      .describe('The address of the furnisher in the file. The first 96 characters are used.'),
    reporter_phone: singleLine.default('').describe('The telephone number of the furnisher.'),
    identification_number: furnisherCode
      .default('')
      .describe(
        'The identification number of the furnisher (Metro 2, field 5): 5 to 20 letters and digits. A program can have its own. A loan keeps the number of its first file, because bureaus would keep the account twice, so a change affects only loans that were never reported.',
      ),
    // Every request reads the settings, so each of them has a size limit.
    program_ids: z
      .record(z.string().max(20), singleLine)
      .refine((ids) => Object.keys(ids).length <= 100, 'Must be at most 100.')
      .default({})
      .describe(
        'The program identifier that each bureau assigned to you, by bureau: `equifax`, `experian`, `transunion` and `innovis`. Records name the bureaus that have one.',
      ),
    subscriber_codes: z
      .record(z.string().max(20), z.array(singleLine.max(20)).max(200))
      .refine((codes) => Object.keys(codes).length <= 100, 'Must be at most 100.')
      .default({})
      .describe(
        'Your subscriber codes at each bureau, by bureau: `equifax`, `experian`, `transunion` and `innovis`. An imported dispute request must name one of them.',
      ),
  },
);

export const nacha = settingGroup(
  'Identifies the sender and its bank in Nacha files, as agreed with the bank. A file needs all of these values.',
  {
    immediate_destination: routingNumber
      .default('')
      .describe('The routing number of the bank that receives the file: nine digits.'),
    immediate_destination_name: asciiLine
      .max(23)
      .default('')
      .describe('The name of the bank that receives the file.'),
    immediate_origin: asciiLine
      .max(10)
      .default('')
      .describe('The number by which that bank knows the sender of the file.'),
    immediate_origin_name: asciiLine
      .max(23)
      .default('')
      .describe('The name of the sender of the file.'),
    company_name: asciiLine
      .max(16)
      .default('')
      .describe("The lender's name in each batch. Borrowers see it on their bank statements."),
    company_id: asciiLine
      .max(10)
      .default('')
      .describe('The number by which the bank knows the lender, in each batch.'),
    odfi_routing_number: routingNumber
      .default('')
      .describe('The routing number of the bank that originates the entries: nine digits.'),
    entry_description: asciiLine
      .min(1)
      .max(10)
      .default('LOAN PMT')
      .describe('The purpose of the entries. Borrowers see it on their bank statements.'),
    apply_change_notices: z
      .boolean()
      .default(false)
      .describe(
        'Whether a notification of change from a bank corrects the account automatically. Has no effect while approvals.four_eyes contains `destinations`.',
      ),
  },
);

export const adverse_action = settingGroup(
  'The agency that administers equal credit opportunity for this lender (12 CFR 1002, appendix A). Adverse action notices need both values.',
  {
    agency_name: singleLine.default('').describe('The name of the agency.'),
    agency_address: singleLine.default('').describe('The postal address of the agency.'),
  },
);

export const tax = settingGroup(
  'The filer in forms 1099-C. A form needs payer_tin, payer_address and branding.support_phone.',
  {
    payer_name: singleLine
      .default('')
      .describe("The name of the filer. Default: the tenant's name."),
    payer_tin: z
      .union([z.string().regex(/^\d{2}-?\d{7}$/, 'Must be like 12-3456789.'), z.literal('')])
      .default('')
      .describe("The filer's taxpayer identification number, such as 12-3456789."),
    payer_address: singleLine.default('').describe('The postal address of the filer.'),
  },
);
