import { z } from 'zod';
import { dictionary } from '../../sql/dictionary.ts';
import { Invalid } from '../../jobs/errors.ts';
import { findNearestWord, quote } from '../../jobs/nearest-word.ts';
import { isRole } from '../http/permissions.ts';
import type { Route } from './route.ts';

/** Names that other APIs use for the parameters of a list. */
const SYNONYMS = dictionary<string>({
  page: 'offset',
  skip: 'offset',
  start: 'offset',
  per_page: 'limit',
  page_size: 'limit',
  pagesize: 'limit',
  count: 'limit',
  size: 'limit',
  take: 'limit',
  order: 'ordering',
  order_by: 'ordering',
  orderby: 'ordering',
  sort_by: 'ordering',
  query: 'q',
  search: 'q',
  where: 'filter',
});

/** Says that the name is unknown, which known name it probably means, and all known names. */
export function unknownName(name: string, what: string, known: readonly string[]): string {
  const synonym = SYNONYMS[name.toLowerCase()] ?? '';
  const nearest = known.includes(synonym) ? synonym : findNearestWord(name, known);
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  return `${quote(name)} is not a ${what}.${hint} Use one of: ${known.join(', ')}.`;
}

/** The names of the query parameters that the route declares itself. */
export const namesOfQuery = ({ query }: Pick<Route, 'query'>): string[] => {
  const schema = query instanceof z.ZodPipe ? query.in : query;
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
};

/** The parameters that every list has. */
export const LIST_PARAMETERS: readonly string[] = [
  'sort',
  'range',
  'filter',
  'ordering',
  'limit',
  'offset',
];

/**
 * Throws for a query parameter that the endpoint does not have: it would be ignored, and the answer would not be what
 * the client asked for. Links in messages and returns from identity providers may carry any parameters, so only the
 * endpoints of staff refuse them. Dashboards send the parameters of lists to every GET, so these are ignored.
 */
export function assertQueryKnown(route: Route, names: readonly string[]) {
  const name = names.find((each) => route.method !== 'GET' || !LIST_PARAMETERS.includes(each));
  if (name === undefined || !isRole(route.allow)) return;
  const known = namesOfQuery(route);
  const inBody =
    route.body instanceof z.ZodObject && Object.hasOwn(route.body.shape, name)
      ? ' Send it in the JSON body.'
      : '';
  const message =
    known.length > 0
      ? unknownName(name, 'parameter of this endpoint', known)
      : `${quote(name)} is not a parameter of this endpoint. It has none.`;
  throw new Invalid({ query: message + inBody });
}
