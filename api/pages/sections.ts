export const PORTAL = '/portal';
export const STAFF = '/staff';

/** The two sections in which people sign in, choose passwords and manage their second factors. */
export type AccountSection = typeof PORTAL | typeof STAFF;
