import { Invalid } from '../../jobs/errors.ts';
import { normalizeAmount } from './amounts.ts';
import { fetchDrawableAccounts } from './accounts.ts';
import { filledFields, formIdempotencyKey } from './form-fields.ts';
import { fetchLoan } from './loans.ts';
import { redirectTo, pageView, type Page, type Visit } from './page.ts';

/** The form's values as the endpoints expect them. */
function paymentOrder(visit: Visit): Record<string, string> {
  const { amount, ...order } = filledFields(
    visit,
    'amount',
    'payment_date',
    'payment_instrument_id',
  );
  const { language } = visit;
  const written = amount && normalizeAmount(visit, amount);
  return { ...order, language, ...(written && { amount: written }) };
}

const fetchPreview = ({ ask, params }: Visit, body: Record<string, string>) =>
  ask<{ as_of_date: string }>('POST /portal/loans/{id}/payments/preview', { params, body });

/**
 * Ordering a payment takes three steps: the form, a preview of how it would be applied
 * with the authorization, and the receipt.
 */
const pay: Page = {
  path: '/loans/{id}/pay',
  show: async (visit) => {
    const accounts = await fetchDrawableAccounts(visit);
    const loan = await fetchLoan(visit);
    const order = paymentOrder(visit);
    const isRepeated = visit.problems?.code === 'possible_duplicate';
    const preview = isRepeated ? await fetchPreview(visit, order) : null;
    return pageView('pay', { loan, accounts, isRepeated, order, preview });
  },
  submit: async (visit) => {
    const { ask, params, form } = visit;
    const { id = '' } = params;
    const order = paymentOrder(visit);
    if (form.values['step'] !== 'pay') {
      const accounts = await fetchDrawableAccounts(visit);
      const account = accounts.find(({ id }) => id === order['payment_instrument_id']);
      if (account === undefined) throw noAccount();
      const preview = await fetchPreview(visit, order);
      // The authorization names this day, so the order must not move to the next one.
      const dated = { ...order, payment_date: preview.as_of_date };
      const loan = await fetchLoan(visit);
      return pageView('pay-preview', { loan, order: dated, preview, account });
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
