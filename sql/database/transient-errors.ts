/**
 * SQLSTATEs of transient failures: connection, resources, shutdown, locks, standby, changed business date.
 */
const TRANSIENT_SQLSTATE = /^(08...|53...|57P0[1-4]|57014|40001|40P01|55P03|25006|TODAY)$/;
const TRANSIENT_SYSTEM_CODE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
const TRANSIENT_MESSAGE = /terminated|timeout|not queryable|closed the connection/i;

/**
 * Whether the same steps may succeed a moment later, because the connection to the database failed and not
 * the steps themselves. Works however the error was wrapped.
 */
export function isTransient(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (isTransientItself(at)) return true;
  return false;
}

function isTransientItself(error: Error): boolean {
  if (error instanceof AggregateError) return error.errors.some(isTransient);
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') {
    if (TRANSIENT_SQLSTATE.test(code) || TRANSIENT_SYSTEM_CODE.has(code)) return true;
  }
  // The driver's own errors ("Connection terminated unexpectedly") carry no code.
  return code === undefined && TRANSIENT_MESSAGE.test(error.message);
}
