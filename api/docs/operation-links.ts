import { operationIdOf } from '../endpoints/operation-ids.ts';
import type { Route } from '../endpoints/route.ts';

export const DOCS = '/api/v1/docs';

export const operationAddress = (route: Route) => `${DOCS}/reference/${operationIdOf(route)}`;

const OPERATION = /^(GET|POST|PUT|DELETE) (?:\/api\/v1)?(\/[^\s?]{1,200})(?:\?.*)?$/;

/**
 * Returns a function that finds the address of an operation by its method and path, such as `GET
 * /loans/{id}?sort=…`. The names of path parameters do not matter.
 */
export function operationLinks(routes: readonly Route[]) {
  const addresses = new Map(
    routes.map((route) => [`${route.method} ${withoutNames(route.path)}`, operationAddress(route)]),
  );
  return (code: string): string | null => {
    const [, method, path = ''] = OPERATION.exec(code) ?? [];
    return addresses.get(`${method} ${withoutNames(path)}`) ?? null;
  };
}

const withoutNames = (path: string) => path.replace(/\{[^{}]*\}/g, '{}');
