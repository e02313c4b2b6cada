import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { testSourceRule } from '../setup/source-rules.ts';
import { repositoryTexts } from '../setup/sources.ts';

const texts = repositoryTexts();
const readmes = [...texts].filter(([file]) => file.endsWith('.md'));
const root = texts.get('README.md') ?? '';
const configuration = texts.get('workers/deployment/configuration.md') ?? '';

/** Every folder and file of the repository, as a README may name it. */
const known = new Set(
  [...texts.keys()].flatMap((file) => {
    const parts = file.split('/');
    return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  }),
);

const PATH = /^[\w@.-]+(\/[\w@.-]+)+\/?$|^[\w.-]+\/$|^[\w.-]+\.(ts|js|sql|md|html)$/;
/** Not files of the repository: output of a run, media types, packages. */
const ELSEWHERE = /^(\.data|statements|mails|letters|platform|text|application|@[\w-]+)(\/|$)/;

/** Backquoted text that looks like a path. */
const pathsIn = (text: string) =>
  [...text.matchAll(/`([^`\n]+)`/g)]
    .map(([, named = '']) => named)
    .filter((named) => PATH.test(named) && !ELSEWHERE.test(named));

testSourceRule('a path that a document names exists, relative to the root or to the document', () =>
  readmes.flatMap(([file, text]) =>
    pathsIn(text)
      .filter((named) => {
        const plain = named.replace(/\/$/, '');
        return ![plain, path.join(path.dirname(file), plain)].some((place) => known.has(place));
      })
      .map((named) => `${file} names ${named}`),
  ),
);

testSourceRule(
  'a script that a document names is in package.json, and an operation is one of npm run ops',
  () => {
    const { scripts } = JSON.parse(texts.get('package.json') ?? '{}') as { scripts: object };
    const operations = [...texts]
      .filter(([file]) => file.startsWith('workers/ops/'))
      .flatMap(([, text]) => [...text.matchAll(/^ {2}name: '([\w-]+)'/gm)].map(([, name]) => name));
    return readmes.flatMap(([file, text]) => [
      ...[...text.matchAll(/npm run ([\w:-]+)/g)]
        .filter(([, name = '']) => !Object.hasOwn(scripts, name))
        .map(([command]) => `${file} says ${command}`),
      ...[...text.matchAll(/npm run ops -- ([\w-]+)/g)]
        .filter(([, name]) => !operations.includes(name))
        .map(([command]) => `${file} says ${command}`),
    ]);
  },
);

/** Paths from the root in the comments of a source file. */
const CITED = /(?<![\w./@-])(?:api|jobs|sql|templates|test|workers)\/[\w./-]*\w/g;
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*(?:\/\/|--).*$/gm;

testSourceRule('a path that a comment names exists', () =>
  [...texts]
    .filter(([file]) => /\.(ts|js|sql)$/.test(file))
    .flatMap(([file, text]) =>
      (text.match(COMMENT) ?? [])
        .flatMap((comment) => comment.match(CITED) ?? [])
        .filter((cited) => !known.has(cited))
        .map((cited) => `${file} names ${cited}`),
    ),
);

/** Code in other languages, whose constants look like environment variables. */
const CODE = /^```(?!bash)\w[\s\S]*?^```/gm;

testSourceRule('an environment variable that a document names is read somewhere', () => {
  const code = [...texts].filter(([file]) => !file.endsWith('.md')).map(([, text]) => text);
  const words = new Set(
    code.flatMap((text) => text.match(/\b[A-Z][A-Z0-9]*(_[A-Z0-9]+)+\b/g) ?? []),
  );
  return readmes.flatMap(([file, text]) =>
    (text.replace(CODE, '').match(/\b[A-Z][A-Z0-9]*(_[A-Z0-9]+)+\b/g) ?? [])
      .filter((name) => !words.has(name))
      .map((name) => `${file} names ${name}`),
  );
});

test('configuration.md has a row for every variable that a process reads, and for no other', () => {
  const read = ['api/http/configuration.ts', 'workers/processes/configuration.ts'].flatMap((file) =>
    [...(texts.get(file) ?? '').matchAll(/^ {2,4}([A-Z_]+): \S/gm)].map(([, name]) => name),
  );
  const start = configuration.indexOf('| Variable |');
  const table = configuration.slice(start, configuration.indexOf('\n\n', start));
  const rows = table
    .split('\n')
    .slice(2)
    .flatMap((row) => row.split('|')[1]?.match(/[A-Z_]+/g) ?? []);

  // Node itself reads this variable.
  const ours = rows.filter((name) => name !== 'NODE_EXTRA_CA_CERTS');

  expect(new Set(ours)).toEqual(new Set(read));
  expect(ours).toHaveLength(new Set(read).size);
});

test('README.md has at most 150 lines', () => {
  expect(root.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

test('every area of jobs/ has a README that says what the area does', () => {
  const areas = readdirSync(new URL('../../jobs', import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `jobs/${name}/README.md`);

  expect(areas.filter((file) => !texts.has(file))).toEqual([]);
});
