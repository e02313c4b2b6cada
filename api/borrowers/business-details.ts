import { z } from 'zod';
import { NotFound } from '../../jobs/errors.ts';
import { addBusinessDetail, changeBusinessDetail } from '../../jobs/borrowers/business-detail.ts';
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

const owner = z.object({
  first_name: requiredText,
  last_name: requiredText,
  ownership_percentage: rate,
  ssn_last_four: lastFourDigits.nullish(),
});

export const businessDetails = resource({
  name: 'BusinessDetail',
  path: 'business-details',
  area: 'borrowers',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update'],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid,
    legal_name: requiredText,
    dba_name: text.nullish(),
    ein_last_four: lastFourDigits.nullish(),
    entity_type: z.enum([
      'sole_proprietorship',
      'llc',
      'corporation',
      's_corporation',
      'partnership',
      'nonprofit',
      'trust',
      'other',
    ]),
    formation_date: date.nullish(),
    formation_state: text.nullish(),
    naics_code: z
      .string()
      .regex(/^\d{6}$/, 'Must be a code of six digits.')
      .nullish(),
    industry: freeText.nullish(),
    annual_revenue: money.nullish(),
    employee_count: integer.min(0).nullish(),
    website: text.nullish(),
    phone: phoneNumber.nullish(),
    contact_name: text.nullish(),
    contact_title: freeText.nullish(),
    beneficial_owners: z.array(owner).max(50).default([]),
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
