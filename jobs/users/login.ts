import { find, type Row } from '../../sql/table.ts';
import { credentials, markLogin, users } from '../../sql/users/users.ts';
import type { Work, Within } from '../work.ts';
import { count, guesser, inAMinute, stranger, takeBack } from './attempts.ts';
import { verifyPassword } from './passwords.ts';
import { settingsOf } from './settings.ts';

/** `device` is what the device's own cookie says, or nothing. */
type Attempt = { email: string; password: string; ip: string; device: string };
type Outcome =
  { wait: number } | { refused: true } | { user: { id: string; borrower_id: string | null } };

/**
 * Checks an address and a password. All tries of a client's address are counted, right and wrong
 * alike; of an account only what fails, and apart for each device that has signed in before, so that
 * nobody keeps people out by guessing. An unknown account, a wrong password and an inactive user
 * cannot be told apart by answer or by time. Answers the user; starting the session is the caller's.
 */
export async function login(within: Within, tenantId: string, attempt: Attempt): Promise<Outcome> {
  const begun = await within(tenantId, (work) => begin(work, attempt));
  if ('wait' in begun) return begun;
  const { known, counted } = begun;
  const isRight = await verifyPassword(attempt.password, known?.password_hash ?? null);
  if (!known || !isRight) return { refused: true };
  return within(tenantId, async ({ tx }) => {
    await takeBack(tx, counted);
    await markLogin(tx, known.id);
    const user = (await find(tx, users, known.id)) as Row;
    return { user: { id: known.id, borrower_id: user['borrower_id'] as string | null } };
  });
}

async function begin(work: Work, { email: given, ip, device }: Attempt) {
  const { tx } = work;
  const email = given.trim().toLowerCase();
  const limit = inAMinute((await settingsOf(tx)).throttle.login);
  const early = await count(tx, 'login', stranger(ip), limit);
  if ('wait' in early) return early;
  const known = await credentials(tx, email);
  const counted = await count(tx, 'login', guesser(work, email, known?.id ?? null, device), limit);
  return 'wait' in counted ? counted : { known, counted };
}
