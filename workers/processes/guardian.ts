import { existsSync, readFileSync } from 'node:fs';

/**
 * Ends the embedded Postgres when the process that started it was killed without a chance to do so.
 * It runs beside it, does nothing, and notices by the closed channel that its parent is gone.
 */
const pid = Number(process.argv[2]);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('message', (message) => {
  if (message === 'all is well') process.exit(0);
});
process.on('disconnect', () => {
  // A reused number must not end a stranger.
  const file = `/proc/${pid}/cmdline`;
  const isPostgres = !existsSync(file) || readFileSync(file, 'utf8').includes('postgres');
  try {
    if (isPostgres) process.kill(pid, 'SIGINT');
  } catch {
    // It has ended already.
  }
  process.exit(0);
});
