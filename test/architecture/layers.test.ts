import { expect, test } from 'vitest';
import { testSourceRule } from '../setup/source-rules.ts';
import { repositoryTexts, sourcesIn, type Source } from '../setup/sources.ts';

/**
 * The subfolders of jobs/loans, from the most independent to the most dependent. Each imports only itself
 * and the subfolders to its left.
 */
const LAYERS = [
  'arithmetic',
  'products',
  'schedule',
  'engine',
  'agreed',
  'outcomes',
  'history',
  'fees',
  'reporting',
  'origination',
  'funding',
  'boarding',
  'servicing-actions',
  'payoff',
  'workouts',
  'explanations',
] as const;

/** Pure calculations from a loan's terms and events. These subfolders could be a separate package. */
const PURE = ['arithmetic', 'engine', 'schedule'];
const PURE_MAY_USE = ['jobs/money.ts', 'jobs/dates.ts', 'big.js', 'zod'];

/** Files at the top of sql/, such as table.ts. */
const SHARED = 'the files of sql/';

/**
 * The folders of sql/, from the most independent to the most dependent. Each imports only itself and the
 * folders before it. A query stands with the last area whose tables it is about.
 */
const SQL_LAYERS: readonly string[] = [
  'database',
  'queue',
  'moving',
  SHARED,
  'ledger',
  'users',
  'webhooks',
  'cases',
  'borrowers',
  'loans',
  'collateral',
  'payments',
  'communications',
  'documents',
  'mailing',
  'portfolios',
  'books',
  'business-day',
  'portal',
  'invariants',
  'operations',
];

const sources = sourcesIn(repositoryTexts());
const jobs = sources.filter(({ folder }) => folder === 'jobs');

/** Subfolders of other areas that stand alone: pure rules, which areas below the operations use as well. */
const OWN_LAYERS = ['cases/rules'];

/** jobs/loans/engine/fold.ts is in loans/engine, jobs/payments/receive.ts in payments. */
function layerOf(file: string): string | null {
  const [, area = '', layer = ''] = file.split('/');
  if (!file.startsWith('jobs/') || area.endsWith('.ts')) return null;
  const own = `${area}/${layer}`;
  return area === 'loans' || OWN_LAYERS.includes(own) ? own : area;
}

const targetsOf = ({ imports }: Source) => imports.filter(({ is_ours }) => is_ours);

/** Each subfolder with the subfolders that it imports, including types. */
function arrows(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const source of jobs) {
    const from = layerOf(source.file);
    if (from === null) continue;
    const targets = found.get(from) ?? new Set<string>();
    for (const { target } of targetsOf(source)) {
      const to = layerOf(target);
      if (to !== null && to !== from) targets.add(to);
    }
    found.set(from, targets);
  }
  return found;
}

test('every file of jobs/loans belongs to a layer', () => {
  const layers = jobs
    .map(({ file }) => layerOf(file))
    .filter((layer) => layer?.startsWith('loans/'));

  expect(new Set(layers)).toEqual(new Set(LAYERS.map((layer) => `loans/${layer}`)));
});

test('the layers of jobs/loans import from right to left only', () => {
  const placeOf = (layer: string) => LAYERS.findIndex((name) => layer === `loans/${name}`);
  const graph = arrows();
  const drawn = LAYERS.map((layer) => {
    const to = [...(graph.get(`loans/${layer}`) ?? [])].map((name) => name.replace('loans/', ''));
    return `${layer.padEnd(12)} → ${to.toSorted().join(', ') || '–'}`;
  });
  console.info(`The layers of jobs/loans and what they import:\n  ${drawn.join('\n  ')}`);

  const back = [...graph].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => placeOf(from) >= 0 && placeOf(to) > placeOf(from))
      .map((to) => `${from} imports ${to}, which stands to its right`),
  );

  expect(back).toEqual([]);
});

test('no layers or areas of jobs/ import each other in a circle', () => {
  const graph = arrows();
  const reach = (from: string, seen = new Set<string>()): Set<string> => {
    for (const to of graph.get(from) ?? []) {
      if (seen.has(to)) continue;
      seen.add(to);
      reach(to, seen);
    }
    return seen;
  };

  const circling = [...graph.keys()].filter((layer) => reach(layer).has(layer));

  expect(circling).toEqual([]);
});

test('arithmetic, engine and schedule import nothing but each other, money, dates and types', () => {
  const strangers = jobs
    .filter(({ file }) => PURE.some((layer) => file.startsWith(`jobs/loans/${layer}/`)))
    .flatMap(({ file, imports }) =>
      imports
        .filter(({ is_type, target }) => !is_type && !PURE_MAY_USE.includes(target))
        .filter(({ target }) => !PURE.some((layer) => target.startsWith(`jobs/loans/${layer}/`)))
        .map(({ target }) => `${file} imports ${target}`),
    );

  expect(strangers).toEqual([]);
});

const sqlLayerOf = (file: string) => {
  const [, area = ''] = file.split('/');
  return area.endsWith('.ts') ? SHARED : area;
};

testSourceRule('the folders of sql/ import only folders that come before them', () => {
  const files = sources.filter(({ folder }) => folder === 'sql');
  const unknown = [...new Set(files.map(({ file }) => sqlLayerOf(file)))]
    .filter((layer) => !SQL_LAYERS.includes(layer))
    .map(
      (layer) => `Add sql/${layer} to SQL_LAYERS in this file, after the folders that it imports.`,
    );
  const upward = files.flatMap((source) => {
    const layer = sqlLayerOf(source.file);
    return targetsOf(source)
      .map(({ target }) => target)
      .filter((target) => SQL_LAYERS.indexOf(sqlLayerOf(target)) > SQL_LAYERS.indexOf(layer))
      .map(
        (target) =>
          `${source.file} imports ${target}, but ${layer} comes before ${sqlLayerOf(target)} in SQL_LAYERS. ` +
          `Move what both need down to ${layer}, or move the query that needs both up to ${sqlLayerOf(target)}.`,
      );
  });
  return [...unknown, ...upward];
});
