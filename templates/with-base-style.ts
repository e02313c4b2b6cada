import { readFileSync } from 'node:fs';

/** The rules of base.css, followed by the rules of one group of pages, which may replace them. */
export const withBaseStyle = (rules: string) =>
  `${readFileSync(new URL('base.css', import.meta.url), 'utf8')}${rules}`;
