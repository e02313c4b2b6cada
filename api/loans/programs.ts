import { z } from 'zod';
import { addProgram, changeProgram } from '../../jobs/loans/products/product.ts';
import { JURISDICTIONS, PROGRAM_TYPES } from '../../jobs/loans/products/program-types.ts';
import { furnisherNumber } from '../../jobs/users/settings/setting-types.ts';
import { COMPLIANCE_CHECKS } from '../../jobs/users/settings/compliance-checks.ts';
import { programs as table } from '../../sql/loans/products/programs.ts';
import {
  flag,
  freeText,
  jsonObject,
  prose,
  timestamps,
  uuid,
  requiredText,
} from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

export const programs = resource({
  name: 'Program',
  path: 'programs',
  about:
    'A program is a line of lending with its states, its compliance checks and its products. Every loan belongs to one.',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'admin',
  offers: ['list', 'read', 'create', 'update', 'archive'],
  archivable: true,

  fields: {
    id: uuid.readonly(),
    name: requiredText.describe('The name of the program.'),
    code: requiredText.max(50).describe('Your short code for the program. Must be unique.'),
    description: prose.nullish().describe('What the program is for.'),
    program_type: z
      .enum(PROGRAM_TYPES)
      .default('personal')
      .describe(
        "What the program lends for. `small_business` allows a line's due date less than 21 days after the statement. The other types only classify.",
      ),
    is_active: flag
      .default(true)
      .describe('Whether new loans can use the program. Existing loans are not affected.'),
    status: z
      .enum(['active', 'inactive'])
      .readonly()
      .describe('The same as `is_active`, as a status.'),
    default_product_id: uuid
      .nullish()
      .describe(
        'The product of this program that your application may preselect. A new program has no products yet, so set it in an update. A loan always names its product itself.',
      ),
    funding_source: freeText
      .nullish()
      .describe('Where the money comes from, for your information.'),
    credit_identification_number: furnisherNumber
      .nullish()
      .describe(
        "The identification number (Metro 2, field 5) under which the program's loans are reported: 5 to 20 letters and digits. Default: the setting `credit_reporting.identification_number`. A loan keeps the number of its first file, so a change affects only loans that were never reported.",
      ),
    jurisdictions: z
      .array(z.enum(JURISDICTIONS))
      .max(60)
      .default([])
      .describe(
        "Postal codes of the states in which you may lend. The check `state_license` compares them with the borrower's primary mailing address. Empty: the check is skipped.",
      ),
    compliance_checks: z
      .array(z.enum(COMPLIANCE_CHECKS))
      .max(50)
      .default([])
      .describe("The checks that run on the program's loans. Empty: all checks."),
    template_overrides: jsonObject
      .default({})
      .describe(
        'Stored for your own use. Message templates choose a program with their own `program_id`.',
      ),
    metadata: jsonObject.default({}).describe('Your own data about the program, up to 16 kB.'),
    is_archived: flag.readonly(),
    ...timestamps,
  },
  filters: ['name', 'code', 'program_type', 'is_active', 'status'],

  create: addProgram,
  update: changeProgram,
});
