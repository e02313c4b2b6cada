import { z } from 'zod';
import * as wordings from '../../sql/documents/wordings.ts';
import type { Row } from '../../sql/table.ts';
import { insert, update } from '../../sql/write.ts';
import { renderDocument } from '../../templates/render-document.ts';
import * as samples from '../../templates/samples.ts';
import {
  hasOpening,
  WORDED_DOCUMENTS,
  wordingPaths,
  type WordedDocument,
} from '../../templates/wordings.ts';
import type { Wording } from '../../templates/letter.ts';
import { assertRenderable } from '../communications/assert-renderable.ts';
import { loadSender } from '../communications/message-figures.ts';
import { Invalid } from '../errors.ts';
import { refuseDuplicate } from '../refuse-duplicate.ts';
import type { Work } from '../work.ts';
import { embedLogo } from '../users/branding/logo.ts';

const KIND = {
  index: 'document_wordings_one_of_a_kind',
  field: 'document_type',
  message: 'This document already has wording in this language. Update that instead.',
};

/** Languages in which documents are printed. */
export const DOCUMENT_LANGUAGES = ['en', 'es'] as const;
type Kind = { document_type: WordedDocument; language: (typeof DOCUMENT_LANGUAGES)[number] };
/** Characters per part. The wording supplements the document and does not replace its content. */
const PART_CHARACTERS_MAX = 2_000;
const wordingPart = z.string().max(PART_CHARACTERS_MAX).nullish();
export const WordingParts = z.object({
  opening: wordingPart.describe(
    'Text before the content, in HTML. May contain variables such as {{borrower.name}}. Statements have none.',
  ),
  closing: wordingPart.describe(
    'Text after the content, in HTML. May contain variables such as {{borrower.name}}.',
  ),
});

/** Adds the tenant's wording of a document in one language. Throws Conflict if there is one already. */
export async function addWording({ tx }: Work, input: Kind & Wording): Promise<string> {
  assertWordingValid(input.document_type, input);
  return refuseDuplicate(KIND, () => insert(tx, 'document_wordings', input));
}

/** Changes the wording. The version increases only if the text differs. */
export async function changeWording({ tx }: Work, id: string, changes: Wording, row: Row) {
  assertWordingValid(row['document_type'] as WordedDocument, changes);
  await refuseDuplicate(KIND, () => update(tx, 'document_wordings', id, changes));
  const isOther = (name: keyof Wording) =>
    changes[name] !== undefined && changes[name] !== row[name];
  if (isOther('opening') || isOther('closing')) await wordings.incrementWordingVersion(tx, id);
}

export const WordingPreview = WordingParts.extend({
  document_type: z.enum(WORDED_DOCUMENTS).describe('The document to preview.'),
  language: z.enum(DOCUMENT_LANGUAGES).default('en').describe('The language of the document.'),
});

const SAMPLES = {
  monthly_statement: samples.statement,
  payoff_letter: samples.payoff,
  adverse_action_notice: samples.adverse,
};

/** Renders the document as HTML with the tenant's letterhead, the given wording and sample figures. */
export async function previewWording(
  work: Work,
  { document_type, language, ...wording }: z.output<typeof WordingPreview>,
) {
  assertWordingValid(document_type, wording);
  const kept = { id: 'preview', version: 0, ...wording };
  const data = { ...SAMPLES[document_type], ...(await loadSender(work)), wording: kept };
  return { html: renderDocument(document_type, language, await embedLogo(work, data)) };
}

/** Throws Invalid for each part that cannot be rendered, with its position. */
function assertWordingValid(type: WordedDocument, { opening, closing }: Wording) {
  if (opening && !hasOpening(type))
    throw new Invalid({
      opening: 'Statements have no opening text. Use the closing text instead.',
    });
  const paths = wordingPaths(type);
  assertRenderable({ opening, closing }, (path) => paths.has(path.join('.')));
}
