import { z } from 'zod';
import * as outbound from '../../sql/communications/outbound.ts';
import * as recipients from '../../sql/communications/recipients.ts';
import * as documents from '../../sql/documents/documents.ts';
import { uuid } from '../../sql/types.ts';
import type { DocumentData, DocumentName } from '../../templates/documents.ts';
import { documentLanguage, renderDocument } from '../../templates/render-document.ts';
import { sendCommunication } from '../communications/send.job.ts';
import { composeToAll, composeToCoObligors } from '../communications/compose-to-all.ts';
import { buildMessageFigures } from '../communications/message-figures.ts';
import { DocumentNotPrintable } from '../files/render-errors.ts';
import { enqueue, job } from '../job.ts';
import type { ExternalServices, Pdf } from '../external-systems.ts';
import { settingsOf } from '../users/settings/settings.ts';
import { emit } from '../webhooks/emit.ts';
import type { Work } from '../work.ts';
import { embedLogo } from '../users/branding/logo.ts';
import { formOfStatement } from './statement-form.ts';
import { addressStatement, buildStatementPage, type BilledStatement } from './statement-page.ts';
import { reportUnprintable } from '../files/unprintable.ts';

/**
 * Renders an ordered document, stores it and notifies recipients. The content was fixed by the order, so a
 * repeat after a crash writes the same file to the same key and does not notify again.
 */
export const renderDocumentJob = job({
  name: 'render-document',
  pool: 'documents',
  payload: z.object({ tenant_id: uuid, document_id: uuid }),
  attempts: 5,
  key: ({ document_id }) => `render-document:${document_id}`,

  async run({ tenant_id, document_id }, outside) {
    const ordered = await outside.within(tenant_id, (work) =>
      loadDocumentToRender(work, document_id),
    );
    if (!ordered) return;
    const { document, html, language, dated } = ordered;
    const printed = await renderPdf(outside, html, dated);
    if ('problem' in printed) {
      const fail = ({ tx }: Work) => documents.markDocumentFailed(tx, document_id, printed.problem);
      return void (await outside.within(tenant_id, fail));
    }
    const { bytes, pages, unprintable } = printed;
    await outside.files.put(document.storage_key, bytes, {
      // If another worker has already stored the document, this run changes nothing.
      when: (file, place) =>
        outside.within(tenant_id, async (work) => {
          if (!(await documents.markStored(work.tx, document_id, { ...file, pages, language })))
            return;
          await place();
          await reportUnprintable(work, document, unprintable);
          await announceDocument(work, document);
        }),
    });
  },

  failed: ({ tx }, { document_id }, reason) =>
    documents.markDocumentFailed(tx, document_id, reason),
});

async function loadDocumentToRender(work: Work, id: string) {
  const document = await documents.findToRender(work.tx, id);
  if (!document) return null;
  const name = document.template as DocumentName;
  const language = documentLanguage(name, document.language);
  // The code that ordered the document provided the values that its template declares.
  const data = (
    document.is_statement
      ? buildStatementPage(document.template_data, language)
      : document.template_data
  ) as DocumentData[typeof name];
  const html = renderDocument(name, language, await embedLogo(work, data));
  return { document, language, html, dated: data.letter_date };
}

async function renderPdf(
  outside: ExternalServices,
  html: string,
  dated: string,
): Promise<Pdf | { problem: string }> {
  try {
    return await outside.pdf(html, { dated });
  } catch (error) {
    if (error instanceof DocumentNotPrintable) return { problem: error.message };
    throw error;
  }
}

/**
 * Notifies subscribers, enqueues messages that waited for the document, and sends a statement to its
 * borrower.
 */
async function announceDocument(work: Work, document: documents.DocumentToRender) {
  const { id: document_id, loan_id, document_type, filename } = document;
  await emit(work, 'document.generated', { document_id, loan_id, document_type, filename });
  for (const { id: log_id, attempt } of await outbound.findWaitingForDocument(
    work.tx,
    document_id,
  )) {
    await enqueue(work.tx, sendCommunication, { tenant_id: work.tenant_id, log_id, attempt });
  }
  if (document.is_statement) await sendStatement(work, document);
}

/**
 * Sends a statement by email if the borrower has an address, otherwise by letter. Others who owe the loan
 * get a message without the document and read it in the portal.
 */
async function sendStatement(work: Work, document: documents.DocumentToRender) {
  const { loan_id, id: document_id, template_data } = document;
  // Always written by sql/documents/statements.ts.
  const billed = template_data as BilledStatement;
  const { letter, borrower } = addressStatement(billed, document.language);
  const { addressee_id: borrower_id } = letter;
  const [recipient] = await recipients.findRecipients(work.tx, [borrower_id]);
  if (!recipient || loan_id === null) return;
  const { communications } = await settingsOf(work.tx);
  const channelOf = ({ email }: recipients.Recipient) =>
    communications.statements_by_email && email !== null ? 'email' : 'letter';
  const { loan_then: loan } = billed;
  const { email, phone } = recipient;
  const message: Parameters<typeof composeToAll>[1] = {
    template_type: 'statement_ready',
    triggered_by: 'system',
    context: statementFigures(billed),
    borrower_id,
    loan_id,
    document_id,
    channel: channelOf(recipient),
    figures: {
      letter,
      language: document.language,
      borrower: {
        ...borrower,
        email,
        phone,
      },
      loan,
    },
  };
  const send =
    email === null && recipient.address_lines === null ? composeToCoObligors : composeToAll;
  await send(work, message, async (id) => {
    const [other = recipient] = await recipients.findRecipients(work.tx, [id]);
    const figures = buildMessageFigures(letter, other, loan);
    return { channel: channelOf(other), document_id: null, figures };
  });
}

/** The statement's values for the message. A message to a debtor in bankruptcy names no amount and no due date. */
function statementFigures(billed: BilledStatement) {
  const { letter, period_start, period_end, summary } = billed;
  const { due, bankruptcy } = formOfStatement(billed);
  const { new_balance } = summary;
  const is_informational = bankruptcy !== null;
  return {
    statement: {
      date: letter.letter_date,
      period_start,
      period_end,
      new_balance,
      is_informational,
    },
    payment_amount: is_informational ? null : due.amount_due,
    due_date: is_informational ? null : due.next_due_date,
  };
}
