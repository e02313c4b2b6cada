import { insert, update } from '../../sql/write.ts';
import { checkTemplate } from '../../templates/check.ts';
import { Invalid } from '../errors.ts';
import type { Work } from '../work.ts';

type Input = Record<string, unknown> & { response_body?: string | null | undefined };

/** Adds the rule, if what it answers with may be rendered. */
export async function addAutoResponse({ tx }: Work, input: Input): Promise<string> {
  check(input);
  return insert(tx, 'auto_responses', input);
}

export async function changeAutoResponse({ tx }: Work, id: string, changes: Input) {
  check(changes);
  await update(tx, 'auto_responses', id, changes);
}

function check({ response_body }: Input) {
  const [problem] = response_body ? checkTemplate(response_body) : [];
  if (!problem) return;
  const { line, column, message } = problem;
  throw new Invalid({ response_body: `Line ${line}, column ${column}: ${message}` });
}
