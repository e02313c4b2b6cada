import { Invalid } from '../../jobs/errors.ts';
import { normalizeAmount } from './amounts.ts';
import { fetchDrawableAccounts } from './accounts.ts';
import { filledFields, formIdempotencyKey } from './form-fields.ts';
import { fetchLoan } from './loans.ts';
import { redirectTo, pageView, type Page, type Visit } from './page.ts';

/** The form's values as the endpoints expect them. */
function paymentOrder(visit: Visit) {
  const { amount, ...order } = filledFields(
    visit,
    'amount',
    'payment_date',
    'payment_instrument_id',
  );
  return { ...order, ...(amount && { amount: normalizeAmount(visit, amount) }) };
}

/**
 * Ordering a payment takes three steps: the form, a preview of how it would be applied, and the receipt.
 */
const pay: Page = {
  path: '/loans/{id}/pay',
  show: async (visit) => {
    const accounts = await fetchDrawableAccounts(visit);
    const loan = await fetchLoan(visit);
    const isRepeated = visit.problems?.code === 'possible_duplicate';
    return pageView('pay', { loan, accounts, isRepeated, order: paymentOrder(visit) });
  },
  submit: async (visit) => {
    const { ask, params, form } = visit;
    const { id = '' } = params;
    const order = paymentOrder(visit);
    if (form.values['step'] !== 'pay') {
      const { payment_instrument_id, ...body } = order as Record<string, string>;
      const preview = await ask('POST /portal/loans/{id}/payments/preview', { params, body });
      const accounts = await fetchDrawableAccounts(visit);
      const account = accounts.find((known) => known.id === payment_instrument_id);
      if (account === undefined) throw noAccount();
      return pageView('pay-preview', { loan: await fetchLoan(visit), order, preview, account });
    }
    const confirm_duplicate = form.values['confirm_duplicate'] === 'true';
    const body = { ...order, ...(confirm_duplicate && { confirm_duplicate }) };
    const asked = { params, body, ...formIdempotencyKey(visit) };
    const paid = await ask<{ id: string }>('POST /portal/loans/{id}/payments', asked);
    return redirectTo(`/portal/loans/${id}/payments/${paid.id}`, 'paid');
  },
};

const noAccount = () => new Invalid({ payment_instrument_id: 'Is required.' });

export const payPages: readonly Page[] = [pay];
