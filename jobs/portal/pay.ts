import { z } from 'zod';
import * as portal from '../../sql/portal/payments.ts';
import { quotedAmountOn } from '../../sql/loans/payoff-quotes.ts';
import { payments } from '../../sql/payments/payments.ts';
import { date, flag, positiveMoney, prose, uuid } from '../../sql/types.ts';
import { findLocked, type Row } from '../../sql/table.ts';
import { LANGUAGES } from '../../templates/portal/words.ts';
import { auditChange } from '../audit.ts';
import { assertInstrumentUsable } from '../borrowers/payment-instrument.ts';
import { Conflict, Invalid, NotFound } from '../errors.ts';
import type { PaymentType } from '../loans/engine/events.ts';
import { openLoan, readLoan, type OpenLoan } from '../loans/history/open-loan.ts';
import { assertAllowed } from '../loans/history/statuses.ts';
import { atLeastZero, max, money, parseMoney } from '../money.ts';
import { removePayment } from '../payments/change.ts';
import { previewPayment } from '../payments/preview.ts';
import { NewPayment, receivePayment } from '../payments/receive.ts';
import { settingsOf } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';
import { endConsent, recordConsent } from './consents.ts';
import { totalDebtOn } from './debt.ts';
import { assertBankConfigured, assertOwnLoan } from './own-loans.ts';
import { writeAuthorization } from './payment-authorization.ts';

/** An identical payment within this time may be a double click. */
const DOUBLE_CLICK_SECONDS = 60;

export const PortalPreview = z.object({
  amount: positiveMoney.describe("The amount to pay, in the tenant's currency."),
  payment_date: date
    .nullish()
    .describe('The day on which the payment is drawn: today or later. Default: today.'),
  payment_instrument_id: uuid
    .nullish()
    .describe('The bank account. With it, the answer contains the authorization text.'),
  language: z
    .enum(LANGUAGES)
    .nullish()
    .describe(
      "The language of the authorization text. Default: the borrower's, otherwise English.",
    ),
});
export const PortalPayment = z.object({
  ...PortalPreview.shape,
  payment_instrument_id: uuid.describe('The verified bank account that is drawn on.'),
  consent_text: prose
    .nullish()
    .describe(
      'The authorization text, if the borrower saw another text than the one in the preview. It must name payer, account, amount, date and how to revoke it.',
    ),
  confirm_duplicate: flag
    .nullish()
    .describe('Set to true to repeat a payment that was made a moment ago.'),
});
type Order = z.output<typeof PortalPayment>;

/**
 * Makes a payment from the borrower's own verified account, for today or a future day. Throws Conflict if
 * the amount exceeds the debt.
 */
export async function payOwnLoan(work: Work, borrowerId: string, loanId: string, input: Order) {
  await assertOwnLoan(work, borrowerId, loanId);
  const loan = await openLoan(work, loanId);
  const { amount, payment_instrument_id } = input;
  const payment_date = dayOf(work, loan, input);
  await assertBankConfigured(work);
  const from = { verified: true };
  await assertInstrumentUsable(work, borrowerId, payment_instrument_id, from);
  const order = { loan_id: loanId, amount, payment_date, payment_instrument_id };
  if (!input.confirm_duplicate) await assertNotDuplicate(work, order);
  const payment_type = await typeOf(work, loan, { amount, payment_date });
  const payment = NewPayment.parse({ amount, payment_date, payment_instrument_id, payment_type });
  const consent_id = await recordConsent(
    work,
    {
      borrower_id: borrowerId,
      consent_type: 'payment',
      consent_text:
        input.consent_text ||
        (await writeAuthorization(work, borrowerId, { ...order, language: input.language })),
    },
    'authorize',
  );
  return auditChange(work, payments, 'create', null, () =>
    receivePayment(work, loanId, { ...payment, consent_id, source: 'portal' }),
  );
}

/**
 * Previews the allocation of a payment and the text that authorizes it. Throws the same errors as the payment
 * would.
 */
export async function previewOwnPayment(
  work: Work,
  borrowerId: string,
  loanId: string,
  input: z.output<typeof PortalPreview>,
) {
  await assertOwnLoan(work, borrowerId, loanId);
  await assertBankConfigured(work);
  const loan = await readLoan(work, loanId);
  const payment_date = dayOf(work, loan, input);
  const wished = { amount: input.amount, payment_date };
  const payment_type = await typeOf(work, loan, wished);
  const preview = await previewPayment(work, loanId, { ...wished, payment_type });
  return {
    ...preview,
    authorization_text: await previewAuthorization(work, borrowerId, input, wished),
  };
}

async function previewAuthorization(
  work: Work,
  borrowerId: string,
  { payment_instrument_id, language }: z.output<typeof PortalPreview>,
  wished: { amount: string; payment_date: string },
) {
  if (!payment_instrument_id) return null;
  const preview = { verified: true, isPreview: true };
  await assertInstrumentUsable(work, borrowerId, payment_instrument_id, preview);
  return writeAuthorization(work, borrowerId, { ...wished, payment_instrument_id, language });
}

/** Cancels a scheduled payment that this person made, and revokes its authorization. */
export async function cancelOwnPayment(work: Work, borrowerId: string, id: string): Promise<Row> {
  if ((await portal.findLoanOfOwnPayment(work.tx, id, borrowerId)) === null) throw new NotFound();
  const before = await findLocked(work.tx, payments, id);
  if (before === null) throw new NotFound();
  const { status: current_status } = before;
  if (current_status !== 'scheduled') {
    throw notScheduled(current_status);
  }
  return auditChange(work, payments, 'cancel', before, async () => {
    await removePayment(work, id, before);
    if (typeof before['consent_id'] === 'string') await endConsent(work, before['consent_id']);
    return id;
  });
}

type Dated = { payment_date?: string | null | undefined };

/** The payment date: today or later. Throws if the loan does not accept payments. */
function dayOf({ today }: Work, { row }: OpenLoan, { payment_date }: Dated): string {
  assertAllowed(row, 'payments');
  if (payment_date && payment_date < today)
    throw new Invalid({ payment_date: 'Must not be in the past.' });
  return payment_date ?? today;
}

/** Identical payments are allowed, but a tenant can require confirmation of the second one. */
async function assertNotDuplicate(
  { tx }: Work,
  order: Parameters<typeof portal.findDuplicatePayment>[1],
) {
  if (!(await settingsOf(tx)).portal.asks_about_repeats) return;
  const payment_id = await portal.findDuplicatePayment(tx, order, DOUBLE_CLICK_SECONDS);
  if (payment_id === null) return;
  throw possibleDuplicate(payment_id);
}

/**
 * A payment of the whole debt, or of the amount of an active payoff quote, is a payoff: it also uses
 * suspense and pays the agreed prepayment penalty. Throws Conflict if the amount, together with the
 * payments scheduled until then, is higher.
 */
async function typeOf(
  work: Work,
  loan: OpenLoan,
  { amount, payment_date }: { amount: string; payment_date: string },
): Promise<PaymentType> {
  const { tx } = work;
  const { row } = loan;
  const debt = await totalDebtOn(work, loan, payment_date);
  const scheduled = parseMoney(await portal.sumScheduledUntil(tx, row.id, payment_date));
  const quoted = parseMoney((await quotedAmountOn(tx, row.id, payment_date)) ?? '0.00');
  const most = atLeastZero(max(debt, quoted).minus(scheduled));
  const paid = parseMoney(amount);
  if (paid.gt(most)) throw exceedsDebt(money(most));
  const isPayoff = row.status === 'active' && row.loan_type === 'installment';
  return isPayoff && (paid.gte(debt) || paid.eq(quoted)) ? 'payoff' : 'regular';
}

export const exceedsDebt = (payoff_amount: string) =>
  new Conflict(
    'The amount, together with scheduled payments, is more than you owe on that day.',
    'exceeds_balance',
    { payoff_amount },
  );

export const notScheduled = (current_status: unknown) =>
  new Conflict('Only a scheduled payment can be canceled.', 'invalid_transition', {
    current_status,
  });

export const possibleDuplicate = (payment_id: string) =>
  new Conflict(
    'You made the same payment a moment ago. Confirm to pay a second time.',
    'possible_duplicate',
    { payment_id },
  );
