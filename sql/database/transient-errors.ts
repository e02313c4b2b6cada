/**
 * SQLSTATEs of transient failures: connection, resources, shutdown, locks, standby, changed business date.
 */
const PASSING_STATE = /^(08...|53...|57P0[1-4]|57014|40001|40P01|55P03|25006|TODAY)$/;
const PASSING_SYSTEM = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
const PASSING_TEXT = /terminated|timeout|not queryable|closed the connection/i;

/**
 * Whether the same steps may succeed a moment later, because the connection to the database failed and not
 * the steps themselves. Works however the error was wrapped.
 */
export function isTransient(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (isPassingItself(at)) return true;
  return false;
}

function isPassingItself(error: Error): boolean {
  if (error instanceof AggregateError) return error.errors.some(isTransient);
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') {
    if (PASSING_STATE.test(code) || PASSING_SYSTEM.has(code)) return true;
  }
  // The driver's own errors ("Connection terminated unexpectedly") carry no code.
  return code === undefined && PASSING_TEXT.test(error.message);
}
