import type { Proof } from '../../../sql/users/sessions.ts';
import { findCredentials, markLogin } from '../../../sql/users/users.ts';
import type { Work, Within } from '../../work.ts';
import {
  countAttempt,
  accountSubject,
  limitPerMinute,
  networkSubject,
  uncountAttempt,
} from './throttling.ts';
import { notifyUser } from '../notify-user.ts';
import { verifyPassword } from './passwords.ts';
import {
  awaitSecondFactor,
  countPendingAttempt,
  endPendingSignIn,
  lockPendingSignIn,
  ATTEMPTS_MAX,
  type SecondFactorRequest,
} from './pending-sign-in.ts';
import type { PasskeySite } from '../second-factors/passkeys.ts';
import { verifyProof, type GivenProof } from '../second-factors/verify-proof.ts';
import { isSecondFactorRequired, loadMethods } from '../second-factors/second-factors.ts';
import { writeSecurityLog } from '../security-log.ts';
import { readSettings } from '../settings/settings.ts';

/**
 * A successful sign-in. If the user's sessions are ended after `epoch` was read (for example by a password
 * reset during the comparison), this sign-in is invalid too.
 */
export type SignedIn = {
  id: string;
  borrower_id: string | null;
  second_factor: Proof | null;
  epoch: number;
  /** Whether the user entered a password or second factor here, which counts as a recent proof. */
  is_proved: boolean;
};

type Holder = {
  id: string;
  tenant_role: string | null;
  borrower_id: string | null;
  session_epoch: number;
};

/** `device` is the device's cookie, or an empty string. */
type Attempt = { email: string; password: string; ip: string; device: string };
type Outcome =
  { wait: number } | { refused: true } | { user: SignedIn } | { wanted: SecondFactorRequest };

/**
 * Checks an address and a password. Returns the user, the required second factor or the seconds to wait;
 * the caller starts the session.
 *
 * - All attempts of a client's network are counted. Of an account only failures are counted, and separately
 *   for each known device, so that guessing cannot lock the owner out.
 * - Unknown accounts, wrong passwords and inactive users give the same response in the same time.
 */
export async function login(within: Within, tenantId: string, attempt: Attempt): Promise<Outcome> {
  const undated = { isUndated: true };
  const begun = await within(tenantId, (work) => checkCredentials(work, attempt), undated);
  if ('wait' in begun) return begun;
  const { known, counted } = begun;
  const isRight = await verifyPassword(attempt.password, known?.password_hash ?? null);
  if (!known || !isRight) return { refused: true };
  const steps = async (work: Work) => {
    const outcome = await continueAfterFirstFactor(work, known, {
      route: 'POST /auth/login',
      is_proved: true,
    });
    if ('over' in outcome) return { refused: true } as const;
    await uncountAttempt(work.tx, counted);
    return outcome;
  };
  return within(tenantId, steps, undated);
}

async function checkCredentials(work: Work, { email: given, ip, device }: Attempt) {
  const { tx } = work;
  const email = given.trim().toLowerCase();
  const { settings, known } = await findCredentials(tx, email);
  const limit = limitPerMinute(readSettings(settings).throttle.login);
  const early = await countAttempt(tx, 'login', networkSubject(ip), limit);
  if ('wait' in early) return early;
  const subject = accountSubject(work, email, known?.id ?? null, device);
  const counted = await countAttempt(tx, 'login', subject, limit, true);
  return 'wait' in counted ? counted : { known, counted };
}

/**
 * Completes the sign-in, or requests a second factor if the user has one or the tenant requires one.
 * `proof` is set if the first factor already proved enough.
 */
export async function continueAfterFirstFactor(
  work: Work,
  holder: Holder,
  { route, proof = null, is_proved }: { route: string; proof?: Proof | null; is_proved: boolean },
): Promise<{ user: SignedIn } | { wanted: SecondFactorRequest } | { over: true }> {
  const { tx } = work;
  const { id, borrower_id, session_epoch: epoch } = holder;
  const { methods, auth } = await loadMethods(tx, id);
  if (proof !== null || (methods.length === 0 && !isSecondFactorRequired(auth, holder))) {
    if (!(await markLogin(tx, id, epoch))) return { over: true };
    return { user: { id, borrower_id, second_factor: proof, epoch, is_proved } };
  }
  const wanted = await awaitSecondFactor(tx, holder, methods);
  if (wanted === null) return { over: true };
  await writeSecurityLog(work, { event: 'first_factor', outcome: 'done', user_id: id, route });
  return { wanted };
}

type SecondStep = { token: string; device: string; site: PasskeySite; given: GivenProof };
type SecondOutcome =
  { wait: number } | { over: true } | { refused: true; user_id: string } | { user: SignedIn };

/**
 * Continues a sign-in after the first factor. After ATTEMPTS_MAX wrong attempts the sign-in ends and the
 * password is required again. A correct proof works once, also among concurrent requests.
 */
export const proveSecondFactor = (within: Within, tenantId: string, second: SecondStep) =>
  within(tenantId, async (work): Promise<SecondOutcome> => {
    const { tx } = work;
    const { token, device, site, given } = second;
    const pending = await lockPendingSignIn(tx, token, 'proof');
    if (pending === null) return { over: true };
    const { user_id, borrower_id, epoch } = pending;
    const tried = await verifyProof(work, { user_id, device, site }, given);
    if ('wait' in tried) return tried;
    await countPendingAttempt(tx, token);
    if (tried.kind === null) {
      const isLast = pending.tries + 1 >= ATTEMPTS_MAX;
      if (isLast) await notifyUser(work, { user_id, message: 'wrong_codes' });
      return { refused: true, user_id };
    }
    await endPendingSignIn(tx, token);
    if (!(await markLogin(tx, user_id, epoch))) return { over: true };
    if (tried.kind === 'recovery_code')
      await notifyUser(work, { user_id, message: 'recovery_code_used' });
    const second_factor = tried.kind;
    return { user: { id: user_id, borrower_id, second_factor, epoch, is_proved: true } };
  });
