import { sql } from '../database/db.ts';
import { table } from '../table.ts';

/** The databases of the Defense Manpower Data Center: one for each act. */
export const MILITARY_DATABASES = ['scra', 'mla'] as const;
export const MILITARY_RESULTS = ['active_duty', 'covered', 'none'] as const;

export const militaryReports = table({
  name: 'military_reports',
  owner: 'borrowers',
  rows: sql.fragment`
    select record.id, record.borrower_id, record.database, record.result, record.status_date,
           record.active_duty_from, record.active_duty_until, record.certificate_id,
           record.document_id, record.created_by, record.is_archived, record.created_at,
           record.updated_at
    from military_reports as record
  `,
});
