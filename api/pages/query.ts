import { parse } from 'node:querystring';
import type { Context } from 'koa';

const KEYS_MAX = 20;

/** What stands behind the question mark, of each name its last value. */
export const parseQuery = ({ querystring }: Context): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parse(querystring, '&', '=', { maxKeys: KEYS_MAX })).map(([name, value]) => [
      name,
      [value].flat().at(-1) ?? '',
    ]),
  );
