import type { Transaction } from '../../../sql/database/db.ts';
import * as factors from '../../../sql/users/second-factors.ts';
import * as recovery from '../../../sql/users/recovery-codes.ts';
import type { Work } from '../../work.ts';
import { readSettings, settingsOf, type Settings } from '../settings/settings.ts';

type FactorOwner = { tenant_role: string | null; borrower_id: string | null };

/** Whether the tenant requires two factors from this kind of user. */
export function isSecondFactorRequired(
  { second_factor }: Pick<Settings['auth'], 'second_factor'>,
  { tenant_role, borrower_id }: FactorOwner,
): boolean {
  const isBorrower = tenant_role === null && borrower_id !== null;
  return isBorrower ? second_factor.borrowers : second_factor.staff;
}

/** The methods available to the user, and the tenant's auth settings. A recovery code replaces a factor. */
export async function loadMethods(tx: Transaction, userId: string) {
  const { kinds, codes_left, settings } = await factors.findMethods(tx, userId);
  const isCode = kinds.length > 0 && codes_left > 0;
  const methods = [...kinds, ...(isCode ? (['recovery_code'] as const) : [])];
  return { methods, auth: readSettings(settings).auth };
}

/** The user's factors, the number of unused recovery codes, and whether a second factor is required. */
export async function describeFactors(
  { tx }: Pick<Work, 'tx'>,
  user: (FactorOwner & { id: string }) | null,
) {
  const id = user?.id ?? '';
  const { auth } = await settingsOf(tx);
  return {
    factors: await factors.listFactors(tx, id),
    recovery_codes_left: await recovery.countUnusedCodes(tx, id),
    is_required: user !== null && isSecondFactorRequired(auth, user),
  };
}
