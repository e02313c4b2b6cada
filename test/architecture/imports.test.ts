import { allJobs } from '../../jobs/all-jobs.ts';
import { testSourceRule, filesMatching } from '../setup/source-rules.ts';
import { repositoryTexts, sourcesIn, type Folder, type Source } from '../setup/sources.ts';

const texts = repositoryTexts();
const sources = sourcesIn(texts);
const ours = sources.filter(({ folder }) => folder !== 'test');

const MAY_IMPORT: Record<Folder, readonly Folder[]> = {
  sql: [],
  templates: [],
  jobs: ['sql', 'templates'],
  api: ['jobs', 'sql', 'templates'],
  workers: ['jobs', 'sql', 'templates'],
  test: ['api', 'jobs', 'sql', 'templates', 'workers'],
};

testSourceRule('a folder imports only what it may', () =>
  sources.flatMap(({ file, folder, imports }) =>
    imports
      .filter(({ is_ours }) => is_ours)
      .map(({ target }) => target.split('/')[0] as Folder)
      .filter((target) => target !== folder && !MAY_IMPORT[folder].includes(target))
      .map((target) => `${file} imports ${target}/, and ${folder}/ must not`),
  ),
);

const OUTSIDE = [
  'puppeteer',
  '@sparticuz/chromium',
  'nodemailer',
  'twilio',
  'openid-client',
  'ssh2',
];
const HTTP = ['koa', 'koa-body', 'koa-session', '@koa/router'];
const MAY_NOT_USE: Partial<Record<Folder, readonly string[]>> = {
  sql: [...HTTP, ...OUTSIDE],
  templates: [...HTTP, ...OUTSIDE, 'slonik', 'pg', 'graphile-worker'],
  jobs: [...HTTP, ...OUTSIDE, 'pg', 'graphile-worker'],
  api: [...OUTSIDE, 'graphile-worker'],
  workers: HTTP,
};

testSourceRule('a folder uses only packages of its trade', () =>
  ours.flatMap(({ file, folder, imports }) =>
    imports
      .filter(({ target, is_ours }) => !is_ours && MAY_NOT_USE[folder]?.includes(target))
      .map(({ target }) => `${file} uses ${target}, and ${folder}/ must not`),
  ),
);

testSourceRule('only sql/ contains sql`…`', () =>
  filesMatching(
    ours.filter(({ folder }) => folder !== 'sql'),
    /\bsql(\.\w+(\([^`]*?\))?)?`/,
    'contains a query, which belongs into sql/',
  ),
);

/** The statement that lists reversals, and the check of the column. */
const SEARCH_REVERSALS = [
  'sql/documents/statement-activity.ts',
  'sql/loans/invariants/event-invariants.ts',
];

testSourceRule('queries find the events in force by reversed_by, not by their reversals', () =>
  filesMatching(
    ours.filter(({ folder, file }) => folder === 'sql' && !SEARCH_REVERSALS.includes(file)),
    /'reverses'/,
    'searches for reversals; read loan_events.reversed_by',
  ),
);

const STRANGERS = [...OUTSIDE, 'undici', 'node:https', 'node:http2', 'node:tls', 'node:dgram'];
const OUTSIDE_PLACES = [
  'workers/outside/',
  'jobs/files/',
  // The demo plays the outside parties: an officer's browser, a webhook receiver.
  'workers/demo/',
  // Reads its key from the data folder once, when a process starts.
  'jobs/sealing/secrets.ts',
  // An endpoint for monitoring. It makes no outbound requests.
  'jobs/monitoring/metrics.ts',
];
const isOutside = ({ file }: Source) => OUTSIDE_PLACES.some((place) => file.startsWith(place));

testSourceRule('only workers/outside/ and jobs/files/ reach beyond the database', () => {
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
  return [...packages, ...files, ...filesMatching(inside, /(?<![.\w])fetch\(/, 'reaches outside')];
});

/** From the user-facing layer down to the shared ones. A layer imports itself and the layers below it. */
const LAYERS = [
  ['portal', 'operations', 'business-day', 'books'],
  ['loans', 'payments', 'collateral', 'portfolios', 'borrowers', 'mailing', 'cases'],
  ['ledger', 'webhooks', 'communications', 'documents', 'users'],
  ['files', 'networks', 'sealing', 'banks', 'monitoring', 'cases/rules'],
] as const;
/** The pure rules of cases are read by areas below the operations on cases. */
const areaOfFile = (file: string) =>
  file.startsWith('jobs/cases/rules/') ? 'cases/rules' : (file.split('/')[1] ?? '');
const layerOf = (area: string) =>
  LAYERS.findIndex((areas) => areas.some((known) => known === area));

testSourceRule(
  'areas of jobs/ import only along loans … → ledger, webhooks, communications, documents',
  () =>
    ours
      .filter(({ folder }) => folder === 'jobs')
      .flatMap(({ file, area, imports }) =>
        imports
          .filter(({ target }) => /^jobs\/[^/]+\//.test(target))
          .map(({ target }) => areaOfFile(target))
          .filter((target) => area !== null && layerOf(target) < layerOf(areaOfFile(file)))
          .map((target) => `${file} imports ${target}, which stands above ${area}`),
      ),
);

/** Folders that belong to no area and serve all of them. */
const MACHINERY: Partial<Record<Folder, readonly string[]>> = {
  api: ['http', 'endpoints', 'pages', 'docs'],
  jobs: ['files', 'networks', 'sealing', 'banks', 'monitoring'],
  sql: ['database', 'queue', 'invariants', 'moving'],
};

testSourceRule('api, jobs and sql share one map of areas', () =>
  ours
    .filter(({ folder, area }) => ['api', 'jobs', 'sql'].includes(folder) && area !== null)
    .filter(({ folder, area }) => !MACHINERY[folder]?.some((name) => name === area))
    .filter(({ area }) => layerOf(area ?? '') < 0)
    .map(({ file, area }) => `${file}: ${area} is no area`),
);

/** What pages may import: how endpoints are called and how they refuse. */
const OF_PAGES =
  /^(api\/(pages|http|endpoints)\/|api\/portal\/config\.ts|api\/documents\/storage\.ts|templates\/|jobs\/errors\.ts|sql\/dictionary\.ts)/;

testSourceRule('a page asks endpoints, and has no other way to what it shows', () =>
  ours
    .filter(({ file }) => file.startsWith('api/pages/'))
    .flatMap(({ file, imports }) =>
      imports
        .filter(({ target, is_ours, is_type }) => is_ours && !is_type && !OF_PAGES.test(target))
        .map(({ target }) => `${file} imports ${target}`),
    ),
);

const FOLDER_FILES_MAX = 25;

testSourceRule('a folder of jobs/ has at most 25 files', () => {
  const counts = new Map<string, number>();
  for (const { file, folder } of ours) {
    const inside = file.slice(0, file.lastIndexOf('/'));
    if (folder === 'jobs') counts.set(inside, (counts.get(inside) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > FOLDER_FILES_MAX)
    .map(([inside, count]) => `${inside} has ${count} files. Group them in folders by subject`);
});

testSourceRule('no files import each other in a circle', () => {
  const targets = new Map(
    sources.map(({ file, imports }) => [
      file,
      imports
        // Set-up files of tests may know each other's types.
        .filter(({ is_ours, is_type }) => is_ours && !(is_type && file.startsWith('test/')))
        .map(({ target }) => target),
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

testSourceRule('imports end in .ts and name a file that exists', () => {
  const files = new Set(texts.keys());
  return sources.flatMap(({ file, imports }) =>
    imports
      .filter(({ target, is_ours }) => is_ours && !(target.endsWith('.ts') && files.has(target)))
      .map(({ as_written }) => `${file} imports ${as_written}`),
  );
});

testSourceRule('process.env is read only by the file that a process starts with', () => {
  const { scripts } = JSON.parse(texts.get('package.json') ?? '{}') as {
    scripts: Record<string, string>;
  };
  const entries = Object.values(scripts).flatMap(
    (script) => /^node (?:--\S+ )*(\S+)$/.exec(script)?.[1] ?? [],
  );
  const others = ours.filter(({ file }) => !entries.includes(file));
  // Passing the whole environment to a child process does not count as reading it.
  return filesMatching(others, /(?<!\.\.\.)process\.env/, 'reads the environment');
});

testSourceRule('every queued job is listed once, under the name of its export', () => {
  const jobs = ours.filter(({ file }) => file.endsWith('.job.ts'));
  const listed = sources.find(({ file }) => file === 'jobs/all-jobs.ts')?.imports ?? [];
  const unlisted = jobs
    .filter(({ file }) => listed.filter(({ target }) => target === file).length !== 1)
    .map(({ file }) => `${file} is not imported by jobs/all-jobs.ts exactly once`);
  const misnamed = jobs.flatMap(({ file, code }) =>
    [...code.matchAll(/export const (\w+)\b[^=]*= job\b[\s\S]*?name: '([^']*)'/g)]
      .filter(([, constant = '', name]) => kebab(constant.replace(/Job$/, '')) !== name)
      .map(([, constant, name]) => `${file} exports ${constant}, which is queued as ${name}`),
  );
  const names = allJobs.map(({ name }) => name);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  return [...unlisted, ...misnamed, ...twice.map((name) => `${name} is listed twice`)];
});

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
