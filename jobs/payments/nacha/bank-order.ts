import * as instruments from '../../../sql/borrowers/payment-instruments.ts';
import type { Instrument } from '../../../sql/borrowers/payment-instruments.ts';
import { findLiableAccountOwner } from '../../../sql/loans/co-borrowers.ts';
import * as accounts from '../../../sql/payments/order-accounts.ts';
import { nextBusinessDay } from '../../banks/bank-calendar.ts';
import { assertInstrumentUsable } from '../../borrowers/payment-instrument.ts';
import { addDays } from '../../dates.ts';
import { Conflict, Invalid } from '../../errors.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';
import { readOriginator } from './originator.ts';

/** An instrument makes the request a bank order. */
type Named = { payment_instrument_id?: string | null | undefined; method?: string | null };

/** Default: ACH if the request names an instrument. */
export const defaultMethod = <Method extends string>(
  instrumentId: string | null | undefined,
  method: Method | null | undefined,
) => method ?? (instrumentId ? ('ach' as const) : ('external' as const));

/**
 * Throws for an order that no bank file could contain. A request without an instrument is no order and
 * passes. An order that pays money out (`is_credit`) needs a verified account.
 */
export async function assertBankOrder(
  work: Work,
  borrowerId: string,
  { payment_instrument_id, method }: Named,
  {
    method: methodField = 'method',
    instrument: field = 'payment_instrument_id',
    is_credit = false,
  } = {},
) {
  if (!payment_instrument_id) return;
  if (method && method !== 'ach') {
    const message = `Must be ach if ${field} is given. For any other method, leave ${field} out.`;
    throw new Invalid({ [methodField]: message });
  }
  const instrument = await assertInstrumentUsable(work, borrowerId, payment_instrument_id, {
    field,
  });
  if (instrument.instrument_type !== 'bank_account')
    throw new Invalid({ [field]: 'Must be a bank account.' });
  assertComplete(instrument);
  if (is_credit && !instrument.is_verified) {
    const message =
      'The account is not verified. An admin must verify it before money is paid to it.';
    throw new Conflict(message, 'instrument_not_usable', { is_verified: false });
  }
  await readOriginator(work);
}

/** An order copies the account, so the account number must be complete. */
function assertComplete(instrument: Instrument) {
  if (isComplete(instrument)) return;
  const message = 'The account has no routing number. Add its routing_number, then use it.';
  const { draw_blockers } = instrument;
  throw new Conflict(message, 'instrument_not_usable', { draw_blockers });
}

const isComplete = ({ draw_blockers }: Instrument) =>
  !draw_blockers.includes('routing_number_missing') &&
  !draw_blockers.includes('account_number_missing');

type NamedOfPayment = Named & { payment_method?: string | null | undefined };

/**
 * Like `assertBankOrder`, for a payment, whose method field is `payment_method`. The account may belong to
 * any person liable for the loan. Returns the payer's id.
 */
export async function assertPaymentOrder(
  work: Work,
  { id, borrower_id }: { id: string; borrower_id: string },
  { payment_method = null, ...named }: NamedOfPayment,
): Promise<string> {
  const account = named.payment_instrument_id;
  const payer = (account && (await findLiableAccountOwner(work.tx, id, account))) || borrower_id;
  await assertBankOrder(
    work,
    payer,
    { ...named, method: payment_method },
    { method: 'payment_method' },
  );
  return payer;
}

/** Whether an earlier order can still be drawn. The account may have been blocked or deleted since. */
export async function canStillDraw({ tx }: Work, instrumentId: string): Promise<boolean> {
  const instrument = await instruments.lockForShare(tx, instrumentId);
  return instrument?.can_draw === true;
}

/** The columns of an order's record, and the fields of its loan event. */
export type BankOrder = { send_by: string | null; transit: { is_in_transit?: true } };

export const NO_BANK_ORDER: BankOrder = { send_by: null, transit: {} };

/** Prepares an order made today. A file must contain it within two banking days. */
export async function prepareBankOrder(
  { tx, today }: Work,
  { payment_instrument_id, method }: Named,
): Promise<BankOrder> {
  if (!payment_instrument_id || defaultMethod(payment_instrument_id, method) !== 'ach')
    return NO_BANK_ORDER;
  const { ach_cash } = (await settingsOf(tx)).accounting;
  const next = nextBusinessDay(addDays(today, 1));
  return {
    send_by: nextBusinessDay(addDays(next, 1)),
    transit: ach_cash === 'effective_date' ? { is_in_transit: true } : {},
  };
}

/**
 * Copies the instrument's account to the order, so later changes to the instrument do not redirect the
 * money. Does nothing for money that moves without a bank order.
 */
export async function saveOrderAccount(
  { tx }: Work,
  order: accounts.OrderKey,
  { payment_instrument_id, method }: Named,
) {
  if (!payment_instrument_id || defaultMethod(payment_instrument_id, method) !== 'ach') return;
  await accounts.saveAccount(tx, order, payment_instrument_id);
}
