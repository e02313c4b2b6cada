import { expect, test } from 'vitest';
import { routes } from '../../api/routes.ts';
import { repositoryTexts, sourcesIn } from '../setup/sources.ts';

const collections = new Set(routes.map(({ path }) => path.split('/')[1]));

/** The cookie of a known device is sent to all of these paths and to no other. */
const COOKIE = "'/api/v1/auth'";

test('the request pipeline names no endpoint: special treatment is declared on the route', () => {
  const named = sourcesIn(repositoryTexts())
    .filter(({ file }) => file.startsWith('api/http/'))
    .flatMap(({ file, code }) =>
      code
        .replace(/^(?:import|export) [^;]*;$/gm, '')
        .replaceAll('\\/', '/')
        .replace(COOKIE, '')
        .split('\n')
        .filter((line) =>
          [...line.matchAll(/\/([a-z-]+)/g)].some(([, part]) => collections.has(part)),
        )
        .map((line) => `${file}: ${line.trim()}`),
    );

  expect(collections.size).toBeGreaterThan(30);
  expect(named).toEqual([]);
});
