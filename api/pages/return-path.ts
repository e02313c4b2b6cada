import type { AccountSection } from './sections.ts';

const PAGE = /^\/(portal|staff)(\/[a-z0-9-]{1,50}){0,6}(\?(token|back)=[\w/-]{1,200})?$/;

/** Where to go on after signing in, or in another language: a page of the same room, and no other address whatever it looks like. */
export const safeReturnPath = (wanted: string | undefined, room: AccountSection): string =>
  wanted !== undefined && PAGE.exec(wanted)?.[1] === room.slice(1) ? wanted : room;
