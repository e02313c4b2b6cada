import { findNearestWord } from '../../jobs/nearest-word.ts';
import type { Route } from '../endpoints/route.ts';
import { HttpRefusal } from './errors.ts';

const ROOT = '/api/v1';
const DOCS = `See ${ROOT}/docs for all endpoints.`;

type Paths = readonly Pick<Route, 'path'>[];

/**
 * Builds the 404 for a path without an endpoint. The message names the path of an endpoint that differs in one similar
 * word.
 */
export function unknownPath(routes: Paths, path: string): HttpRefusal {
  const nearest = findNearestPath(routes, path);
  const hint = nearest === undefined ? DOCS : `Did you mean ${nearest}?`;
  return new HttpRefusal(404, 'not_found', `This endpoint does not exist. ${hint}`);
}

function findNearestPath(routes: Paths, path: string): string | undefined {
  const asked = (path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length) : path).split('/');
  if (!asked.slice(1).every((word) => /^[\w-]{1,60}$/.test(word))) return undefined;
  const pathOf = (words: readonly string[]) => `${ROOT}${words.join('/')}`;
  const differing = routes
    .map((route) => route.path.split('/'))
    .filter((words) => words.length === asked.length)
    .map((words) => ({ words, at: differencesOf(words, asked) }));
  // Only /api/v1 is missing.
  if (differing.some(({ at }) => at.length === 0)) return pathOf(asked);
  const single = differing.filter(({ at }) => at.length === 1);
  for (const [at, word] of asked.entries()) {
    const known = single.filter((other) => other.at[0] === at).map(({ words }) => words[at] ?? '');
    const nearest = findNearestWord(word, known);
    if (nearest !== undefined) return pathOf(asked.with(at, nearest));
  }
  return undefined;
}

/** The positions of fixed words of a pattern that the path does not have. */
const differencesOf = (pattern: readonly string[], asked: readonly string[]) =>
  pattern.flatMap((word, at) => (word.startsWith('{') || word === asked[at] ? [] : [at]));
