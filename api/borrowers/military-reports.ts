import { z } from 'zod';
import { addMilitaryReport, archiveMilitaryReport } from '../../jobs/borrowers/military-report.ts';
import {
  MILITARY_DATABASES,
  MILITARY_RESULTS,
  militaryReports as table,
} from '../../sql/borrowers/military-reports.ts';
import { date, flag, requiredText, timestamps, uuid } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

export const militaryReports = resource({
  name: 'MilitaryReport',
  path: 'military-reports',
  about:
    'The answer of a military database about a borrower, as evidence. The compliance checks `mla_36_percent` and `scra_rate_cap` use the newest report.',
  area: 'borrowers',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'archive'],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid,
    database: z
      .enum(MILITARY_DATABASES)
      .describe(
        'The database that was asked: `scra` for the Servicemembers Civil Relief Act, `mla` for the Military Lending Act.',
      ),
    result: z
      .enum(MILITARY_RESULTS)
      .describe(
        'The answer: `active_duty` (only scra), `covered` for a covered borrower (only mla), or `none`.',
      ),
    status_date: date.describe(
      'The day for which the report states the status. For the MLA check, at most 30 days before the application and not after the disbursement; for the SCRA check, at most 90 days ago.',
    ),
    active_duty_from: date
      .nullish()
      .describe(
        'The first day of active duty. If it is not given, the service counts as later than the loan.',
      ),
    active_duty_until: date.nullish().describe('The last day of active duty. Default: open.'),
    certificate_id: requiredText.describe('The id of the report or certificate.'),
    document_id: uuid.nullish().describe('The document with the report.'),
    created_by: uuid.nullable().readonly().describe('The user who recorded it.'),
    is_archived: flag.readonly().describe('Whether it was entered by mistake and does not count.'),
    ...timestamps,
  },
  filters: ['borrower_id', 'database', 'result', 'status_date', 'is_archived'],

  example: () => ({ database: 'mla', result: 'none' }),
  create: addMilitaryReport,
  remove: archiveMilitaryReport,
});
