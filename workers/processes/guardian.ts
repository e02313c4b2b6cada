import { existsSync, readFileSync } from 'node:fs';

/**
 * Stops the embedded Postgres if the process that started it is killed. It runs as a separate process and
 * notices by the closed channel that its parent has ended.
 */
const pid = Number(process.argv[2]);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('message', (message) => {
  if (message === 'all is well') process.exit(0);
});
process.on('disconnect', () => {
  // The process id may have been reused by another program.
  const file = `/proc/${pid}/cmdline`;
  const isPostgres = !existsSync(file) || readFileSync(file, 'utf8').includes('postgres');
  try {
    if (isPostgres) process.kill(pid, 'SIGINT');
  } catch {
    // Postgres has already ended.
  }
  process.exit(0);
});
