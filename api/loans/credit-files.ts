import { z } from 'zod';
import { NotFound } from '../../jobs/errors.ts';
import {
  creditFileConflicts,
  NewCreditFile,
  sendCreditFile,
} from '../../jobs/loans/reporting/credit-file.ts';
import * as credit from '../../sql/loans/reporting/credit-reporting.ts';
import { date, integer, uuid } from '../../sql/types.ts';
import { madeFileFields } from '../documents/file-fields.ts';
import { linkToSealedFile } from '../documents/sealed-links.ts';
import { findOrThrow, nested, resource } from '../endpoints/resource.ts';
import type { OwnTransactionCall, Route } from '../endpoints/route.ts';
import { bureauFileLink } from './bureau-files.ts';
import { creditFindings } from './credit-findings.ts';
import { creditReporting } from './credit-reporting.ts';

/** Files for the credit bureaus. They contain sensitive borrower data, so only admins can download them. */
export const creditFiles = resource({
  name: 'CreditReportingFile',
  path: 'credit-reporting-files',
  about: 'A Metro 2 file for the credit bureaus.',
  area: 'loans',
  table: credit.creditReportingFiles,
  read: 'admin',
  write: 'admin',
  offers: ['list', 'read'],

  fields: {
    id: uuid.readonly(),
    reporting_period: date.readonly().describe('The last day of the month that it reports.'),
    record_count: integer.readonly().describe('How many records it contains.'),
    ...madeFileFields,
  },
  filters: ['reporting_period', 'status'],
  nested: {
    records: nested(creditReporting, 'file_id', ['list']),
    findings: nested(creditFindings, 'file_id', ['list']),
  },
});

const routeDefaults = { tag: 'loans', allow: 'admin', resource: 'credit-reporting-files' } as const;

export const creditFileRoutes: Route[] = [
  {
    ...routeDefaults,
    method: 'POST',
    path: '/credit-reporting-files',
    // Creating the file sends nothing out. Downloading it is refused to users who are denied a field.
    carries: [],
    security_event: 'export',
    action: 'create',
    summary: 'Generate a Metro 2 file of all pending records',
    description:
      'Puts every queued record up to the period into one file. Afterwards these records cannot change. Records that a bureau would reject are left out, and a task says what to correct. Answers 409 `nothing_to_send` without records, and `credit_reporting_not_configured` if settings are missing.',
    status: 201,
    transaction: 'own',
    body: NewCreditFile,
    conflicts: creditFileConflicts,
    reply: creditFiles.reply,
    run: async ({ within, installation, tenant_id, body }: OwnTransactionCall) => {
      const input = body as z.output<typeof NewCreditFile>;
      const id = await sendCreditFile(within, installation.files, tenant_id, input);
      return within(tenant_id, (work) => findOrThrow(work, credit.creditReportingFiles, id), {
        readOnly: true,
      });
    },
  },
  {
    ...routeDefaults,
    method: 'GET',
    path: '/credit-reporting-files/{id}/download',
    carries: 'anything',
    security_event: 'export',
    action: 'download',
    summary: 'Get a download link for a Metro 2 file',
    description:
      'The link is temporary. The file is stored encrypted and decrypted while you download it.',
    status: 200,
    transaction: 'read',
    reply: bureauFileLink.meta({ id: 'CreditReportingDownload' }),
    run: async (call) => {
      const { work, params } = call;
      const { id } = await findOrThrow(work, credit.creditReportingFiles, params['id']);
      const file = await credit.readCreditFile(work.tx, id);
      if (file?.status !== 'completed')
        throw new NotFound('The file is not ready yet. Try again shortly.');
      return linkToSealedFile(call, { ...file, content_type: 'text/plain' });
    },
  },
];
