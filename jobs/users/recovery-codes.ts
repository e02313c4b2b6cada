import { createHash, randomInt } from 'node:crypto';
import type { Transaction } from '../../sql/database/db.ts';
import * as codes from '../../sql/users/recovery-codes.ts';

const COUNT = 10;
const LENGTH = 16;
/** Without what is easily taken for another: 16 of these are 79 bits, which nobody tries out. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';

/** Gives the user new codes, which are told here and never again; those before them open nothing. */
export async function replaceRecoveryCodes(tx: Transaction, userId: string): Promise<string[]> {
  const made = Array.from({ length: COUNT }, newCode);
  await codes.replaceCodes(
    tx,
    userId,
    made.map((code) => hashOf(userId, code)),
  );
  return made;
}

/** Uses the code up, if it is one of the user's that was not used. */
export const useRecoveryCode = (tx: Transaction, userId: string, given: string) =>
  codes.useCode(tx, userId, hashOf(userId, given));

const newCode = () =>
  Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)])
    .join('')
    .replace(/(.{4})(?=.)/g, '$1-');

/** However people write it: with or without hyphens, in small letters or large. */
const hashOf = (userId: string, code: string) =>
  createHash('sha256')
    .update(`recovery-code ${userId} ${code.toLowerCase().replaceAll('-', '')}`)
    .digest('hex');
