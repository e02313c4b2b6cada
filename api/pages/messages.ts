import { say } from '../../templates/portal/words.ts';
import { loanChoices } from './documents.ts';
import { filledIn, keyOf } from './fields.ts';
import { moved, shown, type Page, type Visit } from './page.ts';
import { rowsOf } from './rows.ts';

/** What a case is called: an application's is not what anybody wrote, and is said in the reader's language. */
function called({ language }: Visit, about: Record<string, unknown>) {
  const { application_number: number, subject } = about;
  return { ...about, subject: number ? say(language, 'hardship.title', { number }) : subject };
}

const messages: Page = {
  path: '/messages',
  show: async (visit) => {
    const { rows, older } = await rowsOf(visit, 'GET /portal/support/cases');
    const cases = rows.map((row) => called(visit, row));
    return shown('messages', { cases, older, loans: await loanChoices(visit) });
  },
  submit: async (visit) => {
    const body = filledIn(visit, 'loan_id', 'subject', 'description', 'case_type');
    const asked = { body, ...keyOf(visit) };
    const { id } = await visit.ask<{ id: string }>('POST /portal/support/cases', asked);
    return moved(`/portal/messages/${id}`, 'message_sent');
  },
};

const thread: Page = {
  path: '/messages/{id}',
  show: async (visit) => {
    const { ask, params } = visit;
    const about = await ask('GET /portal/support/cases/{id}', { params });
    return shown('thread', { case: called(visit, about) });
  },
  submit: async (visit) => {
    const { ask, params } = visit;
    const asked = { params, body: filledIn(visit, 'message'), ...keyOf(visit) };
    await ask('POST /portal/support/cases/{id}/messages', asked);
    return moved(`/portal/messages/${params['id'] ?? ''}`, 'message_sent');
  },
};

export const messagePages: readonly Page[] = [messages, thread];
