const PAGE = /^\/portal(\/[a-z0-9-]{1,50}){0,6}$/;

/** Where to go on after signing in: a page of the portal, and no other address whatever it looks like. */
export const backTo = (wanted: string | undefined): string =>
  wanted !== undefined && PAGE.test(wanted) ? wanted : '/portal';
