import { hasPhrase } from '../../templates/portal/words.ts';
import { formIdempotencyKey } from './form-fields.ts';
import { redirectTo, pageView, type Page, type Visit } from './page.ts';
import { pageNotFound } from './page-not-found.ts';
import { fetchRow, fetchRows } from './fetch-rows.ts';

const PAYMENTS = 'GET /portal/loans/{id}/payments';
const EARLIER = 'GET /portal/loans/{id}/earlier-transactions';

export const fetchLoan = <Loan = unknown>({ ask, params }: Visit) =>
  ask<Loan>('GET /portal/loans/{id}', { params });

/** Statuses of loans whose figures can be explained. */
const FUNDED = new Set(['active', 'paid_off', 'charged_off', 'settled', 'transferred']);

const loan: Page = {
  path: '/loans/{id}',
  show: async (visit) => {
    const { ask, params } = visit;
    const loan = await fetchLoan<{ status: string }>(visit);
    const autopay = await ask('GET /portal/loans/{id}/autopay', { params });
    const { rows } = await fetchRows(visit, PAYMENTS, { limit: '5' });
    const is_explained = FUNDED.has(loan.status);
    return pageView('loan', { loan, is_explained, autopay, payments: rows });
  },
};

const schedule: Page = {
  path: '/loans/{id}/schedule',
  show: async (visit) => {
    const { ask, params } = visit;
    const installments = await ask<object[]>('GET /portal/loans/{id}/amortization', { params });
    return pageView('schedule', { loan: await fetchLoan(visit), installments });
  },
};

const explanation: Page = {
  path: '/loans/{id}/explain/{figure}',
  show: async ({ ask, params: { id = '', figure: dashed = '' }, language }) => {
    const figure = dashed.replaceAll('-', '_');
    if (!hasPhrase(`figure.${figure}`)) throw pageNotFound();
    const explanation = await ask('GET /portal/loans/{id}/explain', {
      params: { id },
      query: { figure, language },
    });
    return pageView('explanation', { explanation });
  },
};

const SHOWN_EARLIER = ['payment', 'payment_reversal', 'recovery'];

const payments: Page = {
  path: '/loans/{id}/payments',
  show: async (visit) => {
    const { rows, older } = await fetchRows(visit, PAYMENTS);
    const loan = await fetchLoan(visit);
    if (older !== null) return pageView('payments', { loan, payments: rows, older });
    // The last page ends with what the previous servicer received.
    const filter = JSON.stringify({ transaction_type: SHOWN_EARLIER, is_replayed: [false] });
    const sort = JSON.stringify(['transaction_date', 'DESC']);
    const query = { filter, sort, limit: '100' };
    const earlier = await visit.ask<object[]>(EARLIER, { params: visit.params, query });
    return pageView('payments', { loan, payments: rows, older, earlier });
  },
};

/** A payment and how it was applied. Also shown after ordering one. */
const payment: Page = {
  path: '/loans/{id}/payments/{payment_id}',
  show: async (visit) => {
    const payment = await fetchRow(visit, PAYMENTS, visit.params['payment_id'] ?? '');
    if (payment === undefined) throw pageNotFound();
    const { payment_id: id = '' } = visit.params;
    const authorization =
      payment['consent_id'] &&
      (await visit.ask('GET /portal/payments/{id}/authorization', { params: { id } }));
    return pageView('payment', { loan: await fetchLoan(visit), payment, authorization });
  },
  submit: async (visit) => {
    const { id = '', payment_id = '' } = visit.params;
    const whose = { params: { id: payment_id } };
    await visit.ask('POST /portal/payments/{id}/cancel', {
      ...whose,
      ...formIdempotencyKey(visit),
    });
    return redirectTo(`/portal/loans/${id}/payments`, 'payment_canceled');
  },
};

export const loanPages: readonly Page[] = [loan, schedule, explanation, payments, payment];
