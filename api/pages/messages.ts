import { loanChoices } from './documents.ts';
import { filledIn, keyOf } from './fields.ts';
import { moved, shown, type Page } from './page.ts';
import { rowsOf } from './rows.ts';

const messages: Page = {
  path: '/messages',
  show: async (visit) => {
    const { rows, older } = await rowsOf(visit, 'GET /portal/support/cases');
    return shown('messages', { cases: rows, older, loans: await loanChoices(visit) });
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
  show: async ({ ask, params }) =>
    shown('thread', { case: await ask('GET /portal/support/cases/{id}', { params }) }),
  submit: async (visit) => {
    const { ask, params } = visit;
    const asked = { params, body: filledIn(visit, 'message'), ...keyOf(visit) };
    await ask('POST /portal/support/cases/{id}/messages', asked);
    return moved(`/portal/messages/${params['id'] ?? ''}`, 'message_sent');
  },
};

export const messagePages: readonly Page[] = [messages, thread];
