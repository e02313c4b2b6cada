import { amountOf } from './amounts.ts';
import { loanChoices } from './documents.ts';
import { filledIn, keyOf } from './fields.ts';
import { moved, shown, type Page } from './page.ts';
import { rowsOf } from './rows.ts';

const hardship: Page = {
  path: '/hardship',
  show: async (visit) => {
    const { rows, older } = await rowsOf(visit, 'GET /portal/hardship');
    return shown('hardship', {
      applications: rows,
      older,
      loans: await loanChoices(visit, 'can_change'),
    });
  },
  submit: async (visit) => {
    const { monthly_income, monthly_expenses } = visit.form.values;
    const body = {
      ...filledIn(visit, 'loan_id', 'hardship_type', 'requested_action', 'description'),
      ...(monthly_income && { monthly_income: amountOf(visit, monthly_income) }),
      ...(monthly_expenses && { monthly_expenses: amountOf(visit, monthly_expenses) }),
    };
    const asked = { body, ...keyOf(visit) };
    const { id } = await visit.ask<{ id: string }>('POST /portal/hardship', asked);
    return moved(`/portal/hardship/${id}`, 'hardship_sent');
  },
};

const application: Page = {
  path: '/hardship/{id}',
  show: async ({ ask, params }) =>
    shown('application', { application: await ask('GET /portal/hardship/{id}', { params }) }),
};

export const hardshipPages: readonly Page[] = [hardship, application];
