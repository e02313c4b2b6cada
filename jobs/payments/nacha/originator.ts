import { Conflict } from '../../errors.ts';
import { settingsOf } from '../../users/settings.ts';
import type { Work } from '../../work.ts';
import type { Originator } from './records.ts';

/** Who sends, as the tenant's settings say; refused where they do not say all that a file asks for. */
export async function originatorOf({ tx }: Work) {
  const { entry_description, ...originator } = (await settingsOf(tx)).nacha;
  const missing = Object.entries(originator)
    .filter(([, value]) => value === '')
    .map(([name]) => `nacha.${name}`);
  if (missing.length > 0) {
    const message =
      'The settings do not say yet who sends files to which bank: fill in those that are missing.';
    throw new Conflict(message, 'nacha_not_configured', { missing });
  }
  return { originator: originator satisfies Originator, description: entry_description };
}
