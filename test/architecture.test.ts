import { expect, test } from 'vitest';
import { queued } from '../jobs/queued.ts';
import { repositoryTexts, sourcesIn, type Folder, type Source } from './setup/sources.ts';

const texts = repositoryTexts();
const sources = sourcesIn(texts);
const ours = sources.filter(({ folder }) => folder !== 'test');

/** What every rule answers: a sentence for each place that breaks it. */
function rule(name: string, broken: () => string[]) {
  // oxlint-disable-next-line vitest/valid-title -- the sentence stands where the rule does
  test(name, () => expect(broken()).toEqual([]));
}

/** A sentence for each file in which the pattern is found, with what was found. */
const saying = (files: readonly Source[], pattern: RegExp, what: string) =>
  files.flatMap(({ file, code }) => {
    const found = pattern.exec(code);
    return found ? [`${file} ${what}: ${found[0].trim().slice(0, 80)}`] : [];
  });

const MAY_IMPORT: Record<Folder, readonly Folder[]> = {
  sql: [],
  templates: [],
  jobs: ['sql', 'templates'],
  api: ['jobs', 'sql', 'templates'],
  workers: ['jobs', 'sql', 'templates'],
  test: ['api', 'jobs', 'sql', 'templates', 'workers'],
};

rule('a folder imports only what it may', () =>
  sources.flatMap(({ file, folder, imports }) =>
    imports
      .filter(({ is_ours }) => is_ours)
      .map(({ target }) => target.split('/')[0] as Folder)
      .filter((target) => target !== folder && !MAY_IMPORT[folder].includes(target))
      .map((target) => `${file} imports ${target}/, and ${folder}/ must not`),
  ),
);

const OUTSIDE = ['puppeteer', '@sparticuz/chromium', 'nodemailer', 'twilio'];
const HTTP = ['koa', 'koa-body', 'koa-session', '@koa/router'];
const MAY_NOT_USE: Partial<Record<Folder, readonly string[]>> = {
  sql: [...HTTP, ...OUTSIDE],
  templates: [...HTTP, ...OUTSIDE, 'slonik', 'pg', 'graphile-worker'],
  jobs: [...HTTP, ...OUTSIDE, 'pg', 'graphile-worker'],
  api: [...OUTSIDE, 'graphile-worker'],
  workers: HTTP,
};

rule('a folder uses only packages of its trade', () =>
  ours.flatMap(({ file, folder, imports }) =>
    imports
      .filter(({ target, is_ours }) => !is_ours && MAY_NOT_USE[folder]?.includes(target))
      .map(({ target }) => `${file} uses ${target}, and ${folder}/ must not`),
  ),
);

rule('only sql/ contains sql`…`', () =>
  saying(
    ours.filter(({ folder }) => folder !== 'sql'),
    /\bsql(\.\w+(\([^`]*?\))?)?`/,
    'contains a query, which belongs into sql/',
  ),
);

const STRANGERS = [...OUTSIDE, 'undici', 'node:https', 'node:http2', 'node:tls', 'node:dgram'];
const OUTSIDE_PLACES = [
  'workers/outside/',
  'jobs/documents/',
  // The demonstration plays the strangers themselves: an officer's browser, a receiver of webhooks.
  'workers/demo/',
  // Reads its key from the data folder once, when a process starts.
  'jobs/webhooks/secrets.ts',
];
const isOutside = ({ file }: Source) => OUTSIDE_PLACES.some((place) => file.startsWith(place));

rule('only workers/outside/ and the files of jobs/documents/ reach beyond the database', () => {
  const inside = ours.filter((source) => !isOutside(source));
  const packages = inside.flatMap(({ file, imports }) =>
    imports
      .filter(({ target }) => STRANGERS.includes(target) || target.startsWith('@aws-sdk/'))
      .map(({ target }) => `${file} reaches outside with ${target}`),
  );
  const files = inside
    .filter(({ folder }) => folder === 'jobs')
    .filter(({ imports }) => imports.some(({ target }) => /^node:(fs|net|http|child)/.test(target)))
    .map(({ file }) => `${file} reaches outside; what it needs is lent as Outside`);
  return [...packages, ...files, ...saying(inside, /(?<![.\w])fetch\(/, 'reaches outside')];
});

/** From what serves people down to what serves everybody; a layer imports itself and those below. */
const LAYERS = [
  ['portal', 'operations', 'business-day'],
  ['loans', 'payments', 'collateral', 'portfolios', 'borrowers'],
  ['ledger', 'webhooks', 'communications', 'documents', 'users'],
  ['files', 'sealing'],
] as const;
const layerOf = (area: string) => LAYERS.findIndex((areas) => areas.some((one) => one === area));

rule('areas of jobs/ import only along loans … → ledger, webhooks, communications, documents', () =>
  ours
    .filter(({ folder }) => folder === 'jobs')
    .flatMap(({ file, area, imports }) =>
      imports
        .filter(({ target }) => /^jobs\/[^/]+\//.test(target))
        .map(({ target }) => target.split('/')[1] ?? '')
        .filter((target) => area !== null && layerOf(target) < layerOf(area))
        .map((target) => `${file} imports ${target}, which stands above ${area}`),
    ),
);

/** What is no area but serves all of them, in a room of its own. */
const MACHINERY: Partial<Record<Folder, readonly string[]>> = {
  api: ['http', 'endpoints'],
  jobs: ['files', 'sealing'],
  sql: ['database', 'queue', 'invariants'],
};

rule('api, jobs and sql share one map of areas', () =>
  ours
    .filter(({ folder, area }) => ['api', 'jobs', 'sql'].includes(folder) && area !== null)
    .filter(({ folder, area }) => !MACHINERY[folder]?.some((room) => room === area))
    .filter(({ area }) => layerOf(area ?? '') < 0)
    .map(({ file, area }) => `${file}: ${area} is no area`),
);

rule('no files import each other in a circle', () => {
  const targets = new Map(
    sources.map(({ file, imports }) => [
      file,
      imports.filter((one) => one.is_ours && !one.is_type && !one.is_late).map((one) => one.target),
    ]),
  );
  const done = new Set<string>();
  const circles: string[] = [];
  const walk = (file: string, way: readonly string[]) => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' → '));
    if (done.has(file) || way.includes(file)) return;
    for (const target of targets.get(file) ?? []) walk(target, [...way, file]);
    done.add(file);
  };
  for (const { file } of sources) walk(file, []);
  return circles;
});

rule('imports end in .ts and name a file that exists', () => {
  const files = new Set(texts.keys());
  return sources.flatMap(({ file, imports }) =>
    imports
      .filter(({ target, is_ours }) => is_ours && !(target.endsWith('.ts') && files.has(target)))
      .map(({ as_written }) => `${file} imports ${as_written}`),
  );
});

rule('process.env is read only by the file that a process starts with', () => {
  const { scripts } = JSON.parse(texts.get('package.json') ?? '{}') as {
    scripts: Record<string, string>;
  };
  const entries = Object.values(scripts).flatMap(
    (script) => /^node (\S+)$/.exec(script)?.[1] ?? [],
  );
  const others = ours.filter(({ file }) => !entries.includes(file));
  // A parent that hands its whole environment to a child does not read it.
  return saying(others, /(?<!\.\.\.)process\.env/, 'reads the environment');
});

rule('every queued job is listed once, under the name of its export', () => {
  const jobs = ours.filter(({ file }) => file.endsWith('.job.ts'));
  const listed = sources.find(({ file }) => file === 'jobs/queued.ts')?.imports ?? [];
  const unlisted = jobs
    .filter(({ file }) => listed.filter(({ target }) => target === file).length !== 1)
    .map(({ file }) => `${file} is not imported by jobs/queued.ts exactly once`);
  const misnamed = jobs.flatMap(({ file, code }) =>
    [...code.matchAll(/export const (\w+)\b[^=]*= job\b[\s\S]*?name: '([^']*)'/g)]
      .filter(([, constant = '', name]) => kebab(constant.replace(/Job$/, '')) !== name)
      .map(([, constant, name]) => `${file} exports ${constant}, which is queued as ${name}`),
  );
  const names = queued.map(({ name }) => name);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  return [...unlisted, ...misnamed, ...twice.map((name) => `${name} is listed twice`)];
});

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

rule('a file is at most 250 lines long', () =>
  sources
    .filter(({ lines }) => lines.length > 250)
    .map(({ file, lines }) => `${file} has ${lines.length} lines`),
);

rule('files are named in kebab-case, after what they do', () =>
  sources
    .map(({ file }) => file)
    .filter(
      (file) =>
        !/^[a-z0-9-]+(\/[a-z0-9-]+)*(\.(job|test|config|faults))*\.ts$/.test(file) ||
        /(^|[/-])(services?|managers?|helpers?|utils?|controllers?|index)\.ts$/.test(file),
    ),
);

const DEFAULT_WANTED = /^test\/(.*\.config\.ts|setup\/template\.ts)$/;

rule('only types that vanish: no enum, namespace or parameter property, no barrel', () => [
  ...saying(sources, /^\s*(export )?(declare )?(const )?enum \w/m, 'has an enum'),
  ...saying(sources, /^\s*(export )?(declare )?namespace \w/m, 'has a namespace'),
  ...saying(
    sources,
    /constructor\([^)]*\b(private|public|protected|readonly)\s+\w+\s*[?:]/,
    'has a parameter property',
  ),
  ...saying(sources, /^export \* from/m, 'passes on what others export'),
  ...saying(
    sources.filter(({ file }) => !DEFAULT_WANTED.test(file)),
    /^export default/m,
    'has a default export',
  ),
]);

/** In brackets, so that this line is none. */
const ANYTHING =
  /(:\s*[a]ny\s*[;,)=\]}|>]|\bas [a]ny\b|<[a]ny\b|\b[a]ny\[\]|\|\s*[a]ny\b|:\s*[a]ny$)/;

rule('an `any` has its reason on the same line', () =>
  sources.flatMap(({ file, code }) =>
    code
      .split('\n')
      .filter((line) => ANYTHING.test(line) && !line.includes('//'))
      .map((line) => `${file}: ${line.trim()}`),
  ),
);

rule('comments are sentences: no @param, no unfinished work', () =>
  sources.flatMap(({ file, lines }) =>
    lines
      .filter((line) => /^\s*(\*|\/\/|\/\*).*(@param|@returns|\bTODO\b|\bFIXME\b)/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  ),
);

/** Each has a letter in brackets, so that this file does not find itself. */
const UNWANTED: Record<string, RegExp> = {
  'a word about how it was made': new RegExp(
    'c[l]aude|a[n]thropic|o[p]enai|c[h]atgpt|c[o]pilot|language m[o]del|co-authored-b[y]',
    'i',
  ),
  'a path of one machine': /(?<![\w.*-])\/(w[o]rk|r[o]ot|h[o]me)\/[a-z]/,
  'the host of a registry': /https?:\/\/[^/\s'"]*(r[e]gistry|artif[a]ctory|n[e]xus|npmj[s])/i,
  'a secret': /AK[I]A[0-9A-Z]{16}|PRIVATE KEY-{5}\s+[A-Za-z0-9+/]{32}|xox[b]-\d/,
};

rule('the repository holds no word, path, host or secret that it should not', () =>
  [...texts].flatMap(([file, text]) =>
    Object.entries(UNWANTED).flatMap(([what, pattern]) => {
      const found = pattern.exec(text);
      return found ? [`${file} holds ${what}: ${found[0].slice(0, 40)}`] : [];
    }),
  ),
);
