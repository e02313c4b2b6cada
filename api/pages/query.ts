import { parse } from 'node:querystring';
import type { Context } from 'koa';

const KEYS_MAX = 20;

/** Parses the query string and keeps the last value of each name. */
export const parseQuery = ({ querystring }: Context): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parse(querystring, '&', '=', { maxKeys: KEYS_MAX })).map(([name, value]) => [
      name,
      [value].flat().at(-1) ?? '',
    ]),
  );
