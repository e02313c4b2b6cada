import * as templates from '../../sql/communications/templates.ts';
import type { Row } from '../../sql/table.ts';
import { insert, update } from '../../sql/write.ts';
import { refuseDuplicate, duplicateOf } from '../refuse-duplicate.ts';
import type { Work } from '../work.ts';
import { assertRenderable } from './assert-renderable.ts';

const KIND = {
  index: 'communication_templates_one_of_a_kind',
  field: 'template_type',
  message: 'The program already has a template of this type for this channel and language.',
};

type Parts = { subject?: string | null | undefined; body?: string | undefined };

type NewTemplate = Parts & { template_type: string; body: string };

/** Adds a template. Throws Invalid if it cannot be rendered. */
export async function addTemplate({ tx }: Work, input: NewTemplate): Promise<string> {
  assertRenderable({ subject: input.subject, body: input.body });
  return refuseDuplicate(KIND, () => insert(tx, 'communication_templates', input));
}

/** Changes a template. Its version increases only if the subject or body differs. */
export async function changeTemplate({ tx }: Work, id: string, changes: Parts, row: Row) {
  assertRenderable({ subject: changes.subject, body: changes.body });
  await refuseDuplicate(KIND, () => update(tx, 'communication_templates', id, changes));
  const isOther = (part: 'subject' | 'body') =>
    changes[part] !== undefined && changes[part] !== row[part];
  if (isOther('subject') || isOther('body')) await templates.incrementTemplateVersion(tx, id);
}

export const templateExists = () => duplicateOf(KIND);
