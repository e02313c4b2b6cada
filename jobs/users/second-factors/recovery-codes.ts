import { createHash, randomInt } from 'node:crypto';
import type { Transaction } from '../../../sql/database/db.ts';
import * as codes from '../../../sql/users/recovery-codes.ts';

const COUNT = 10;
const LENGTH = 16;
/** Excludes characters that are easily confused. 16 characters have 79 bits of entropy. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';

/** Replaces the user's recovery codes and returns the new ones. They cannot be shown again. */
export async function replaceRecoveryCodes(tx: Transaction, userId: string): Promise<string[]> {
  const made = Array.from({ length: COUNT }, newCode);
  await codes.replaceCodes(
    tx,
    userId,
    made.map((code) => hashOf(userId, code)),
  );
  return made;
}

/** Uses up an unused code of the user. Returns whether there was one. */
export const useRecoveryCode = (tx: Transaction, userId: string, given: string) =>
  codes.useCode(tx, userId, hashOf(userId, given));

const newCode = () =>
  Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)])
    .join('')
    .replace(/(.{4})(?=.)/g, '$1-');

/** Ignores hyphens and case. */
const hashOf = (userId: string, code: string) =>
  createHash('sha256')
    .update(`recovery-code ${userId} ${code.toLowerCase().replaceAll('-', '')}`)
    .digest('hex');
