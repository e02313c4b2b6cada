/** What whoever started a process can put right. It is told in its own sentence, without a trace. */
export class StartupError extends Error {}

const AWAY = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** The database did not let us in: a sentence that says why, where that is known. */
export function databaseUnreachable(url: string, error: unknown): Error {
  const { code, message } = causeOf(error);
  const { host, pathname, username } = new URL(url);
  const why = {
    '28P01': `Postgres at ${host} does not accept the password of ${username}.`,
    '28000': `Postgres at ${host} does not let ${username} in.`,
    '3D000': `Postgres at ${host} has no database ${pathname.slice(1)}.`,
    '22023': `The database at ${host} has never been migrated: npm run migrate does it.`,
  }[code];
  if (AWAY.has(code) || /timeout/i.test(message)) {
    const sentence = `Nobody answers at ${host}, where DATABASE_URL says that Postgres is.`;
    return new StartupError(sentence, { cause: error });
  }
  return why ? new StartupError(`${why} See DATABASE_URL.`, { cause: error }) : (error as Error);
}

/** The innermost error that has a code; several addresses that were tried count as the first one. */
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
 * For the first line of a process: whatever nobody catches ends it with code 1, in a sentence if it is
 * one that a person can act upon, and with its trace if it is a mistake of ours.
 */
export function exitOnUncaughtError() {
  process.on('uncaughtException', (error: unknown) => {
    console.error(error instanceof StartupError ? error.message : error);
    process.exit(1);
  });
}
