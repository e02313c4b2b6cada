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

type Order<Name extends DocumentName> = {
  template: Name;
  document_type: string;
  /** Settings that this document must print, besides those that all of its kind must. */
  must?: readonly RequiredSetting[];
  /** What it is about, such as payoff-letter.pdf; a part of the id is added. */
  filename: string;
  borrower_id: string;
  loan_id: string;
  /** What the document says, as it is now and in its language; the letterhead of today is kept with it. */
  data: Said<Name> | ((language: string) => Said<Name>);
};
type Said<Name extends DocumentName> = Omit<DocumentData[Name], keyof Letter>;

/**
 * Orders a document: its row is there at once, as pending, and its file within seconds. Answers the
 * id, which a message may name to be sent with the document. What the tenant has not set and the document
 * must say refuses it.
 */
export async function orderDocument<Name extends DocumentName>(
  work: Work,
  order: Order<Name>,
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
  // Two quotes of one day are two files.
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
