import * as accounts from '../../sql/users/accounts.ts';
import { Invalid } from '../errors.ts';
import type { Within } from '../work.ts';
import { count, guesser, inAMinute, takeBack } from './attempts.ts';
import { verifyPassword } from './passwords.ts';
import { settingsOf } from './settings.ts';

/** `device` is what the device's own cookie says, or nothing. */
type Asked = { user_id: string; device: string; current_password: string };

/**
 * Asks somebody who is signed in for his password once more. Wrong ones are counted as at a login;
 * answers the account, or the seconds to wait when they are too many.
 */
export async function askPassword(
  within: Within,
  tenantId: string,
  { user_id, device, current_password }: Asked,
) {
  const begun = await within(tenantId, async (work) => {
    const { tx } = work;
    const limit = inAMinute((await settingsOf(tx)).throttle.reset);
    const counted = await count(tx, 'reset', guesser(work, user_id, user_id, device), limit);
    return 'wait' in counted ? counted : { counted, user: await accounts.active(tx, user_id) };
  });
  if ('wait' in begun) return begun;
  const { counted, user } = begun;
  const isRight = await verifyPassword(current_password, user?.password_hash ?? null);
  if (user === null || !isRight) throw new Invalid({ current_password: 'Is wrong.' });
  await within(tenantId, ({ tx }) => takeBack(tx, counted));
  return { user };
}
