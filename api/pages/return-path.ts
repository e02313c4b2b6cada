import type { AccountSection } from './sections.ts';

const PAGE = /^\/(portal|staff)(\/[a-z0-9-]{1,50}){0,6}(\?(token|back)=[\w/-]{1,200})?$/;

/**
 * Returns the page to open after signing in or changing the language. Accepts only pages of the same
 * section.
 */
export const safeReturnPath = (wanted: string | undefined, section: AccountSection): string =>
  wanted !== undefined && PAGE.exec(wanted)?.[1] === section.slice(1) ? wanted : section;
