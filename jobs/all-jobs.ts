import { boardImportJob } from './books/imports/board-import.job.ts';
import { checkImportJob } from './books/imports/check-import.job.ts';
import { exportBookJob } from './books/exports/export-book.job.ts';
import { reconcileJob } from './books/reconciliations/reconcile.job.ts';
import { exportBorrower } from './borrowers/privacy/export-borrower.job.ts';
import { removeRedactedFiles } from './borrowers/privacy/remove-redacted-files.job.ts';
import { screenBorrowersJob } from './borrowers/sanctions/screen-borrowers.job.ts';
import { followCaseSettings } from './cases/follow-settings.job.ts';
import { closeLoans } from './business-day/close-loans.job.ts';
import { startCloseOfBusiness } from './business-day/start-close-of-business.job.ts';
import { warnOfLapsingLiensJob } from './collateral/warn-of-lapsing-liens.job.ts';
import { confirmSubscription } from './communications/inbound/confirm-subscription.job.ts';
import { printLetter } from './communications/print-letter.job.ts';
import { readCertificate } from './communications/inbound/read-certificate.job.ts';
import { sendCommunication } from './communications/send.job.ts';
import { removeOldFiles } from './documents/remove-old-files.job.ts';
import { renderDocumentJob } from './documents/render.job.ts';
import { scanDocument } from './documents/scan.job.ts';
import { issueStatements } from './documents/statements.job.ts';
import type { Job } from './job.ts';
import { reportCredit } from './loans/reporting/report-credit.job.ts';
import { deliverMailBatch } from './mailing/deliver-mail-batch.job.ts';
import { finishMailBatch } from './mailing/finish-mail-batch.job.ts';
import { makeMailBatch } from './mailing/make-mail-batch.job.ts';
import { mergeLetters } from './mailing/merge-letters.job.ts';
import { analyzeTables } from './operations/analyze-tables.job.ts';
import { cleanUp } from './operations/clean-up.job.ts';
import type { ExternalServices } from './external-systems.ts';
import { deliverTape } from './portfolios/deliver-tape.job.ts';
import { generateTape } from './portfolios/generate-tape.job.ts';
import { protectLoans } from './portfolios/servicing-transfers/protect-loans.job.ts';
import { sendTransferNotices } from './portfolios/servicing-transfers/send-notices.job.ts';
import { snapshotPortfoliosJob } from './portfolios/snapshot.job.ts';
import { fetchLogo } from './users/branding/fetch-logo.job.ts';
import { verifyLogo } from './users/branding/verify-logo.job.ts';
import { finishProviderSignIn } from './users/providers/finish-provider-sign-in.job.ts';
import { readIdentityProvider } from './users/providers/read-identity-provider.job.ts';
import { sendAccountMessage } from './users/send-account-message.job.ts';
import { deliverWebhook } from './webhooks/deliver.job.ts';
import type { Work } from './work.ts';

/** A job of unknown payload type. Each job parses its own payload when the queue delivers it. */
export type AnyJob = Pick<Job<unknown>, 'name' | 'pool' | 'attempts' | 'egress' | 'deadlineMs'> & {
  payload: { parse(value: unknown): unknown };
  /** Takes only the result of this job's own `payload.parse`. */
  run: (payload: never, outside: ExternalServices) => Promise<void>;
  failed?: (work: Work, payload: never, reason: string) => Promise<unknown>;
};

/** Every job of the queue. Each worker runs the jobs of its pool. */
export const allJobs: readonly AnyJob[] = [
  warnOfLapsingLiensJob,
  snapshotPortfoliosJob,
  exportBookJob,
  reconcileJob,
  protectLoans,
  sendTransferNotices,
  generateTape,
  deliverTape,
  analyzeTables,
  cleanUp,
  sendAccountMessage,
  readIdentityProvider,
  finishProviderSignIn,
  startCloseOfBusiness,
  closeLoans,
  followCaseSettings,
  sendCommunication,
  printLetter,
  readCertificate,
  confirmSubscription,
  deliverWebhook,
  issueStatements,
  reportCredit,
  renderDocumentJob,
  makeMailBatch,
  mergeLetters,
  finishMailBatch,
  deliverMailBatch,
  exportBorrower,
  removeRedactedFiles,
  screenBorrowersJob,
  removeOldFiles,
  scanDocument,
  fetchLogo,
  verifyLogo,
  checkImportJob,
  boardImportJob,
];
