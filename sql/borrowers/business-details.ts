import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const businessDetails = table({
  name: 'business_details',
  owner: 'borrowers',
  rows: sql.fragment`
    select record.id, record.borrower_id, record.legal_name, record.dba_name, record.ein_last_four,
           record.entity_type, record.formation_date, record.formation_state, record.naics_code,
           record.industry, record.annual_revenue, record.employee_count, record.website,
           record.phone, record.contact_name, record.contact_title, record.beneficial_owners,
           record.created_at, record.updated_at
    from business_details as record
  `,
});

/** A borrower has at most one record of business details. */
export const findByBorrower = (tx: Transaction, borrowerId: string) =>
  tx.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    select id from business_details where borrower_id = ${borrowerId}
  `);
