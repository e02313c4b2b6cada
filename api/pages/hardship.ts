import { normalizeAmount } from './amounts.ts';
import { fetchLoanChoices } from './documents.ts';
import { filledFields, formIdempotencyKey } from './form-fields.ts';
import { redirectTo, pageView, type Page } from './page.ts';
import { fetchRows } from './fetch-rows.ts';

const hardship: Page = {
  path: '/hardship',
  show: async (visit) => {
    const { rows, older } = await fetchRows(visit, 'GET /portal/hardship');
    return pageView('hardship', {
      applications: rows,
      older,
      loans: await fetchLoanChoices(visit, 'can_change'),
    });
  },
  submit: async (visit) => {
    const { monthly_income, monthly_expenses } = visit.form.values;
    const body = {
      ...filledFields(visit, 'loan_id', 'hardship_type', 'requested_action', 'description'),
      ...(monthly_income && { monthly_income: normalizeAmount(visit, monthly_income) }),
      ...(monthly_expenses && { monthly_expenses: normalizeAmount(visit, monthly_expenses) }),
    };
    const asked = { body, ...formIdempotencyKey(visit) };
    const { id } = await visit.ask<{ id: string }>('POST /portal/hardship', asked);
    return redirectTo(`/portal/hardship/${id}`, 'hardship_sent');
  },
};

const application: Page = {
  path: '/hardship/{id}',
  show: async ({ ask, params }) =>
    pageView('application', { application: await ask('GET /portal/hardship/{id}', { params }) }),
};

export const hardshipPages: readonly Page[] = [hardship, application];
