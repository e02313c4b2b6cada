import type { Proof } from '../../sql/users/sessions.ts';
import { findCredentials, markLogin } from '../../sql/users/users.ts';
import type { Work, Within } from '../work.ts';
import {
  countAttempt,
  accountSubject,
  limitPerMinute,
  networkSubject,
  uncountAttempt,
} from './throttling.ts';
import { notifyUser } from './notify-user.ts';
import { verifyPassword } from './passwords.ts';
import {
  awaitSecondFactor,
  countPendingAttempt,
  endPendingSignIn,
  lockPendingSignIn,
  ATTEMPTS_MAX,
  type SecondFactorRequest,
} from './pending-sign-in.ts';
import type { PasskeySite } from './passkeys.ts';
import { verifyProof, type GivenProof } from './verify-proof.ts';
import { isSecondFactorRequired, loadMethods } from './second-factors.ts';
import { writeSecurityLog } from './security-log.ts';
import { readSettings } from './settings.ts';

/**
 * Whoever has come in, and by what beside the first factor. What ends his sessions from then on (`epoch`)
 * ends this sign-in as well: a password that is taken back while it is compared opens nothing.
 */
export type SignedIn = {
  id: string;
  borrower_id: string | null;
  second_factor: Proof | null;
  epoch: number;
  /** Whether the password or a second factor was asked for here, which counts as a recent proof. */
  is_proved: boolean;
};

type Holder = {
  id: string;
  tenant_role: string | null;
  borrower_id: string | null;
  session_epoch: number;
};

/** `device` is what the device's own cookie says, or nothing. */
type Attempt = { email: string; password: string; ip: string; device: string };
type Outcome =
  { wait: number } | { refused: true } | { user: SignedIn } | { wanted: SecondFactorRequest };

/**
 * Checks an address and a password. All tries of a client's address are counted, right and wrong
 * alike; of an account only what fails, and apart for each device that has signed in before, so that
 * nobody keeps people out by guessing. An unknown account, a wrong password and an inactive user
 * cannot be told apart by answer or by time. Answers the user, or what else is wanted of him; starting
 * the session is the caller's.
 */
export async function login(within: Within, tenantId: string, attempt: Attempt): Promise<Outcome> {
  const undated = { isUndated: true };
  const begun = await within(tenantId, (work) => begin(work, attempt), undated);
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

async function begin(work: Work, { email: given, ip, device }: Attempt) {
  const { tx } = work;
  const email = given.trim().toLowerCase();
  const { settings, known } = await findCredentials(tx, email);
  const limit = limitPerMinute(readSettings(settings).throttle.login);
  const early = await countAttempt(tx, 'login', networkSubject(ip), limit);
  if ('wait' in early) return early;
  const whose = accountSubject(work, email, known?.id ?? null, device);
  const counted = await countAttempt(tx, 'login', whose, limit, true);
  return 'wait' in counted ? counted : { known, counted };
}

/**
 * The user is in, or is asked for a second factor where he has one or the tenant wants one of him; unless
 * what he came by has been proof enough.
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

type Second = { token: string; device: string; site: PasskeySite; given: GivenProof };
type SecondOutcome =
  { wait: number } | { over: true } | { refused: true; user_id: string } | { user: SignedIn };

/**
 * Goes on with a sign-in whose first factor was right. A few wrong tries end it, and the password is
 * asked for again; what is right works once, for whoever of several at once is first.
 */
export const proveSecondFactor = (within: Within, tenantId: string, second: Second) =>
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
