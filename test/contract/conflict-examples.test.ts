import { expect, test } from 'vitest';
import { BLOCKER_CODES } from '../../sql/loans/actions.ts';
import { routes } from '../../api/routes.ts';
import { operations } from './openapi-document.ts';

type Refusal = { code: string; message: string; details?: Record<string, unknown> };

const conflictsOf = (at: string, method: string): Refusal[] => {
  const found = operations.find((one) => one.at === at && one.method === method);
  const { examples = {} } = found?.operation.responses['409']?.content?.['application/json'] ?? {};
  return Object.values(examples).map((example) => (example as { value: Refusal }).value);
};
const codesOf = (at: string, method = 'post') => conflictsOf(at, method).map(({ code }) => code);

test('an action on a loan shows how its status and its blockers refuse it', () => {
  expect(codesOf('/api/v1/loans/{id}/disburse').slice(0, 5)).toEqual([
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
    const shown = conflictsOf(`/api/v1${path}`, method.toLowerCase());
    expect(shown.slice(0, own.length), `${method} ${path}`).toMatchObject(own);
    expect(shown.length, path).toBeGreaterThan(own.length);
  }
  expect(declaring.length).toBeGreaterThan(15);
});

/** The codes that a description names after "409". */
const namedIn = (description = '') =>
  [...description.matchAll(/409 ((?:`\w+`(?:, or |, | or )?)+)/g)].flatMap(([, codes = '']) =>
    [...codes.matchAll(/`(\w+)`/g)].map(([, code = '']) => code),
  );

test('an operation that declares conflicts declares those that its description names', () => {
  const missing = routes.flatMap(({ path, method, description, conflicts }) => {
    const own = (conflicts?.() ?? []).map(({ code }) => code);
    return own.length === 0
      ? []
      : namedIn(description)
          .filter((code) => !own.includes(code))
          .map((code) => `${method} ${path}: ${code}`);
  });

  expect(missing).toEqual([]);
});
