import { phrase } from '../../templates/portal/words.ts';
import { fetchLoanChoices } from './documents.ts';
import { filledFields, formIdempotencyKey } from './form-fields.ts';
import { redirectTo, pageView, type Page, type Visit } from './page.ts';
import { fetchRows } from './fetch-rows.ts';

/** The title of a case. An application has no written subject, so its title is translated. */
function withCaseTitle({ language }: Visit, about: Record<string, unknown>) {
  const { application_number: number, subject } = about;
  return { ...about, subject: number ? phrase(language, 'hardship.title', { number }) : subject };
}

const messages: Page = {
  path: '/messages',
  show: async (visit) => {
    const { rows, older } = await fetchRows(visit, 'GET /portal/support/cases');
    const cases = rows.map((row) => withCaseTitle(visit, row));
    return pageView('messages', { cases, older, loans: await fetchLoanChoices(visit) });
  },
  submit: async (visit) => {
    const body = filledFields(visit, 'loan_id', 'subject', 'description', 'case_type');
    const asked = { body, ...formIdempotencyKey(visit) };
    const { id } = await visit.ask<{ id: string }>('POST /portal/support/cases', asked);
    return redirectTo(`/portal/messages/${id}`, 'message_sent');
  },
};

const thread: Page = {
  path: '/messages/{id}',
  show: async (visit) => {
    const { ask, params } = visit;
    const about = await ask('GET /portal/support/cases/{id}', { params });
    return pageView('thread', { case: withCaseTitle(visit, about) });
  },
  submit: async (visit) => {
    const { ask, params } = visit;
    const asked = { params, body: filledFields(visit, 'message'), ...formIdempotencyKey(visit) };
    await ask('POST /portal/support/cases/{id}/messages', asked);
    return redirectTo(`/portal/messages/${params['id'] ?? ''}`, 'message_sent');
  },
};

export const messagePages: readonly Page[] = [messages, thread];
