export const PORTAL = '/portal';
export const STAFF = '/staff';

/** The two rooms in which people sign in, choose passwords and look after their second factors. */
export type AccountSection = typeof PORTAL | typeof STAFF;
