import { z } from 'zod';
import { paymentInstruments } from '../../sql/borrowers/payment-instruments.ts';
import { findOwnRow } from '../../sql/portal/own-rows.ts';
import { findLocked, type Row } from '../../sql/table.ts';
import { auditUpdate } from '../audit.ts';
import { changeInstrument } from '../borrowers/payment-instrument.ts';
import { Conflict, Invalid, NotFound } from '../errors.ts';
import { isRoutingNumber } from '../banks/routing-number.ts';
import type { Work } from '../work.ts';

export const AccountNumber = z.object({
  account_number: z
    .string()
    .regex(/^\d{4,17}$/, 'Must be 4 to 17 digits.')
    .describe('The account number. Stored sealed; answers show its last four digits.'),
  routing_number: z
    .string()
    .max(9)
    .refine(isRoutingNumber, 'Must be nine digits that pass the ABA check.')
    .nullish()
    .describe('The routing number of the bank. Default: the one already known.'),
});

/**
 * Adds the missing number to an account of the borrower. The account stays unverified. Throws Conflict if
 * the number is known, and Invalid if it does not end in the known last four digits.
 */
export async function supplyAccountNumber(
  work: Work,
  borrowerId: string,
  id: string,
  { account_number, routing_number }: z.output<typeof AccountNumber>,
): Promise<Row> {
  if ((await findOwnRow(work.tx, paymentInstruments, id, borrowerId)) === null)
    throw new NotFound();
  const account = await findLocked(work.tx, paymentInstruments, id);
  if (account === null || account['is_archived'] === true) throw new NotFound();
  assertNumberMissing(account);
  const known = account['account_number_last_four'];
  if (typeof known === 'string' && !account_number.endsWith(known))
    throw new Invalid({ account_number: `Must end in ${known}, as this account does.` });
  const changes = { account_number, ...(routing_number && { routing_number }) };
  const change = async () => {
    await changeInstrument(work, id, changes, account);
    return id;
  };
  return auditUpdate(work, paymentInstruments, account, change, { isHidden: true });
}

function assertNumberMissing({ draw_blockers }: Row) {
  if (Array.isArray(draw_blockers) && draw_blockers.includes('account_number_missing')) return;
  const message = 'The number of this account is already on file. Add another account instead.';
  throw new Conflict(message, 'already_exists');
}
