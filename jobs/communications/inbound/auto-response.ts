import type { Row } from '../../../sql/table.ts';
import { insert, update } from '../../../sql/write.ts';
import { Invalid } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { assertRenderable } from '../assert-renderable.ts';
import { findPatternProblem } from './patterns.ts';

type Input = Record<string, unknown> & {
  response_subject?: string | null | undefined;
  response_body?: string | null | undefined;
  pattern?: string | null | undefined;
};

type NewResponse = Input & { channel: string; match_type: string };

/** Adds a rule. Throws Invalid if its pattern, answer or action is not valid. */
export async function addAutoResponse({ tx }: Work, input: NewResponse): Promise<string> {
  assertValidResponse(input, input);
  return insert(tx, 'auto_responses', input);
}

export async function changeAutoResponse({ tx }: Work, id: string, changes: Input, row: Row) {
  assertValidResponse(changes, { ...row, ...changes });
  await update(tx, 'auto_responses', id, changes);
}

function assertValidResponse({ response_subject, response_body, pattern }: Input, whole: Input) {
  assertRenderable({ response_subject, response_body });
  const problem = pattern ? findPatternProblem(pattern) : null;
  if (problem) throw new Invalid({ pattern: problem });
  if (whole['match_type'] === 'regex' && !whole.pattern)
    throw new Invalid({ pattern: 'Is required when match_type is regex.' });
  if (whole['action'] === 'forward' && !whole['forward_to'])
    throw new Invalid({ forward_to: 'Is required when action is forward.' });
}
