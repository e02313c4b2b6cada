import { insert, update } from '../../sql/write.ts';
import type { Work } from '../work.ts';
import { assertRenderable } from './assert-renderable.ts';

type Input = Record<string, unknown> & {
  response_subject?: string | null | undefined;
  response_body?: string | null | undefined;
};

type NewResponse = Input & { channel: string; match_type: string };

/** Adds the rule, if what it answers with may be rendered. */
export async function addAutoResponse({ tx }: Work, input: NewResponse): Promise<string> {
  assertAnswerRenderable(input);
  return insert(tx, 'auto_responses', input);
}

export async function changeAutoResponse({ tx }: Work, id: string, changes: Input) {
  assertAnswerRenderable(changes);
  await update(tx, 'auto_responses', id, changes);
}

const assertAnswerRenderable = ({ response_subject, response_body }: Input) =>
  assertRenderable({ response_subject, response_body });
