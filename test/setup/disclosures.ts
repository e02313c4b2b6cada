import { z } from 'zod';
import { sql } from '../../sql/database/db.ts';
import type { Tenant } from './world.ts';

const Line = z.object({ number: z.int(), amount: z.string(), first_due: z.string() });
const DisclosedTerms = z.object({
  apr: z.string(),
  finance_charge: z.string(),
  amount_financed: z.string(),
  total_of_payments: z.string(),
  is_estimate: z.boolean(),
  letter_date: z.string(),
  payment_schedule: z.array(Line),
});

/** The disclosures that the borrower of a loan has received, oldest first. */
export const fetchDisclosures = (tenant: Tenant, id: string) =>
  tenant.within(({ tx }) =>
    tx.anyFirst(sql.type(z.object({ told: DisclosedTerms }))`
      select template_data as told from documents
      where loan_id = ${id} and template = 'tila_disclosure' order by id
    `),
  );
