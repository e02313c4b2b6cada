import { findMissingSettings } from '../../jobs/documents/required-settings.ts';
import { settingsOf } from '../../jobs/users/settings/settings.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { UsageError, type Operation } from './operation.ts';
import { findTenant } from './find-tenant.ts';

export const checkTenant: Operation = {
  name: 'check-tenant',
  usage: '[SLUG]',
  summary: 'Lists the settings that each document lacks. Exits with 1 if a document is refused',
  words: 1,
  options: ['tenant'],
  run: async ({ app, words: [word], options }) => {
    const given = options['tenant'];
    if (word !== undefined && given !== undefined && word !== given)
      throw new UsageError(`Name one tenant: ${word} or ${given}.`);
    const { id, slug } = await findTenant(app, word ?? given);
    const settings = await createWithin(app, SYSTEM)(id, ({ tx }) => settingsOf(tx));
    const rows = findMissingSettings(settings).map(({ document, must, wants }) => ({
      document,
      'refused without': must.join(', '),
      'incomplete without': wants.join(', '),
    }));
    const lacking = rows.filter((row) => row['refused without'] || row['incomplete without']);
    const code = rows.some((row) => row['refused without']) ? 1 : 0;
    if (lacking.length > 0) return { rows: lacking, code };
    return { say: `Tenant ${slug} has all settings that its documents need.`, rows: [], code };
  },
};
