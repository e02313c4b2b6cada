import { insert, update } from '../../sql/write.ts';
import { checkTemplate } from '../../templates/check.ts';
import { Invalid } from '../errors.ts';
import type { Work } from '../work.ts';

type Input = Record<string, unknown> & {
  response_subject?: string | null | undefined;
  response_body?: string | null | undefined;
};

type NewResponse = Input & { channel: string; match_type: string };

/** Adds the rule, if what it answers with may be rendered. */
export async function addAutoResponse({ tx }: Work, input: NewResponse): Promise<string> {
  check(input);
  return insert(tx, 'auto_responses', input);
}

export async function changeAutoResponse({ tx }: Work, id: string, changes: Input) {
  check(changes);
  await update(tx, 'auto_responses', id, changes);
}

/** The first problem of each part, with its place. */
function check(input: Input) {
  const errors: Record<string, string> = {};
  for (const part of ['response_subject', 'response_body'] as const) {
    const source = input[part];
    const [problem] = source ? checkTemplate(source) : [];
    if (!problem) continue;
    const { line, column, message } = problem;
    errors[part] = `Line ${line}, column ${column}: ${message}`;
  }
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
}
