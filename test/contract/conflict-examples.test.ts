import { expect, test } from 'vitest';
import { BLOCKER_CODES } from '../../sql/loans/actions.ts';
import { routes } from '../../api/routes.ts';
import { repositoryTexts, sourcesIn } from '../setup/sources.ts';
import { operations } from './openapi-document.ts';

type Refusal = { code: string; message: string; details?: Record<string, unknown> };

const conflictsOf = (at: string, method: string): Refusal[] => {
  const found = operations.find((one) => one.at === at && one.method === method);
  const { examples = {} } = found?.operation.responses['409']?.content?.['application/json'] ?? {};
  return Object.values(examples).map((example) => (example as { value: Refusal }).value);
};
const codesOf = (at: string, method = 'post') => conflictsOf(at, method).map(({ code }) => code);

test('an action on a loan shows how its status and its blockers refuse it', () => {
  expect(codesOf('/api/v1/loans/{id}/disburse').slice(2, 7)).toEqual([
    'invalid_transition',
    'archived',
    'rescission_period',
    'not_fundable',
    'exceeds_commitment',
  ]);
  expect(conflictsOf('/api/v1/loans/{id}/accelerate', 'post')[0]).toMatchObject({
    code: 'invalid_transition',
    message: 'A loan that is denied cannot be accelerated.',
    details: { current_status: 'denied' },
  });
  expect(codesOf('/api/v1/loans/{id}/draws')).toContain('not_a_line');
  const actions = routes.filter(
    ({ path, conflicts }) => path.startsWith('/loans/{id}/') && conflicts,
  );
  const shown = actions.flatMap(({ path, method }) =>
    codesOf(`/api/v1${path}`, method.toLowerCase()),
  );
  // Blockers that only hide an action which would do nothing refuse nothing.
  const hidden = /^(already_(frozen|accelerated)|not_(frozen|accelerated))$/;
  const blockers = Object.values(BLOCKER_CODES).flat();
  expect(blockers.filter((code) => !hidden.test(code) && !shown.includes(code))).toEqual([]);
});

test('operations show the conflicts that they declare, before those that any operation can have', () => {
  const declaring = routes.filter(({ conflicts }) => (conflicts?.() ?? []).length > 0);

  for (const { path, method, conflicts } of declaring) {
    const own = (conflicts?.() ?? []).map(({ code, message }) => ({ code, message }));
    const codes = [...new Set(own.map(({ code }) => code))];
    const shown = conflictsOf(`/api/v1${path}`, method.toLowerCase());
    const first = codes.map((code) => own.find((one) => one.code === code));
    expect(shown.slice(0, codes.length), `${method} ${path}`).toMatchObject(first);
    // Reading cannot collide with another change.
    if (method !== 'GET') expect(shown.length, path).toBeGreaterThan(codes.length);
  }
  expect(declaring.length).toBeGreaterThan(100);
});

/** Every code of a refusal (409) that the code can throw. */
const KNOWN_CODES = new Set(
  sourcesIn(repositoryTexts())
    .filter(({ folder }) => folder === 'api' || folder === 'jobs')
    .flatMap(({ text }) =>
      [...text.matchAll(/new Conflict\([^;]*?,\s*'([a-z]+(?:_[a-z]+)*)'\s*[,)]/g)].map(
        ([, code = '']) => code,
      ),
    ),
);

/** Codes that no operation declares, and why. */
const UNDECLARED = new Map([
  ['idempotency_key_reuse', 'every operation with an Idempotency-Key'],
  ['in_progress', 'only the command that boards a tape'],
]);

test('every code of a refusal is among the examples of an operation', () => {
  const declared = new Set(
    routes.flatMap(({ conflicts }) => (conflicts?.() ?? []).map(({ code }) => code)),
  );
  const silent = [...KNOWN_CODES].filter((code) => !declared.has(code) && !UNDECLARED.has(code));

  expect(silent, 'Export the refusal and declare it in `conflicts` of the operation').toEqual([]);
});

/** The sentences of a description that mention a conflict. */
const aboutConflicts = (description = '') =>
  description.split(/(?<=\.)\s/).filter((sentence) => sentence.includes('409'));

test('an operation declares the conflicts that its description mentions, and their codes', () => {
  const missing = routes.flatMap((route) => {
    const sentences = aboutConflicts(route.description);
    if (sentences.length === 0) return [];
    const own = (route.conflicts?.() ?? []).map(({ code }) => code);
    const named = sentences.flatMap((sentence) =>
      [...sentence.matchAll(/`(\w+)`/g)].map(([, code = '']) => code),
    );
    const undeclared = named.filter((code) => KNOWN_CODES.has(code) && !own.includes(code));
    return [...undeclared, ...(own.length === 0 ? ['no conflict'] : [])].map(
      (what) => `${route.method} ${route.path}: ${what}. Declare it in \`conflicts\`.`,
    );
  });

  expect(KNOWN_CODES.size).toBeGreaterThan(100);
  expect(missing).toEqual([]);
});
