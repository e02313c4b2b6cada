import { keyOf } from './fields.ts';
import { moved, shown, type Page, type Visit } from './page.ts';
import { missing } from './missing.ts';
import { onlyOf, rowsOf } from './rows.ts';

const PAYMENTS = 'GET /portal/loans/{id}/payments';

export const loanOf = <Loan = unknown>({ ask, params }: Visit) =>
  ask<Loan>('GET /portal/loans/{id}', { params });

const loan: Page = {
  path: '/loans/{id}',
  show: async (visit) => {
    const { ask, params } = visit;
    const loan = await loanOf(visit);
    const autopay = await ask('GET /portal/loans/{id}/autopay', { params });
    const { rows } = await rowsOf(visit, PAYMENTS, { limit: '5' });
    return shown('loan', { loan, autopay, payments: rows });
  },
};

const schedule: Page = {
  path: '/loans/{id}/schedule',
  show: async (visit) => {
    const { ask, params } = visit;
    const installments = await ask<object[]>('GET /portal/loans/{id}/amortization', { params });
    return shown('schedule', { loan: await loanOf(visit), installments });
  },
};

const payments: Page = {
  path: '/loans/{id}/payments',
  show: async (visit) => {
    const { rows, older } = await rowsOf(visit, PAYMENTS);
    return shown('payments', { loan: await loanOf(visit), payments: rows, older });
  },
};

/** A payment with how it was used, which is what is shown after it was ordered. */
const payment: Page = {
  path: '/loans/{id}/payments/{payment_id}',
  show: async (visit) => {
    const payment = await onlyOf(visit, PAYMENTS, visit.params['payment_id'] ?? '');
    if (payment === undefined) throw missing();
    return shown('payment', { loan: await loanOf(visit), payment });
  },
  submit: async (visit) => {
    const { id = '', payment_id = '' } = visit.params;
    const whose = { params: { id: payment_id } };
    await visit.ask('POST /portal/payments/{id}/cancel', { ...whose, ...keyOf(visit) });
    return moved(`/portal/loans/${id}/payments`, 'payment_canceled');
  },
};

export const loanPages: readonly Page[] = [loan, schedule, payments, payment];
