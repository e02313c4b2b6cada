import * as instruments from '../../sql/borrowers/payment-instruments.ts';
import { lockBorrower } from '../../sql/borrowers/primary-contacts.ts';
import * as orders from '../../sql/payments/order-accounts.ts';
import type { Row } from '../../sql/table.ts';
import { insert, update, type Values } from '../../sql/write.ts';
import { recordDisplaced } from '../audit.ts';
import { Conflict, Invalid } from '../errors.ts';
import { isAdmin } from '../users/assert-admin.ts';
import { accountBlockMessage, returnEffect } from '../banks/return-codes.ts';
import type { Work } from '../work.ts';

type Input = Values & {
  account_number?: string | null | undefined;
  token?: string | null | undefined;
  is_default?: boolean | undefined;
  is_verified?: boolean | undefined;
};
type NewInstrument = Input & { borrower_id: string; instrument_type: string };

/**
 * Adds an instrument. The first one becomes the default; a new default replaces the old one. Numbers are
 * sealed, and responses show only the last four digits.
 */
export async function addInstrument(work: Work, input: NewInstrument): Promise<string> {
  const { borrower_id: borrowerId } = input;
  await lockBorrower(work.tx, borrowerId);
  const isFirst = !(await instruments.hasPaymentInstrument(work.tx, borrowerId));
  const is_default = isFirst || input.is_default === true;
  if (is_default) await clearPreviousDefault(work, borrowerId, null);
  const verified = verificationColumns(work, input, { is_verified: false });
  return insert(work.tx, 'payment_instruments', {
    ...sealNumbers(work, input),
    ...verified,
    is_default,
  });
}

/** The columns of an instrument that another system verified or not. The caller chooses the default instrument. */
export function broughtInstrumentColumns(work: Work, input: NewInstrument): Values {
  const is_verified = input.is_verified === true;
  const verified_at = is_verified ? new Date().toISOString() : null;
  return { ...sealNumbers(work, input), is_verified, verified_at };
}

/**
 * Changes an instrument. If it becomes another account, it loses its verification. Throws Conflict while an
 * order with the old account has not been sent to the bank.
 */
export async function changeInstrument(work: Work, id: string, changes: Input, row: Row) {
  if (isDifferentAccount(changes, row)) await assertNoOrders(work, id);
  const borrowerId = String(row['borrower_id']);
  // An archived instrument cannot be used, so it cannot be the default.
  const is_default = row['is_archived'] !== true && (changes.is_default ?? row['is_default']);
  if (is_default === true) await clearPreviousDefault(work, borrowerId, id);
  const verified = verificationColumns(work, changes, row);
  const statusColumns = statusColumnsAfter(changes, row);
  const changed = { ...sealNumbers(work, changes), ...verified, ...statusColumns, is_default };
  await update(work.tx, 'payment_instruments', id, changed);
}

/** Orders refer to the instrument. Changing it would change the destination of unsent orders. */
async function assertNoOrders({ tx }: Work, id: string) {
  const open = await orders.findUnsentOrders(tx, id);
  if (Object.values(open).every((ids) => ids.length === 0)) return;
  throw hasOpenOrders(open);
}

async function clearPreviousDefault(work: Work, borrower_id: string, by: string | null) {
  const ids = await instruments.clearDefault(work.tx, borrower_id, by);
  await recordDisplaced(work, 'payment_instruments', ids, 'is_default', { borrower_id });
}

/**
 * Archives an instrument, because payments refer to it. Throws Conflict while an autopay plan or an unsent
 * order uses it.
 */
export async function removeInstrument({ tx }: Work, id: string) {
  await instruments.lockInstrument(tx, id);
  if (await instruments.isInUse(tx, id)) {
    throw usedByAutopay();
  }
  const { scheduled_ids: _, ...ordered } = await orders.findUnsentOrders(tx, id);
  if (Object.values(ordered).some((ids) => ids.length > 0)) {
    throw hasUnsentOrders(ordered);
  }
  const archivedColumns = { is_archived: true, is_default: false, status: 'inactive' };
  await update(tx, 'payment_instruments', id, archivedColumns);
}

/** Seals the account number and the token. */
function sealNumbers(
  { tenant_id, installation: { keys } }: Work,
  { account_number, token, ...rest }: Input,
): Values {
  return {
    ...rest,
    ...(account_number && {
      account_number_sealed: keys.seal(tenant_id, account_number),
      account_number_last_four: account_number.slice(-4).padStart(4, '0'),
    }),
    ...(token && { token_sealed: keys.seal(tenant_id, token) }),
  };
}

/** A change of any of these fields makes the instrument another account. */
const IDENTIFYING_FIELDS = [
  'instrument_type',
  'account_holder_name',
  'account_type',
  'routing_number',
  'account_number_last_four',
];

/**
 * A given number or token always counts as changed, because the stored one is sealed and cannot be
 * compared.
 */
const isDifferentAccount = (input: Input, before: Values) =>
  Boolean(input.account_number) ||
  Boolean(input.token) ||
  IDENTIFYING_FIELDS.some(
    (field) => input[field] !== undefined && (input[field] ?? null) !== (before[field] ?? null),
  );

/**
 * Correcting an account lifts a block caused by a return code, even if a form sends back the status
 * `blocked`. Other blocks are lifted by setting another status.
 */
function statusColumnsAfter(changes: Input, before: Values): Values {
  if (before['status'] !== 'blocked') return {};
  if (changes['status'] !== undefined && changes['status'] !== 'blocked')
    return { block_code: null };
  const code = before['block_code'];
  const isCorrected = typeof code === 'string' && returnEffect(code) === 'blocks_account';
  if (!isCorrected || !isDifferentAccount(changes, before)) return {};
  return { status: 'active', block_code: null };
}

/** Only an admin can set `is_verified` (specification). From other users the field is ignored. */
function verificationColumns(work: Work, input: Input, before: Values): Values {
  const wasVerified = before['is_verified'] === true;
  // Forms send back the status they read. The verification of the old account does not apply to the new
  // one.
  if (wasVerified && isDifferentAccount(input, before))
    return { is_verified: false, verified_at: null, verification_method: 'none' };
  const is_verified = (isAdmin(work) ? input.is_verified : undefined) ?? wasVerified;
  if (is_verified === before['is_verified']) return { is_verified };
  return { is_verified, verified_at: is_verified ? new Date().toISOString() : null };
}

/**
 * Locks an instrument against changes until the transaction ends. Throws Invalid if it does not belong to
 * the borrower and Conflict if it cannot be used now. A preview takes no lock.
 */
export async function assertInstrumentUsable(
  { tx }: Work,
  borrowerId: string,
  id: string,
  { field = 'payment_instrument_id', verified = false, isPreview = false } = {},
) {
  const instrument = isPreview
    ? await instruments.readInstrument(tx, id)
    : await instruments.lockForShare(tx, id);
  if (instrument === null || instrument.borrower_id !== borrowerId || instrument.is_archived)
    throw new Invalid({ [field]: 'Does not exist.' });
  const { status, is_verified, block_code, draw_blockers } = instrument;
  if (draw_blockers.includes('account_number_missing')) {
    const message = 'The full number of this account is missing. Add account_number first.';
    throw new Conflict(message, 'instrument_not_usable', { draw_blockers });
  }
  if (status === 'active' && (is_verified || !verified)) return instrument;
  throw instrumentNotUsable({ status, is_verified, draw_blockers, block_code });
}

type Inactive = Pick<
  instruments.Instrument,
  'status' | 'is_verified' | 'draw_blockers' | 'block_code'
>;
export const instrumentNotUsable = ({ status, is_verified, draw_blockers, block_code }: Inactive) =>
  new Conflict(explainInactive(status, block_code), 'instrument_not_usable', {
    current_status: status,
    is_verified,
    draw_blockers,
    return_code: block_code,
  });

function explainInactive(status: string, code: string | null): string {
  if (status === 'active') return 'The account is not verified yet. Verify it first.';
  return status === 'blocked' ? accountBlockMessage(code) : `The instrument is ${status}.`;
}

export const usedByAutopay = () =>
  new Conflict('Autopay uses this account. Cancel the autopay plan first.', 'in_use');

export const hasOpenOrders = (open: Record<string, unknown>) =>
  new Conflict(
    'Orders with this account are not in a file for the bank yet. Send the next file or cancel them first, ' +
      'or add the new account as another payment instrument.',
    'instrument_has_open_orders',
    open,
  );

export const hasUnsentOrders = (ordered: Record<string, unknown>) =>
  new Conflict(
    'Some orders for this account have not been sent to the bank. Generate the next Nacha file or cancel them first.',
    'in_use',
    ordered,
  );
