import { Conflict } from '../../errors.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';
import type { Originator } from './render-file.ts';

/** The names of the required settings that are missing. */
export async function missingOriginatorSettings({ tx }: Work): Promise<string[]> {
  const { nacha } = await settingsOf(tx);
  return Object.entries(nacha)
    .filter(([, value]) => value === '')
    .map(([name]) => `nacha.${name}`);
}

/** The originator from the tenant's settings. Throws `Conflict` if a required setting is missing. */
export async function readOriginator(work: Work) {
  const missing = await missingOriginatorSettings(work);
  if (missing.length > 0) {
    throw nachaNotConfigured(missing);
  }
  const {
    entry_description,
    apply_change_notices: _,
    ...originator
  } = (await settingsOf(work.tx)).nacha;
  return { originator: originator satisfies Originator, description: entry_description };
}

export const nachaNotConfigured = (missing: readonly string[]) =>
  new Conflict(
    'NACHA files are not configured. Fill in the missing settings.',
    'nacha_not_configured',
    { missing },
  );
