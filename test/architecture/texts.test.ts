import { testSourceRule, filesMatching } from '../setup/source-rules.ts';
import { repositoryTexts, sourcesIn } from '../setup/sources.ts';

const texts = repositoryTexts();
const sources = sourcesIn(texts);

testSourceRule('a file is at most 400 lines long', () =>
  sources
    .filter(({ lines }) => lines.length > 400)
    .map(({ file, lines }) => `${file} has ${lines.length} lines`),
);

testSourceRule('files are named in kebab-case, after what they do', () =>
  sources
    .map(({ file }) => file)
    .filter(
      (file) =>
        !/^[a-z0-9-]+(\/[a-z0-9-]+)*(\.(job|test|config|faults|admin))*\.ts$/.test(file) ||
        /(^|[/-])(services?|managers?|helpers?|utils?|controllers?|index)\.ts$/.test(file),
    ),
);

const DEFAULT_WANTED = /^test\/(.*\.config\.ts|setup\/template\.ts)$/;

testSourceRule(
  'only types that vanish: no enum, namespace or parameter property, no barrel',
  () => [
    ...filesMatching(sources, /^\s*(export )?(declare )?(const )?enum \w/m, 'has an enum'),
    ...filesMatching(sources, /^\s*(export )?(declare )?namespace \w/m, 'has a namespace'),
    ...filesMatching(
      sources,
      /constructor\([^)]*\b(private|public|protected|readonly)\s+\w+\s*[?:]/,
      'has a parameter property',
    ),
    ...filesMatching(sources, /^export \* from/m, 'passes on what others export'),
    ...filesMatching(
      sources.filter(({ file }) => !DEFAULT_WANTED.test(file)),
      /^export default/m,
      'has a default export',
    ),
  ],
);

/** In brackets, so that this line does not match itself. */
const ANYTHING =
  /(:\s*[a]ny\s*[;,)=\]}|>]|\bas [a]ny\b|<[a]ny\b|\b[a]ny\[\]|\|\s*[a]ny\b|:\s*[a]ny$)/;

testSourceRule('an `any` has its reason on the same line', () =>
  sources.flatMap(({ file, code }) =>
    code
      .split('\n')
      .filter((line) => ANYTHING.test(line) && !line.includes('//'))
      .map((line) => `${file}: ${line.trim()}`),
  ),
);

/** Type assertions against the compiler, and the reason for each. */
const FORCED: Record<string, string> = {
  'api/endpoints/record-operations.ts':
    'A body was parsed by the schema that its operation was checked with.',
  'api/http/app.ts': 'The router has a context of its own; ours has more in it.',
  'api/http/session.ts': 'The session package is typed for an older Koa, and not for what we keep.',
  'jobs/files/read-csv.ts': 'The parser is typed for records whose columns have names.',
  'jobs/loans/reporting/credit-file.ts': 'What a file was ordered with is kept as JSON.',
  'jobs/payments/nacha/generate-file.ts': 'What a file was ordered with is kept as JSON.',
  'jobs/users/settings/setting-types.ts': 'Each setting has a default, so an empty group is valid.',
  'jobs/networks/networks.ts': 'Both are addresses of one kind, as the line before has found.',
  'sql/database/batch.ts': 'A connection of node-postgres can do more than its types say.',
  'sql/database/check-rows.ts':
    'Slonik hands back the schema of a query as less than it was given.',
  'sql/database/liveness.ts': 'A connection is made over, method by method.',
  'sql/invariants/invariants.ts': 'A transaction that is begun by hand, to be read only.',
  'workers/queue/queue-connections.ts':
    'The overloads of a query are many, and the queue uses one.',
  'workers/queue/tasks.ts': "A payload is parsed by the job's own schema.",
  'workers/queue/notify-failures.ts': "A payload is parsed by the job's own schema.",
};
const PLATFORM = ['api', 'jobs', 'sql', 'workers'];

testSourceRule(
  'no type is forced upon the compiler, but in few places, each for its reason',
  () => {
    const isForced = ({ code }: { code: string }) => /\bas (never|unknown as)\b/.test(code);
    const forced = sources
      .filter(({ folder }) => PLATFORM.includes(folder))
      .filter(isForced)
      .map(({ file }) => file);
    return [
      ...forced.filter((file) => !(file in FORCED)).map((file) => `${file} forces a type`),
      ...Object.keys(FORCED)
        .filter((file) => !forced.includes(file))
        .map((file) => `${file} forces none any more`),
    ];
  },
);

testSourceRule('comments are sentences: no @param, no unfinished work', () =>
  sources.flatMap(({ file, lines }) =>
    lines
      .filter((line) => /^\s*(\*|\/\/|\/\*).*(@param|@returns|\bTODO\b|\bFIXME\b)/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  ),
);

testSourceRule('no module is mocked: what is faked is given in its place', () =>
  filesMatching(sources, /\bvi\.(do)?mock\(/i, 'mocks a module'),
);

/** Names that say nothing. Next to an `other` or a `two`, a variable may be called `one`. */
const EMPTY_NAMES = [
  /\b(?:const|let|function) (?:few|said|one|of|is)\b/,
  /\b(?:const|let) \[(?!.*\b(?:other|two)\b)[^\]]*\b(?:few|said|one|of|is)\b[^\]]*\]/,
  /\* as (?:few|said|one|of|is)\b/,
];
const EMPTY_PARAMETER =
  /[(,] ?(?:few|said|one|of|is)\??: (?:string|number|boolean|unknown|readonly|[A-Z])(?!.*\bother: )/;

testSourceRule('a declaration has a name that says what it is', () =>
  sources.flatMap(({ file, code }) =>
    code
      .split('\n')
      .filter(
        (line) =>
          EMPTY_NAMES.some((pattern) => pattern.test(line)) ||
          (!file.startsWith('test/') && EMPTY_PARAMETER.test(line)),
      )
      .map((line) => `${file}: ${line.trim()}`),
  ),
);

const UNWANTED: Record<string, RegExp> = {
  'a path of one machine': /(?<![\w.*-])\/(w[o]rk|r[o]ot|h[o]me)\/[a-z]/,
  'the host of a registry': /https?:\/\/[^/\s'"]*(r[e]gistry|artif[a]ctory|n[e]xus|npmj[s])/i,
  'a secret': /AK[I]A[0-9A-Z]{16}|PRIVATE KEY-{5}\s+[A-Za-z0-9+/]{32}|xox[b]-\d/,
};

testSourceRule(
  'the repository holds no path of a machine, host of a registry or secret that it should not',
  () =>
    [...texts].flatMap(([file, text]) =>
      Object.entries(UNWANTED).flatMap(([what, pattern]) => {
        const found = pattern.exec(text);
        return found ? [`${file} holds ${what}: ${found[0].slice(0, 40)}`] : [];
      }),
    ),
);
