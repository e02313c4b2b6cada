import * as recipients from '../../sql/communications/recipients.ts';
import * as wordings from '../../sql/documents/wordings.ts';
import { newId } from '../../sql/new-id.ts';
import { currentTenant } from '../../sql/tenants.ts';
import { insert } from '../../sql/write.ts';
import type { DocumentData, DocumentName } from '../../templates/documents.ts';
import type { Letter } from '../../templates/letter.ts';
import { documentLanguage } from '../../templates/render-document.ts';
import { addressLetter, loadSender } from '../communications/message-figures.ts';
import { NotFound } from '../errors.ts';
import { storageKey } from '../files/keys.ts';
import { enqueue } from '../job.ts';
import type { Work } from '../work.ts';
import { assertRequiredSettings, type RequiredSetting } from './required-settings.ts';
import { renderDocumentJob } from './render.job.ts';

type DocumentOrder<Name extends DocumentName> = {
  template: Name;
  document_type: string;
  /** Settings that this document requires in addition to those of its template. */
  must?: readonly RequiredSetting[];
  /** Base name such as payoff-letter.pdf. A part of the id is added. */
  filename: string;
  borrower_id: string;
  loan_id: string;
  /** The content of the document as of today, in its language. Today's letterhead is stored with it. */
  data: DocumentContent<Name> | ((language: string) => DocumentContent<Name>);
};
type DocumentContent<Name extends DocumentName> = Omit<DocumentData[Name], keyof Letter>;

/**
 * Orders a document. Its row exists immediately as pending; a job renders the file within seconds. Returns
 * the id, which a message can name as attachment. Throws Conflict if a setting that the document must print
 * is missing.
 */
export async function orderDocument<Name extends DocumentName>(
  work: Work,
  order: DocumentOrder<Name>,
): Promise<string> {
  const { template, document_type, borrower_id, loan_id, data, must } = order;
  await assertRequiredSettings(work, template, must);
  const { slug: tenant_slug } = await currentTenant(work.tx);
  const [recipient] = await recipients.findRecipients(work.tx, [borrower_id]);
  if (!recipient) throw new NotFound();
  const loan_number = (await recipients.findLoanNumber(work.tx, loan_id)) ?? '';
  const language = documentLanguage(template, recipient.language_preference);
  const text = typeof data === 'function' ? data(language) : data;
  const wording = await wordings.findDocumentWording(work.tx, template, language);
  const id = newId();
  // Distinguishes documents of the same kind and day.
  const filename = `${order.filename.replace(/\.pdf$/, '')}-${id.slice(-8)}.pdf`;
  const document_id = await insert(work.tx, 'documents', {
    id,
    template,
    document_type,
    borrower_id,
    loan_id,
    filename,
    storage_key: storageKey({ tenant_slug, loan_id, document_type, filename }),
    content_type: 'application/pdf',
    source: 'generated',
    metadata: wording ? { wording: { id: wording.id, version: wording.version } } : {},
    language: recipient.language_preference,
    template_data: {
      ...addressLetter(await loadSender(work), recipient, loan_number),
      ...text,
      wording,
    },
  });
  await enqueue(work.tx, renderDocumentJob, { tenant_id: work.tenant_id, document_id });
  return document_id;
}
