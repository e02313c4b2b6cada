import { z } from 'zod';
import { NotFound } from '../../jobs/errors.ts';
import {
  addBusinessDetail,
  changeBusinessDetail,
  detailsExist,
} from '../../jobs/borrowers/business-detail.ts';
import { borrowers } from '../../sql/borrowers/borrowers.ts';
import { businessDetails as table, findByBorrower } from '../../sql/borrowers/business-details.ts';
import { lastFourDigits, phoneNumber } from '../../sql/formatted-text.ts';
import {
  date,
  freeText,
  integer,
  money,
  rate,
  timestamps,
  text,
  uuid,
  requiredText,
} from '../../sql/types.ts';
import type { Input } from '../endpoints/declaration.ts';
import { createRecord } from '../endpoints/record-operations.ts';
import { endpoint, findOrThrow, resource } from '../endpoints/resource.ts';
import type { Call } from '../endpoints/route.ts';
import { EXAMPLE_ID } from '../endpoints/examples.ts';

const owner = z.object({
  first_name: requiredText.describe('The first name of the owner.'),
  last_name: requiredText.describe('The last name of the owner.'),
  ownership_percentage: rate.describe(
    'The share as a fraction. All shares together are at most 1.',
  ),
  ssn_last_four: lastFourDigits
    .nullish()
    .describe('The last four digits of the social security number.'),
});

export const businessDetails = resource({
  name: 'BusinessDetail',
  path: 'business-details',
  about: 'The details of a business that borrows.',
  area: 'borrowers',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update'],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid,
    legal_name: requiredText.describe('The registered name.'),
    dba_name: text.nullish().describe('The name under which the business trades.'),
    ein_last_four: lastFourDigits
      .nullish()
      .describe(
        'The last four digits of the employer identification number. For the full number, add an identity.',
      ),
    entity_type: z
      .enum([
        'sole_proprietorship',
        'llc',
        'corporation',
        's_corporation',
        'partnership',
        'nonprofit',
        'trust',
        'other',
      ])
      .describe('The legal form.'),
    formation_date: date
      .nullish()
      .describe('When the business was founded. Must not be in the future.'),
    formation_state: text.nullish().describe('The state in which it was founded.'),
    naics_code: z
      .string()
      .regex(/^\d{6}$/, 'Must be a code of six digits.')
      .nullish()
      .describe('The industry code of six digits.'),
    industry: freeText.nullish().describe('The industry in words.'),
    annual_revenue: money.nullish().describe('The revenue of a year.'),
    employee_count: integer.min(0).nullish().describe('The number of employees.'),
    website: text.nullish().describe('The website.'),
    phone: phoneNumber.nullish().describe('The phone number in E.164 form.'),
    contact_name: text.nullish().describe('Who speaks for the business.'),
    contact_title: freeText.nullish().describe("That person's position."),
    beneficial_owners: z
      .array(owner)
      .max(50)
      .default([])
      .describe('The persons who own the business.'),
    ...timestamps,
  },
  fixed: ['borrower_id'],

  create: addBusinessDetail,
  update: changeBusinessDetail,
});

const routeDefaults = {
  tag: 'borrowers',
  path: '/borrowers/{id}/business-detail',
  resource: 'business-details',
  reply: businessDetails.reply,
  etag: businessDetails.version,
} as const;

/** A borrower has at most one, so there is no list. */
export const businessDetailRoutes = [
  endpoint({
    ...routeDefaults,
    method: 'GET',
    summary: 'Get the details of a business borrower',
    description: 'Answers 404 if the borrower has none.',
    action: 'show',
    allow: 'viewer',
    transaction: 'read',
    status: 200,
    run: async ({ work, params }: Call) => {
      const { id } = await findOrThrow(work, borrowers, params['id']);
      const detail = await findByBorrower(work.tx, id);
      if (detail === null) throw new NotFound();
      return findOrThrow(work, table, detail);
    },
  }),
  endpoint({
    ...routeDefaults,
    method: 'POST',
    summary: 'Add the details of a business borrower',
    description: 'Answers 409 with the id of the existing details if the borrower has some.',
    conflicts: () => [detailsExist(EXAMPLE_ID)],
    action: 'create',
    allow: 'loan_officer',
    transaction: 'write',
    status: 201,
    body: businessDetails.creation.omit({ borrower_id: true }),
    run: async ({ work, params, body }: Call) => {
      const { id } = await findOrThrow(work, borrowers, params['id']);
      return createRecord(work, businessDetails.declaration, {
        ...(body as Input),
        borrower_id: id,
      });
    },
  }),
];
