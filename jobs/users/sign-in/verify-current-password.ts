import * as accounts from '../../../sql/users/accounts.ts';
import { Invalid } from '../../errors.ts';
import type { Within } from '../../work.ts';
import { countAttempt, accountSubject, limitPerMinute, uncountAttempt } from './throttling.ts';
import { verifyPassword } from './passwords.ts';
import { settingsOf } from '../settings/settings.ts';

/** `device` is the device's cookie, or an empty string. */
type PasswordCheck = { user_id: string; device: string; current_password: string };

/**
 * Checks the password of a signed-in user again. Wrong passwords are throttled as at login. Returns the
 * account or the seconds to wait; throws Invalid.
 */
export async function verifyCurrentPassword(
  within: Within,
  tenantId: string,
  { user_id, device, current_password }: PasswordCheck,
) {
  const begun = await within(tenantId, async (work) => {
    const { tx } = work;
    const limit = limitPerMinute((await settingsOf(tx)).throttle.reset);
    const counted = await countAttempt(
      tx,
      'reset',
      accountSubject(work, user_id, user_id, device),
      limit,
    );
    return 'wait' in counted
      ? counted
      : { counted, user: await accounts.findActiveUser(tx, user_id) };
  });
  if ('wait' in begun) return begun;
  const { counted, user } = begun;
  const isRight = await verifyPassword(current_password, user?.password_hash ?? null);
  if (user === null || !isRight) throw new Invalid({ current_password: 'Is wrong.' });
  await within(tenantId, ({ tx }) => uncountAttempt(tx, counted));
  return { user };
}
