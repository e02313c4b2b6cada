import type { Row } from '../../sql/table.ts';
import { insert, update } from '../../sql/write.ts';
import * as templates from '../../sql/communications/templates.ts';
import { checkTemplate } from '../../templates/check.ts';
import { Invalid } from '../errors.ts';
import type { Work } from '../work.ts';

type Parts = { subject?: string | null | undefined; body?: string | undefined };

type NewTemplate = Parts & { template_type: string; body: string };

/** Adds the template, if all that it contains is allowed. */
export async function addTemplate({ tx }: Work, input: NewTemplate): Promise<string> {
  check(input);
  return insert(tx, 'communication_templates', input);
}

/** Changes the template; other words are another version, the same ones sent back are not. */
export async function changeTemplate({ tx }: Work, id: string, changes: Parts, row: Row) {
  check(changes);
  await update(tx, 'communication_templates', id, changes);
  const isOther = (part: 'subject' | 'body') =>
    changes[part] !== undefined && changes[part] !== row[part];
  if (isOther('subject') || isOther('body')) await templates.countVersion(tx, id);
}

/** The first problem of each part, with its place, so that it is found in the editor. */
function check(parts: Parts) {
  const errors: Record<string, string> = {};
  for (const part of ['subject', 'body'] as const) {
    const source = parts[part];
    const [problem] = source === undefined || source === null ? [] : checkTemplate(source);
    if (!problem) continue;
    const { line, column, message } = problem;
    errors[part] = `Line ${line}, column ${column}: ${message}`;
  }
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
}
