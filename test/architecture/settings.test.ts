import { expect, test } from 'vitest';
import { Settings } from '../../jobs/users/settings/settings.ts';
import { repositoryTexts, sourcesIn } from '../setup/sources.ts';

type Tree = { [key: string]: unknown };

/** The path of every setting, without the groups. */
function settingsIn(tree: Tree, above: string[] = []): string[][] {
  return Object.entries(tree).flatMap(([key, value]) => {
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
    const path = [...above, key];
    return isGroup && Object.keys(value).length > 0 ? settingsIn(value as Tree, path) : [path];
  });
}

/** Where settings are declared, which does not count as reading them. */
const DECLARATIONS =
  /^jobs\/users\/settings\/((access|case|communication|reporting|servicing)-)?settings\.ts$/;

/** Code without its prose. A string of a single word may be a key. */
const codes = sourcesIn(repositoryTexts())
  .filter(({ folder, file }) => /^(api|jobs)$/.test(folder) && !DECLARATIONS.test(file))
  .map(({ code }) => code.replace(/'[^'\n]*'/g, (text) => (/^'\w+'$/.test(text) ? text : "''")))
  .map((code) => new Set(code.match(/\w+/g)));

/** A common word such as `user` counts as a key only next to the name of its group. */
const isRead = (path: string[]) => {
  const words = path.at(-1)?.includes('_') ? path.slice(-1) : path.slice(-2);
  return codes.some((code) => words.every((word) => code.has(word)));
};

test('every tenant setting is read by the code', () => {
  const settings = settingsIn(Settings.parse({}));

  expect(settings.length).toBeGreaterThan(60);
  expect(settings.filter((path) => !isRead(path)).map((path) => path.join('.'))).toEqual([]);
});

test('an unused setting is found', () => {
  expect(isRead(['payoff', 'quote_valid_weeks'])).toBe(false);
  expect(isRead(['throttle', 'sneeze'])).toBe(false);
});
