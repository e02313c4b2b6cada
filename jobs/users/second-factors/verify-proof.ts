import { z } from 'zod';
import * as factors from '../../../sql/users/second-factors.ts';
import type { Proof as Kind } from '../../../sql/users/sessions.ts';
import type { Work } from '../../work.ts';
import {
  countAttempt,
  accountSubject,
  limitPerMinute,
  uncountAttempt,
  type CountedAttempt,
} from '../sign-in/throttling.ts';
import { SignedPasskey } from './passkey-shapes.ts';
import { verifyPasskey, type PasskeySite } from './passkeys.ts';
import { useRecoveryCode } from './recovery-codes.ts';
import { settingsOf } from '../settings/settings.ts';
import { matchTotpStep } from './totp.ts';

export const totpCode = z.string().regex(/^\d{6}$/, 'Must be six digits.');
const recoveryCode = z
  .string()
  .max(40)
  .regex(/^[0-9A-Za-z]{4}-?[0-9A-Za-z]{4}-?[0-9A-Za-z]{4}-?[0-9A-Za-z]{4}$/, {
    error: 'Must be a code like 2345-6789-abcd-efgh.',
  });

/** The possible second-factor proofs. Exactly one is given. */
export const proofFields = {
  code: totpCode.optional().describe('The current code of the authenticator app, six digits.'),
  recovery_code: recoveryCode
    .optional()
    .describe('One of the recovery codes, such as 2345-6789-abcd-efgh. Each works once.'),
  passkey: SignedPasskey.optional().describe(
    'The result of navigator.credentials.get() as JSON, for the options of POST /auth/second-factor/options.',
  ),
};
export type GivenProof = {
  code?: string | undefined;
  recovery_code?: string | undefined;
  passkey?: SignedPasskey | undefined;
};

export const hasExactlyOneProof = (given: GivenProof) =>
  Object.values(given).filter(Boolean).length === 1;

/** A six-digit code has a million values. This hourly limit covers all unknown devices together. */
const PROOFS_PER_HOUR = { limit: 20, seconds: 3600 };

/** The user, the device and the site of a proof. */
export type ProofSubject = { user_id: string; device: string; site: PasskeySite };
/** The kind of the accepted proof, null for a wrong one, or the seconds to wait. */
type ProofResult = { kind: Kind | null } | { wait: number };

/**
 * Checks one second-factor attempt. Counts it first, like a password: failures only, and separately for
 * each known device. A correct proof is used up and does not work again.
 */
export async function verifyProof(
  work: Work,
  whose: ProofSubject,
  given: GivenProof,
): Promise<ProofResult> {
  const counted = await countProof(work, whose);
  if ('wait' in counted) return counted;
  const kind = await kindOf(work, whose, given);
  if (kind !== null) for (const hit of counted) await uncountAttempt(work.tx, hit);
  return { kind };
}

async function countProof(
  work: Work,
  { user_id, device }: Pick<ProofSubject, 'user_id' | 'device'>,
): Promise<CountedAttempt[] | { wait: number }> {
  const { tx } = work;
  const { throttle } = await settingsOf(tx);
  const subject = accountSubject(work, user_id, user_id, device);
  const minute = await countAttempt(
    tx,
    'second_factor',
    subject,
    limitPerMinute(throttle.second_factor),
  );
  if ('wait' in minute) return minute;
  const hour = await countAttempt(tx, 'second_factor', `hour ${subject}`, PROOFS_PER_HOUR);
  return 'wait' in hour ? hour : [minute, hour];
}

async function kindOf(work: Work, whose: ProofSubject, given: GivenProof): Promise<Kind | null> {
  const { user_id: userId, site } = whose;
  const { code, recovery_code, passkey } = given;
  if (code !== undefined) return (await useTotpCode(work, userId, code)) ? 'totp' : null;
  if (passkey !== undefined)
    return (await verifyPasskey(work, userId, site, passkey)) ? 'passkey' : null;
  if (recovery_code === undefined) return null;
  return (await useRecoveryCode(work.tx, userId, recovery_code)) ? 'recovery_code' : null;
}

/**
 * Uses a code of the user's app. With `isConfirmed` false, checks the app whose enrollment is in progress.
 */
export async function useTotpCode(work: Work, userId: string, code: string, isConfirmed = true) {
  const { tx, tenant_id, installation } = work;
  const app = await factors.findApp(tx, userId, isConfirmed);
  if (app === null) return false;
  const secret = installation.keys.unseal(tenant_id, app.secret_sealed);
  const step = matchTotpStep(secret, code, Number(app.at_ms));
  return step !== null && (await factors.useStep(tx, app.id, step));
}
