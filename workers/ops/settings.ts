import { Invalid } from '../../jobs/errors.ts';
import { changeSettingsOfTenant } from '../../jobs/cases/change-settings.ts';
import { tenantSettings } from '../../jobs/users/settings/change-settings.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { UsageError, type Operation } from './operation.ts';
import { findTenant } from './find-tenant.ts';

export const showOrChangeSettings: Operation = {
  name: 'settings',
  usage: '[KEY=VALUE …] [--tenant SLUG]   (webhooks.timeout_ms=5000)',
  summary: "Shows a tenant's settings, or changes the given keys",
  words: Infinity,
  options: ['tenant'],
  run: async ({ app, words, options, installation }) => {
    const { id } = await findTenant(app, options['tenant']);
    const within = createWithin(app, SYSTEM, installation);
    const changes = words.map(parseSetting).reduce(setAtPath, {});
    try {
      const now = await within(id, (work) =>
        words.length === 0 ? tenantSettings(work) : changeSettingsOfTenant(work, changes),
      );
      return { say: JSON.stringify(now, null, 2), rows: [now] };
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      const reasons = Object.entries(error.errors).map(([key, reason]) => `${key}: ${reason}`);
      throw new UsageError(reasons.join('\n'), { cause: error });
    }
  },
};

type Tree = { [key: string]: unknown };

/** Parses a value as JSON if possible, otherwise as text. */
function parseSetting(word: string): { path: string[]; value: unknown } {
  const at = word.indexOf('=');
  if (at < 1) throw new UsageError(`"${word}" is not KEY=VALUE.`);
  const text = word.slice(at + 1);
  let value: unknown = text;
  try {
    value = JSON.parse(text);
  } catch {
    // Not JSON: plain text, such as a name.
  }
  return { path: word.slice(0, at).split('.'), value };
}

function setAtPath(tree: Tree, { path, value }: { path: string[]; value: unknown }): Tree {
  const [key = '', ...rest] = path;
  const given = Object.hasOwn(tree, key) ? tree[key] : null;
  const below = (typeof given === 'object' && given !== null ? given : {}) as Tree;
  const own = rest.length === 0 ? value : setAtPath(below, { path: rest, value });
  return Object.fromEntries([...Object.entries(tree), [key, own]]);
}
