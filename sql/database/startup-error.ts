/** An error that an operator can fix. Its message is printed without a stack trace. */
export class StartupError extends Error {}

const UNREACHABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** A sentence that explains why the database did not accept the connection, if the cause is known. */
export function databaseUnreachable(url: string, error: unknown): Error {
  const { code, message } = causeOf(error);
  const { host, pathname, username } = new URL(url);
  const why = {
    '28P01': `Postgres at ${host} does not accept the password of ${username}.`,
    '28000': `Postgres at ${host} does not let ${username} in.`,
    '3D000': `Postgres at ${host} has no database ${pathname.slice(1)}.`,
    '22023': `The database at ${host} has never been migrated: npm run migrate does it.`,
  }[code];
  if (UNREACHABLE_CODES.has(code) || /timeout/i.test(message)) {
    const sentence = `Nobody answers at ${host}, where DATABASE_URL says that Postgres is.`;
    return new StartupError(sentence, { cause: error });
  }
  return why ? new StartupError(`${why} See DATABASE_URL.`, { cause: error }) : (error as Error);
}

/** The innermost error with a code. If several addresses were tried, the first one counts. */
function causeOf(error: unknown): { code: string; message: string } {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string') return { code, message: at.message };
    if (at instanceof AggregateError) return causeOf(at.errors[0]);
    if (at.cause === undefined) return { code: '', message: at.message };
  }
  return { code: '', message: String(error) };
}

/**
 * Call first in a process. An uncaught error ends the process with code 1: a StartupError prints its
 * sentence, any other error its stack trace.
 */
export function exitOnUncaughtError() {
  process.on('uncaughtException', (error: unknown) => {
    console.error(error instanceof StartupError ? error.message : error);
    process.exit(1);
  });
}
