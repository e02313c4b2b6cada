import * as templates from '../../sql/communications/templates.ts';
import { constraintOf } from '../../sql/database/db.ts';
import type { Row } from '../../sql/table.ts';
import { insert, update } from '../../sql/write.ts';
import { Conflict } from '../errors.ts';
import type { Work } from '../work.ts';
import { assertRenderable } from './assert-renderable.ts';

type Parts = { subject?: string | null | undefined; body?: string | undefined };

type NewTemplate = Parts & { template_type: string; body: string };

/** Adds the template, if all that it contains is allowed. */
export async function addTemplate({ tx }: Work, input: NewTemplate): Promise<string> {
  assertRenderable({ subject: input.subject, body: input.body });
  return onlyOfItsKind(() => insert(tx, 'communication_templates', input));
}

/** Changes the template; other words are another version, the same ones sent back are not. */
export async function changeTemplate({ tx }: Work, id: string, changes: Parts, row: Row) {
  assertRenderable({ subject: changes.subject, body: changes.body });
  await onlyOfItsKind(() => update(tx, 'communication_templates', id, changes));
  const isOther = (part: 'subject' | 'body') =>
    changes[part] !== undefined && changes[part] !== row[part];
  if (isOther('subject') || isOther('body')) await templates.countVersion(tx, id);
}

/** The index says so, also of two requests at once. */
async function onlyOfItsKind<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (constraintOf(error) !== 'communication_templates_one_of_a_kind') throw error;
    const message =
      'The program has a template of this type for the channel and the language already.';
    throw new Conflict(message, 'already_exists', { field: 'template_type' });
  }
}
