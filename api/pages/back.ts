const PAGE = /^\/portal(\/[a-z0-9-]{1,50}){0,6}(\?(token|back)=[\w/-]{1,200})?$/;

/** Where to go on after signing in, or in another language: a page of the portal, and no other address whatever it looks like. */
export const backTo = (wanted: string | undefined): string =>
  wanted !== undefined && PAGE.test(wanted) ? wanted : '/portal';
