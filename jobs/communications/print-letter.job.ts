import { z } from 'zod';
import * as outbound from '../../sql/communications/outbound.ts';
import { uuid } from '../../sql/types.ts';
import { insert } from '../../sql/write.ts';
import type { AmountsOwed } from '../../templates/documents.ts';
import { isPositive, renderDocument } from '../../templates/render-document.ts';
import { reportUnprintable } from '../files/unprintable.ts';
import { storageKey } from '../files/keys.ts';
import { embedLogo } from '../users/branding/logo.ts';
import { DocumentNotPrintable } from '../files/render-errors.ts';
import { job } from '../job.ts';
import type { ExternalServices, Pdf } from '../external-systems.ts';
import type { Work } from '../work.ts';
import { prepareMessage, type PreparedMessage } from './prepare.ts';
import { letterKey } from './send.job.ts';
import type { MessageFigures } from './message-figures.ts';

/**
 * Prints a message as a letter and puts it in the outbox. Runs in the documents pool, the only one with a
 * browser.
 */
export const printLetter = job({
  name: 'print-letter',
  pool: 'documents',
  payload: z.object({ tenant_id: uuid, log_id: uuid, attempt: z.int().min(1) }),
  attempts: 5,
  key: ({ log_id }) => `print-letter:${log_id}`,

  async run({ tenant_id, log_id, attempt }, outside) {
    const ready = await outside.within(tenant_id, async (work) => {
      const found = await prepareMessage(work, log_id, attempt);
      return found && { ...found, letter: await embedLogo(work, found.letter) };
    });
    if (!ready) return;
    const printed = await printLetterFile(ready, outside);
    await outside.within(tenant_id, (work) => recordPrint(work, ready, attempt, printed));
  },

  failed: ({ tx }, { log_id, attempt }, reason) =>
    outbound.markAbandoned(tx, log_id, attempt, reason),
});

type PrintResult =
  (Omit<Pdf, 'bytes'> & { key: string; size: number; sha256_hash: string }) | { problem: string };

/** Letters that request payment show the amounts owed. */
const PAYMENT_REQUEST_TYPES = new Set([
  'payment_reminder',
  'past_due_notice',
  'late_fee_notice',
  'broken_promise',
  'payment_failed',
  'payment_reversed',
]);

/** The amounts stored when the letter was composed, or null for letters stored without them. */
function amountsOwed({ template_type, figures }: PreparedMessage): AmountsOwed | null {
  // Always written by the code that queued the message.
  const { loan } = figures as MessageFigures;
  const isAsking =
    PAYMENT_REQUEST_TYPES.has(template_type ?? '') && isPositive(loan?.['amount_due']);
  return isAsking && loan?.['accrued_interest'] !== undefined ? (loan as AmountsOwed) : null;
}

async function printLetterFile(
  ready: PreparedMessage,
  outside: ExternalServices,
): Promise<PrintResult> {
  if (ready.stopped_by !== null) return { problem: ready.stopped_by };
  const { id, subject, body: body_html, language, loan_id, borrower_id, letter } = ready;
  const { slug: tenant_slug } = letter.tenant;
  const html = renderDocument('letter', language, {
    ...letter,
    subject,
    body_html,
    owed: amountsOwed(ready),
  });
  const key = storageKey({
    tenant_slug,
    loan_id: loan_id ?? borrower_id,
    document_type: 'correspondence',
    filename: `letter-${id}.pdf`,
  });
  try {
    const { bytes, ...pdf } = await outside.pdf(html, { dated: letter.letter_date });
    await outside.files.put(letterKey(tenant_slug, id), bytes);
    return { ...pdf, ...(await outside.files.put(key, bytes)) };
  } catch (error) {
    if (error instanceof DocumentNotPrintable) return { problem: error.message };
    throw error;
  }
}

async function recordPrint(
  work: Work,
  ready: PreparedMessage,
  attempt: number,
  printed: PrintResult,
) {
  const { tx } = work;
  const { id, loan_id, borrower_id, language, subject, body } = ready;
  if ('problem' in printed) {
    const failure = { error_code: 'not_printed', error_message: printed.problem };
    await outbound.markMessageFailed(tx, id, attempt, { provider: 'letters', ...failure });
    return;
  }
  // Checked again in this transaction, so that a second run does not add a second document.
  if (!(await outbound.findPendingMessage(tx, id, attempt))) return;
  const filename = `letter-${id}.pdf`;
  const document_id = await insert(tx, 'documents', {
    loan_id,
    borrower_id,
    document_type: 'correspondence',
    filename,
    content_type: 'application/pdf',
    file_size: printed.size,
    sha256_hash: printed.sha256_hash,
    page_count: printed.pages,
    language,
    status: 'uploaded',
    source: 'generated',
    storage_key: printed.key,
    uploaded_at: new Date().toISOString(),
  });
  const document = { id: document_id, filename, borrower_id, loan_id };
  await reportUnprintable(work, document, printed.unprintable);
  await outbound.saveContent(tx, id, { subject, body }, document_id);
  await outbound.markSent(tx, id, attempt, { provider: 'letters', provider_message_id: id });
}
