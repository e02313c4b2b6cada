import { CONSENT_PHRASES } from '../../templates/portal/consents.ts';
import { phrase } from '../../templates/portal/words.ts';
import { accountLabel, fetchDrawableAccounts } from './accounts.ts';
import { normalizeAmount } from './amounts.ts';
import { filledFields, formIdempotencyKey } from './form-fields.ts';
import { fetchLoan } from './loans.ts';
import { redirectTo, pageView, type Page, type Visit } from './page.ts';

const AUTOPAY = '/portal/loans/{id}/autopay';

function enrolmentOf(visit: Visit) {
  const { fixed_amount, extra_amount, ...plan } = {
    ...filledFields(visit, 'payment_instrument_id', 'amount_type', 'fixed_amount', 'extra_amount'),
  };
  const { tenant_name: tenant } = visit.config;
  return {
    ...plan,
    // The sentence above the button, to which the borrower agrees.
    consent_text: phrase(visit.language, CONSENT_PHRASES.autopay, { tenant }),
    ...(plan['amount_type'] === 'fixed' && { fixed_amount: normalizeAmount(visit, fixed_amount) }),
    ...(plan['amount_type'] === 'minimum_due_plus' && {
      extra_amount: normalizeAmount(visit, extra_amount),
    }),
  };
}

const autopay: Page = {
  path: '/loans/{id}/autopay',
  show: async (visit) => {
    const { ask, params } = visit;
    const autopay = await ask(`GET ${AUTOPAY}`, { params });
    const loan = await fetchLoan(visit);
    const accounts = await fetchDrawableAccounts(visit);
    const plan = autopay['plan'] as { payment_instrument_id: string } | null;
    const from_account = plan && (await accountLabel(visit, plan.payment_instrument_id));
    return pageView('autopay', { loan, autopay, accounts, from_account });
  },
  submit: async (visit) => {
    const { ask, params, form } = visit;
    const ownPath = `/portal/loans/${params['id'] ?? ''}/autopay`;
    const asked = { params, ...formIdempotencyKey(visit) };
    switch (form.values['step']) {
      case 'cancel':
        await ask(`POST ${AUTOPAY}/cancel`, asked);
        return redirectTo(ownPath, 'autopay_canceled');
      case 'pause':
        await ask(`POST ${AUTOPAY}/enable`, { ...asked, body: { enabled: false } });
        return redirectTo(ownPath, 'autopay_paused');
      case 'resume':
        await ask(`POST ${AUTOPAY}/enable`, { ...asked, body: { enabled: true } });
        return redirectTo(ownPath, 'autopay_resumed');
      default:
        await ask(`POST ${AUTOPAY}/enroll`, { ...asked, body: enrolmentOf(visit) });
        return redirectTo(ownPath, 'autopay_enrolled');
    }
  },
};

export const autopayPages: readonly Page[] = [autopay];
