import * as throttle from '../../sql/users/throttle.ts';
import { credentials, markLogin, users } from '../../sql/users/users.ts';
import { find, type Row } from '../../sql/table.ts';
import type { Within } from '../work.ts';
import { verifyPassword } from './passwords.ts';
import { settingsOf, type Settings } from './settings.ts';

type Attempt = { email: string; password: string; ip: string };
type Outcome =
  { wait: number } | { refused: true } | { user: { id: string; borrower_id: string | null } };

const WINDOW_SECONDS = 60;

/**
 * Checks an address and a password. Counted per address of the client and per account, right and wrong
 * alike; an unknown account, a wrong password and an inactive user cannot be told apart by answer
 * or by time. Answers the user; starting the session is the caller's.
 */
export async function login(within: Within, tenantId: string, attempt: Attempt): Promise<Outcome> {
  const email = attempt.email.trim().toLowerCase();
  const wait = await countAttempt(within, tenantId, 'login', [attempt.ip, email]);
  if (wait !== null) return { wait };
  const known = await within(tenantId, ({ tx }) => credentials(tx, email), { readOnly: true });
  const isRight = await verifyPassword(attempt.password, known?.password_hash ?? null);
  if (!known || !isRight) return { refused: true };
  return within(tenantId, async ({ tx }) => {
    await markLogin(tx, known.id);
    const user = (await find(tx, users, known.id)) as Row;
    return { user: { id: known.id, borrower_id: user['borrower_id'] as string | null } };
  });
}

/** Counts one request for each subject; answers the seconds to wait when one of them is over. */
export function countAttempt(
  within: Within,
  tenantId: string,
  scope: keyof Settings['throttle'],
  subjects: string[],
): Promise<number | null> {
  return within(tenantId, async ({ tx }) => {
    const limit = (await settingsOf(tx)).throttle[scope];
    if (limit === null) return null;
    // Told apart by position: an account that is named like an address must not count as one.
    for (const [position, named] of subjects.entries()) {
      const subject = `${position} ${named}`;
      const wait = await throttle.hit(tx, scope, subject, { limit, seconds: WINDOW_SECONDS });
      if (wait !== null) return wait;
    }
    return null;
  });
}
