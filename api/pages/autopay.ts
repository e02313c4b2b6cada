import { say } from '../../templates/portal/words.ts';
import { accountLabel, usableAccounts } from './accounts.ts';
import { amountOf } from './amounts.ts';
import { filledIn, keyOf } from './fields.ts';
import { loanOf } from './loans.ts';
import { moved, shown, type Page, type Visit } from './page.ts';

const AUTOPAY = '/portal/loans/{id}/autopay';

function enrolmentOf(visit: Visit) {
  const { fixed_amount, extra_amount, ...plan } = {
    ...filledIn(visit, 'payment_instrument_id', 'amount_type', 'fixed_amount', 'extra_amount'),
  };
  const { tenant_name: tenant } = visit.config;
  return {
    ...plan,
    // The sentence above the button, which is what is agreed to.
    consent_text: say(visit.language, 'autopay.agree', { tenant }),
    ...(plan['amount_type'] === 'fixed' && { fixed_amount: amountOf(visit, fixed_amount) }),
    ...(plan['amount_type'] === 'minimum_due_plus' && {
      extra_amount: amountOf(visit, extra_amount),
    }),
  };
}

const autopay: Page = {
  path: '/loans/{id}/autopay',
  show: async (visit) => {
    const { ask, params } = visit;
    const autopay = await ask(`GET ${AUTOPAY}`, { params });
    const loan = await loanOf(visit);
    const accounts = await usableAccounts(visit);
    const plan = autopay['plan'] as { payment_instrument_id: string } | null;
    const from_account = plan && (await accountLabel(visit, plan.payment_instrument_id));
    return shown('autopay', { loan, autopay, accounts, from_account });
  },
  submit: async (visit) => {
    const { ask, params, form } = visit;
    const here = `/portal/loans/${params['id'] ?? ''}/autopay`;
    const asked = { params, ...keyOf(visit) };
    switch (form.values['step']) {
      case 'cancel':
        await ask(`POST ${AUTOPAY}/cancel`, asked);
        return moved(here, 'autopay_canceled');
      case 'pause':
        await ask(`POST ${AUTOPAY}/enable`, { ...asked, body: { enabled: false } });
        return moved(here, 'autopay_paused');
      case 'resume':
        await ask(`POST ${AUTOPAY}/enable`, { ...asked, body: { enabled: true } });
        return moved(here, 'autopay_resumed');
      default:
        await ask(`POST ${AUTOPAY}/enroll`, { ...asked, body: enrolmentOf(visit) });
        return moved(here, 'autopay_enrolled');
    }
  },
};

export const autopayPages: readonly Page[] = [autopay];
